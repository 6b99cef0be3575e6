"""Variables of a scene file, references to them, and arithmetic."""

import math
from pathlib import Path

import pytest

from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.document import Document
from ipc_articulation.scenefile.reading import read_scene

SLIDER = (Path(__file__).parents[2] / "scenes" / "hinge_slider.yaml").read_text()


def document(folder: Path, text: str, settings: dict | None = None) -> Document:
    file = folder / "scene.yaml"
    file.write_text(text)
    return Document(file, settings)


def error_of(folder: Path, text: str) -> str:
    with pytest.raises(SceneFileError) as caught:
        document(folder, text)
    return str(caught.value).replace(f"{folder}/", "")


def test_a_whole_reference_keeps_the_type(tmp_path: Path) -> None:
    text = "variables: {n: 3, b: true, t: word, l: [1, ${n}], m: {k: '${n}'}, none: null}\n"
    text = text.replace("${n}]", "'${n}']") + "".join(f"{name}: ${{{name}}}\n" for name in "nbtlm") + "x: ${none}\n"
    data = document(tmp_path, text).data
    assert {key: data[key] for key in "nbtlmx"} == {
        "n": 3, "b": True, "t": "word", "l": (1, 3), "m": {"k": 3}, "x": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${side / 2}", 0.25),
        ("${n + 1}", 4),
        ("${2 * n ** 2 - -n}", 21),
        ("${(n + 1) * side}", 2.0),
        ("${sin(pi / 6)}", math.sin(math.pi / 6)),
        ("${max(n, 7, 5)}", 7),
        ("${pi}", math.pi),
        ("${90 * deg}", math.pi / 2),
        ("${-n * deg + pi}", math.pi - math.radians(3)),
        ("${2 ** 0.5}", math.sqrt(2)),
        ("${1e-3}", 1e-3),
        ("${radians(180)}", math.pi),
        ("${round(2.6)}", 3),
    ],
)
def test_arithmetic(tmp_path: Path, text: str, value: float) -> None:
    found = document(tmp_path, f"variables: {{side: 0.5, n: 3}}\nx: {text}").data["x"]
    assert found == value
    assert type(found) is type(value)


def test_references_inside_text_become_text(tmp_path: Path) -> None:
    text = "variables: {name: crate, mass: 2.0, on: true}\n"
    text += "x: 'a ${name} of ${ mass } kg, ${mass * 2}, ${on}, $${name}, $5'"
    assert document(tmp_path, text).data["x"] == "a crate of 2.0 kg, 4.0, true, ${name}, $5"


def test_variables_of_included_files_and_settings(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("variables: {a: 1, b: '${a}', c: 5}\nx: ${b}\ny: ${c}\n")
    text = "include: base.yaml\nvariables: {a: 2}\n"
    assert document(tmp_path, text).data["x"] == 2
    data = document(tmp_path, text, {"variables.a": 7, "variables.c": "${a * 2}"}).data
    assert (data["x"], data["y"]) == (7, 14)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x: ${crat}",
            "scene.yaml:2:4: unknown variable 'crat'; did you mean 'crate'? names: crate, deg, list, pi, word",
        ),
        ("x: a ${crat} b", "scene.yaml:2:4: unknown variable 'crat'"),
        ("x: ${crat + 1}", "scene.yaml:2:4: unknown variable 'crat'"),
        ("x: ${word + 1}", "scene.yaml:2:4: variable 'word' is not a number, and cannot be used in an expression"),
        ("x: a ${list}", "scene.yaml:2:4: ${list} is a list or a mapping, and cannot be part of a text"),
        ("x: a ${crate", "scene.yaml:2:4: `${` without `}`; a plain `${` is written `$${`"),
        ("x: ${}", "scene.yaml:2:4: '' is no expression of numbers, variables, + - * / ** ( ), pi, deg, abs, cos"),
        ("x: ${1 +}", "'1 +' is no expression"),
        ("x: ${crate / 0}", "'crate / 0' has no value: float division by zero"),
        ("x: ${9 ** 9 ** 9}", "'9 ** 9 ** 9' has no value: math range error"),
        ("x: ${sqrt(-1)}", "'sqrt(-1)' has no value: "),
        ("x: ${9007199254740991 * 4}", "'9007199254740991 * 4' has no value: it is too large"),
        ("x: ${__import__('os')}", "`__import__('os')` is not valid in an expression"),
        ("x: ${crate.real}", "`crate.real` is not valid in an expression; valid are numbers, variables"),
        ("x: ${'a' * 9}", "is not valid in an expression"),
        ("x: ${sin()}", "'sin()' has no value"),
        ("x: ${" + "(" * 190 + "}", "is no expression"),
        ("x: ${" + "1+" * 150 + "1}", "an expression of 301 characters, more than 200"),
    ],
)
def test_wrong_references(tmp_path: Path, text: str, message: str) -> None:
    found = error_of(tmp_path, f"variables: {{crate: 2.0, word: text, list: [1]}}\n{text}")
    assert message in found
    assert found.startswith("scene.yaml:2:4: ")


