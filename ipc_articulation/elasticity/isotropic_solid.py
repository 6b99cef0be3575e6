"""Second derivatives of isotropic energies of 3×3 matrices, by their eigenvalues.

An isotropic Ψ(F) is a symmetric function of the signed singular values s of F = U diag(s) Vᵀ. With Ψᵢ = ∂Ψ/∂sᵢ its
second derivative has nine eigenmatrices (Smith, de Goes and Kim 2019, «Analytic eigensystems for isotropic distortion
energies», section 4):

    three twists   U (eᵢeⱼᵀ - eⱼeᵢᵀ) Vᵀ/√2     (Ψᵢ + Ψⱼ)/(sᵢ + sⱼ)
    three flips    U (eᵢeⱼᵀ + eⱼeᵢᵀ) Vᵀ/√2     (Ψᵢ - Ψⱼ)/(sᵢ - sⱼ)
    three scalings U diag(a) Vᵀ                a and its eigenvalue: an eigenpair of A = ∂²Ψ/∂s²

Each energy gives the quotients in a form without the division, which is safe where singular values are equal.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity.positive_part import add_mode
from ipc_articulation.elasticity.signed_svd import eigenvectors


@compiled
def second_derivative(U, V, A, twists, flips, project):
    """∂²Ψ/∂F² (9, 9), its negative eigenvalues replaced by 0 if `project`.

    Args:
        U: (3, 3) rotation of F's singular value decomposition.
        V: (3, 3) the other one.
        A: (3, 3) second derivatives in the singular values; overwritten.
        twists: (3,) eigenvalues; the pair (i, j) is at k, the index that is neither.
        flips: (3,) likewise.
        project: Whether to project.
    """
    C, D, axes = np.zeros((9, 9)), np.zeros((3, 3)), np.empty((3, 3))
    eigenvectors(A, axes)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for sign, value in ((-1.0, twists[k]), (1.0, flips[k])):
            D[i, j], D[j, i] = np.sqrt(0.5), sign * np.sqrt(0.5)
            add_eigenmatrix(U, D, V, value, project, C)
            D[i, j] = D[j, i] = 0.0
    for k in range(3):
        D[0, 0], D[1, 1], D[2, 2] = axes[0, k], axes[1, k], axes[2, k]
        add_eigenmatrix(U, D, V, A[k, k], project, C)
    return C


@compiled
def add_eigenmatrix(U, D, V, value, project, C):
    """Add value · t tᵀ to C, t the flattened U D Vᵀ; negative values count as 0 if `project`."""
    if value < 0.0 and project:
        return
    m, n = len(U), len(V)
    t = np.zeros(m * n)
    for i in range(D.shape[0]):
        for j in range(n):
            if D[i, j] != 0.0:
                for a in range(m):
                    for b in range(n):
                        t[n * a + b] += U[a, i] * D[i, j] * V[b, j]
    add_mode(value, t, C)
