"""Value and derivatives of the articulations' energy as compiled functions of arrays; see `energy` for the formulas."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import config
from numba.experimental import structref

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation import bounded_springs, kinds
from ipc_articulation.articulation.bounded_springs import SPRINGS
from ipc_articulation.articulation.joints import JointArrays, Joints, delta_theta
from ipc_articulation.articulation.kinds import FREEDOMS, MOST_FREEDOMS
from ipc_articulation.articulation.mass_factor import stretches, times
from ipc_articulation.articulation.spring_rows import SpringRows, add_back, along, make_rows
from ipc_articulation.articulation.step_input import are_finite, are_valid
from ipc_articulation.compiled import compiled
from ipc_articulation.references import Reference


class UncheckedInput(NamedTuple):
    """Input of a step before it is checked."""

    mass: Array  # (Σ fₐ²,) see `Articulations`
    factor: Array  # (Σ fₐ²,)
    tilde: Array  # (F,)
    springs: Array  # (S, 4, 4)
    weights: Array  # of the rows, see `SpringRows`


class Articulations(NamedTuple):
    """Several articulations over m joints with F freedoms; all but the first three fields change from step to step."""

    joints: JointArrays
    bodies: Ints  # (F, 2) the left and right body of each freedom's joint
    starts: Ints  # articulation a has the freedoms starts[a] to starts[a + 1] - 1
    mass: Array  # (Σ fₐ²,) Mᵗ of each, row-major, one after the other
    factor: Array  # (Σ fₐ²,) their factors likewise, see `mass_factor`
    tilde: Array  # (F,) δθ̃
    rows: SpringRows  # C, S rows on which springs act: the freedoms, then further ones
    springs: Array  # (S, 4, 4) see `bounded_springs`
    row_tilde: Array  # (S,) C δθ̃
    reference: Array  # (m, REFERENCE) what δθ must know of the reference pose
    unchecked: UncheckedInput


@structref.register
class _HeldArticulationsType(Reference):
    """Numba's type of `HeldArticulations`."""


class HeldArticulations(structref.StructRefProxy):
    """Articulations that Python and compiled functions pass by reference: to unpack their arrays takes 2 µs a call."""


structref.define_proxy(HeldArticulations, _HeldArticulationsType, Articulations._fields)


def hold(arrays: Articulations) -> HeldArticulations | Articulations:
    """The same arrays, to be passed by reference; as they are where numba is switched off."""
    return arrays if config.DISABLE_JIT else _hold(arrays)


@compiled
def _hold(arrays):
    """See `hold`; made from Python, a proxy would take a second in each process, as it is not cached on disk."""
    return HeldArticulations(*arrays)


def make_articulations(joints: Joints, joint_counts: tuple[int, ...], row_counts: tuple[int, ...]) -> Articulations:
    """The arrays of articulations whose joints are concatenated; all of a step's input is zero.

    Args:
        joints: All joints.
        joint_counts: Number of joints of each articulation.
        row_counts: Its number of rows with springs besides its freedoms.
    """
    arrays = joints.arrays()
    first = np.concatenate([[0], np.cumsum(joints.freedoms)])  # of each joint's freedoms
    starts = first[np.concatenate([[0], np.cumsum(joint_counts)]).astype(np.int64)]
    mass, tilde = np.zeros(int(np.sum(np.diff(starts) ** 2))), np.zeros(first[-1])
    rows = make_rows(starts, row_counts)
    springs = np.zeros((len(rows.first), SPRINGS, 4))
    return Articulations(
        joints=arrays,
        bodies=np.repeat(arrays.bodies, joints.freedoms, axis=0),
        starts=starts,
        mass=mass,
        factor=np.zeros_like(mass),
        tilde=tilde,
        rows=rows,
        springs=springs,
        row_tilde=np.zeros(len(springs)),
        reference=joints.home,
        unchecked=UncheckedInput(
            np.zeros_like(mass), np.zeros_like(mass), np.zeros_like(tilde), np.zeros_like(springs), rows.weights.copy()
        ),
    )


@compiled
def take(arrays: HeldArticulations | Articulations, q_ref: Array) -> bool:
    """Copy the unchecked input of a step, with reference poses q_ref (n, 12), if it is valid.

    Returns:
        Whether it was.
    """
    mass, tilde, starts = arrays.unchecked.mass, arrays.unchecked.tilde, arrays.starts
    if not (
        are_valid(arrays.joints.kind, starts, mass, arrays.unchecked.factor, tilde, q_ref)
        and bounded_springs.are_valid(arrays.unchecked.springs)
        and are_finite(arrays.unchecked.weights)
    ):
        return False
    first = 0
    for a in range(len(starts) - 1):
        size = starts[a + 1] - starts[a]
        for row in range(size):
            for column in range(size):
                entry, mirrored = first + size * row + column, first + size * column + row
                arrays.mass[entry] = 0.5 * (mass[entry] + mass[mirrored])
        first += size * size
    arrays.factor[:] = arrays.unchecked.factor
    arrays.tilde[:] = tilde
    arrays.springs[:] = arrays.unchecked.springs
    arrays.rows.weights[:] = arrays.unchecked.weights
    arrays.row_tilde[:] = along(arrays.rows, tilde)
    _set_references(arrays.joints, q_ref, arrays.reference)
    return True


