"""Inertia, stiff bodies and finite elements, by nodes.

    E = ½ Σ (x - x̃)ᵀ (W ⊗ 1) (x - x̃) + dt² v κ ‖A Aᵀ - 1‖² + dt² Σ W_e(x)

`engine.terms` has the formulas with A's rows; here ∂²E/∂A_ik ∂A_jl is at node k + 1, axis i, and node l + 1, axis j.
The kernels of each energy are named one by one, because functions as arguments are an experiment of numba's.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity import neo_hookean_shell, shell_bending, stable_neo_hookean
from ipc_articulation.elasticity.signed_svd import eigenvectors
from prototypes.core.system import find

MEMBRANE, HINGE, SOLID = neo_hookean_shell, shell_bending, stable_neo_hookean
_membrane_energies, _membrane_derivatives = MEMBRANE.energies, MEMBRANE.derivatives
_hinge_energies, _hinge_derivatives = HINGE.energies, HINGE.derivatives
_solid_energies, _solid_derivatives = SOLID.energies, SOLID.derivatives


@compiled
def add_energies(scene, square, x, x_tilde, y, moving, E):
    """Add the energies of moving bodies to E (B,), for nodes x (N, 3) and points y (V, 3); square = dt²."""
    rows, d = scene.rows, np.empty((4, 3))
    for r in range(len(rows.body)):
        b = rows.body[r]
        if rows.is_fixed[r] or not moving[b]:
            continue
        first, count = rows.first[r], rows.first[r + 1] - rows.first[r]
        for a in range(count):
            for k in range(3):
                d[a, k] = x[first + a, k] - x_tilde[first + a, k]
        for a in range(count):
            for c in range(count):
                E[b] += 0.5 * rows.W[r, a, c] * (d[a, 0] * d[c, 0] + d[a, 1] * d[c, 1] + d[a, 2] * d[c, 2])
        if rows.stiffness[r] > 0.0:
            for i in range(3):
                for j in range(3):
                    E[b] += square * rows.stiffness[r] * _strain(x, first, i, j) ** 2
    _add_membranes(scene.membranes, scene.rows.body, square, y, E)
    _add_hinges(scene.hinges, scene.rows.body, square, y, E)
    _add_solids(scene.solids, scene.rows.body, square, y, E)


@compiled
def _add_membranes(elements, body, square, y, E):
    if elements is not None:
        _add(_membrane_energies(y, elements.points, elements.constants), body, elements, square, E)


@compiled
def _add_hinges(elements, body, square, y, E):
    if elements is not None:
        _add(_hinge_energies(y, elements.points, elements.constants), body, elements, square, E)


@compiled
def _add_solids(elements, body, square, y, E):
    if elements is not None:
        _add(_solid_energies(y, elements.points, elements.constants), body, elements, square, E)


@compiled
def _add(W, body, elements, square, E):
    for e in range(len(W)):
        E[body[elements.vertices[e, 0]]] += square * W[e]


@compiled
def _strain(x, first, i, j):
    """(A Aᵀ - 1)_ij."""
    s = -1.0 if i == j else 0.0
    for c in range(1, 4):
        s += x[first + c, i] * x[first + c, j]
    return s


@compiled
def add_derivatives(scene, square, x, x_tilde, y, dA, moving, projected, matrix, places, g):
    """Add the gradient to g (N, 3) and the Hessian, projected for some bodies (B,), to the matrix.

    Args:
        scene: A `Scene`.
        square: dt² [s²].
        x: Nodes (N, 3).
        x_tilde: x̃ (N, 3).
        y: Points (V, 3).
        dA: The last Newton step, (N, 3).
        moving: (B,).
        projected: (B,).
        matrix: A `Matrix`.
        places: Of the blocks of elements, see `place_elements`.
        g: (N, 3).
    """
    rows = scene.rows
    for r in range(len(rows.body)):
        b, own = rows.body[r], matrix.own[r]
        first, count = rows.first[r], rows.first[r + 1] - rows.first[r]
        H = matrix.numbers[own : own + 9 * count * count].reshape(3 * count, 3 * count)
        if rows.is_fixed[r] or not moving[b]:
            for a in range(3 * count):
                H[a, a] = 1.0
            continue
        for a in range(count):
            for c in range(count):
                w = rows.W[r, a, c]
                for k in range(3):
                    H[3 * a + k, 3 * c + k] += w
                    g[first + a, k] += w * (x[first + c, k] - x_tilde[first + c, k])
        if rows.stiffness[r] > 0.0:
            _add_shape(4.0 * square * rows.stiffness[r], x, first, dA, projected[b], g, H)
    given = y, projected, square, moving, matrix
    _differentiate_membranes(scene.membranes, scene.rows, *given, places[0], g)
    _differentiate_hinges(scene.hinges, scene.rows, *given, places[1], g)
    _differentiate_solids(scene.solids, scene.rows, *given, places[2], g)


@compiled
def _differentiate_membranes(elements, rows, y, projected, square, moving, matrix, places, g):
    if elements is not None:
        p = _of_elements(rows, elements, projected)
        some = _membrane_derivatives(y, elements.points, elements.constants, p)
        _add_elements(some, rows, elements, square, moving, matrix, places, g)


@compiled
def _differentiate_hinges(elements, rows, y, projected, square, moving, matrix, places, g):
    if elements is not None:
        p = _of_elements(rows, elements, projected)
        some = _hinge_derivatives(y, elements.points, elements.constants, p)
        _add_elements(some, rows, elements, square, moving, matrix, places, g)


@compiled
def _differentiate_solids(elements, rows, y, projected, square, moving, matrix, places, g):
    if elements is not None:
        p = _of_elements(rows, elements, projected)
        some = _solid_derivatives(y, elements.points, elements.constants, p)
        _add_elements(some, rows, elements, square, moving, matrix, places, g)


@compiled
def _add_shape(c4, x, first, dA, is_projected, g, H):
    T, V, S = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            S[i, j] = T[i, j] = _strain(x, first, i, j)
            for c in range(1, 4):
                T[i, j] -= dA[first + c, i] * dA[first + c, j]
    for c in range(1, 4):
        for i in range(3):
            for j in range(3):
                g[first + c, i] += c4 * S[i, j] * x[first + c, j]
        for e in range(1, 4):
            gram = 0.0
            for k in range(3):
                gram += x[first + c, k] * x[first + e, k]
            for i in range(3):
                for j in range(3):
                    H[3 * c + i, 3 * e + j] += c4 * x[first + c, j] * x[first + e, i]
                H[3 * c + i, 3 * e + i] += c4 * gram
    if is_projected:
        eigenvectors(T, V)
        S[:] = 0.0
        for e in range(3):
            if T[e, e] > 0.0:
                for i in range(3):
                    for j in range(3):
                        S[i, j] += T[e, e] * V[i, e] * V[j, e]
    for c in range(1, 4):
        for i in range(3):
            for j in range(3):
                H[3 * c + i, 3 * c + j] += c4 * S[i, j]


@compiled
def _of_elements(rows, elements, projected):
    result = np.empty(len(elements.vertices), dtype=np.bool_)
    for e in range(len(result)):
        result[e] = projected[rows.body[elements.vertices[e, 0]]]
    return result


@compiled
def _add_elements(derivatives, rows, elements, square, moving, matrix, places, g):
    """Add gradients (k, 3v) and Hessians (k, 3v, 3v) times dt²."""
    of_elements, H = derivatives
    vertices, numbers = elements.vertices, matrix.numbers
    width = vertices.shape[1]
    for e in range(len(vertices)):
        if not moving[rows.body[vertices[e, 0]]]:
            continue
        for a in range(width):
            r = vertices[e, a]
            if rows.is_fixed[r]:
                continue
            for k in range(3):
                g[rows.first[r], k] += square * of_elements[e, 3 * a + k]
            for c in range(a, width):
                at = places[e, a, c]
                if at < 0:
                    continue
                if vertices[e, a] <= vertices[e, c]:
                    for k in range(3):
                        for m in range(3):
                            numbers[at + 3 * k + m] += square * H[e, 3 * a + k, 3 * c + m]
                else:
                    for k in range(3):
                        for m in range(3):
                            numbers[at + 3 * m + k] += square * H[e, 3 * a + k, 3 * c + m]


@compiled
def place_elements(rows, elements, matrix):
    """Where the blocks of each element begin, (k, v, v), -1 where one of both vertices is fixed; all are made."""
    if elements is None:
        return None
    vertices = elements.vertices
    width = vertices.shape[1]
    places = np.full((len(vertices), width, width), -1)
    for e in range(len(vertices)):
        for a in range(width):
            for c in range(a, width):
                i, j = vertices[e, a], vertices[e, c]
                if rows.is_fixed[i] or rows.is_fixed[j]:
                    continue
                places[e, a, c] = matrix.own[i] if i == j else matrix.start[find(matrix, min(i, j), max(i, j))]
    return places


@compiled
def pairs_of(elements):
    """The largest number of blocks that elements add."""
    return 0 if elements is None else elements.vertices.size * (elements.vertices.shape[1] - 1) // 2
