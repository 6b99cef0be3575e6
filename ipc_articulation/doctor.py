"""Reports what is installed on this machine, what works, and what to do about the rest: `ipc-articulation doctor`.

A test that may crash its process, for instance because a driver is missing, runs in a separate process.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from ipc_articulation.cores import cores

State = Literal["OK", "missing", "broken"]

DEVELOPERS = {"portable", "test", "bench", "docs", "dev"}  # extras of no use to users
MIN_FREE = 1e9  # bytes of free disk space; with less, a run is likely to fail

_PATIENCE = 300.0  # time limit of one test [s]; a first run compiles
_PICTURE = """
import pyvista
plotter = pyvista.Plotter(off_screen=True, window_size=(64, 64))
plotter.add_mesh(pyvista.Cube())
assert plotter.screenshot(None).std() > 1.0, 'the picture is blank'
"""
_STEP = """
import sys
from ipc_articulation import run
from ipc_articulation.scenefile.examples import scene_file
run(scene_file('example:hinge_slider'), engine=sys.argv[1], steps=1, out=sys.argv[2], quiet=True, pictures=False)
"""


@dataclass(frozen=True)
class Finding:
    """The result of one test."""

    name: str
    state: State
    text: str
    advice: str = ""  # what to do if the state is not OK


def examine() -> Iterator[Finding]:
    """Test everything, in order; the first run of an engine on a machine takes one to two minutes."""
    yield Finding("python", "OK", f"{platform.python_version()} on {platform.platform()}, {sys.executable}")
    yield Finding("ipc_articulation", "OK", metadata.version("ipc_articulation"))
    yield from _packages()
    yield _gpu()
    yield from _engines()
    yield from _extras()
    yield _pictures()
    yield _browser()
    yield Finding("cores", "OK", f"{cores()} usable of {os.cpu_count()}")
    yield _compiled()
    yield _disk(Path.cwd())


def works(findings: list[Finding]) -> bool:
    """Returns: whether the CPU engine works, so that scenes can be run on this machine."""
    return any(finding.name == "engine cpu" and finding.state == "OK" for finding in findings)


def _packages() -> Iterator[Finding]:
    for requirement in _required(extra=None):
        yield _package(requirement, "pip install ipc_articulation")


def _extras() -> Iterator[Finding]:
    """One finding per extra. An extra is missing if one of its packages is missing."""
    for extra in metadata.metadata("ipc_articulation").get_all("Provides-Extra") or []:
        if extra in DEVELOPERS:
            continue
        command = f"pip install 'ipc_articulation[{extra}]'"
        found = [_package(requirement, command) for requirement in _required(extra)]
        lacking = [finding for finding in found if finding.state != "OK"]
        text = ", ".join(f"{finding.name} {finding.text}" for finding in lacking or found)
        state = lacking[0].state if lacking else "OK"
        yield Finding(f"extra {extra}", state, text, command if lacking else "")


def _required(extra: str | None) -> list[str]:
    """Requirements on this machine, as `name>=version`: those of an extra, or (None) of the package itself."""
    from packaging.requirements import Requirement

    found = []
    for line in metadata.requires("ipc_articulation") or []:
        requirement = Requirement(line)
        always = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        wanted = requirement.marker is not None and requirement.marker.evaluate({"extra": extra or ""})
        if always if extra is None else wanted and not always:
            found.append(f"{requirement.name}{requirement.specifier}")
    return found


def _package(requirement: str, command: str) -> Finding:
    """The finding about one package: installed in a suitable version, or not."""
    from packaging.requirements import Requirement

    wanted = Requirement(requirement)
    try:
        version = metadata.version(wanted.name)
    except metadata.PackageNotFoundError:
        return Finding(wanted.name, "missing", f"not installed; {wanted.specifier} is needed", command)
    if version not in wanted.specifier:
        return Finding(wanted.name, "broken", f"{version} is installed; {wanted.specifier} is needed", command)
    return Finding(wanted.name, "OK", version)


def _engines() -> Iterator[Finding]:
    """One finding per engine, from a step of a small scene."""
    advice = {
        "cpu": "see the reason; if packages above are missing, install them",
        "cuda": "needs an NVIDIA GPU and its driver; without a GPU use --engine cpu, as `auto` does",
        "none": "see the reason, which libuipc reports",
    }
    for engine in advice:
        with tempfile.TemporaryDirectory() as folder:
            reason = _try(_STEP, engine, folder)
        if reason is None:
            yield Finding(f"engine {engine}", "OK", "took a step")
        else:
            state: State = "missing" if engine == "cuda" and not _has_gpu() else "broken"
            yield Finding(f"engine {engine}", state, reason, advice[engine])


def _gpu() -> Finding:
    if _has_gpu():
        return Finding("gpu", "OK", "an NVIDIA driver reports a device; `auto` chooses the engine cuda")
    advice = "nothing, if the engine cpu works: `auto` chooses it"
    return Finding("gpu", "missing", "no NVIDIA driver reports a device", advice)


def _has_gpu() -> bool:
    return _try("import sys; from ipc_articulation.engine.engine import has_gpu; sys.exit(not has_gpu())") is None


def _pictures() -> Finding:
    reason = _try(_PICTURE)
    if reason is None:
        return Finding("pictures", "OK", "drawn without a display")
    if "No module named" in reason:
        return Finding("pictures", "missing", reason, "pip install 'ipc_articulation[view]'")
    return Finding("pictures", "broken", reason, "install OpenGL: libGL or libOSMesa of your system")


def _browser() -> Finding:
    try:
        found = webbrowser.get()
    except webbrowser.Error:
        advice = "open the address that `replay` prints on another machine, or use `replay --html`"
        return Finding("browser", "missing", "no browser can be started", advice)
    return Finding("browser", "OK", getattr(found, "name", type(found).__name__))


def _compiled() -> Finding:
    """The folder of numba's compiled code."""
    try:
        from ipc_articulation.engine.output.first_run import compiled_folder
    except ImportError as error:
        return Finding("compiled code", "broken", str(error), "install the packages above")
    folder = compiled_folder()
    if folder is None:
        return Finding("compiled code", "broken", "NUMBA_DISABLE_JIT is set: everything is slow", "unset it")
    if not os.access(folder, os.W_OK):
        advice = (
            "set NUMBA_CACHE_DIR to a folder that can be written, or every run compiles again, for one to two minutes"
        )
        return Finding("compiled code", "broken", f"{folder} cannot be written", advice)
    state = "exists" if any(folder.glob("*.nbc")) else "will be created by the first run, in one to two minutes"
    return Finding("compiled code", "OK", f"{state}: {folder}")


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    text = f"{free / 1e9:.1f} GB free for {folder}"
    return (
        Finding("disk", "OK", text)
        if free > MIN_FREE
        else Finding("disk", "broken", text, "free some space, or use --out with another disk")
    )


def _try(code: str, *arguments: str) -> str | None:
    """Run Python code in a separate process. Returns: the reason of its failure, or None."""
    command = [sys.executable, "-c", code, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        return f"no answer in {_PATIENCE:.0f} s"
    if done.returncode == 0:
        return None
    lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit status {done.returncode}"]
    return re.sub(r"^[\w.]+(Error|Exception): ", "", lines[-1])
