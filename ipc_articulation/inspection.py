"""Lists the content of a robot's file: `ipc-articulation inspect`."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.packages import unpacked
from ipc_articulation.repairs import summed

if TYPE_CHECKING:
    import mujoco
    from rich.table import Table

    from ipc_articulation.dynamics.model import Mechanism, Model

_UNITS = {"revolute": "rad", "prismatic": "m"}  # of joints with one number


def inspect(file: Path, as_json: bool = False) -> None:
    """Print the bodies, joints with their limits, degrees of freedom, mass, actuators and cameras of a robot.

    Args:
        file: URDF, MJCF (.xml) or OpenSim (.osim).
        as_json: Print `described` instead, as JSON.

    Raises:
        ModelError: The file cannot be read; the message names the line if there is one.
        AdapterError: MuJoCo cannot read it.
        UnsupportedError: A MuJoCo model contains something that a mechanism cannot represent.
    """
    about = described(file)
    if as_json:
        print(json.dumps(about, indent=2, ensure_ascii=False))
        return
    from rich.console import Console

    console = Console(markup=False, emoji=False)  # names and units may be in brackets
    if not console.is_terminal:
        console.width = sys.maxsize  # a pipe or file has no end of lines to fold names at
    console.print(_bodies(about["bodies"]))
    if about["actuators"]:
        console.print(_actuators(about["actuators"]))
    with_mass = sum(body["mass"] > 0.0 for body in about["bodies"])
    dofs, tree_dofs, fixed = about["dofs"], about["tree_dofs"], about["fixed_mass"]
    for name, value in {
        "model": about["model"],
        "bodies": f"{with_mass} with mass, {len(about['bodies'])} in all",
        "degrees of freedom": f"{dofs}" + (f" of {tree_dofs} in the spanning tree" if about["loops"] else ""),
        "mass": f"{about['mass']:.6g} kg" + (f", and {fixed:.6g} kg fixed to the world" if fixed else ""),
        "gravity": f"{about['gravity']} m/s²",
        **({"cameras": ", ".join(about["cameras"])} if about["cameras"] else {}),
    }.items():
        console.print(f"{name:<19} {value}", highlight=False, soft_wrap=True)
    for loop in about["loops"]:
        console.print(f"{'loop':<19} {loop}", highlight=False, soft_wrap=True)


def find(name: str) -> Path:
    """A robot's file: a path, or one of an installed package, `package://name/path`.

    Raises:
        ModelError: No package has it.
    """
    return Path(unpacked(name))


@summed()
def described(file: Path) -> dict[str, Any]:
    """The content of a robot's file, in plain values.

    Returns:
        model: Its name.
        bodies: Name, mass [kg], joint (name, kind, the body it is on), which degrees of freedom it has, its limits
            (None: unlimited, or not one number) and their unit, of each.
        dofs: Degrees of freedom of the robot.
        tree_dofs: Those of its spanning tree, before loops are closed.
        mass: Mass of all moving bodies [kg].
        fixed_mass: Mass of all that is fixed to the world [kg].
        gravity: [m/s²].
        loops: The constraint of each loop, in words.
        actuators: Of a MuJoCo model: name, joint, kind, kp and kv [N·m/rad …], limits of control and force; None where
            there is none.
        cameras: Names of those of a MuJoCo model.
    """
    mechanism, mujoco_model = _read(file)
    model = mechanism.build(unphysical="warn")
    return {
        "model": model.name,
        "bodies": [_body(model, i) for i in range(len(model.bodies))],
        "dofs": model.nv,
        "tree_dofs": model.spanning_tree.nv,
        "mass": float(model.mass),
        "fixed_mass": float(sum(b.mass for b, node in zip(model.bodies, model.body_node, strict=True) if node < 0)),
        "gravity": model.gravity.tolist(),
        "loops": [loop.name.removeprefix("the loop of ") for loop in model.loops],
        **({"actuators": [], "cameras": []} if mujoco_model is None else _of_mujoco(mujoco_model)),
    }


def _read(file: Path) -> tuple[Mechanism, Any]:
    """The mechanism, with its loops, and the MuJoCo model that it was read from; None: from none."""
    kind = robot_format(file)
    if kind == "osim":
        from ipc_articulation.dynamics import read_osim

        return read_osim(file).mechanism, None
    if kind == "urdf":
        from ipc_articulation.dynamics import read_robot

        return read_robot(file), None
    from ipc_articulation.adapters.mujoco import load_model
    from ipc_articulation.dynamics import robot_from_mujoco

    mujoco_model = load_model(file)
    return robot_from_mujoco(mujoco_model), mujoco_model


def _body(model: Model, i: int) -> dict[str, Any]:
    body = model.bodies[i]
    kind = type(body.joint).__name__.removesuffix("Joint").lower()
    dofs = range(int(model.body_v[i]), int(model.body_v[i + 1]))
    unit = _UNITS.get(kind)
    of = model.spanning_tree.coordinates
    return {
        "name": body.name,
        "mass": float(body.mass),
        "joint": body.joint_name,
        "kind": kind,
        "parent": "world" if body.parent < 0 else model.bodies[body.parent].name,
        "dofs": list(dofs),
        "limits": _limits(of.lower[dofs[0]], of.upper[dofs[0]]) if unit else None,
        "unit": unit,
    }


def _of_mujoco(model: mujoco.MjModel) -> dict[str, Any]:
    """Actuators and cameras, see `described`."""
    from ipc_articulation.dynamics.reading.mujoco.actuators import joint_actuators
    from ipc_articulation.dynamics.reading.mujoco.names import name_of

    found, others = joint_actuators(model)
    actuators = [
        {
            "name": one.name,
            "joint": name_of(model, "joint", one.joint),
            "kind": "position"
            if one.takes_target
            else "velocity"
            if one.takes_speed
            else "motor"
            if one.is_motor
            else "",
            "kp": one.kp + 0.0,
            "kv": one.kv + 0.0,
            "control": _limits(*one.control),
            "force": _limits(*one.force),
        }
        for one in found
    ]
    nothing = dict.fromkeys(("kp", "kv", "control", "force"))
    actuators += [{"name": name, "joint": None, "kind": reason, **nothing} for name, reason in others.items()]
    return {"actuators": actuators, "cameras": [name_of(model, "camera", number) for number in range(model.ncam)]}


def _limits(low: float, high: float) -> list[float | None] | None:
    """Both limits, None for one that is not there; None where neither is."""
    both = [float(limit) if math.isfinite(limit) else None for limit in (low, high)]
    return None if both == [None, None] else both


def _bodies(bodies: list[dict[str, Any]]) -> Table:
    from rich.table import Table

    table = Table("body", "mass [kg]", "joint", "kind", "on", "dofs", "limits")
    for column in table.columns:
        column.overflow = "fold"
    for body in bodies:
        dofs = body["dofs"]
        shown = "" if not dofs else f"{dofs[0]}" if len(dofs) == 1 else f"{dofs[0]} to {dofs[-1]}"
        table.add_row(
            body["name"],
            f"{body['mass']:.4g}",
            body["joint"],
            body["kind"],
            body["parent"],
            shown,
            _shown(body["limits"], body["unit"]),
        )
    return table


def _actuators(actuators: list[dict[str, Any]]) -> Table:
    from rich.table import Table

    table = Table("actuator", "joint", "kind", "kp\n[N·m/rad or N/m]", "kv\n[N·m·s/rad or N·s/m]", "control", "force")
    for column in table.columns:
        column.overflow = "fold"
    for one in actuators:
        gains = ("" if one[gain] is None else f"{one[gain]:g}" for gain in ("kp", "kv"))
        table.add_row(
            one["name"], one["joint"] or "", one["kind"], *gains, _shown(one["control"]), _shown(one["force"])
        )
    return table


def _shown(limits: list[float | None] | None, unit: str | None = None) -> str:
    if limits is None:
        return ""
    low, high = (f"{limit:.4g}" if limit is not None else "unlimited" for limit in limits)
    return f"{low} to {high}" + (f" {unit}" if unit else "")
