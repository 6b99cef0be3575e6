"""Whether a URDF file is the same robot with every adapter: `python -m benchmarks.robots --same`.

Each adapter builds the robot of the file, which starts amid its limits and moves. Then
every adapter says what the robot is: joints, limits, efforts, masses and volumes of surfaces by the names of links,
what M̂ makes of forces on the links, and where these are after a step. `native` is what the others are compared with.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.coupling.kinds import freedom_names
from ipc_articulation.coupling.robots import Actuator, RobotSetup
from ipc_articulation.dynamics import read_urdf
from ipc_articulation.errors import IpcArticulationError
from ipc_articulation.repairs import RepairWarning
from tests.adapters.shared.random_urdfs import random_urdf

ADAPTERS = ("native", "mujoco", "pinocchio", "dart")
CLOSE, SAME_VOLUME = 1e-9, 1e-6  # relative
LARGE = 1e9  # in place of infinite limits
NONE = np.zeros((0, 4, 4))
DT = 0.005  # [s]

Facts = dict[str, dict[str, Any]]  # by kind of fact and name


def same(file: Path, packages: Sequence[Path] = ()) -> dict[str, str]:
    """How each adapter's robot differs from that of `native`: empty where it does not, or why it has none.

    «warned» stands before what differs where MuJoCo's compiler needed what the file has not, which is told by name,
    and «soft followers» where only the step differs of a robot whose followers MuJoCo holds softly.
    """
    start: dict[str, float] = {}
    said = {}
    wanted: Facts = {}
    for adapter in ADAPTERS:
        try:
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", RepairWarning)
                robot = RobotReading(adapter, file, packages)
                start = start or robot.amid_limits()
                found = robot.facts(start)
        except IpcArticulationError as error:
            said[adapter] = f"refused: {error}"
            continue
        wanted = wanted or found
        said[adapter] = "; ".join(differences(found, wanted))
        if adapter == "mujoco" and said[adapter].startswith("pose") and _followers(file, packages):
            said[adapter] = f"soft followers: {said[adapter]}"
        elif said[adapter] and any("MuJoCo needs" in str(warning.message) for warning in told):
            said[adapter] = f"warned: {said[adapter]}"
    return said


@dataclass(frozen=True)
class RobotReading:
    """A file, as an adapter reads it."""

    adapter: str
    file: Path
    packages: Sequence[Path]

    def built(self, **start: Mapping[str, float]) -> Any:
        """The driven robot with a start."""
        module = importlib.import_module(f"ipc_articulation.adapters.{self.adapter}.scene_model")
        model = module.SceneModel(self.file, self.packages)
        slack = tuple(Actuator(joint, 0.0, 0.0) for joint in model.joint_names)
        smooth = dict.fromkeys(model.joint_names, 0.0)  # dry friction acts in the step of some adapters only
        setup = RobotSetup(DT, np.array([0.3, -0.2, -9.81]), "Euler", frictionloss=smooth, actuators=slack, **start)
        return model.build(setup), model.joint_names

    def amid_limits(self) -> dict[str, float]:
        """A position of each joint with one freedom that follows no other one: amid its limits, else 0."""
        driven, names = self.built()
        names = {name for name in names if "[" not in name} - _followers(self.file, self.packages).keys()
        amid = {}
        for joint, (low, high) in zip(driven.joints, driven.adapter.limits(), strict=True):
            if joint in names:
                amid[joint] = float(low + high) / 2.0 if np.isfinite(high - low) else float(np.clip(0.0, low, high))
        return amid

    def facts(self, start: Mapping[str, float]) -> Facts:
        """What the adapter says of the robot."""
        driven, _ = self.built(start=start, start_velocity=dict.fromkeys(start, 0.1))
        robot = driven.adapter.describe()
        links = [link.name if link.mass else "" for link in robot.links]  # "": part of a joint
        free = freedom_names(robot.joints)
        limits = np.clip(driven.adapter.limits(), -LARGE, LARGE)
        return {
            "free": {body.name: "moved by IPC" for body in robot.free},
            "joints": {joint.name: joint.kind for joint in robot.all_joints if joint.name in start},
            "limits": {joint: pair for joint, pair in zip(free, limits, strict=True) if joint in start},
            "effort": {k: min(e, LARGE) for k, e in zip(free, driven.efforts, strict=True) if k in start},
            "mass": {link.name: link.mass for link in robot.links if link.mass},
            "volume": {body.name: volume(body) for body in (*robot.links, *robot.static) if body.mesh is not None},
            **_motion(driven.adapter, list(free), links, _followers(self.file, self.packages)),
        }


def _motion(adapter: Any, free: Sequence[str], links: Sequence[str], N: dict[str, dict[str, float]]) -> Facts:
    """J N (Nᵀ M̂ N)⁻¹ Nᵀ Jᵀ of each link, and the links' poses after a step.

    J has the rates of a pose (12,) for those of the freedoms, and N the rates of these for those of the leaders.
    """
    mass, theta = adapter.predict().mass, adapter.theta()
    leaders = [name for name in free if name not in N]
    rates = np.array([[N.get(name, {name: 1.0}).get(leader, 0.0) for leader in leaders] for name in free])
    J = np.array([adapter.link_motion(theta, rate)[1][:, :3] for rate in rates.T]).reshape(len(leaders), -1, 12)
    inverse = np.linalg.inv(rates.T @ mass @ rates)
    adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
    moved = {
        "inertia": dict(zip(links, np.einsum("nla,nm,mlb->lab", J, inverse, J), strict=True)),
        "pose": dict(zip(links, adapter.link_poses(), strict=True)),
    }
    return {kind: {link: value for link, value in values.items() if link} for kind, values in moved.items()}


def _followers(file: Path, packages: Sequence[Path]) -> dict[str, dict[str, float]]:
    """The rates of joints that follow others, by these."""
    model = read_urdf(file, package_dirs=list(packages)).build()
    f, names = model.followers, model.dof_names
    pairs = zip(f.dofs, f.leader_dofs, f.multiplier.tolist(), strict=True)
    return {names[dof]: {names[leader]: rate} for dof, leader, rate in pairs}


def volume(body: CoupledBody) -> float:
    """Of a body's surface [m³]."""
    assert body.mesh is not None
    a, b, c = body.mesh.vertices[body.mesh.faces.T]
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def differences(found: Facts, wanted: Facts) -> Iterator[str]:
    """What differs, a sentence for each kind of fact, but for links that float alone: with MuJoCo IPC moves these."""
    for kind, named in wanted.items():
        values = {name: value for name, value in named.items() if name not in found["free"]}
        other = found[kind] if kind != "free" else {}
        beside = sorted(values.keys() ^ other.keys())
        apart = [name for name in values if name in other and _differ(kind, values[name], other[name], values)]
        if beside:
            yield f"{kind}: only one has {', '.join(beside[:4])}" + (f" and {len(beside) - 4} more" * (len(beside) > 4))
        if apart:
            name = apart[0]
            shown = f"{_short(other[name])} for {_short(values[name])}"
            if kind in ("inertia", "pose"):
                name, shown = max((float(np.abs(other[n] - values[n]).max()), n) for n in apart)[::-1]
                shown = f"by up to {shown:.1e}"
            yield f"{kind} of {len(apart)} of {len(values)}: {name} {shown}"


