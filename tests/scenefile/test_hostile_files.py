"""Files that are no scenes, or are made to exhaust a reader: an error with its place, at once."""

from pathlib import Path
from random import Random
from time import perf_counter

import pytest

from ipc_articulation.checking import check_file

BASE = b"adapter: none\ndt: 0.01\nsteps: 2\n"
CHAIN = b"".join(b'  v%d: ["${v%d}", "${v%d}"]\n' % (i + 1, i, i) for i in range(60))
LONG = b"a" * 5000
HOSTILE = {
    "another encoding": (BASE.decode().encode("utf-16"), "the scene file is not UTF-8 text"),
    "Latin-1": (BASE + b"title: Gr\xf6\xdfe\n", "the scene file is not UTF-8 text"),
    "NUL": (BASE + b"title: a\x00b\n", "the character U+0000 is not allowed"),
    "binary": (Random(1).randbytes(200_000), "the scene file is not UTF-8 text"),
    "empty": (b"", "a scene file is a mapping of keys to values"),
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
    "an alias of itself": (BASE + b"a: &a {<<: *a}\n", "an alias stands inside the very value that it stands for"),
    "a tag": (BASE + b"a: !!python/object/apply:os.system [ls]\n", "values are texts, numbers"),
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
