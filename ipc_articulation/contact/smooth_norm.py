"""The length of a slip, smoothed at zero, for numba: the friction potential for unit normal force.

    f₀(y) = y² (ε - y/3)/ε² + ε/3   for y < ε, else y

(Li et al. 2020, «Incremental potential contact», section 5; ipctk's and libuipc's).
"""

from __future__ import annotations

from ipc_articulation.compiled import compiled


@compiled
def smooth_norm(y, eps):
    """f₀(y)."""
    return y if y >= eps else y * y * (eps - y / 3.0) / (eps * eps) + eps / 3.0


@compiled
def smooth_norm_derivatives(y, eps):
    """S and c of the gradient s u and the Hessian s (1 - nnᵀ) + c uuᵀ of f₀(|u|), which is positive semidefinite."""
    if y >= eps:
        return 1.0 / y, -1.0 / (y * y * y)
    return (2.0 * eps - y) / (eps * eps), -1.0 / (eps * eps * y) if y > 0.0 else 0.0
