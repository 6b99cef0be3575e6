"""Files that are no scenes, or are made to exhaust a reader: an error with its place, at once."""

from pathlib import Path
from random import Random
from time import perf_counter

import pytest

from ipc_articulation.checking import check_file
from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.reading import read_scene

BASE = b"adapter: none\ndt: 0.01\nsteps: 2\n"
CHAIN = b"".join(b'  v%d: ["${v%d}", "${v%d}"]\n' % (i + 1, i, i) for i in range(60))
LONG = b"a" * 5000
HOSTILE = {
    "another encoding": (BASE.decode().encode("utf-16"), "the scene file is not UTF-8 text"),
    "Latin-1": (BASE + b"title: Gr\xf6\xdfe\n", "the scene file is not UTF-8 text"),
    "NUL": (BASE + b"title: a\x00b\n", "the character U+0000 is not allowed"),
    "binary": (Random(1).randbytes(200_000), "the scene file is not UTF-8 text"),
    "empty": (b"", "a scene file must be a mapping of keys to values"),
    "huge": (BASE + b"title: " + b"x" * 12_000_000, "characters, more than 2000000"),
    "deep": (BASE + b"bodies: " + b"[" * 100_000, "values are nested more than 50 deep"),
    "a chain of variables": (BASE + b"variables:\n  v0: 1\n" + CHAIN + b"title: ${v60}\n", "more than 50 deep"),
    "variables in a circle": (
        BASE + b'variables: {a: "${b}", b: "${a}"}\n',
        "variables refer to each other in a circle",
    ),
    "a tower of powers": (BASE.replace(b"0.01", b'"${9**9**9**9}"'), "'9**9**9**9' has no value"),
    "itself": (BASE + b"include: scene.yaml\n", "files include each other in a circle"),
    "a folder": (BASE + b"include: .\n", "no such file: '.'"),
    "NUL in a name": (BASE + b'include: "a\\0b"\n', "no such file"),
    "a long name": (BASE + b"bodies: [{name: a, shape: {type: mesh, file: %s.stl}}]\n" % LONG, "no such file"),
    "a long include": (BASE + b"include: " + LONG, "no such file"),
    "a surrogate": (BASE + b'title: "\\ud800"\n', "title should be a text"),
    "an alias of itself": (BASE + b"a: &a {<<: *a}\n", "an alias is inside its own value"),
    "a tag": (BASE + b"a: !!python/object/apply:os.system [ls]\n", "values are texts, numbers"),
    "another byte order": ("\ufeff".encode("utf-16-le") + BASE.decode().encode("utf-16-le"), "is not UTF-8 text"),
    "a merge key twice": (
        BASE + b"contact:\n  <<: {d_hat: 1}\n  <<: {d_hat: 2}\n",
        "key '<<' is repeated here",
    ),
    "a bomb of aliases": (
        BASE
        + b"config:\n  a0: &a0 [1, 1]\n"
        + b"".join(b"  a%d: &a%d [*a%d, *a%d]\n" % (i, i, i - 1, i - 1) for i in range(1, 60)),
        "values with all aliases written out, more than 200000",
    ),
    "a number of many digits": (BASE + b"seed: " + b"9" * 100_000, "a number of 100000 digits, more than 300"),
    "a tab": (BASE + b"bodies:\n\t- {name: a}\n", "indent with spaces, not with tabs"),
    "many includes": (BASE + b"include: [" + b"a.yaml, " * 300 + b"]\n", "a list of files, 200 at most"),
    "too many steps": (
        BASE.replace(b"2\n", b"99999999999999999999\n"),
        "steps should be less than or equal to 1000000000",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_at_once(tmp_path: Path, name: str) -> None:
    content, message = HOSTILE[name]
    (tmp_path / "scene.yaml").write_bytes(content)
    begin = perf_counter()
    faults = check_file(tmp_path / "scene.yaml").errors
    assert any(message in fault.message for fault in faults)
    assert all(fault.line for fault in faults)
    assert perf_counter() - begin < 20.0


def test_the_text_of_all_included_files_is_bounded(tmp_path: Path) -> None:
    names = [f"part{index}.yaml" for index in range(30)]
    for name in names:
        (tmp_path / name).write_text(f"title: {'a' * 200_000}\n")
    (tmp_path / "scene.yaml").write_text(f"{BASE.decode()}include: [{', '.join(names)}]\n")
    begin = perf_counter()
    faults = check_file(tmp_path / "scene.yaml").errors
    assert "a scene has 200 files and 2000000 characters at most" in faults[0].message
    assert faults[0].file == tmp_path / "part9.yaml"
    assert perf_counter() - begin < 10.0


def test_files_that_include_one_more_each_are_refused(tmp_path: Path) -> None:
    for k in range(30):
        names = [f"f{k}_{n}.yaml" for n in range(10)]
        for name in names:
            (tmp_path / name).write_text("{}\n")
        (tmp_path / f"group{k}.yaml").write_text(f"include: [{', '.join(names)}]\n")
    groups = ", ".join(f"group{k}.yaml" for k in range(30))
    (tmp_path / "scene.yaml").write_text(f"{BASE.decode()}include: [{groups}]\n")
    assert "a scene has 200 files" in check_file(tmp_path / "scene.yaml").errors[0].message


ITSELF: list = []
ITSELF.append(ITSELF)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("a" + ".a" * 5000, 1, "a path of 5001 parts, more than 50"),
        ("bodies[" + "9" * 5000 + "]", 1, "is no path"),
        ("config", ITSELF, "values are nested more than 50 deep"),
        ("seed", 10**5000, "a number of more than 300 digits"),
    ],
    ids=["long path", "long index", "itself", "long number"],
)
def test_hostile_settings_are_refused(tmp_path: Path, path: str, value: object, message: str) -> None:
    (tmp_path / "scene.yaml").write_bytes(BASE)
    with pytest.raises(SceneFileError, match=message):
        read_scene(tmp_path / "scene.yaml", {path: value})
