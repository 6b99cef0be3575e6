"""Robots from MJCF files: MuJoCo reads them, our own dynamics moves them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from ipc_articulation.adapters.native.ignored import keep_trees
from ipc_articulation.adapters.native.robot import FileContent
from ipc_articulation.adapters.native.static_links import take_off_static_shapes

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.coupling.solids import MeshShape
from ipc_articulation.errors import AdapterError


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
        base: «fixed» fixes floating bases to the world.
        base_pose: Where a floating base is fixed, (4, 4); None: where the file places it.
        ignore: Regular expressions for names of bodies that are left out.

    Raises:
        AdapterError: MuJoCo is not installed, or cannot read the file; or an expression matches no body.
        UnsupportedError: A base floats and `base` is None, or the file contains elements that neither a mechanism nor
            the coupling supports.
    """
    try:
        import mujoco
        from ipc_articulation.adapters.mujoco import MujocoAdapter, load_spec, mechanism_from_mujoco, robot_from_mujoco
        from ipc_articulation.adapters.mujoco.bases import refuse_floating
        from ipc_articulation.adapters.mujoco.compiling import compiled
        from ipc_articulation.adapters.mujoco.scene_options import prepare_spec
        from ipc_articulation.adapters.native.mjcf_actuators import read_drives

        from ipc_articulation.dynamics.reading.mujoco.equalities import closes_loops
        from ipc_articulation.dynamics.reading.mujoco.names import reference_positions
    except ModuleNotFoundError as error:
        raise AdapterError(
            f"'{path.name}' is read by MuJoCo: '{error.name}' is not installed; install it, or give a .urdf file"
        ) from error
    spec = load_spec(path, package_dirs)
    ignored = prepare_spec(spec, str(path), base, base_pose, ignore)
    refuse_floating(spec, ignored, str(path))
    model = compiled(spec, path)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER  # the file's own, which may be any, is not used
    mechanism = robot_from_mujoco(model) if closes_loops(model) else mechanism_from_mujoco(model)
    data = mujoco.MjData(model)

    def described(mesh_shape: MeshShape) -> CoupledRobot:
        return MujocoAdapter(model, data, mesh_shape=mesh_shape, ignore=ignored).describe()

    around = described("hull")
    keep_trees(mechanism, {link.name for link in around.links})
    take_off_static_shapes(mechanism)
    joints = {joint.name for joint in around.joints}
    return FileContent(
        mechanism,
        lambda mesh_shape: described(mesh_shape).static,
        around.planes,
        around.untouchable,
        around.contact_rules,
        free=lambda mesh_shape: described(mesh_shape).free,
        drives=read_drives(model, str(path), joints),
        friction={link.name: link.friction for link in around.links},
        start={name: position for name, position in reference_positions(model).items() if name in joints},
    )
