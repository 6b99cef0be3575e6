"""Symmetric 6x6 matrices in compiled code: the 21 numbers of their upper triangle, row by row."""

from __future__ import annotations

from ipc_articulation.dynamics.kernels.kernel import inlined, kernel


@inlined
def symmetric_times(A, x):
    """A x."""
    a, b, c, d, e, f = x
    return (
        A[0] * a + A[1] * b + A[2] * c + A[3] * d + A[4] * e + A[5] * f,
        A[1] * a + A[6] * b + A[7] * c + A[8] * d + A[9] * e + A[10] * f,
        A[2] * a + A[7] * b + A[11] * c + A[12] * d + A[13] * e + A[14] * f,
        A[3] * a + A[8] * b + A[12] * c + A[15] * d + A[16] * e + A[17] * f,
        A[4] * a + A[9] * b + A[13] * c + A[16] * d + A[18] * e + A[19] * f,
        A[5] * a + A[10] * b + A[14] * c + A[17] * d + A[19] * e + A[20] * f,
    )


@kernel
def clear(A):
    """A ← 0."""
    for j in range(21):
        A[j] = 0.0


@kernel
def add_body(A, k, B):
    """A ← A + B + I, with the inertia I of a rigid body of mass m, first moment h and J about the origin."""
    m, h, J = k.m, k.h, k.J
    for j in range(21):
        A[j] += B[j]
    A[0] += J[0]
    A[1] += J[1]
    A[2] += J[2]
    A[4] -= h[2]
    A[5] += h[1]
    A[6] += J[3]
    A[7] += J[4]
    A[8] += h[2]
    A[10] -= h[0]
    A[11] += J[5]
    A[12] -= h[1]
    A[13] += h[0]
    A[15] += m
    A[18] += m
    A[20] += m


@kernel
def subtract_product(A, x, w):
    """A ← A - x wᵀ, which is symmetric."""
    j = 0
    for r in range(6):
        for s in range(r, 6):
            A[j] -= x[r] * w[s]
            j += 1
