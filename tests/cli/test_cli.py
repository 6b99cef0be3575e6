"""The command line: what it prints, its exit status, and how fast it starts."""

import gc
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from ipc_articulation import cli, errors
from ipc_articulation.cli import entry
from ipc_articulation.repairs import RepairWarning

SCENES = Path(__file__).parents[2] / "scenes"


@pytest.fixture
def run_call(monkeypatch: pytest.MonkeyPatch) -> dict:
    """What the command hands to `ipc_articulation.running.run`; `raises` in it makes that fail."""
    call: dict = {}

    def run(file: Path, **options) -> None:
        call.update(file=file, **options)
        if "raises" in call:
            raise call["raises"]

    monkeypatch.setattr("ipc_articulation.running.run", run)
    return call


def test_options_reach_the_run(run_call: dict) -> None:
    first = ["run", "a.yaml", "--engine", "cpu", "--steps", "7", "--out", "there", "--quiet", "--no-pictures"]
    assert cli.main([*first, "--set", "contact.friction=false", "--set", "bodies.crate.mass=1e-1", "--force"]) == 0
    assert run_call == {
        "file": Path("a.yaml"),
        "engine": "cpu",
        "steps": 7,
        "out": Path("there"),
        "quiet": True,
        "settings": {"contact.friction": False, "bodies.crate.mass": 0.1},
        "name": None,
        "force": True,
        "pictures": False,
        "show": "visual",
        "time_limit": None,
    }


