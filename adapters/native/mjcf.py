"""Robots from MJCF files: MuJoCo reads them, our own dynamics moves them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ipc_articulation.adapters.native.ignored import keep_trees
from ipc_articulation.adapters.native.robot import FileContent
from ipc_articulation.adapters.native.static_links import take_off_static_shapes

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.coupling.solids import Facets
from ipc_articulation.errors import AdapterError

if TYPE_CHECKING:
    import mujoco


def read_mjcf(
    path: Path,
    package_dirs: Collection[Path],
    base: str | None = None,
    base_pose: Array | None = None,
    ignore: Sequence[str] = (),
) -> FileContent:
    """A robot from an MJCF file, with MuJoCo's rules for contact pairs, its friction and its initial positions.

    Args:
        path: The file.
        package_dirs: Folders that are searched for `package://NAME/...`.
        base: «fixed» fixes floating bases to the world, «free» lets the file's base float; None: as in the file.
        base_pose: Of a floating base, (4, 4); None: where the file places it.
        ignore: Regular expressions for names of bodies that are left out.

    Raises:
        AdapterError: MuJoCo is not installed, or cannot read the file; an expression matches no body, `base_pose` is
            not that of one floating base, or no base can be set free.
        UnsupportedError: The file contains elements that neither a mechanism nor the coupling supports.
    """
    try:
        import mujoco
        from ipc_articulation.adapters.mujoco import MujocoAdapter, load_spec, mechanism_from_mujoco, robot_from_mujoco
        from ipc_articulation.adapters.mujoco.compiling import compiled
        from ipc_articulation.adapters.mujoco.scene_options import prepare_spec
        from ipc_articulation.adapters.native.mjcf_actuators import read_drives

        from ipc_articulation.dynamics.reading.mujoco.equalities import closes_loops
    except ModuleNotFoundError as error:
        raise AdapterError(
            f"'{path.name}' is read by MuJoCo: '{error.name}' is not installed; install it, or give a .urdf file"
        ) from error
    spec = load_spec(path, package_dirs)
    ignored = prepare_spec(spec, str(path), base, base_pose, ignore)
    model = compiled(spec, path)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER  # the file's own, which may be any, is not used
    mechanism = robot_from_mujoco(model) if closes_loops(model) else mechanism_from_mujoco(model)
    data = mujoco.MjData(model)

    def described(facets: Facets) -> CoupledRobot:
        return MujocoAdapter(
            model, data, mesh_shape=facets.mesh_shape, sections=facets.sections, ignore=ignored
        ).describe(by_geom=False)

    around = described(Facets("hull"))
    keep_trees(mechanism, {link.name for link in around.links})
    take_off_static_shapes(mechanism)
    joints = {joint.name for joint in around.joints}
    return FileContent(
        mechanism,
        lambda facets: described(facets).static,
        around.planes,
        around.untouchable,
        around.contact_rules,
        free=lambda facets: described(facets).free,
        drives=read_drives(model, str(path), joints),
        friction={link.name: link.friction for link in around.links},
        start=_start(model, joints),
    )


def _start(model: mujoco.MjModel, joints: Collection[str]) -> dict[str, float]:
    """Position coordinates at qpos0 of some joints, by name."""
    from ipc_articulation.dynamics.reading.mujoco.names import free_joint_positions, reference_positions

    scalar, free = reference_positions(model), free_joint_positions(model)
    numbered = {f"{name}[{k}]": number for name in free.keys() & joints for k, number in enumerate(free[name])}
    return {name: position for name, position in scalar.items() if name in joints} | numbered
