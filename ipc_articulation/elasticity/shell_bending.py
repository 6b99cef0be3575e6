"""DiscreteShellBending, the bending of shells at their edges (libuipc's constitution 17).

    E = w (θ - θ̄)²,   w = κ L₀/h̄ = 3 κ L₀²/A

θ is the dihedral angle (`dihedral_angle`), θ̄ the one at rest, L₀ the edge's length and A the area of both triangles at
rest (Grinspun et al. 2003, «Discrete shells»).

    ∂E = 2w (θ-θ̄) ∂θ,   ∂²E = 2w ∂θ ∂θᵀ + 2w (θ-θ̄) ∂²θ

θ jumps from π to -π where the triangles pass through each other, and E with it. A hinge that has no angle (a triangle
without area, an edge without length) has no energy. The projected Hessian is Gauss and Newton's, 2w ∂θ ∂θᵀ, which is
semidefinite.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import dihedral_angle
from ipc_articulation.elasticity.kernel import inlined
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
    theta, weight = dihedral_angle.angle_and_weight(X, hinges)
    return np.column_stack([kappa * weight, theta])


@inlined
def energy(x, c, arrays):
    """E [J] of x (4, 3) with constants c (2,)."""
    return c[0] * (dihedral_angle.angle(x) - c[1]) ** 2 if dihedral_angle.has_angle(x) else 0.0


@inlined
def write_derivatives(x, c, project, arrays, g, H):
    """Write ∂E/∂x into g (12,) and ∂²E/∂x² into H (12, 12), exact or Gauss and Newton's; both are 0 before."""
    if dihedral_angle.has_angle(x):
        slope = 2.0 * c[0] * (dihedral_angle.angle(x) - c[1])
        dihedral_angle.write_derivatives(x, slope, 2.0 * c[0], not project, arrays, g, H)


energies, derivatives, gradients, hessians = over_elements(4, dihedral_angle.scratch, energy, write_derivatives)
