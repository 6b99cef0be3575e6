"""The data of a scene for the core: nodes, rows, points and tables, as flat arrays.

Every free point of the scene is a sum of nodes,  y = Σ_a w_a x_a.  A soft vertex is one node of weight 1. An affine
body is four, x = (p, A e₁, A e₂, A e₃), with the weights (1, x̄) of its points. Nodes that are only moved together are a
row: four of an affine body, or one. A fixed body has a row that never moves, a half-plane has none.

So an affine body's mass matrix is W ⊗ 1, with W = Σ m (1, x̄)(1, x̄)ᵀ, and everything that contact needs of a body is a
weight.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.corners import corners as on_hull
from ipc_articulation.contact.face_trees import FaceTrees
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.resistance import Resistance
from ipc_articulation.frontend.contact_world import group_of_rows
from prototypes.core.resistance import make_law

NO_MATERIALS = Materials(
    *(np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros(0), np.zeros(0)),
    *(
        np.zeros((0, 0), dtype=np.int64),
        np.zeros((0, 0), dtype=np.int64),
        np.zeros((0, 0)),
        np.zeros(0, dtype=np.int64),
    ),
)


class Rows(NamedTuple):
    """R rows of N nodes; those of a body follow each other."""

    first: Ints  # (R + 1,) first node of each row
    body: Ints  # (R,)
    is_fixed: Bools  # (R,)
    W: Array  # (R, 4, 4) mass matrix by nodes [kg]; of a row with one node only the first number counts
    acceleration: Array  # (R, 3) of its first node by gravity [m/s²]
    stiffness: Array  # (R,) v κ of OrthoPotential, 0 for soft vertices [J]
    center: Array  # (R, 3) of mass, in the body's frame [m]


class Points(NamedTuple):
    """V points of B bodies, those of a body one after the other; after them corners of boxes around some."""

    row: Ints  # (V,)
    weight: Array  # (V, 4) by the nodes of the row
    first: Ints  # (B + 1,) first point of each body
    hull: Ints  # (B, 2) the range of points whose motion bounds that of all: of a body's own, or of its box's corners
    is_soft: Bools  # (B,)
    is_fixed: Bools  # (B,) bodies of which nothing moves


class Mesh(NamedTuple):
    """Edges and faces over points, and their trees, body by body (see `contact.face_trees`)."""

    edges: Ints  # (E, 2)
    faces: Ints  # (F, 3)
    dimension: Ints  # (V,)
    squares: Array  # (E,) of lengths at rest [m²]
    trees: FaceTrees
    sizes: tuple[float, float]  # of a typical stiff body, and of a typical edge [m]


class Table(NamedTuple):
    """Contact models of pairs of bodies, and of a body with half-plane p, which has the number B + p.

    The points of a body that have one contact element are a part of it; half-plane p is part N + p.
    """

    model: Ints  # (B, B + P), -1: none
    kappa: Array  # (m,) resistance κ_c [Pa], NaN where pairs choose it, or have none
    d_hat: Array  # (m,) [m]
    xi: Array  # (m,) [m]
    part: Ints  # (V,) of each point
    mu: Array  # (N, N + P) friction coefficients of parts; may change between steps
    element: Ints  # (V,) contact element of each point, 0 where all primitives of two bodies have the same model
    resistance: Array  # (E, E) κ_c of elements [Pa], NaN where that of the pair of bodies counts
    passing: Array  # (E, E) 1 for elements that pass through each other, else 0
    touches: Bools  # (V,) whether a point may touch half-planes
    chooser: Ints  # (V,) the row of twelve coordinates of each point, see `resistance`
    choosers: int  # number of these rows
    law: Any  # `resistance.Law`
    planes: Array  # (P, 4) n and n·p [m] of half-planes
    reach: float  # largest d̂ + ξ [m]


class Scene(NamedTuple):
    """All of it."""

    rows: Rows
    points: Points
    mesh: Mesh
    table: Table


def read(model: Any, contact: Any, state: Any) -> tuple[Scene, Array]:
    """The scene that the CPU engine has read, with the nodes x (N, 3) [m] where it is now.

    Raises:
        NotImplementedError: It has something that is not part of the sketch.
    """
    bodies, surfaces, meshes = model.context.bodies, model.surfaces, getattr(contact, "_meshes", None)
    affine = len(bodies.q) - int(bodies.soft.first[-1])
    corners = int(surfaces.first[affine])
    soft = np.arange(corners, len(surfaces.points))
    label = np.argmax(np.column_stack([np.full(len(soft), 0.5), surfaces.points[soft]]), axis=1)
    row_of = np.concatenate([surfaces.body[:corners], affine + np.arange(len(soft))])
    whose = surfaces.body[soft]  # row of twelve
    body_of = group_of_rows(bodies)
    of_rows = np.concatenate([np.arange(affine), whose])
    M = bodies.mass * ~(bodies.is_fixed | bodies.external_kinetic)[:, None, None]
    rows = Rows(
        first=np.concatenate([4 * np.arange(affine), 4 * affine + np.arange(len(soft) + 1)]),
        body=body_of[of_rows],
        is_fixed=bodies.is_fixed[of_rows],
        W=_weights(M, affine, whose, label),
        acceleration=np.ascontiguousarray(model.acceleration[of_rows, :3]),
        stiffness=np.concatenate([bodies.volume[:affine] * bodies.kappa[:affine], np.zeros(len(soft))]),
        center=np.concatenate([model.center[:affine], np.zeros((len(soft), 3))]),
    )
    weight = np.zeros((len(surfaces.points), 4))
    weight[:, 0] = 1.0
    weight[:corners, 1:] = surfaces.points[:corners]
    count = int(body_of.max(initial=-1)) + 1
    first = np.searchsorted(body_of[surfaces.body], np.arange(count + 1))
    is_fixed = np.array([bodies.is_fixed[body_of == b].all() for b in range(count)], dtype=np.bool_)
    hull = np.column_stack([first[:-1], first[1:]])
    boxed = np.flatnonzero((np.arange(count) < affine) & (np.diff(first) > 8))
    hull[boxed] = len(weight) + 8 * np.arange(len(boxed))[:, None] + [0, 8]
    weight = np.concatenate([weight, *(_corners(weight[first[b] : first[b + 1], 1:]) for b in boxed)])
    with_corners = np.concatenate([row_of, np.repeat(boxed, 8)])
    points = Points(with_corners, weight, first, hull, np.arange(count) >= affine, is_fixed)
    of = surfaces if meshes is None else meshes
    lengths = np.sqrt(of.squared_lengths)
    diagonals = 2.0 * np.linalg.norm(surfaces.boxes[1][:affine], axis=1)
    mesh = Mesh(
        of.edges.astype(np.int64),
        of.faces.astype(np.int64),
        of.dimension,
        of.squared_lengths,
        of.trees,
        (float(np.median(diagonals)) if len(diagonals) else 0.0, float(np.median(lengths))),
    )
    table = _no_table(count, len(surfaces.points)) if contact is None else _table(contact)
    return Scene(rows, points, mesh, table), _nodes(state.q, affine, whose, label)


def _corners(local: Array) -> Array:
    """Weights (8, 4) of the corners of the box around some points (k, 3)."""
    ends = np.stack([local.min(axis=0), local.max(axis=0)])
    return np.array([[1.0, ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def _weights(M: Array, affine: int, whose: Ints, label: Ints) -> Array:
    """W (R, 4, 4) from mass matrices (n, 12, 12)."""
    W = np.zeros((affine + len(whose), 4, 4))
    place = np.array([0, 3, 4, 5])
    W[:affine] = M[:affine][:, place[:, None], place]
    S = M[whose][:, [3, 4, 5], [3, 4, 5]]
    masses = np.column_stack([M[whose, 0, 0] - S.sum(axis=1), S])
    W[affine:, 0, 0] = masses[np.arange(len(whose)), label]
    return W


def _nodes(q: Array, affine: int, whose: Ints, label: Ints) -> Array:
    """Nodes (N, 3), or their rates, from coordinates (n, 12)."""
    columns = np.swapaxes(q[:, 3:].reshape(-1, 3, 3), 1, 2)
    of_affine = np.concatenate([q[:affine, None, :3], columns[:affine]], axis=1).reshape(-1, 3)
    of_soft = q[whose, :3].copy()
    moved = label > 0
    of_soft[moved] += columns[whose[moved], label[moved] - 1]
    return np.ascontiguousarray(np.concatenate([of_affine, of_soft]))


def _table(contact: Any) -> Table:
    materials, planes, elements = contact.materials, contact.half_planes.planes, contact._elements
    surfaces, count = contact.surfaces, len(planes.names)
    touches = np.zeros(len(materials.group), dtype=np.bool_)
    touches[contact.half_planes._pairs.body] = True
    part = _parts(contact)
    given = [np.column_stack([planes.normal, np.einsum("ij,ij->i", planes.normal, planes.point)])] if count else []
    own, chooses = (np.zeros((1, 1)),) * 2, False
    if elements is not None:
        own, chooses = (elements._resistance, 1.0 - elements._enabled), elements.choose_resistance
    return Table(
        np.hstack([materials.body_pairs, materials.plane_pairs[:, :count]]).astype(np.int64),
        materials.resistance,
        materials.d_hat,
        materials.thickness,
        part,
        frictions(contact, part),
        np.zeros_like(part) if elements is None else elements._of,
        np.where(chooses & (own[0] > 0.0), own[0], np.nan),
        own[1],
        touches[surfaces.body],
        surfaces.body,
        len(materials.group),
        _law(contact),
        np.ascontiguousarray(np.concatenate([np.zeros((0, 4)), *given])),
        materials.reach,
    )


def _parts(contact: Any) -> Ints:
    """The part of each point, (V,), see `Table`."""
    body = contact.materials.group[contact.surfaces.body]
    label = np.zeros_like(body)
    if contact._elements is not None:
        label = contact._elements._of
    elif contact.parts is not None:
        label = contact.parts._part
    return np.unique(body * (label.max(initial=0) + 1) + label, return_inverse=True)[1].reshape(-1)


def frictions(contact: Any, part: Ints) -> Array:
    """The coefficients (N, N + P) of friction of parts, to which points (V,) belong, as they are now."""
    materials, parts, elements = contact.materials, contact.parts, contact._elements
    points = np.unique(part, return_index=True)[1]  # one of each part
    of, friction = materials.group[contact.surfaces.body[points]], materials.friction
    is_soft = np.zeros(len(points), dtype=np.bool_) if contact._meshes is None else of >= contact._meshes.affine
    if parts is not None:
        of, friction = parts._part[points], parts.friction
    planes = np.arange(len(friction), friction.shape[1])
    mu = friction[np.ix_(of, np.concatenate([of, planes]))]
    if elements is not None:
        of = elements._of[points]
        mu[:, : len(of)] = np.where(is_soft | is_soft[:, None], elements._friction[np.ix_(of, of)], mu[:, : len(of)])
    return mu


def _law(contact: Any) -> Any:
    surfaces, resistance = contact.surfaces, contact.resistance
    chosen = [first + on_hull(surfaces.points[first:end]) for first, end in pairwise(surfaces.first.tolist())]
    first_corner = np.cumsum([0, *map(len, chosen)]).astype(np.int64)
    corners, nowhere = np.concatenate([np.zeros(0, dtype=np.int64), *chosen]), np.zeros((0, 3))
    is_open = bool(contact.resistance.is_open or contact.materials.is_adaptive)
    return make_law(resistance._columns, *resistance.held, corners, first_corner, nowhere, is_open)


def _no_table(count: int, points: int) -> Table:
    none, nowhere, nothing = np.full((count, count), -1), np.zeros(0), np.zeros((1, 1))
    zeros, law = np.zeros(points, dtype=np.int64), Resistance(nowhere, 0.0, NO_MATERIALS)
    given = none, nowhere, nowhere, nowhere, zeros, nothing, zeros, nothing, nothing, zeros > 0, zeros
    held = make_law(law._columns, *law.held, zeros, zeros, np.zeros((0, 3)), False)
    return Table(*given, 0, held, np.zeros((0, 4)), 0.0)
