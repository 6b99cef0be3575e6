"""Checks of soft bodies: values with which no step is possible are refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.soft.soft_body import SoftBody

LARGEST = 1e9  # [m], [m/s]: a coordinate there is rounded to 1e-7 m, which is to be less than d̂ and elements


def check_body(body: SoftBody, has_gravity: bool) -> None:
    """Refuse a body.

    Args:
        body: The body.
        has_gravity: Whether its own gravity is given, and so must be finite.

    Raises:
        SceneError: An element refers to a vertex that there is not, a value is not finite, a mass is not positive, a
            thickness is negative or differs along an edge, an element has no extent at rest or is inverted, or
            something is too far away or too fast.
    """
    owner, V = body.owner, len(body.x)
    if V == 0:
        raise SceneError(f"{owner} has no vertices")
    for kind, elements in (("edge", body.edges), ("triangle", body.triangles), ("tetrahedron", body.tetrahedra)):
        outside = np.any((elements < 0) | (elements >= V), axis=1)
        _refuse_element(outside, kind, elements, owner, f"refers to vertices that there are not; it has 0 to {V - 1}")
    finite: dict[str, Any] = {"rest position": body.rest, "position": body.x, "velocity": body.v, "mass": body.mass}
    finite["thickness"] = body.thickness
    if has_gravity:
        finite["gravity"] = body.own_gravity
    for what, values in finite.items():
        bad = ~np.isfinite(values).reshape(V, -1).all(axis=1)
        _refuse_vertex(bad, owner, f"has a {what} that is not finite")
    refuse_extremes(body.x, "position", owner)
    refuse_extremes(body.v, "velocity", owner)
    _refuse_vertex(body.thickness < 0.0, owner, "has a negative thickness; it is 0 m or more")
    _check_elements(body, owner)
    _check_masses(body, owner)
    differs = body.thickness[body.edges[:, 0]] != body.thickness[body.edges[:, 1]]
    _refuse_element(differs, "edge", body.edges, owner, "joins vertices with different thicknesses; they must be equal")


def refuse_extremes(values: Array, name: str, owner: str) -> None:
    """Refuse positions [m] or velocities [m/s] (V, 3) of vertices that let gaps and elements vanish in rounding.

    Raises:
        SceneError: A coordinate is above LARGEST, or not finite; names the vertex.
    """
    sizes, unit = np.abs(values).max(axis=1, initial=0.0), {"position": "m", "velocity": "m/s"}[name]
    extreme = ~(sizes <= LARGEST)
    size = sizes[np.argmax(extreme)] if len(sizes) else 0.0
    _refuse_vertex(extreme, owner, f"has a {name} of {size:.3g} {unit}; at most {LARGEST:g} {unit}")


def _check_elements(body: SoftBody, owner: str) -> None:
    kind, elements = element_kind(body)
    if body.dimension == 0:
        return
    if len(elements) == 0:
        raise SceneError(f"{owner} has no {kind}s")
    extent = extents(body.rest, elements)
    unit = {1: "length", 2: "area", 3: "volume"}[body.dimension]
    _refuse_element(extent == 0.0, kind, elements, owner, f"has no {unit} at rest")
    _refuse_element(
        extent < 0.0, kind, elements, owner, "is inverted at rest; order its vertices so that the volume is positive"
    )


def element_kind(body: SoftBody) -> tuple[str, Ints]:
    """The name of a body's elements, and their vertices."""
    kinds = (
        ("particle", np.arange(len(body.x))[:, None]),
        ("edge", body.edges),
        ("triangle", body.triangles),
        ("tetrahedron", body.tetrahedra),
    )
    return kinds[body.dimension]


def extents(X: Array, elements: Ints) -> Array:
    """Lengths, areas or signed volumes (k,) of elements (k, 2), (k, 3) or (k, 4) at X (V, 3) [m]."""
    sides = X[elements[:, 1:]] - X[elements[:, :1]]  # (k, d, 3)
    if sides.shape[1] == 1:
        return np.linalg.norm(sides[:, 0], axis=1)
    if sides.shape[1] == 2:
        return 0.5 * np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    return np.linalg.det(sides) / 6.0


def _check_masses(body: SoftBody, owner: str) -> None:
    kind, elements = element_kind(body)
    lonely = np.ones(len(body.x), dtype=bool)
    lonely[elements] = False
    light = body.mass <= 0.0
    _refuse_vertex(light & lonely, owner, f"belongs to no {kind}, so it has no mass; remove it from the mesh")
    _refuse_vertex(light, owner, "has a mass that is not positive; density and volume must be positive")


def _refuse_vertex(bad: Bools, owner: str, why: str) -> None:
    if bad.any():
        raise SceneError(f"{owner}: vertex {int(np.argmax(bad))} {why}")


def _refuse_element(bad: Bools, kind: str, elements: Ints, owner: str, why: str) -> None:
    if bad.any():
        e = int(np.argmax(bad))
        raise SceneError(f"{owner}: {kind} {e} ({', '.join(map(str, elements[e]))}) {why}")
