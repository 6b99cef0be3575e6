"""Surfaces at the start of a scene: which overlap, which lie inside another, which are nearer than half of d̂.

Bodies that rest on each other are a little nearer than d̂; much nearer ones are pushed apart.
"""

from __future__ import annotations

from collections.abc import Iterator

import ipctk
import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array
from ipc_articulation.checking.start import NO_EDGES, Start, Thing, place_of, touching
from ipc_articulation.contact.inside import is_inside
from ipc_articulation.scenefile.document import SceneProblem
from ipc_articulation.scenefile.schema import Scene

MOST = 20  # narrow gaps that are reported one by one
NARROW = 0.5  # of d̂


class Nearness:
    """Gaps of all surfaces that may touch and are near each other: 0 where they overlap."""

    def __init__(self, start: Start, scene: Scene) -> None:
        """Measure the gaps."""
        self._start, self._scene = start, scene
        self._narrow = NARROW * scene.contact.d_hat
        enabled = scene.contact.enabled
        self._gaps = dict(sorted(self._measured(), key=lambda item: item[1])) if enabled else {}

    def overlaps(self) -> Iterator[SceneProblem]:
        """Surfaces that intersect, or are nearer than their thickness, with which no run can begin."""
        for (first, second), gap in self._gaps.items():
            if gap <= 0.0:
                thick = self._thick(first, second)
                message = f"{_said(first)} and {_said(second)} overlap at the start{thick}; move them apart"
                yield SceneProblem(place_of(self._spoken_of(first, second), self._scene), message)
        for thing in self._start.things if self._scene.contact.enabled else ():
            if thing.touches_itself and touching(self._start, thing, thing) and _overlaps_itself(thing):
                message = f"'{thing.name}' overlaps itself at the start{self._thick(thing.name)}; move its parts apart"
                yield SceneProblem(place_of(thing.name, self._scene), message)

    def overlapping(self) -> list[tuple[str, str]]:
        """Names of all pairs that overlap, or of which one is inside the other."""
        crossing = [names for names, gap in self._gaps.items() if gap <= 0.0]
        inside = [names for names in self._inside() if not {names, names[::-1]} & set(crossing)]
        return [*crossing, *inside]

    def narrow_pairs(self) -> list[tuple[str, str]]:
        """Names of all pairs that overlap, are too near each other, or of which one is inside the other."""
        return list(dict.fromkeys([*self._gaps, *self._inside()]))

    def narrow_gaps(self) -> Iterator[SceneProblem]:
        """Surfaces that repel each other from the start, and surfaces inside others."""
        narrow = [(names, gap) for names, gap in self._gaps.items() if gap > 0.0]
        for (first, second), gap in narrow[:MOST]:
            message = (
                f"{_said(first)} and {_said(second)} are {gap:.2g} m apart at the start, less than half of d_hat "
                f"{self._scene.contact.d_hat:g} m: they push each other away in the first steps"
            )
            yield SceneProblem(place_of(self._spoken_of(first, second), self._scene), message)
        if len(narrow) > MOST:
            message = f"{len(narrow) - MOST} more pairs of surfaces are nearer than half of d_hat at the start"
            yield SceneProblem(("contact", "d_hat"), message)
        for inner, outer in self._inside():
            yield SceneProblem(place_of(inner, self._scene), f"'{inner}' is inside '{outer}' and can never leave it")

    def _measured(self) -> Iterator[tuple[tuple[str, str], float]]:
        things = self._start.things
        for first, second in near_pairs(things, self._narrow):
            if self._may_touch(first, second):
                gap = distance(first, second, self._narrow)
                if gap < self._narrow:
                    yield (first.name, second.name), gap
        for plane in self._start.robot.planes:
            for thing in things:
                if not thing.static and touching(self._start, thing, plane):
                    gap = float(np.min((thing.vertices - plane.point) @ plane.normal)) - thing.radius
                    if gap < self._narrow:
                        yield (thing.name, plane.name), gap

    def _inside(self) -> Iterator[tuple[str, str]]:
        """Names of a surface and of one that it is inside of."""
        if not self._scene.contact.enabled:
            return
        for first, second in near_pairs(self._start.things, 0.0):
            for inner, outer in ((first, second), (second, first)):
                if (
                    outer.closed
                    and self._may_touch(first, second)
                    and is_inside(inner.vertices, outer.vertices, outer.faces)
                ):
                    yield inner.name, outer.name

    def _may_touch(self, first: Thing, second: Thing) -> bool:
        return not (first.static and second.static) and touching(self._start, first, second)

    def _thick(self, *names: str) -> str:
        """Says how thick they are, of those that are."""
        thick = {thing.name: 2.0 * thing.radius for thing in self._start.things if thing.radius and thing.name in names}
        said = " and ".join(f"'{name}' is {thickness:g} m thick" for name, thickness in thick.items())
        return f" ({said})" if said else ""

    def _spoken_of(self, first: str, second: str) -> str:
        """The one of two that the scene file itself has, a body before the robot."""
        names = [body.name for body in (*self._scene.bodies, *self._scene.soft_bodies)]
        return second if second in names and first not in names else first


