"""Patterns of names match what Python's regular expressions match, in linear time."""

import random
import re
from pathlib import Path
from time import perf_counter

import pytest

from ipc_articulation.checking import check_file
from ipc_articulation.errors import AdapterError
from ipc_articulation.naming import matching
from ipc_articulation.patterns import is_match
from tests.running.scenes import write_scene

PATTERNS = [
    ".*", "panda_joint[12]", "panda_finger_joint.", r"a\.b", r"\w+_\d{1,2}", "(left|right)_(hip|knee)_.+", "a|b|", "",
    "[^ab]*", "(?:ab)+c?", "a{2,}", "a{0}b", "(a|ab)(c|bcd)(d*)", "[]a]+", "[a-]*", r"\[x\]", "x{1,3}y{2}", r"[\w.]+",
    "a,b", "Körper.", "a-b c/d", "b}", "a:b#", "(a*)*", "(a{0,2}){2}",
]  # fmt: skip


def texts(draw: random.Random) -> list[str]:
    letters = "abcdxy_.019[] -"
    written = ["panda_joint1", "panda_joint2", "panda_joint3", "left_knee_roll", "a.b", "axb", "x_7", "Körper1", "[x]"]
    return [*written, "", *("".join(draw.choices(letters, k=draw.randrange(1, 7))) for _ in range(300))]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_matches_what_a_regular_expression_matches(pattern: str) -> None:
    for text in texts(random.Random(7)):
        assert is_match(pattern, text) == bool(re.fullmatch(pattern, text, re.DOTALL | re.ASCII)), text


def test_random_patterns_match_what_regular_expressions_match() -> None:
    draw = random.Random(11)

    def made(depth: int) -> str:
        kind = draw.randrange(7) if depth else 0
        if kind == 1:
            return f"({made(depth - 1)}|{made(depth - 1)})"
        if kind == 2:
            return f"({made(depth - 1)}){draw.choice(['*', '+', '?', '{2}', '{1,2}', '{0,}'])}"
        if kind in (3, 4):
            return made(depth - 1) + made(depth - 1)
        return draw.choice(["a", "b", ".", "[ab]", "[^a]", r"\w", "", "c?", "a*"])

    for _ in range(400):
        pattern = made(4)
        for text in ["", *("".join(draw.choices("abc", k=draw.randrange(1, 6))) for _ in range(20))]:
            assert is_match(pattern, text) == bool(re.fullmatch(pattern, text)), (pattern, text)


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(a|a)*b", "(a|aa)+b", "a*" * 20 + "b", "((((a*)*)*)*)*b", "(.*)*x", "(a?){60}a{60}b"]
)
def test_hostile_patterns_take_no_time(pattern: str) -> None:
    begin = perf_counter()
    with pytest.raises(AdapterError, match="matches no joint"):
        matching(pattern, ["a" * 60, "a" * 200], "joint", AdapterError)
    assert perf_counter() - begin < 5.0


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a", "'(a' is no regular expression: missing ): (a; valid: "),
        ("a)", "unexpected ): a)"),
        ("*a", "no argument for repetition operator: *"),
        ("a**", "bad repetition operator: **"),
        ("a{3,2}", "invalid repetition size: {3,2}"),
        ("[z-a]", "invalid character class range: z-a"),
        (r"(a)\1", r"invalid escape sequence: \1"),
        ("(?=a)", "invalid perl operator: (?="),
        ("[ab", "missing ]: [ab"),
        ("((a{100}){100}){100}", "invalid repetition size: {100}"),
        ("\ud800", "surrogates not allowed"),
        ("(" * 20_000 + ")" * 20_000, "a regular expression of 40000 characters; valid: 1000 at most"),
    ],
)
def test_what_is_no_pattern_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        is_match(pattern, "a")


LONG = "t" * 40


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"joints: {LONG}, kp", 'joints: "(t+)+b", kp'),
        ("model: arm.xml", 'model: arm.xml\n  armature: {"(t|tt)+b": 0.1}'),
        ("dt: 0.01", f'dt: 0.01\nmaterials: {{{LONG}: {{}}}}\ncontact: {{pairs: [{{between: ["(l*)*k*z", ".*"]}}]}}'),
    ],
)
def test_a_scene_file_with_a_hostile_pattern_is_checked_at_once(tmp_path: Path, old: str, new: str) -> None:
    file = write_scene(tmp_path)
    for each in (file, tmp_path / "arm.xml"):
        each.write_text(each.read_text().replace("turn", LONG))
    file.write_text(file.read_text().replace(old, new))
    begin = perf_counter()
    report = check_file(file)
    assert "matches no" in report.errors[0].message
    assert perf_counter() - begin < 20.0


def test_a_pattern_in_a_list_of_names_says_how_it_is_one():
    with pytest.raises(AdapterError) as error:
        matching(["[az]"], ["a", "b", "z"], "joint", AdapterError)
    assert str(error.value).startswith("unknown joint '[az]';")
    assert str(error.value).endswith("; a list has whole names: write '[az]' without a list as a regular expression")
    with pytest.raises(AdapterError, match=r"known: a, b$"):
        matching(["c["], ["a", "b"], "joint", AdapterError)