def test_options_reach_the_resumed_run(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr("ipc_articulation.running.resume", lambda folder, **options: calls.append((folder, options)))
    assert cli.main(["resume", "out/a", "--steps", "5", "--time-limit", "2.5", "--quiet"]) == 0
    expected = {"steps": 5, "quiet": True, "pictures": True, "show": "visual", "time_limit": 2.5}
    assert calls == [(Path("out/a"), expected)]


def test_the_summary_for_machines_is_one_json_object(tmp_path: Path, capsys) -> None:
    file, out = str(SCENES / "pendulum.yaml"), str(tmp_path)
    arguments = ["run", file, "--engine", "cpu", "--steps", "3", "--out", out, "--json", "--no-pictures"]
    assert cli.main([*arguments, "--set", "bodies.box.mass=2", "--name", "two"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["name"], told["engine"], told["steps"], told["dt"]) == ("two", "cpu", 3, 0.005)
    assert told["settings"] == {"bodies.box.mass": 2}
    assert told["files"] == [str(tmp_path / "two" / "recording.zarr")]
    assert 0.0 < told["minimum_distance"] < 0.01
    assert set(told["moved"]) == {"box"}


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.SceneFileError("unknown key 'a'", "s.yaml", 3, 4), 2),
        (errors.EngineError("engine 'cuda' cannot run here"), 2),
        (errors.MissingPackageError("viser is missing"), 2),
        (errors.SolverError("not finite"), 1),
        (errors.AdapterError("unknown joint"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_errors_are_one_clean_message(run_call: dict, capsys, error: BaseException, status: int) -> None:
    run_call["raises"] = error
    assert cli.main(["run", "a.yaml"]) == status
    assert capsys.readouterr().err == f"ipc-articulation: {str(error) or 'stopped by Ctrl-C'}\n"


def test_a_warning_is_one_plain_line_shown_once(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    def run(file: Path, **options) -> None:
        for _ in range(2):
            warnings.warn("the base floats", stacklevel=1)
            warnings.warn("mass 0; taken as 1", RepairWarning, stacklevel=1)

    monkeypatch.setattr("ipc_articulation.running.run", run)
    cli.main(["run", "a.yaml"])
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["ipc-articulation: warning: the base floats", "ipc-articulation: repaired: mass 0; taken as 1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "the following arguments are required: FILE"),
        (["run", "a.yaml", "--steps", "0"], "'0' is no whole number from 1: 1, 2, 3, ..."),
        (["run", "a.yaml", "--engine", "gpu"], "invalid choice: 'gpu'"),
    ],
)
def test_wrong_use_ends_with_2(capsys, arguments: list[str], message: str) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("command", entry.COMMANDS)
def test_exit_codes_are_told_once(command: str, capsys) -> None:
    """In the main help, which is also what the command without a subcommand prints."""
    assert cli.main([]) == 0
    told = capsys.readouterr()
    assert "exit status of every command:" in told.out
    assert "2    wrong use, a wrong scene or robot file" in told.out
    assert not told.err
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    assert "stopped by Ctrl-C" not in capsys.readouterr().out


def test_help_shows_examples(capsys) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["run", "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "ipc-articulation run scenes/panda_push.yaml" in text


def test_a_run_from_the_shell(tmp_path: Path) -> None:
    file = str(SCENES / "hinge_slider.yaml")
    command = [sys.executable, "-m", "ipc_articulation", "run", file, "--engine", "cpu", "--steps", "3"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "steps             3 of 0.01 s: 0.030 s simulated" in done.stdout
    assert "minimum distance  nothing came near anything" in done.stdout
    assert str(Path("out/hinge_slider/recording.zarr")) in done.stdout
    assert "\r" not in done.stderr  # no progress bar where there is no terminal
    assert (tmp_path / "out" / "hinge_slider" / "recording.zarr" / "zarr.json").is_file()


@pytest.mark.slow
def test_a_wrong_file_from_the_shell_shows_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text("adapter: none\ndt: 0.1\nstep: 3\n")
    command = [sys.executable, "-m", "ipc_articulation", "run", "wrong.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "wrong.yaml:3:1: unknown key 'step'; did you mean 'steps'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_starting_is_quick_for_nothing_heavy_is_imported() -> None:
    heavy = {"numpy", "uipc", "mujoco", "numba", "ipctk", "scipy", "pydantic", "pyvista", "matplotlib"}
    code = "import sys, ipc_articulation.cli.entry as entry; entry._parser(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert heavy.isdisjoint(done.stdout.split())


def test_garbage_is_collected_after_the_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, bool]] = []
    importing = entry.import_module
    monkeypatch.setattr(entry, "import_module", lambda name: seen.append((name, gc.isenabled())) or importing(name))
    monkeypatch.setattr("ipc_articulation.cli.check.execute", lambda options: seen.append(("execute", gc.isenabled())))
    assert cli.main(["check", "--schema"]) == 0
    assert ("ipc_articulation.checking", False) in seen
    assert seen[-1] == ("execute", True)
    assert gc.isenabled()


LARGE = {"ipctk", "lxml", "mujoco", "numba", "pydantic", "scipy", "trimesh", "uipc", "zarr"}


@pytest.mark.slow
def test_a_run_imports_large_packages_where_ctrl_c_is_deferred(tmp_path: Path) -> None:
    """Python can lose a Ctrl-C in an import."""
    code = f"""if True:
        import sys
        from ipc_articulation.cli import entry
        from ipc_articulation.signals import interrupts_deferred

        class Watch:
            def find_spec(self, name, path=None, target=None):
                if name in {LARGE}:
                    print("deferred" if interrupts_deferred._depth else "not deferred", name)

        sys.meta_path.insert(0, Watch())
        assert entry.main(["run", "scene.yaml", "--steps", "2", "--no-pictures", "--quiet", "--engine", "cpu"]) == 0
    """
    assert cli.main(["new", str(tmp_path / "scene.yaml"), "--adapter", "native"]) == 0
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    assert {line.split()[-1] for line in said} >= {"numba", "pydantic", "uipc", "zarr"}
    assert not [line for line in said if line.startswith("not")]


BOXES = """\
adapter: none
dt: 0.01
steps: 2
ground: {}
bodies:
  - {name: lower, shape: {type: box, size: [0.2, 0.2, 0.2]}, density: 1000, pose: {position: [0, 0, 0.105]}}
  - {name: upper, shape: {type: box, size: [0.2, 0.2, 0.2]}, density: 1000, pose: {position: [0, 0, 0.31]}}
"""


def test_the_first_step_of_boxes_needs_few_packages(tmp_path: Path) -> None:
    code = """if True:
        import sys
        from ipc_articulation.cli import main
        from ipc_articulation.running.steps import Steps

        step = Steps._step
        Steps._step = lambda self, index: (step(self, index), print(*sys.modules) if index == 0 else None)
        assert main(["run", "boxes.yaml", "--no-pictures", "--quiet", "--engine", "cpu"]) == 0
    """
    (tmp_path / "boxes.yaml").write_text(BOXES)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    modules = set(done.stdout.split())
    assert "ipc_articulation.engine.cpu" in modules
    needless = {"scipy.spatial", "scipy.sparse", "scipy.optimize", "pyvista", "matplotlib", "rich", "viser"}
    assert not modules & (needless | {"ipctk", "lxml", "mujoco", "trimesh", "zarr", "ipc_articulation.adapters"})