def test_circles_are_told(tmp_path: Path) -> None:
    text = "variables:\n  a: ${b}\n  b: ${c + 1}\n  c: x ${a}\n"
    assert error_of(tmp_path, text) == "scene.yaml:4:6: variables refer to each other in a circle: a -> b -> c -> a"
    assert "scene.yaml:2:6: variables refer to each other in a circle: a -> a" in error_of(
        tmp_path, "variables:\n  a: ${a}\n"
    )


def test_names_that_no_reference_could_say(tmp_path: Path) -> None:
    message = error_of(tmp_path, "variables:\n  a b: 1\n  pi: 3\n  ok: 2\n")
    assert [line.split(" ")[0] for line in message.splitlines()] == ["scene.yaml:2:3:", "scene.yaml:3:3:"]
    assert "'a b' is not a valid variable name" in message
    message = error_of(tmp_path, "variables:\n  deg: 1\n")
    assert (
        "'deg' is not a valid variable name: letters, digits and _, not beginning with a digit, and none of pi, deg,"
        in message
    )


def chain(links: int, form: str, backward: bool = False) -> str:
    """Variables that each refer to the one before; backward, to the one after."""
    lines = ["  a0: word\n"] + [f"  a{i}: {form.format(f'${{a{i - 1}}}')}\n" for i in range(1, links)]
    return "variables:\n" + "".join(reversed(lines) if backward else lines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (chain(40, '["{0}", "{0}"]'), "values, 42 deep, with all variables written out"),
        (chain(40, '"{0}{0}"'), "characters with its references written out, more than 10000"),
        (chain(80, '["{0}"]'), "variable 'a50' is more than 50 deep"),
        (chain(3000, '["{0}"]'), " deep"),
        (chain(3000, "{0}", backward=True), "more than 100 values inside values"),
        (chain(100, "[" * 20 + '"{0}"' + "]" * 20, backward=True), "more than 100 values inside values"),
    ],
    ids=["values", "text", "depth", "long", "backward", "deep"],
)
def test_variables_that_grow_are_stopped(tmp_path: Path, text: str, message: str) -> None:
    assert message in error_of(tmp_path, text)


def test_an_error_says_where_the_value_came_from(tmp_path: Path) -> None:
    file = tmp_path / "scene.yaml"
    file.write_text(SLIDER.replace("dt: 0.01", "variables: {step: -1}\ndt: ${step}"))
    with pytest.raises(SceneFileError, match=r"5:5: dt should be greater than 0, got -1 \(from \$\{step\}\)"):
        read_scene(file)
    assert read_scene(file, {"variables.step": 0.5})[0].dt == 0.5


def test_a_thousand_references_to_a_long_list_are_quick(tmp_path: Path) -> None:
    text = f"variables: {{long: {list(range(100))}, pair: ['${{long}}', '${{long}}']}}\n"
    text += "x: [" + ", ".join(["'${pair}'"] * 900) + "]"
    assert len(document(tmp_path, text).data["x"]) == 900
