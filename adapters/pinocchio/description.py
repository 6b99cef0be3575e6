"""Description of a Pinocchio model at a position, as a `CoupledRobot`.

Geometry of the universe is static: that of a body's frame is a body of this name, which does not touch the links that
it carries; other geometry is a body of its own name, which every link may touch; half-spaces are half-planes.

Pinocchio's collision pairs decide which bodies of the model touch each other. A geometry model without pairs, as
`buildGeomFromUrdf` makes it, says nothing: then all touch but neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import coal
import numpy as np
import pinocchio as pin
from ipc_articulation.adapters.neighbours import neighbours
from ipc_articulation.adapters.pinocchio.chain import JointChain
from ipc_articulation.adapters.pinocchio.shapes import geometry_of, shape_of

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody, CoupledRobot, HalfPlane
from ipc_articulation.coupling.robots import FRICTION
from ipc_articulation.coupling.solids import Facets, join, touching
from ipc_articulation.dynamics.model.shapes import Shape
from ipc_articulation.errors import AdapterError

_UNIVERSE = 0  # number of the universe among joints and among frames

_Entries = dict[str, list[Any]]  # geometry objects by body


@dataclass(frozen=True)
class Description:
    """A model with its geometry.

    Args:
        model: The model.
        chain: Its links.
        collision: Geometry that touches; None: nothing does.
        visual: Geometry for display; None: that which touches.
        friction: Coulomb coefficient of the model's surfaces, or by body with `FRICTION` for all others.
        facets: How surfaces become triangles.
    """

    model: pin.Model
    chain: JointChain
    collision: pin.GeometryModel | None
    visual: pin.GeometryModel | None
    friction: float | Mapping[str, float]
    facets: Facets
    meshes: dict[str, ClosedMesh | None] = field(default_factory=dict)  # of the bodies, made once

    def at(self, q: Array) -> CoupledRobot:
        """The robot at a position (nq,).

        Raises:
            AdapterError: A geometry is on a joint that the model does not have.
            MeshError: Repairs are refused, and a mesh is open or has no volume.
            UnsupportedError: A geometry has no closed surface.
        """
        touch, drawn = self._by_body(self.collision), self._by_body(self.visual)
        links = tuple(self._link(link, pose, touch, drawn) for link, pose in enumerate(self.chain.place(q)))
        joints, tied = self.chain.joints(q)
        static = [self._static(name, touch, drawn) for name in touch | drawn if name not in self.chain.names]
        return CoupledRobot(
            links=links,
            joints=joints,
            tied_joints=tied,
            static=tuple(body for body in static if body.mesh is not None or body.visual),
            planes=tuple(self._planes()),
            untouchable=self._untouchable(links),
        )

    def _link(self, link: int, pose: Array, touch: _Entries, drawn: _Entries) -> CoupledBody:
        name, joint = self.chain.names[link], self.chain.origins[link]
        if not joint:
            return CoupledBody(name, pose)
        Y, mesh, visual = self.model.inertias[joint], self._mesh(name, touch), _visual(drawn, name)
        centre, inertia = Y.lever.copy(), Y.inertia.copy()
        return CoupledBody(name, pose, mesh, Y.mass, centre, inertia, self._friction_of(name), visual=visual)

    def _static(self, name: str, touch: _Entries, drawn: _Entries) -> CoupledBody:
        mesh, visual = self._mesh(name, touch), _visual(drawn, name)
        return CoupledBody(name, np.eye(4), mesh, friction=self._friction_of(name), visual=visual)

    def _planes(self) -> list[HalfPlane]:
        found = []
        for entry in filter(_is_plane, _entries(self.collision)):
            normal = entry.placement.rotation @ entry.geometry.n
            point = entry.placement.translation + entry.geometry.d * normal
            found.append(HalfPlane(entry.name, point, normal, self._friction_of(entry.name)))
        return found

    def _mesh(self, name: str, touch: _Entries) -> ClosedMesh | None:
        if name not in self.meshes:
            owner = f"body '{name}'"
            self.meshes[name] = join(
                (
                    touching(geometry_of(entry), owner, self.facets, f"geometry '{entry.name}' of {owner}"),
                    entry.placement.homogeneous,
                )
                for entry in touch.get(name, ())
            )
        return self.meshes[name]

    def _friction_of(self, name: str) -> float:
        given = self.friction
        return float(given.get(name, FRICTION) if isinstance(given, Mapping) else given)

    def _by_body(self, geometry: pin.GeometryModel | None) -> _Entries:
        """The geometry of each body, without half-planes."""
        found: _Entries = {}
        for entry in _entries(geometry):
            if not _is_plane(entry):
                found.setdefault(self._body_of(entry), []).append(entry)
        return found

    def _body_of(self, entry: Any) -> str:
        if entry.parentJoint != _UNIVERSE:
            if entry.parentJoint not in self.chain.origins:
                raise AdapterError(
                    f"geometry '{entry.name}' is on joint {entry.parentJoint}, which model '{self.model.name}' "
                    "has not; give the geometry that was built with this model"
                )
            return self.chain.names[self.chain.origins.index(entry.parentJoint)]
        frame = self.model.frames[entry.parentFrame] if entry.parentFrame < self.model.nframes else None
        return frame.name if frame is not None and frame.type == pin.FrameType.BODY else entry.name

    def _untouchable(self, links: tuple[CoupledBody, ...]) -> frozenset[frozenset[str]]:
        if self.collision is None or not len(self.collision.collisionPairs):
            return neighbours(links, self.chain.parents, [self._base(link) for link in range(len(links))])
        owner = [entry.name if _is_plane(entry) else self._body_of(entry) for entry in _entries(self.collision)]
        pairs = {frozenset({owner[pair.first], owner[pair.second]}) for pair in self.collision.collisionPairs}
        return frozenset(frozenset(pair) for pair in combinations(dict.fromkeys(owner), 2)) - pairs

    def _base(self, link: int) -> list[str]:
        """The bodies of the universe from which the chain of a link hangs, by their frames."""
        while (parent := self.chain.parents[link]) >= 0:
            link = parent
        name = self.model.names[next(origin for origin in self.chain.origins[link:] if origin)]
        if not self.model.existFrame(name, pin.FrameType.JOINT):
            return []
        frames, found = self.model.frames, []
        number = self.model.getFrameId(name, pin.FrameType.JOINT)
        # a joint that `buildReducedModel` has fixed is its own parent
        while (above := frames[number].parentFrame) not in (_UNIVERSE, number):
            number = above
            if frames[number].type == pin.FrameType.BODY:
                found.append(frames[number].name)
        return found


def _entries(geometry: pin.GeometryModel | None) -> list[Any]:
    return [] if geometry is None else list(geometry.geometryObjects)


def _visual(drawn: _Entries, name: str) -> tuple[Shape, ...]:
    return tuple(shape_of(entry) for entry in drawn.get(name, ()))


def _is_plane(entry: Any) -> bool:
    return isinstance(entry.geometry, coal.Halfspace) and entry.parentJoint == _UNIVERSE