@compiled
def _set_references(joints: JointArrays, q: Array, reference: Array) -> None:
    for k in range(len(joints.kind)):
        i, j = joints.bodies[k]
        kinds.set_reference(joints.kind[k], joints.local[k], q[i], q[j], reference[k])


@compiled
def _displacement(arrays: HeldArticulations | Articulations, q: Array) -> Array:
    """δθ at q (n, 12), (F,)."""
    delta = np.empty(len(arrays.tilde))
    delta_theta(arrays.joints, arrays.reference, q, delta)
    return delta


@compiled
def _factor(arrays: HeldArticulations | Articulations, a: int, first: int) -> Array:
    """The factor of articulation a, whose entries begin at `first`, (fₐ, fₐ)."""
    size = arrays.starts[a + 1] - arrays.starts[a]
    return arrays.factor[first : first + size * size].reshape(size, size)


@compiled
def _inertial(arrays: HeldArticulations | Articulations, residual: Array) -> Array:
    """The product Mᵗ (δθ - δθ̃), block by block."""
    starts, w, first = arrays.starts, np.empty(len(residual)), 0
    for a in range(len(starts) - 1):
        L, own = _factor(arrays, a, first), slice(starts[a], starts[a + 1])
        times(L, stretches(L, residual[own]), w[own])
        first += L.size
    return w


@compiled(nogil=True)
def freedom_energies(arrays: HeldArticulations | Articulations, q: Array) -> Array:
    """½ (lₖᵀ (δθ - δθ̃))² + Dₖ at q (n, 12), (F,), with the columns lₖ of `mass_factor`; they sum to K.

    D of a row counts with the row's first freedom.
    """
    delta, starts, first = _displacement(arrays, q), arrays.starts, 0
    residual, E = delta - arrays.tilde, np.empty(len(delta))
    for a in range(len(starts) - 1):
        L, own = _factor(arrays, a, first), slice(starts[a], starts[a + 1])
        E[own] = 0.5 * stretches(L, residual[own]) ** 2
        first += L.size
    D = np.zeros(len(arrays.springs))
    bounded_springs.distance(arrays.springs, arrays.row_tilde, along(arrays.rows, delta), D)
    for s in range(len(D)):
        E[arrays.rows.first[s]] += D[s]
    return E


@compiled
def forces(arrays: HeldArticulations | Articulations, q: Array) -> tuple[Array, Array, Array]:
    """Mᵗ (δθ - δθ̃), δθ, and w at q (n, 12), (F,) each."""
    delta = _displacement(arrays, q)
    force = _inertial(arrays, delta - arrays.tilde)
    w = force.copy()
    add_back(arrays.rows, bounded_springs.slopes(arrays.springs, arrays.row_tilde, along(arrays.rows, delta)), w)
    return force, delta, w


@compiled(nogil=True)
def differentiate(
    arrays: HeldArticulations | Articulations,
    q: Array,
    w: Array,
    moving: Bools,
    projected: Bools,
    begin: int,
    end: int,
    J: Array,
    curvature: Array,
) -> None:
    """Compute J (F, 24) and Σ wₖ ∂²δθₖ (m, 24, 24) of the joints from `begin` to `end` of which a body moves.

    The curvature is projected where one of the bodies is, of a mask (n,).
    """
    kind, bodies, first = arrays.joints.kind, arrays.joints.bodies, 0
    for k in range(end):
        i, j = bodies[k, 0], bodies[k, 1]
        if k >= begin and (moving[i] or moving[j]):
            differentiate_joint(arrays, q, w, k, first, projected[i] or projected[j], J[first:], curvature[k])
        first += FREEDOMS[kind[k]]


@compiled
def differentiate_joint(
    arrays: HeldArticulations | Articulations, q: Array, w: Array, k: int, first: int, project: bool, J: Array, H: Array
) -> None:
    """Compute the rows (f, 24) of J and Σ wₖ ∂²δθₖ (24, 24), maybe projected, of joint k with its first freedom."""
    joints = arrays.joints
    q_i, q_j = q[joints.bodies[k, 0]], q[joints.bodies[k, 1]]
    kinds.derivatives(joints.kind[k], joints.local[k], q_i, q_j, arrays.reference[k], w[first:], project, J, H)


@compiled(nogil=True)
def add_gradient(arrays: HeldArticulations | Articulations, q: Array, g: Array) -> None:
    """Add ∂K/∂q at q (n, 12) to g (n, 12)."""
    joints, w = arrays.joints, forces(arrays, q)[2]
    J, H, zeros = np.empty((MOST_FREEDOMS, 24)), np.empty((24, 24)), np.zeros(MOST_FREEDOMS)
    first = 0
    for k in range(len(joints.kind)):
        kind, i, j = joints.kind[k], joints.bodies[k, 0], joints.bodies[k, 1]
        kinds.slopes(kind, joints.local[k], q[i], q[j], arrays.reference[k], zeros, J, H)
        for freedom in range(FREEDOMS[kind]):
            for column in range(12):
                g[i, column] += w[first + freedom] * J[freedom, column]
                g[j, column] += w[first + freedom] * J[freedom, 12 + column]
        first += FREEDOMS[kind]
