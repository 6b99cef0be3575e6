"""A libuipc scene as the CPU engine sees it, read once at `world.init`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.contact.materials import Rules
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.engine.integrator import ORDERS
from ipc_articulation.engine.scene.refusals import refuse_unsupported_bodies
from ipc_articulation.engine.scene.scene_context import SceneContext, read_scene_context
from ipc_articulation.engine.state import EngineState
from ipc_articulation.frontend.attributes import object_names
from ipc_articulation.frontend.bodies import BodyTable, read_bodies
from ipc_articulation.frontend.config import Config, read_config
from ipc_articulation.frontend.contact_table import HalfPlaneTable, read_contact_table, read_half_planes
from ipc_articulation.frontend.contact_world import make_surfaces
from ipc_articulation.frontend.soft.bodies import read_soft_bodies
from ipc_articulation.frontend.table_of_rows import accelerations, with_soft_bodies


@dataclass(frozen=True)
class EngineModel:
    """Content of a scene; constant after it was read."""

    slots: tuple[Any, ...]  # all geometry slots
    context: SceneContext
    surfaces: Surfaces
    planes: HalfPlaneTable
    rules: Rules  # the contact table
    by_load: bool  # see `read_model`
    acceleration: Array  # (n, 12) of coordinates by gravity
    gravity_strength: Array  # (n,) its magnitude [m/s²]
    config: Config
    diagonal: float  # of the bounding box of the initial scene [m], the measure of relative tolerances
    order: int  # of the time integrator
    center: Array  # (n, 3) of mass of each body, in its frame [m]

    def initial_state(self) -> EngineState:
        """The state of the bodies when the scene has just been read."""
        bodies, coordinates = self.context.bodies, self.context.coordinates
        theta = coordinates.follow(np.zeros(len(coordinates)), bodies.q)
        return EngineState.without_past(bodies.q.copy(), bodies.qdot * ~bodies.is_fixed[:, None], theta)


def read_model(scene: Any, by_load: bool = False) -> EngineModel:
    """Read a scene.

    Args:
        scene: `uipc.backend.SceneVisitor`.
        by_load: Whether contact resistances that nobody has set follow the load.

    Raises:
        UnsupportedError: The scene has a feature that this engine does not support.
        SceneError: The scene is inconsistent.
    """
    bodies = read_rows(scene)
    x = make_surfaces(bodies).positions(bodies.q)
    diagonal = float(np.linalg.norm(x.max(axis=0) - x.min(axis=0))) if len(x) else 0.0
    return make_model(scene, bodies, {}, diagonal, by_load)


def read_rows(scene: Any) -> BodyTable:
    """The affine bodies of a scene (`uipc.backend.SceneVisitor`), then the rows of its soft bodies."""
    names = object_names(scene.get())
    soft = read_soft_bodies(scene.geometries(), scene.rest_geometries(), names)
    return with_soft_bodies(read_bodies(scene.geometries(), names), soft)


def make_model(scene: Any, bodies: BodyTable, births: dict[int, Array], diagonal: float, by_load: bool) -> EngineModel:
    """Read everything except the bodies of a scene.

    Args:
        scene: `uipc.backend.SceneVisitor`.
        bodies: Its bodies, in their current state.
        births: See `read_scene_context`.
        diagonal: Of the bounding box of the initial scene [m].
        by_load: See `read_model`.
    """
    slots, config = tuple(scene.geometries()), read_config(scene.get().config(), diagonal)
    refuse_unsupported_bodies(slots)
    acceleration = accelerations(bodies, config.gravity)
    context = read_scene_context(slots, bodies, births)
    return EngineModel(
        slots=slots,
        context=context,
        surfaces=context.surfaces,
        planes=read_half_planes(slots, object_names(scene.get())),
        rules=read_contact_table(scene.get(), by_load),
        by_load=by_load,
        acceleration=acceleration,
        gravity_strength=np.linalg.norm(acceleration[:, :3], axis=1),
        config=config,
        diagonal=diagonal,
        order=ORDERS[config.integrator],
        center=bodies.mass[:, 0, 3:6] / bodies.mass[:, :1, 0],
    )
