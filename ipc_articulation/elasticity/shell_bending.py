"""DiscreteShellBending, the bending of shells at their edges (libuipc's constitution 17).

    E = w (θ - θ̄)²,   w = κ L₀/h̄ = 3 κ L₀²/A

θ is the dihedral angle (`dihedral_angle`), θ̄ the one at rest, L₀ the edge's length and A the area of both triangles at
rest (Grinspun et al. 2003, «Discrete shells»).

    ∂E = 2w (θ-θ̄) ∂θ,   ∂²E = 2w ∂θ ∂θᵀ + 2w (θ-θ̄) ∂²θ

θ jumps from π to -π where the triangles pass through each other, and E with it. A hinge that has no angle (a triangle
without area, an edge without length) has no energy. The projection is by an eigenvalue decomposition.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.elasticity import positive_part
from ipc_articulation.elasticity.dihedral_angle import (
    angle,
    angle_and_weight,
    angle_gradient,
    angle_hessian,
    has_angle,
)
from ipc_articulation.elasticity.over_elements import over_elements


def stiffness(youngs_modulus: float, poisson_ratio: float, thickness: float) -> float:
    """κ = E h³/(12 (1 - ν²)) [N·m] of a plate with the thickness h = 2r, r = thickness [m], E [Pa]."""
    return youngs_modulus * (2.0 * thickness) ** 3 / (12.0 * (1.0 - poisson_ratio**2))


def rest(X: Array, hinges: Ints, kappa: Array | float) -> Array:
    """Constants of k elements, (k, 2): w [J], θ̄ [rad].

    Args:
        X: (n, 3) rest positions [m].
        hinges: (k, 4), the edge in the middle: x₀ and x₃ are the vertices opposite to it.
        kappa: κ [N·m], one number or (k,).
    """
    theta, weight = angle_and_weight(X, hinges)
    return np.column_stack([kappa * weight, theta])


@compiled
def energy(x, c):
    """E [J] of x (4, 3) with constants c (2,)."""
    return c[0] * (angle(x) - c[1]) ** 2 if has_angle(x) else 0.0


@compiled
def gradient(x, c, g):
    """Write ∂E/∂x into g (12,)."""
    g[:] = 0.0
    if has_angle(x):
        g[:] = 2.0 * c[0] * (angle(x) - c[1]) * angle_gradient(x)


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (12, 12), exact or projected."""
    H[:] = 0.0
    if has_angle(x):
        H[:] = 2.0 * c[0] * (angle(x) - c[1]) * angle_hessian(x)
        positive_part.add_mode(2.0 * c[0], angle_gradient(x), H)
        if project:
            positive_part.project(H)


energies, gradients, hessians = over_elements(energy, gradient, hessian)