def _differ(kind: str, first: Any, second: Any, values: Mapping[str, Any]) -> bool:
    if isinstance(first, str):
        return bool(first != second)
    scale = max(float(np.abs(value).max()) for value in values.values()) if kind == "inertia" else 1.0
    tolerance = SAME_VOLUME * abs(first) if kind == "volume" else CLOSE * scale
    return not np.allclose(first, second, rtol=CLOSE, atol=tolerance)


def _short(value: Any) -> str:
    return value if isinstance(value, str) else np.array2string(np.ravel(value)[:2], precision=4, separator=" ")


def compare(files: Sequence[Path], workers: int | None) -> None:
    """Print for each file what differs, file by file in processes of their own, and how many are the same."""
    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(_in_process, files))
    named = ("refused", "warned", "soft followers")
    differing = [said for said in found if any(text and not text.startswith(named) for text in said.values())]
    print(f"{len(files) - len(differing)} of {len(files)} files are one robot with all adapters that take them")
    for what in named:
        count = Counter(adapter for said in found for adapter, text in said.items() if text.startswith(what))
        print(f"{what}:", ", ".join(f"{number} by {adapter}" for adapter, number in count.items()) or "none")


def random_files(folder: Path, count: int) -> list[Path]:
    """Files of random robots with joints of every type."""
    files = [folder / f"random{seed}.urdf" for seed in range(count)]
    for seed, file in enumerate(files):
        file.write_text(random_urdf(seed)[0])
    return files


def _in_process(file: Path) -> dict[str, str]:
    command = [sys.executable, "-m", "benchmarks.robots", "--same", "--one", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    crash = {"": f"the process ended with {done.returncode}: {done.stderr.strip()[-300:]}"}
    said: dict[str, str] = json.loads(done.stdout.strip().rpartition("\n")[2]) if done.returncode == 0 else crash
    for adapter, text in said.items():
        if text:
            print(f"{file.name}: {adapter}: {text[:300]}", flush=True)
    return said
