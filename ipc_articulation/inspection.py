"""Lists the content of a robot's file: `ipc-articulation inspect`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.packages import unpacked
from ipc_articulation.repairs import summed

if TYPE_CHECKING:
    from rich.table import Table

    from ipc_articulation.dynamics.model import Mechanism, Model


def inspect(file: Path, as_json: bool = False) -> None:
    """Print the bodies, joints, degrees of freedom and mass of a robot.

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

    console = Console()
    console.print(_bodies(about["bodies"]))
    with_mass = sum(body["mass"] > 0.0 for body in about["bodies"])
    dofs, tree_dofs, fixed = about["dofs"], about["tree_dofs"], about["fixed_mass"]
    for name, value in {
        "model": about["model"],
        "bodies": f"{with_mass} with mass, {len(about['bodies'])} in all",
        "degrees of freedom": f"{dofs}" + (f" of {tree_dofs} in the spanning tree" if about["loops"] else ""),
        "mass": f"{about['mass']:.6g} kg" + (f", and {fixed:.6g} kg fixed to the world" if fixed else ""),
        "gravity": f"{about['gravity']} m/s²",
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
        bodies: Name, mass [kg], joint (name, kind, the body it is on), and which degrees of freedom it has, of each.
        dofs: Degrees of freedom of the robot.
        tree_dofs: Those of its spanning tree, before loops are closed.
        mass: Mass of all moving bodies [kg].
        fixed_mass: Mass of all that is fixed to the world [kg].
        gravity: [m/s²].
        loops: The constraint of each loop, in words.
    """
    model = _read(file).build(unphysical="warn")
    return {
        "model": model.name,
        "bodies": [_body(model, i) for i in range(len(model.bodies))],
        "dofs": model.nv,
        "tree_dofs": model.spanning_tree.nv,
        "mass": float(model.mass),
        "fixed_mass": float(sum(b.mass for b, node in zip(model.bodies, model.body_node, strict=True) if node < 0)),
        "gravity": model.gravity.tolist(),
        "loops": [loop.name.removeprefix("the loop of ") for loop in model.loops],
    }


def _read(file: Path) -> Mechanism:
    """The mechanism, with its loops."""
    kind = robot_format(file)
    if kind == "osim":
        from ipc_articulation.dynamics import read_osim

        return read_osim(file).mechanism
    if kind == "urdf":
        from ipc_articulation.dynamics import read_robot

        return read_robot(file)
    from ipc_articulation.adapters.mujoco import load_model
    from ipc_articulation.dynamics import robot_from_mujoco

    return robot_from_mujoco(load_model(file))


def _body(model: Model, i: int) -> dict[str, Any]:
    body = model.bodies[i]
    return {
        "name": body.name,
        "mass": float(body.mass),
        "joint": body.joint_name,
        "kind": type(body.joint).__name__.removesuffix("Joint").lower(),
        "parent": "world" if body.parent < 0 else model.bodies[body.parent].name,
        "dofs": list(range(int(model.body_v[i]), int(model.body_v[i + 1]))),
    }


def _bodies(bodies: list[dict[str, Any]]) -> Table:
    from rich.table import Table

    table = Table("body", "mass [kg]", "joint", "kind", "on", "dofs")
    for column in table.columns:
        column.overflow = "fold"
    for body in bodies:
        dofs = body["dofs"]
        shown = "" if not dofs else f"{dofs[0]}" if len(dofs) == 1 else f"{dofs[0]} to {dofs[-1]}"
        table.add_row(body["name"], f"{body['mass']:.4g}", body["joint"], body["kind"], body["parent"], shown)
    return table
