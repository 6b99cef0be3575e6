"""`ipc-articulation doctor`: what it finds, what it advises, and its exit status."""

import json
import shutil
import webbrowser
from collections import namedtuple
from importlib import metadata
from pathlib import Path

import pytest

from ipc_articulation import cli, doctor
from ipc_articulation.doctor import Finding, examine, works

NO_DRIVER = "engine 'cuda' cannot run here: cudaGetDeviceCount"


@pytest.fixture
def tries(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Reasons why something fails, by the engine it is tried with or a word of the code; nothing really runs."""
    reasons: dict[str, str] = {"cuda": NO_DRIVER, "has_gpu": "exit status 1"}

    def tried(code: str, *arguments: str) -> str | None:
        keys = [*arguments[:1], *(key for key in reasons if key in code)]
        return next((reasons[key] for key in keys if key in reasons), None)

    monkeypatch.setattr(doctor, "_try", tried)
    return reasons


def found(name: str) -> Finding:
    return next(finding for finding in examine() if finding.name == name)


def test_a_machine_without_a_gpu_is_well(tries: dict[str, str]) -> None:
    findings = {finding.name: finding for finding in examine()}
    assert findings["ipc_articulation"].text == metadata.version("ipc_articulation")
    assert findings["numba"] == Finding("numba", "OK", metadata.version("numba"))
    assert findings["engine cpu"].state == findings["engine none"].state == "OK"
    assert findings["engine cuda"].state == "missing"
    assert findings["engine cuda"].text == NO_DRIVER
    assert "needs an NVIDIA GPU and its driver" in findings["engine cuda"].advice
    assert findings["gpu"].state == "missing"
    assert works(list(findings.values()))


def test_a_gpu_whose_engine_fails_is_broken(tries: dict[str, str]) -> None:
    del tries["has_gpu"]
    assert found("gpu").state == "OK"
    assert found("engine cuda").state == "broken"


def test_without_the_cpu_engine_nothing_works(tries: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    tries["cpu"] = "No module named 'uipc'"
    assert cli.main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("broken  engine cpu        No module named 'uipc'")
    assert lines[at + 1].strip() == "-> see the reason; if packages above are missing, install them"


def test_json_has_every_finding(tries: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)
    assert {"name", "state", "text", "advice"} == set(findings[0])
    assert {"engine cpu", "extra view", "pictures", "browser", "cores", "compiled code", "disk"} <= {
        finding["name"] for finding in findings
    }


def test_every_extra_of_the_package_is_told_but_those_of_its_developers(tries: dict[str, str]) -> None:
    named = set(metadata.metadata("ipc_articulation").get_all("Provides-Extra"))
    assert named >= doctor.DEVELOPERS
    told = {finding.name.removeprefix("extra ") for finding in examine() if finding.name.startswith("extra ")}
    assert told == named - doctor.DEVELOPERS
    assert "soft" in told


def test_a_missing_extra_is_named_with_its_command(tries: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    version = metadata.version

    def without_pyvista(name: str) -> str:
        if name == "pyvista":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(doctor.metadata, "version", without_pyvista)
    extra = found("extra view")
    assert extra.state == "missing"
    assert extra.text.startswith("pyvista not installed; >=")
    assert extra.advice == "pip install 'ipc_articulation[view]'"


def test_a_package_that_is_too_old_is_broken(tries: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    version = metadata.version
    monkeypatch.setattr(doctor.metadata, "version", lambda name: "1.0" if name == "zarr" else version(name))
    zarr = found("zarr")
    assert zarr.state == "broken"
    assert zarr.text.startswith("1.0 is installed; >=3")


def test_pictures_without_opengl(tries: dict[str, str]) -> None:
    tries["pyvista"] = "libGL.so.1: cannot open shared object file"
    assert found("pictures") == Finding(
        "pictures",
        "broken",
        "libGL.so.1: cannot open shared object file",
        "install OpenGL: libGL or libOSMesa of your system",
    )


def test_no_browser_is_no_trouble(tries: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(doctor.webbrowser, "get", none)
    assert found("browser").state == "missing"
    assert "`replay --html`" in found("browser").advice


def test_a_full_disk_is_told(tries: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage(10**12, 10**12, 3 * 10**8))
    assert found("disk").state == "broken"
    assert found("disk").text.startswith("0.3 GB free for ")


def test_a_cache_that_cannot_be_written_is_told(tries: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ipc_articulation.engine.output.first_run.compiled_folder", lambda: Path("/nowhere"))
    assert found("compiled code").state == "broken"
    assert "set NUMBA_CACHE_DIR" in found("compiled code").advice


def test_what_is_tried_runs_in_a_process_of_its_own() -> None:
    assert doctor._try("pass") is None
    assert doctor._try("import sys; raise ValueError(sys.argv[1])", "no such thing") == "no such thing"
    assert doctor._try("import os; os.abort()") == "exit status -6"


@pytest.mark.slow
def test_every_engine_takes_a_real_step_or_says_why_not(tmp_path: Path) -> None:
    assert doctor._try(doctor._STEP, "cpu", str(tmp_path / "cpu")) is None
    assert "unknown engine 'gpu'" in (doctor._try(doctor._STEP, "gpu", str(tmp_path / "gpu")) or "")
