"""Robots from MJCF files: MuJoCo reads them, our own dynamics moves them. Only this file of the adapter uses MuJoCo."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ipc_articulation.adapters.native.robot import FileContent
from ipc_articulation.adapters.native.static_links import take_off_static_shapes

from ipc_articulation.errors import AdapterError, UnsupportedError


def read_mjcf(path: Path, package_dirs: Collection[Path]) -> FileContent:
    """A robot from an MJCF file, with MuJoCo's rules for contact pairs, its friction and its initial positions.

    Raises:
        AdapterError: MuJoCo is not installed, or cannot read the file.
        UnsupportedError: The file contains actuators, or elements that neither a mechanism nor the coupling supports.
    """
    try:
        import mujoco
        from ipc_articulation.adapters.mujoco import MujocoAdapter, load_model, mechanism_from_mujoco

        from ipc_articulation.dynamics.reading.mujoco.names import reference_positions
    except ModuleNotFoundError as error:
        raise AdapterError(
            f"'{path.name}' is read by MuJoCo: '{error.name}' is not installed; install it, or give a .urdf file"
        ) from error
    model = load_model(path, package_dirs)
    if model.nu:
        name = model.actuator(0).name or "actuator0"
        raise UnsupportedError(
            f"'{path.name}' has actuators ('{name}' and so on), which adapter native does not take over; leave them "
            "out and give actuators of the scene file instead, or use adapter mujoco"
        )
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER  # the file's own, which may be any, is not used
    mechanism = mechanism_from_mujoco(model)
    data = mujoco.MjData(model)
    around = MujocoAdapter(model, data, mesh_shape="hull").describe()
    take_off_static_shapes(mechanism)
    return FileContent(
        mechanism,
        lambda mesh_shape: MujocoAdapter(model, data, mesh_shape=mesh_shape).describe().static,
        around.planes,
        around.untouchable,
        around.contact_rules,
        friction={link.name: link.friction for link in around.links},
        start=reference_positions(model),
    )
