"""Description of a DART world at its state, as a `CoupledRobot`.

Which bodies of a skeleton touch each other is as in DART: none, unless its self-collision check is enabled; and then
bodies that a joint connects do not, unless its adjacent-body check is enabled. Bodies of different skeletons touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from ipc_articulation.adapters.dart import shapes
from ipc_articulation.adapters.dart.surface_parts import Surface, parts_by_body
from ipc_articulation.adapters.dart.tree import MASSLESS, Link, Tree, pose_of

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody, CoupledRobot, HalfPlane
from ipc_articulation.coupling.robots import FRICTION
from ipc_articulation.coupling.solids import Facets, join, touching

Mesh = tuple[ClosedMesh | None, list[int]]  # and the number of vertices of each shape


@dataclass(frozen=True)
class Description:
    """A world with its shapes.

    Args:
        tree: Its links.
        friction: Coulomb coefficient of the surfaces, or by body with `FRICTION` for all others; None: DART's, of
            each shape.
        facets: How surfaces become triangles.
    """

    tree: Tree
    friction: float | Mapping[str, float] | None
    facets: Facets
    meshes: dict[tuple[str, int], Mesh] = field(default_factory=dict)  # by body and number of shapes, made once

    def now(self) -> CoupledRobot:
        """The world at its present state.

        Raises:
            MeshError: Repairs are refused, and a mesh is open or has no volume.
            UnsupportedError: A shape has no closed surface.
        """
        surfaces = {link.name: self._surface(link.name, link.group, link.pose()) for link in self.tree.links}
        surfaces |= {name: self._surface(name, (body,), pose_of(body)) for name, body in self.tree.static.items()}
        planes = tuple(plane for name, body in self.tree.static.items() for plane in self._planes(name, body))
        names = [*surfaces, *(plane.name for plane in planes)]
        parts = parts_by_body(surfaces, names) if self.friction is None else {}
        said = {
            name: {"mesh": own.mesh, "friction": self._friction(name, own.nodes), "surface_parts": parts.get(name, ())}
            for name, own in surfaces.items()
        }
        static = [_static(name, body, said[name]) for name, body in self.tree.static.items()]
        return CoupledRobot(
            links=tuple(_link(link, said[link.name]) for link in self.tree.links),
            joints=self.tree.joints(),
            static=tuple(body for body in static if body.mesh is not None or body.visual),
            planes=planes,
            untouchable=frozenset(self._untouchable()),
        )

    def _planes(self, name: str, body: Any) -> Iterator[HalfPlane]:
        for node in filter(shapes.is_plane, shapes.nodes(body, "Collision")):
            T, plane = np.array(node.getWorldTransform().matrix()), node.getShape()
            normal = T[:3, :3] @ plane.getNormal()
            point = T[:3, 3] + plane.getOffset() * normal
            yield HalfPlane(f"{name}/{node.getName()}", point, normal, self._friction(name, [node]))

    def _surface(self, name: str, group: tuple[Any, ...], pose: Array) -> Surface:
        solid = [
            node for body in group for node in shapes.nodes(body, "Collision")
            if not (name in self.tree.static and shapes.is_plane(node))
        ]  # fmt: skip
        key = name, len(solid)
        if key not in self.meshes:
            to_link, owner = spatial.inverse(pose), f"body '{name}'"
            meshes = [touching(shapes.geometry_of(node), owner, self.facets) for node in solid]
            places = [to_link @ node.getWorldTransform().matrix() for node in solid]
            counts = [0 if mesh is None else len(mesh.vertices) for mesh in meshes]
            self.meshes[key] = join(zip(meshes, places, strict=True)), counts
        mesh, counts = self.meshes[key]
        return Surface(mesh, solid, counts)

    def _friction(self, name: str, nodes: list[Any]) -> float:
        """Of a body with some shapes, the largest."""
        if self.friction is None:
            return max(map(shapes.friction, nodes), default=shapes.FRICTION)
        return float(self.friction.get(name, FRICTION) if isinstance(self.friction, Mapping) else self.friction)

    def _untouchable(self) -> Iterator[frozenset[str]]:
        groups = {link.name: link.group for link in self.tree.links}
        groups |= {name: (body,) for name, body in self.tree.static.items()}
        for one, other in combinations(groups, 2):
            skeleton = groups[one][0].getSkeleton()
            if skeleton.getName() != groups[other][0].getSkeleton().getName():
                continue
            near = any(_connected(a, b) for a in groups[one] for b in groups[other])
            if not skeleton.isEnabledSelfCollisionCheck() or (near and not skeleton.isEnabledAdjacentBodyCheck()):
                yield frozenset({one, other})


def _link(link: Link, said: dict[str, Any]) -> CoupledBody:
    pose = link.pose()
    mass, centre, inertia = _inertia(link.group, pose)
    drawn = tuple(shape for body in link.group for shape in shapes.visual(body, pose))
    return CoupledBody(link.name, pose, mass=mass, center=centre, inertia=inertia, visual=drawn, **said)


def _static(name: str, body: Any, said: dict[str, Any]) -> CoupledBody:
    pose = pose_of(body)
    return CoupledBody(name, pose, visual=tuple(shapes.visual(body, pose)), **said)


def _connected(one: Any, other: Any) -> bool:
    """Whether a joint connects two bodies of a skeleton."""
    pairs = ((one, other.getParentBodyNode()), (other, one.getParentBodyNode()))
    return any(b is not None and a.getIndexInSkeleton() == b.getIndexInSkeleton() for a, b in pairs)


def _inertia(group: tuple[Any, ...], pose: Array) -> tuple[float, Array, Array]:
    """Mass, centre (3,) and inertia about it (3, 3) of bodies that move as one, in the frame of a pose.

    I = Σ R Iᵢ Rᵀ + mᵢ (‖d‖² 1 - d dᵀ), with d from the common centre to each body's (parallel axes).
    """
    parts = [(body.getInertia(), spatial.inverse(pose) @ pose_of(body)) for body in group]
    masses = np.array([part.getMass() for part, _ in parts])
    masses = np.where(masses > MASSLESS, masses, 0.0)
    centres = np.array([H[:3, :3] @ part.getLocalCOM() + H[:3, 3] for part, H in parts])
    mass = float(masses.sum())
    centre = masses @ centres / mass if mass > 0.0 else np.zeros(3)
    d = centres - centre
    own = sum((H[:3, :3] @ part.getMoment() @ H[:3, :3].T for part, H in parts), np.zeros((3, 3)))
    shift = np.sum(masses * (d * d).sum(axis=1)) * np.eye(3) - np.einsum("n,ni,nj->ij", masses, d, d)
    return mass, centre, own + shift
