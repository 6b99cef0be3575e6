"""The scene of a script for recordings and views: its bodies, its planes and their present state."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import uipc
from uipc.backend import SceneVisitor

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.distance import SceneDistance
from ipc_articulation.coupling.registry import couplings_of
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import object_names, require
from ipc_articulation.frontend.bodies import read_bodies
from ipc_articulation.frontend.buffer_formats import formats_from_table
from ipc_articulation.frontend.contact_table import is_half_plane, read_half_planes
from ipc_articulation.frontend.soft.body_checks import element_kind
from ipc_articulation.frontend.turns import in_turn, turn_of
from ipc_articulation.naming import distinct
from ipc_articulation.recording.scenery import Role, Scenery, SoftShape, Surface
from ipc_articulation.viewing.cameras import camera_named, look_through

_STATE = ("theta", "theta_dot")
_OF_STEP = ("delta_theta", "delta_theta_tilde", "contact_force")


class Subject:
    """The bodies and half-planes of a scene in their present state, and the joints of a coupling.

    Args:
        watched: A coupling, or a plain libuipc scene; geometries that are created later are not included.

    Attributes:
        turn: Of the scene.
        joint_names: Joints of the coupling; none for a plain scene.
        names: All affine bodies, as the scene has them.
        body_names: Bodies that can move, in the order of the scene; equal names are numbered (`naming.distinct`).
        free_names: Those of `body_names` that are not links.
        all_bodies: All affine and soft bodies, as the scene has them.
        soft_names: Soft bodies, in the order of the scene; equal names are numbered.
        scenery: The surfaces, soft bodies and half-planes for pictures.
    """

    def __init__(self, watched: Coupling | uipc.Scene) -> None:
        self.coupling = watched if isinstance(watched, Coupling) else None
        scene = self._scene = watched.scene if isinstance(watched, Coupling) else watched
        if not isinstance(scene, uipc.Scene):
            kind = type(watched).__name__
            raise SceneError(f"what is watched must be a coupling, made by `couple`, or a uipc.Scene; is {kind}")
        self.turn = turn_of(scene)
        self._read(scene)

    @in_turn
    def _read(self, scene: uipc.Scene) -> None:
        slots, names = list(SceneVisitor(scene).geometries()), object_names(scene)
        self._ids = [slot.id() for slot in slots]
        self._bodies, self._distance = read_bodies(slots, names), SceneDistance(scene)
        planes = read_half_planes(slots, names)
        self._plane_ids = [(slot.id(), k) for slot in slots for k in range(_plane_count(slot.geometry()))]
        couplings = couplings_of(scene)
        links = set().union(*(coupling.link_ids for coupling in couplings))
        self._roles = [self._role(row, links) for row in range(len(self._bodies))]
        self._moving = [row for row, role in enumerate(self._roles) if role != "fixed"]
        self._fixed, self._at_first = np.flatnonzero([role == "fixed" for role in self._roles]), self.poses()
        self.names = self._bodies.names
        self._soft = self._distance.bodies.soft.bodies
        self.all_bodies = named = (*self.names, *(body.name for body in self._soft))
        self._names = distinct((*named, *planes.names))  # as contacts have them
        self.soft_names = self._names[len(self.names) : len(named)]
        self._visuals = {key: value for coupling in couplings for key, value in coupling.visuals_by_geometry.items()}
        self.joint_names = () if self.coupling is None else self.coupling.joint_names
        self.body_names = tuple(self._names[row] for row in self._moving)
        self.free_names = tuple(self._names[row] for row in self._moving if self._roles[row] == "free")
        surfaces = list(self._surfaces())
        surfaces += _renamed([surface for coupling in couplings for surface in coupling.decorations], surfaces)
        cameras = tuple(camera for coupling in couplings for camera in coupling.robot.cameras)
        half_planes = tuple(zip(planes.point, planes.normal, strict=True))
        self.scenery = Scenery(tuple(surfaces), half_planes, _up(scene), soft=self._soft_shapes(), cameras=cameras)

    @property
    def dt(self) -> float:
        """Time step of the scene at present [s]."""
        return float(self._scene.config().find("dt").view()[0])

    @property
    def members(self) -> dict[tuple[int, int], str]:
        """Names of the bodies and half-planes by geometry id and instance, as contacts have them."""
        soft = [(body.slot.id(), 0) for body in self._soft]
        return dict(zip([*self._bodies.rows, *soft, *self._plane_ids], self._names, strict=True))

    @property
    def is_complete(self) -> bool:
        """Whether the scene still has exactly the geometries, with as many bodies each, that it had at first."""
        slots = list(SceneVisitor(self._scene).geometries())
        if [slot.id() for slot in slots] != self._ids:
            return False
        counts = [slot.geometry().instances().size() for slot in self._bodies.slots]
        return counts == np.bincount(self._bodies.geometry, minlength=len(counts)).tolist()

    @in_turn
    def state(self, is_start: bool = False) -> dict[str, Any]:
        """The present state and, except at the start, results of the last step: quantities of a recording by name."""
        state: dict[str, Any] = {"body_poses": self.body_poses(), "minimum_distance": self._distance.minimum()}
        state["soft_positions"] = self.soft_positions()
        if self.coupling is not None:
            wanted = _STATE if is_start else _STATE + _OF_STEP
            state.update((key, getattr(self.coupling, key)) for key in wanted)
        return state

    def look_through(self, camera: str) -> None:
        """Make a camera of the robot's file that of the scenery, as it is at present.

        Raises:
            ViewingError: There is no such camera.
        """
        poses = dict(zip(self.all_names, self.poses(), strict=True))
        look = look_through(camera_named(self.scenery, camera), self.scenery, poses)
        self.scenery = look.put_into(self.scenery)

    def body_poses(self) -> Array:
        """Transforms of `body_names` at present, (b, 4, 4)."""
        return self.poses()[self._moving]

    @property
    def all_names(self) -> tuple[str, ...]:
        """Names of all affine bodies; equal names are numbered."""
        return self._names[: len(self._bodies)]

    @formats_from_table
    def displaced(self) -> list[str]:
        """Names of fixed bodies that are not where they were at first; scripts may move them between steps."""
        slots = [self._bodies.slots[k] for k in np.unique(self._bodies.geometry[self._fixed])]
        found = [(slot.id(), require(slot.geometry().instances(), "transform", "an affine body")) for slot in slots]
        now = {(number, k): pose for number, poses in found for k, pose in enumerate(poses)}
        keys = list(self._bodies.rows)
        return [self._names[k] for k in self._fixed if not np.array_equal(now[keys[k]], self._at_first[k])]

    @formats_from_table
    def poses(self) -> Array:
        """Transforms of `all_names` at present, (n, 4, 4)."""
        slots = self._bodies.slots
        found = [require(slot.geometry().instances(), "transform", "an affine body") for slot in slots]
        return np.concatenate([np.zeros((0, 4, 4)), *found])

    @formats_from_table
    def soft_positions(self) -> Array:
        """Vertices of all soft bodies at present, one body after the other, (V, 3) [m] in the world."""
        return np.concatenate([np.zeros((0, 3)), *self._distance.soft_positions])

    def _soft_shapes(self) -> tuple[SoftShape, ...]:
        found = []
        for name, body, x in zip(self.soft_names, self._soft, self._distance.soft_positions, strict=True):
            elements = element_kind(body)[1]
            elements = elements if body.dimension else np.repeat(elements, 2, axis=1)
            rest = None if np.array_equal(body.rest, x) else body.rest
            found.append(SoftShape(name, elements.astype(np.int32), x, float(body.thickness[0]), rest))
        return tuple(found)

    def _surfaces(self) -> Iterator[Surface]:
        for row, transform in enumerate(self.poses()):
            mesh = self._bodies.surfaces[self._bodies.geometry[row]]
            visual = self._visuals.get(self._geometry_id(row), ())
            if len(mesh.faces) or visual:  # rods and points have none, which pictures could show
                yield Surface(self._names[row], self._roles[row], mesh.points, mesh.faces, transform, visual)

    def _role(self, row: int, links: Collection[int]) -> Role:
        if self._geometry_id(row) in links:
            return "link"
        return "fixed" if self._bodies.is_fixed[row] else "free"

    def _geometry_id(self, row: int) -> int:
        return int(self._bodies.slots[self._bodies.geometry[row]].id())


def _renamed(surfaces: Sequence[Surface], others: Sequence[Surface]) -> list[Surface]:
    """The surfaces under names of their own."""
    names = distinct([surface.name for surface in surfaces], [surface.name for surface in others])
    return [replace(surface, name=name) for surface, name in zip(surfaces, names, strict=True)]


def _plane_count(geometry: Any) -> int:
    return int(geometry.instances().size()) if is_half_plane(geometry) else 0


def _up(scene: uipc.Scene) -> Array:
    """Unit vector against the scene's gravity, z where there is none, (3,)."""
    gravity = np.ravel(scene.config().find("gravity").view()[0])
    length = np.linalg.norm(gravity)
    return -gravity / length if length else np.array([0.0, 0.0, 1.0])
