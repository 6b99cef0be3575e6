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
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.choosing import make_law
from ipc_articulation.contact.corners import corners as on_hull
from ipc_articulation.contact.face_trees import FaceTrees
from ipc_articulation.contact.held import NOTHING_HELD
from ipc_articulation.contact.materials import Materials
from ipc_articulation.contact.resistance import constants
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.contact.world import ContactWorld
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.nodes.numbering import Numbering
from ipc_articulation.references import by_reference

NO_MATERIALS = Materials(
    *(np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros(0), np.zeros(0)),
    *(
        np.zeros((0, 0), dtype=np.int64),
        np.zeros((0, 0), dtype=np.int64),
        np.zeros((0, 0)),
        np.zeros(0, dtype=np.int64),
    ),
)


class _Rows(NamedTuple):
    """R rows of N nodes; those of a body follow each other."""

    first: Ints  # (R + 1,) first node of each row
    body: Ints  # (R,)
    is_fixed: Bools  # (R,)


RowsType, Rows = by_reference(_Rows, __name__)


class _Points(NamedTuple):
    """V points of B bodies, those of a body one after the other; after them corners of boxes around some."""

    row: Ints  # (V,)
    weight: Array  # (V, 4) by the nodes of the row
    first: Ints  # (B + 1,) first point of each body
    hull: Ints  # (B, 2) the range of points whose motion bounds that of all: of a body's own, or of its box's corners
    is_soft: Bools  # (B,)
    is_fixed: Bools  # (B,) bodies of which nothing moves


PointsType, Points = by_reference(_Points, __name__)


class _Mesh(NamedTuple):
    """Edges and faces over points, and their trees, body by body (see `contact.face_trees`)."""

    edges: Ints  # (E, 2)
    faces: Ints  # (F, 3)
    dimension: Ints  # (V,)
    squares: Array  # (E,) of lengths at rest [m²]
    sizes: tuple[float, float]  # of a typical stiff body, and of a typical edge [m]
    trees: Any  # `FaceTrees`


TreesType, Trees = by_reference(FaceTrees, __name__, "Trees")
MeshType, Mesh = by_reference(_Mesh, __name__)


class _Table(NamedTuple):
    """Contact models of pairs of bodies, and of a body with half-plane p, which has the number B + p.

    The points of a body that have one contact element are a part of it; half-plane p is part N + p.
    """

    model: Ints  # (B, B + P), -1: none
    group: Ints  # bodies that may touch others, group by group; those of different groups never touch each other
    first: Ints  # (G + 1,) where each group begins
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


TableType, Table = by_reference(_Table, __name__)


class _Scene(NamedTuple):
    """All of it."""

    rows: Any  # `Rows`, as all of these by reference
    points: Any
    mesh: Any
    table: Any
    touches: bool  # whether anything may touch
    projects: bool  # whether Hessians that are not definite are projected, and not all


SceneType, Scene = by_reference(_Scene, __name__)


@compiled
def _held(rows, points, mesh, trees, table):
    touches = np.any(table.model >= 0)
    projects = touches or np.any(points.is_soft)
    return Scene(Rows(*rows), Points(*points), Mesh(*mesh, Trees(*trees)), Table(*table), touches, projects)


def read(
    bodies: BodyTable, surfaces: Surfaces, numbering: Numbering, contact: ContactWorld | None
) -> tuple[Any, _Points, _Table]:
    """The `Scene` of some bodies, without contact where that is None, with its points and its table."""
    rows = _Rows(numbering.first, numbering.body, numbering.is_fixed)
    points, count = _points(bodies, surfaces, numbering), len(surfaces.points)
    of = surfaces if contact is None else contact.mesh
    diagonals = 2.0 * np.linalg.norm(surfaces.boxes[1][: numbering.affine], axis=1)
    lengths = np.sqrt(of.squared_lengths)
    stiff, soft = (float(np.median(of_one)) if len(of_one) else 0.0 for of_one in (diagonals, lengths))
    primitives = of.edges.astype(np.int64), of.faces.astype(np.int64)
    mesh = *primitives, of.dimension, of.squared_lengths, (stiff, soft)
    table = _no_table(len(points.is_soft), count) if contact is None else _table(contact, numbering, points.is_fixed)
    return _held(rows, points, mesh, of.trees, table), points, table


def _points(bodies: BodyTable, surfaces: Surfaces, numbering: Numbering) -> _Points:
    """All vertices, and the corners of boxes around affine bodies with more of them than a box has."""
    affine, body_of, corners = numbering.affine, numbering.body_of, int(surfaces.first[numbering.affine])
    count, weight = int(body_of.max(initial=-1)) + 1, np.zeros((len(surfaces.points), 4))
    weight[:, 0], weight[:corners, 1:] = 1.0, surfaces.points[:corners]
    first = np.searchsorted(body_of[surfaces.body], np.arange(count + 1))
    is_fixed = np.array([bodies.is_fixed[body_of == b].all() for b in range(count)], dtype=np.bool_)
    hull = np.column_stack([first[:-1], first[1:]])
    boxed = np.flatnonzero((np.arange(count) < affine) & (np.diff(first) > 8))
    hull[boxed] = len(weight) + 8 * np.arange(len(boxed))[:, None] + [0, 8]
    weight = np.concatenate([weight, *(_corners(weight[first[b] : first[b + 1], 1:]) for b in boxed)])
    soft = affine + np.arange(len(surfaces.points) - corners)
    row = np.concatenate([surfaces.body[:corners], soft, np.repeat(boxed, 8)])
    return _Points(row, weight, first, hull, np.arange(count) >= affine, is_fixed)


