"""Friction of vertices on half-planes: what a step keeps of it, and what affine bodies remember (see `anchors`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.anchors import read
from ipc_articulation.contact.planes.pairs import PlanePairs, place_vertex
from ipc_articulation.contact.smooth_norm import start_anchored_duals


class PlaneStep(NamedTuple):
    """Constants of a step; replaced as a whole."""

    stiffness: Array  # (k,) dt² κ_c
    normal_force: Array  # (rows,) μ λ of friction
    rubs: Bools  # (k,) whether any of them is not 0
    dual: Array  # (rows, 3) p of friction, see `smooth_norm`; changes from iteration to iteration
    x: Array  # (V, 3) positions at the beginning of the step [m]
    anchor: Array  # (rows, 3) s of friction, see `pair_friction` [m]
    eps: Array  # (k,) slip at which friction is fully developed [m]
    foreseen: Array  # (rows,) β, see `foresight`; NaN before the first Newton step, changed by each


@compiled
def slip(p, step, i, v, x, u):
    """Fill u (3,), the slip of vertex v at x (3,), its anchor included; returns its length."""
    n, along, r = p.normal[i], 0.0, v - p.first[p.body[i]] + p.first_row[i]
    for k in range(3):
        u[k] = x[k] - step.x[v, k]
        along += u[k] * n[k]
    for k in range(3):
        u[k] += step.anchor[r, k] - along * n[k]
    return np.sqrt(u[0] ** 2 + u[1] ** 2 + u[2] ** 2)


@compiled
def _remembering(p, step, is_affine):
    """The rows of friction of affine bodies (c,), their pairs (P,), and of each row the place of its pair, (c,).

    And where they are and their normals, (c, 3) each.
    """
    count, number, most = 0, 0, len(step.normal_force)
    on, pairs = np.empty(most, dtype=np.int64), np.empty(len(p.body), dtype=np.int64)
    place, points, normals = np.empty(most, dtype=np.int64), np.empty((most, 3)), np.empty((most, 3))
    for i in range(len(p.body)):
        before = count
        for r in range(p.first_row[i], p.first_row[i + 1] if is_affine[i] else p.first_row[i]):
            if step.normal_force[r] > 0.0:
                on[count], place[count] = r, number
                for k in range(3):
                    points[count, k] = step.x[r - p.first_row[i] + p.first[p.body[i]], k]
                    normals[count, k] = p.normal[i, k]
                count += 1
        if count > before:
            pairs[number] = i
            number += 1
    return on[:count], pairs[:number], place[:count], points[:count], normals[:count]


@compiled
def anchors_of(columns, step, bodies, is_affine, held_pairs, fields, count, x):
    """What the rows of friction of affine bodies remember, (rows, 3) [m]; fills their duals.

    Args:
        columns: The fields of `PlanePairs`.
        step: The fields of `PlaneStep`.
        bodies: The body and the half-plane of each pair, as they are held, (k, 2).
        is_affine: Pairs whose body is, (k,).
        held_pairs: The pairs that are held.
        fields: Theirs.
        count: Number of bodies and half-planes.
        x: Where the duals are those of the slips, (V, 3).
    """
    p, step = PlanePairs(*columns), PlaneStep(*step)
    on, pairs, place, points, normals = _remembering(p, step, is_affine)
    s = read(held_pairs, fields, count, bodies[pairs], place, points, normals)
    anchor = np.zeros((len(step.normal_force), 3))
    for c in range(len(on)):
        anchor[on[c]] = s[c]
    start_duals(p, step, on, pairs[place], anchor, x)
    return anchor


@compiled
def start_duals(p, step, rows, pair, anchor, x):
    """Fill the duals of some rows and their pairs, (c,) each, by their slips at x (V, 3) with anchors (rows, 3).

    The step has no anchors yet.
    """
    slips = np.zeros(anchor.shape)
    for c in range(len(rows)):
        r, i = rows[c], pair[c]
        v = r - p.first_row[i] + p.first[p.body[i]]
        slip(p, step, i, v, x[v], slips[r])
        slips[r] += anchor[r]
    start_anchored_duals(rows, step.normal_force, slips, step.eps[pair], step.dual)


@compiled
def patches_of(columns, step, bodies, is_affine, q):
    """The fields of `Patches` of friction of affine bodies, at the end q (n, 12) of a step; see `anchors_of`."""
    p, step, x = PlanePairs(*columns), PlaneStep(*step), np.empty(3)
    on, pairs, place, points, normals = _remembering(p, step, is_affine)
    slips, forces = np.empty((len(on), 3)), np.empty(len(on))
    for c in range(len(on)):
        i = pairs[place[c]]
        v = on[c] - p.first_row[i] + p.first[p.body[i]]
        place_vertex(p, p.body[i], v, q, x)
        slip(p, step, i, v, x, slips[c])
        forces[c] = step.normal_force[on[c]]
    return bodies[pairs], place, forces, points, normals, slips, step.eps[pairs]
