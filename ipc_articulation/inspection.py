"""What a robot's file holds: `ipc-articulation inspect`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest

if TYPE_CHECKING:
    from rich.table import Table

    from ipc_articulation.dynamics.model.model import Model

READABLE = (".osim", ".urdf", ".xml")


def inspect(file: Path) -> None:
    """Print the bodies, joints, degrees of freedom and mass of a robot.

    Args:
        file: URDF, MJCF (.xml) or OpenSim (.osim).

    Raises:
        ModelError: It cannot be read; says the line where there is one.
        AdapterError: MuJoCo cannot read it.
        UnsupportedError: A MuJoCo model holds something that a mechanism does not.
    """
    from rich.console import Console

    from ipc_articulation.dynamics.loops import LoopModel

    read = _read(file)
    model = read.mechanism.build(unphysical="warn")
    robot = LoopModel(model, read.loops)
    console = Console()
    console.print(_bodies(model))
    fixed = sum(body.mass for body, node in zip(model.bodies, model.body_node, strict=True) if node < 0)
    for name, value in {
        "model": model.name,
        "bodies": f"{sum(body.mass > 0.0 for body in model.bodies)} with mass, {len(model.bodies)} in all",
        "degrees of freedom": f"{robot.nv}" + (f" of {model.nv} in the spanning tree" if read.loops else ""),
        "mass": f"{model.mass:.6g} kg" + (f", and {fixed:.6g} kg fixed to the world" if fixed else ""),
        "gravity": f"{model.gravity.tolist()} m/s²",
    }.items():
        console.print(f"{name:<19} {value}", highlight=False, soft_wrap=True)
    for loop in robot.loops:
        console.print(f"{'loop':<19} {loop.name.removeprefix('the loop of ')}", highlight=False, soft_wrap=True)


def _read(file: Path) -> Any:
    """Mechanism and loops."""
    if file.suffix not in READABLE:
        raise ModelError(f"{file}: a robot's file ends in one of these{suggest(file.suffix, READABLE)}")
    if file.suffix == ".osim":
        from ipc_articulation.dynamics import read_osim

        return read_osim(file)
    if file.suffix == ".urdf":
        from ipc_articulation.dynamics import read_robot
        from ipc_articulation.scenefile.paths import package_folders

        return read_robot(file, package_dirs=[*package_folders(), *file.absolute().parents])
    mujoco = import_module("ipc_articulation.adapters.mujoco")
    return mujoco.robot_from_mujoco(mujoco.load_model(file))


def _bodies(model: Model) -> Table:
    from rich.table import Table

    table = Table("body", "mass [kg]", "joint", "kind", "on", "dofs")
    for column in table.columns:
        column.overflow = "fold"
    for i, body in enumerate(model.bodies):
        first, end = int(model.body_v[i]), int(model.body_v[i + 1])
        dofs = "" if first == end else f"{first}" if end == first + 1 else f"{first} to {end - 1}"
        kind = type(body.joint).__name__.removesuffix("Joint").lower()
        parent = "world" if body.parent < 0 else model.bodies[body.parent].name
        table.add_row(body.name, f"{body.mass:.4g}", body.joint_name, kind, parent, dofs)
    return table