def _corners(local: Array) -> Array:
    """Weights (8, 4) of the corners of the box around some points (k, 3)."""
    ends = np.stack([local.min(axis=0), local.max(axis=0)])
    return np.array([[1.0, ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def _table(contact: ContactWorld, numbering: Numbering, is_fixed: Bools) -> _Table:
    materials, planes, elements, surfaces = contact.materials, contact.planes, contact.elements, contact.surfaces
    part, count = _parts(contact), len(planes.names)
    given = [np.column_stack([planes.normal, np.einsum("ij,ij->i", planes.normal, planes.point)])] if count else []
    kappa: Array = np.zeros((1, 1))
    passing, chooses = kappa, False
    if elements is not None:
        kappa, passing = elements.resistance, (~elements.enabled).astype(np.float64)
        chooses = elements.choose_resistance
    model = np.hstack([materials.body_pairs, materials.plane_pairs[:, :count]]).astype(np.int64)
    return _Table(
        model,
        *_groups(model[:, : len(model)] >= 0, is_fixed),
        materials.resistance,
        materials.d_hat,
        materials.thickness,
        part,
        frictions(contact, part, numbering.affine),
        np.zeros_like(part) if elements is None else elements.of_vertex,
        np.where(chooses & (kappa > 0.0), kappa, np.nan),
        passing,
        contact.touches[surfaces.body],
        surfaces.body,
        len(materials.group),
        _law(contact),
        np.ascontiguousarray(np.concatenate([np.zeros((0, 4)), *given])),
        materials.reach,
    )


def _groups(may_touch: Bools, is_fixed: Bools) -> tuple[Ints, Ints]:
    """Of pairs of bodies (B, B) that may touch, the groups of `Table`: each has what it may touch of fixed bodies."""
    count, changes = len(is_fixed), True
    one, other = np.nonzero(may_touch & ~is_fixed[:, None])
    left, right = one[~is_fixed[other]], other[~is_fixed[other]]
    label = np.arange(count)  # the first body of the group, when no pair lowers one any more
    while changes:
        lowest = label.copy()
        np.minimum.at(lowest, left, label[right])
        lowest = lowest[lowest]
        label, changes = lowest, bool((lowest != label).any())
    members = np.unique(np.concatenate([label[one] * count + one, label[one] * count + other])).astype(np.int64)
    group, body = np.divmod(members, max(count, 1))
    return body, np.flatnonzero(np.diff(group, prepend=-1, append=-1))


def _parts(contact: ContactWorld) -> Ints:
    """The part of each point, (V,), see `Table`."""
    body = contact.materials.group[contact.surfaces.body]
    label = np.zeros_like(body)
    if contact.elements is not None:
        label = contact.elements.of_vertex
    elif contact.parts is not None:
        label = contact.parts.of_vertex
    return np.unique(body * (label.max(initial=0) + 1) + label, return_inverse=True)[1].reshape(-1)


def frictions(contact: ContactWorld, part: Ints, affine: int) -> Array:
    """The coefficients (N, N + P) of friction of parts, to which points (V,) belong, as they are now."""
    materials, parts, elements = contact.materials, contact.parts, contact.elements
    points = np.unique(part, return_index=True)[1]  # one of each part
    of, friction = materials.group[contact.surfaces.body[points]], materials.friction
    is_soft = of >= affine
    if parts is not None:
        of, friction = parts.of_vertex[points], parts.friction
    planes = np.arange(len(friction), friction.shape[1])
    mu = friction[np.ix_(of, np.concatenate([of, planes]))]
    if elements is not None:
        of = elements.of_vertex[points]
        mu[:, : len(of)] = np.where(is_soft | is_soft[:, None], elements.friction[np.ix_(of, of)], mu[:, : len(of)])
    return mu


def _law(contact: ContactWorld) -> Any:
    surfaces, materials = contact.surfaces, contact.materials
    chosen = [first + on_hull(surfaces.points[first:end]) for first, end in pairwise(surfaces.first.tolist())]
    first_corner = np.cumsum([0, *map(len, chosen)]).astype(np.int64)
    corners, nowhere = np.concatenate([np.zeros(0, dtype=np.int64), *chosen]), np.zeros((0, 3))
    is_open = bool(materials.by_load.any() or materials.is_adaptive)
    of_pairs = constants(contact.mass, contact.gravity, materials)
    return make_law(of_pairs, *NOTHING_HELD, corners, first_corner, nowhere, is_open)


def _no_table(count: int, points: int) -> _Table:
    none, nowhere, nothing = np.full((count, count), -1), np.zeros(0), np.zeros((1, 1))
    zeros = np.zeros(points, dtype=np.int64)
    nobody, none_first = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
    models, parts = (none, nobody, none_first, nowhere, nowhere, nowhere), (zeros, nothing, zeros, nothing, nothing)
    held = make_law(constants(nowhere, 0.0, NO_MATERIALS), *NOTHING_HELD, zeros, zeros, np.zeros((0, 3)), False)
    return _Table(*models, *parts, zeros > 0, zeros, 0, held, np.zeros((0, 4)), 0.0)
