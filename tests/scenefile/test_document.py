"""YAML that a scene file must not hold, and files that are none: each named with its place, none hangs or crashes."""

from pathlib import Path

import pytest

from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.document import Document, SceneProblem


def error_of(folder: Path, text: str | bytes) -> str:
    file = folder / "scene.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SceneFileError) as caught:
        Document(file)
    return str(caught.value).replace(f"{folder}/", "")


def data_of(folder: Path, text: str, **settings: object) -> dict:
    file = folder / "scene.yaml"
    file.write_text(text)
    return Document(file, settings).data


LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}\n" for i in range(1, 60))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "scene.yaml:1:1: a scene file must be a mapping of keys to values"),
        ("# nothing\n", "scene.yaml:1:1: a scene file must be a mapping"),
        ("just text", "scene.yaml:1:1: a scene file must be a mapping"),
        ("a: 1\n\tb: 2", "scene.yaml:2:1: not YAML: found character '\\t' that cannot start any token; indent with sp"),
        ("a: 1\n  b: 2", "scene.yaml:2:4: not YAML: mapping values are not allowed here"),
        ("a: [1, 2", "scene.yaml:1:9: not YAML: expected ',' or ']'"),
        ("a: *b", "scene.yaml:1:4: not YAML: found undefined alias 'b'"),
        ("a: 1\n---\nb: 2\n", "scene.yaml:2:1: not YAML: but found another document"),
        ("a: 1\nb: \x00", "scene.yaml:2:4: not YAML: the character U+0000 is not allowed"),
        (b"a: 1\nb: \xff\xfe", "scene.yaml:2:4: the scene file is not UTF-8 text: invalid start byte"),
        ("a: 1\nb: 2\na: 3", "scene.yaml:3:1: key 'a' is repeated here"),
        ("a: {b: 1, b: 1}", "scene.yaml:1:11: key 'b' is repeated here"),
        ("1: a", "scene.yaml:1:1: a key is a text, and this one '1' is not; put it in quotes"),
        ("true: a", "scene.yaml:1:1: a key is a text, and this one 'true' is not"),
        ("null: a", "scene.yaml:1:1: a key is a text, and this one 'null' is not"),
        ("? [a, b]\n: c", "scene.yaml:1:3: a key is a text, and this one is not"),
        ("{a: 1}: c", "scene.yaml:1:1: a key is a text, and this one is not"),
        ("a: .inf", "scene.yaml:1:4: a number must be finite, got .inf"),
        ("a: -.Inf", "scene.yaml:1:4: a number must be finite, got -.Inf"),
        ("a: .NaN", "scene.yaml:1:4: a number must be finite, got .NaN"),
        ("a: 1e999", "scene.yaml:1:4: a number must be finite, got 1e999"),
        ("a: " + "9" * 5000, "scene.yaml:1:4: a number of 5000 digits, more than 300"),
        ("a: !!python/object/apply:os.system [ls]", "scene.yaml:1:4: tag '!!python/object/apply:os.system': values"),
        ("a: !mine x", "scene.yaml:1:4: tag '!mine': values are texts, numbers, true or false, null, lists and mapp"),
        ("a: !!int x", "scene.yaml:1:4: 'x' is no YAML int"),
        ("a: !!set {x}", "scene.yaml:1:4: tag '!!set'"),
        ("a: &x [*x]", "scene.yaml:1:4: an alias is inside its own value"),
        ("a: &x {<<: *x}", "scene.yaml:1:4: an alias is inside its own value"),
        ("a: {<<: 3}", "scene.yaml:1:9: `<<` takes over the keys of a mapping"),
        ("a: " + "[" * 60, "scene.yaml:1:53: not YAML: values are nested more than 50 deep"),
        ("a: " + "[" * 100_000, "not YAML: values are nested more than 50 deep"),
        ("".join(f"{' ' * i}a:\n" for i in range(1900)), "not YAML: values are nested more than 50 deep"),
        (
            "a: " + "x" * 2_000_001,
            "scene.yaml:1:1: a file of 2000004 characters, more than 2000000; long tables belong",
        ),
        (LAUGHS, "values with all aliases written out, more than 200000"),
        ("mass: [1, ${x}]", "scene.yaml:1:12: not YAML: expected ',' or ']', but got '{'; inside [ ] and { } a ref"),
    ],
    ids=lambda value: None if isinstance(value, str) and len(value) < 40 else "text",
)
def test_what_no_scene_file_holds(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert message in error_of(tmp_path, text)


def test_a_folder_is_no_scene_file(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match="cannot read the scene file: Is a directory"):
        Document(tmp_path)


def test_all_wrong_values_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    message = error_of(tmp_path, "a: .nan\n1: x\nb: !mine y\n")
    assert [line.split(": ")[0] for line in message.splitlines()] == [f"scene.yaml:{i}" for i in ("1:4", "2:1", "3:4")]


def test_merge_keys_do_not_grow_and_own_keys_win(tmp_path: Path) -> None:
    assert data_of(tmp_path, MERGES)["a59"] == {"x": 1}
    text = "a: &a {x: 1, y: 1}\nb: &b {x: 2}\nc: {y: 3, <<: [*b, *a]}\n"
    assert data_of(tmp_path, text)["c"] == {"x": 2, "y": 3}


def test_scalars_are_those_of_the_core_schema(tmp_path: Path) -> None:
    text = "[1e-3, 1., .5, 010, 0x1F, 0o17, +7, 1_000, yes, 12:30:00, 2026-11-21, ~, null, True, '1', =]"
    values = data_of(tmp_path, f"a: {text}")["a"]
    assert values == (
        1e-3,
        1.0,
        0.5,
        10,
        31,
        15,
        7,
        "1_000",
        "yes",
        "12:30:00",
        "2026-11-21",
        None,
        None,
        True,
        "1",
        "=",
    )


def test_a_byte_order_mark_is_no_content(tmp_path: Path) -> None:
    assert data_of(tmp_path, "\ufeffa: 1") == {"a": 1}


# Includes


def test_mappings_are_merged_and_the_including_file_wins(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.yaml").write_text("include: b.yaml\nm: {x: a, y: {p: a, q: a}}\nl: [a, a]\n")
    (tmp_path / "parts" / "b.yaml").write_text("m: {x: b, y: {p: b, r: b}, z: b}\nonly: b\n")
    (tmp_path / "c.yaml").write_text("m: {z: c}\n")
    data = data_of(tmp_path, "include: [parts/a.yaml, c.yaml]\nm: {y: {q: main}}\nl: [main]\n")
    assert data["m"] == {"x": "a", "y": {"p": "a", "q": "main", "r": "b"}, "z": "c"}
    assert (data["l"], data["only"]) == (("main",), "b")
    assert data["only"].folder == tmp_path / "parts"  # files that it names are beside it
    assert data["l"][0].folder == tmp_path


def test_an_error_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("m:\n  x: wrong\n")
    file = tmp_path / "scene.yaml"
    file.write_text("include: base.yaml\nn: 1\n")
    document = Document(file)
    assert [path.name for path in document.files] == ["scene.yaml", "base.yaml"]
    message = str(document.error([SceneProblem(("m", "x"), "bad"), SceneProblem(("n",), "bad too", at_key=True)]))
    assert message == f"{file}:2:1: bad too\n{tmp_path / 'base.yaml'}:2:6: bad"


@pytest.mark.parametrize(
    ("text", "other", "message"),
    [
        ("a: 1\ninclude: no.yaml", "", "scene.yaml:2:10: no such file: 'no.yaml' (looked at no.yaml)"),
        ("include: 3", "", "scene.yaml:1:10: `include` takes a file or a list of files"),
        ("include: [other.yaml, {}]", "a: 1", "scene.yaml:1:23: `include` takes a file or a list of files"),
        ("include: other.yaml", "- 1", "other.yaml:1:1: a scene file must be a mapping of keys to values"),
        ("include: other.yaml", "a: [", "other.yaml:1:5: not YAML"),
        ("include: scene.yaml", "", "scene.yaml:1:10: files include each other in a circle: scene.yaml -> scene.yaml"),
        (
            "include: other.yaml",
            "b: 1\ninclude:\n  - scene.yaml",
            "other.yaml:3:5: files include each other in a circle: scene.yaml -> other.yaml -> scene.yaml",
        ),
    ],
)
def test_wrong_includes(tmp_path: Path, text: str, other: str, message: str) -> None:
    (tmp_path / "other.yaml").write_text(other)
    assert message in error_of(tmp_path, text)


def test_only_scene_files_are_included_from_outside_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "scenes"
    folder.mkdir()
    for name in ("base.yaml", "notes.txt"):
        (tmp_path / name).write_text("a: 1")
    assert data_of(folder, "include: ../base.yaml")["a"] == 1
    (folder / "link.yaml").symlink_to(tmp_path / "notes.txt")
    for name in ("../notes.txt", str(tmp_path / "notes.txt"), "link.yaml"):
        message = f"scene.yaml:1:10: '{name}' is outside the scene's folder, where only .yaml and .yml files are read"
        assert message in error_of(folder, f"include: {name}")


def test_a_long_row_of_includes_ends(tmp_path: Path) -> None:
    for i in range(1200):
        (tmp_path / f"{i}.yaml").write_text(f"include: {i + 1}.yaml")
    assert "19.yaml:1:10: more than 20 files include each other in a row" in error_of(tmp_path, "include: 0.yaml")


def test_files_that_many_include_are_read_once(tmp_path: Path) -> None:
    for i in range(15):
        (tmp_path / f"{i}.yaml").write_text(f"include: [{i + 1}.yaml, {i + 1}.yaml]\nx{i}: {i}")
    (tmp_path / "15.yaml").write_text("x15: 15")
    assert len(data_of(tmp_path, "include: [0.yaml, 0.yaml]")) == 17
