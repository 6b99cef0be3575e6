"""The scene of a script for recordings and views: its bodies, its planes and their present state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import uipc
from uipc.backend import SceneVisitor

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.coupling.distance import SceneDistance
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import object_names, require
from ipc_articulation.frontend.bodies import BodyTable, read_bodies
from ipc_articulation.frontend.contact_table import read_half_planes
from ipc_articulation.recording.scenery import Role, Scenery, Surface

_STATE = ("theta", "theta_dot")
_OF_STEP = ("delta_theta", "delta_theta_tilde", "contact_force")


class Subject:
    """The affine bodies and half-planes of a scene in their present state, and the joints of a coupling.

    Args:
        watched: A coupling, or a plain libuipc scene; geometries that are created later are not included.

    Attributes:
        joint_names: Joints of the coupling; none for a plain scene.
        body_names: Bodies that can move, in the order of the scene; equal names are numbered.
        free_names: Those of `body_names` that are not links.
        scenery: The surfaces and half-planes for pictures.
    """

    def __init__(self, watched: Coupling | uipc.Scene) -> None:
        self.coupling = watched if isinstance(watched, Coupling) else None
        scene = self._scene = watched.scene if isinstance(watched, Coupling) else watched
        if not isinstance(scene, uipc.Scene):
            kind = type(watched).__name__
            raise SceneError(f"what is watched must be a coupling, made by `couple`, or a uipc.Scene; is {kind}")
        slots = list(SceneVisitor(scene).geometries())
        names = object_names(scene)
        self._ids = [slot.id() for slot in slots]
        self._bodies, self._distance = read_bodies(slots, names), SceneDistance(scene)
        links = set() if self.coupling is None else set(self.coupling.link_names)
        self._roles = [_role(self._bodies, row, links) for row in range(len(self._bodies))]
        self._moving = [row for row, role in enumerate(self._roles) if role != "fixed"]
        self._names = distinct(self._bodies.names)
        self._visuals = {} if self.coupling is None else self.coupling.visuals
        self.joint_names = () if self.coupling is None else self.coupling.joint_names
        self.body_names = tuple(self._names[row] for row in self._moving)
        self.free_names = tuple(self._names[row] for row in self._moving if self._roles[row] == "free")
        planes = read_half_planes(slots, names)
        self.scenery = Scenery(
            tuple(self._surfaces()), tuple(zip(planes.point, planes.normal, strict=True)), _up(scene)
        )

    @property
    def dt(self) -> float:
        """Time step of the scene at present [s]."""
        return float(self._scene.config().find("dt").view()[0])

    @property
    def is_complete(self) -> bool:
        """Whether the scene still has exactly the geometries, with as many bodies each, that it had at first."""
        slots = list(SceneVisitor(self._scene).geometries())
        if [slot.id() for slot in slots] != self._ids:
            return False
        counts = [slot.geometry().instances().size() for slot in self._bodies.slots]
        return counts == np.bincount(self._bodies.geometry, minlength=len(counts)).tolist()

    @property
    def moving_names(self) -> frozenset[str]:
        """Names of the bodies that can move, as the scene has them."""
        return frozenset(self._bodies.names[row] for row in self._moving)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all affine bodies, as the scene has them."""
        return self._bodies.names

    def state(self, is_start: bool = False) -> dict[str, Any]:
        """The present state and, except at the start, results of the last step: quantities of a recording by name."""
        state: dict[str, Any] = {"body_poses": self.body_poses(), "minimum_distance": self._distance.minimum()}
        if self.coupling is not None:
            wanted = _STATE if is_start else _STATE + _OF_STEP
            state.update((key, getattr(self.coupling, key)) for key in wanted)
        return state

    def body_poses(self) -> Array:
        """Transforms of `body_names` at present, (b, 4, 4)."""
        return self._transforms()[self._moving]

    def _transforms(self) -> Array:
        slots = self._bodies.slots
        found = [require(slot.geometry().instances(), "transform", "an affine body") for slot in slots]
        return np.concatenate([np.zeros((0, 4, 4)), *found])

    def _surfaces(self) -> Iterator[Surface]:
        for row, transform in enumerate(self._transforms()):
            mesh = self._bodies.surfaces[self._bodies.geometry[row]]
            visual = self._visuals.get(self._bodies.names[row], ())
            if len(mesh.faces) or visual:  # rods and points have none, which pictures could show
                yield Surface(self._names[row], self._roles[row], mesh.points, mesh.faces, transform, visual)


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names, those that occur more than once followed by their number: box (1), box (2)."""
    counts, seen = Counter(names), Counter[str]()
    return tuple(_numbered(names, counts, seen))


def _numbered(names: Iterable[str], counts: Counter[str], seen: Counter[str]) -> Iterator[str]:
    for name in names:
        seen[name] += 1
        yield name if counts[name] == 1 else f"{name} ({seen[name]})"


def _role(bodies: BodyTable, row: int, links: set[str]) -> Role:
    if bodies.names[row] in links:
        return "link"
    return "fixed" if bodies.is_fixed[row] else "free"


def _up(scene: uipc.Scene) -> Array:
    """Unit vector against the scene's gravity, z where there is none, (3,)."""
    gravity = np.ravel(scene.config().find("gravity").view()[0])
    length = np.linalg.norm(gravity)
    return -gravity / length if length else np.array([0.0, 0.0, 1.0])
