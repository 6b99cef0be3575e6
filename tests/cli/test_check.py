"""`ipc-articulation check`: what it prints, and its exit status."""

import json
from pathlib import Path

import pytest

from ipc_articulation import cli
from ipc_articulation.scenefile.json_schema import text

GOOD = "adapter: none\ndt: 0.01\nsteps: 3\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "scene.yaml"
    file.write_text(GOOD)
    return file


def test_a_clean_file_ends_with_0(file: Path, capsys) -> None:
    assert cli.main(["check", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: no errors, no warnings\n"


def test_errors_end_with_2_and_name_their_places(file: Path, capsys) -> None:
    file.write_text("adapter: none\ndt: 0\nstep: 3\n")
    assert cli.main(["check", str(file)]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{file}:1:1: error: missing key 'steps'"
    assert lines[1] == f"{file}:2:5: error: dt should be greater than 0, got 0"
    assert lines[2].startswith(f"{file}:3:1: error: unknown key 'step'; did you mean 'steps'?")
    assert lines[3] == f"{file}: 3 errors, no warnings"


def test_warnings_end_with_0_and_with_strict_with_2(file: Path, capsys) -> None:
    assert cli.main(["check", str(file), "--set", "dt=1.0"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{file}: --set dt=1.0: warning: the time step 1 s is outside 1e-05 to 0.05 s")
    assert out.endswith(": no errors, 1 warning\n")
    assert cli.main(["check", str(file), "--set", "dt=1.0", "--strict"]) == 2


def test_reports_for_machines(file: Path, tmp_path: Path, capsys) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(GOOD + "stepz: 3\n")
    assert cli.main(["check", str(file), str(wrong), str(tmp_path / "none.yaml"), "--json"]) == 2
    first, second, third = json.loads(capsys.readouterr().out)
    assert first == {"file": str(file), "errors": [], "warnings": []}
    (error,) = second["errors"]
    assert error["message"].startswith("unknown key 'stepz'")
    assert {key: error[key] for key in ("file", "line", "column", "setting")} == {
        "file": str(wrong), "line": 4, "column": 1, "setting": None,
    }  # fmt: skip
    assert third["errors"][0]["message"] == "cannot read the scene file: No such file or directory"


def test_the_schema_is_printed(capsys) -> None:
    assert cli.main(["check", "--schema"]) == 0
    assert capsys.readouterr().out == text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name at least one FILE, or give --schema"),
        (["--schema", "a.yaml"], "give FILE or --schema, not both"),
        (["a.yaml", "--set", "dt"], "--set dt: a setting is PATH=VALUE"),
    ],
)
def test_wrong_use_ends_with_2(capsys, arguments: list[str], message: str) -> None:
    assert cli.main(["check", *arguments]) == 2
    assert message in capsys.readouterr().err