def near_pairs(things: tuple[Thing, ...], margin: float) -> Iterator[tuple[Thing, Thing]]:
    """Pairs of surfaces whose boxes, grown by a margin [m], meet."""
    if not things:
        return
    radius = np.array([[thing.radius] for thing in things])
    low = np.array([thing.vertices.min(axis=0) for thing in things]) - margin - radius
    high = np.array([thing.vertices.max(axis=0) for thing in things]) + radius
    for i, thing in enumerate(things[:-1]):
        meets = ((low[i] <= high[i + 1 :]) & (low[i + 1 :] <= high[i])).all(axis=1)
        for j in np.flatnonzero(meets) + i + 1:
            yield thing, things[j]


def distance(first: Thing, second: Thing, within: float) -> float:
    """Smallest gap of two surfaces, or of parts of one without a common vertex, without their thickness [m].

    It is 0 where they intersect, and inf where it is not below `within`.
    """
    parts = (first,) if first is second else (first, second)
    starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
    vertices = np.asfortranarray(np.vstack([part.vertices for part in parts]))
    faces, lines = (
        np.asfortranarray(np.vstack([getattr(part, key) + start for part, start in zip(parts, starts, strict=False)]))
        for key in ("faces", "edges")
    )
    sides = ipctk.edges(faces) if len(faces) else NO_EDGES
    mesh = ipctk.CollisionMesh(
        vertices, np.asfortranarray(np.vstack([sides, lines]).astype(np.int32)), faces.astype(np.int32)
    )
    if first is not second:
        of_second = np.arange(len(vertices)) >= starts[1]
        mesh.can_collide = ipctk.make_vertex_patches_filter(of_second.astype(np.int32))
    if ipctk.has_intersections(mesh, vertices):
        return 0.0
    thickness, collisions = first.radius + second.radius, ipctk.NormalCollisions()
    if within + thickness <= 0.0:
        return np.inf
    collisions.build(mesh, vertices, within + thickness)
    if not len(collisions):
        return np.inf
    return max(float(np.sqrt(collisions.compute_minimum_distance(mesh, vertices))) - thickness, 0.0)


def _overlaps_itself(thing: Thing) -> bool:
    """Whether parts of a surface or rod intersect, or are nearer than its thickness."""
    return distance(thing, thing, 0.0) <= 0.0 or bool((_corner_gaps(thing) <= 2.0 * thing.radius).any())


def _corner_gaps(thing: Thing) -> Array:
    """Distances [m] of the ends of a rod's neighbouring segments to each other; `distance` leaves neighbours out."""
    a, b, c = (thing.vertices[part] for part in _corners(thing.edges).T)
    return np.minimum(_to_segment(a, b, c), _to_segment(c, a, b))


def _corners(edges: NDArray[np.int32]) -> NDArray[np.int32]:
    """Vertices (k, 3) of pairs of successive segments, the common one in the middle."""
    first, second = edges[:-1], edges[1:]
    return np.column_stack([first, second[:, 1]])[first[:, 1] == second[:, 0]]


def _to_segment(x: Array, a: Array, b: Array) -> Array:
    """Distances (k,) of points to segments from a to b, each (k, 3) [m]."""
    d = b - a
    t = np.clip(np.sum((x - a) * d, axis=1) / np.sum(d * d, axis=1), 0.0, 1.0)
    return np.linalg.norm(a + t[:, None] * d - x, axis=1)


def _said(name: str) -> str:
    return "the ground" if name.endswith("ground") else f"'{name}'"
