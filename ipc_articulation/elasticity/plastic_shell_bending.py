"""StrainPlasticDiscreteShellBending and StressPlasticDiscreteShellBending, creases (libuipc's constitutions 31 and 32).

With w and θ of `shell_bending`, and δ = θ - θ̄ in [-π, π], within one step

    E = w δ²                          where |δ| ≤ θ_max
    E = w θ_max² + τ (|δ| - θ_max)    elsewhere,   τ = 2 w θ_max.

The strain-plastic form is elastic in a step: θ_max = ∞. The stress-plastic one yields at the moment τ: θ_max = τ/(2w)
(Li et al. 2022, «Energetically consistent inelasticity for optimization time integration», section 4.1). After a step
`yielded` moves the rest angle: with the excess γ = max(|δ| - θ_y, 0)

    θ̄ ← θ̄ + sign(δ) γ,   θ_y ← θ_y + H γ  (strain),   τ ← τ + H γ  (stress, θ_y = τ/(2w)).

E has a kink where |δ| = π. A hinge that has no angle has no energy, and does not yield. The projected Hessian is Gauss
and Newton's, ∂²E/∂θ² ∂θ ∂θᵀ: 2w ∂θ ∂θᵀ, and 0 where |δ| > θ_max.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import dihedral_angle
from ipc_articulation.elasticity.dihedral_angle import angle, has_angle, wrapped
from ipc_articulation.elasticity.kernel import inlined, kernel
from ipc_articulation.elasticity.over_elements import over_elements

_LEAST = 1e-6  # excess [rad] below which libuipc's hinges do not yield


def rest(X: Array, hinges: Ints, kappa: Array | float, yield_moment: Array | float = np.inf) -> Array:
    """Constants of k elements, (k, 3): w [J], θ̄ [rad], τ [N·m].

    Args:
        X: (n, 3) rest positions [m].
        hinges: (k, 4), the edge in the middle: x₀ and x₃ are the vertices opposite to it.
        kappa: κ [N·m], one number or (k,).
        yield_moment: τ of the stress-plastic form, likewise; inf: the strain-plastic form.
    """
    theta, weight = dihedral_angle.angle_and_weight(X, hinges)
    return np.column_stack([kappa * weight, theta, np.broadcast_to(yield_moment, len(theta))])


@inlined
def energy(x, c, arrays):
    """E [J] of x (4, 3) with constants c (3,)."""
    return _response(dihedral_angle.angle(x), c)[0] if dihedral_angle.has_angle(x) else 0.0


@inlined
def write_derivatives(x, c, project, arrays, g, H):
    """Write ∂E/∂x into g (12,) and ∂²E/∂x² into H (12, 12), exact or Gauss and Newton's; both are 0 before."""
    if dihedral_angle.has_angle(x):
        _, slope, curve = _response(dihedral_angle.angle(x), c)
        dihedral_angle.write_derivatives(x, slope, curve, not project, arrays, g, H)


energies, derivatives, gradients, hessians = over_elements(4, dihedral_angle.scratch, energy, write_derivatives)


@kernel
def _response(theta, c):
    """E, ∂E/∂θ and ∂²E/∂θ²."""
    w, delta, tau = c[0], dihedral_angle.wrapped(theta - c[1]), c[2]
    if 2.0 * w * abs(delta) <= tau:
        return w * delta**2, 2.0 * w * delta, 2.0 * w
    limit = tau / (2.0 * w)
    return w * limit**2 + tau * (abs(delta) - limit), np.sign(delta) * tau, 0.0


@kernel
def yielded(x, hinges, constants, threshold, hardening, stress):
    """Constants (k, 3) and thresholds (k,) after a step that ended at x (n, 3).

    Args:
        x: Positions [m].
        hinges: (k, 4).
        constants: (k, 3) of the step.
        threshold: (k,) θ_y [rad] of the strain-plastic form; the stress-plastic one takes τ/(2w) in its place.
        hardening: (k,) H: a number, or [N·m] for the stress-plastic form.
        stress: Whether the form is the stress-plastic one.
    """
    constants, threshold = constants.copy(), threshold.copy()
    for h in range(len(hinges)):
        c = constants[h]
        if has_angle(x[hinges[h]]):
            delta = wrapped(angle(x[hinges[h]]) - c[1])
            excess = abs(delta) - (c[2] / (2.0 * c[0]) if stress else threshold[h])
            if excess > _LEAST:
                c[1] = wrapped(c[1] + np.sign(delta) * excess)
                if stress:
                    c[2] += hardening[h] * excess
                else:
                    threshold[h] += hardening[h] * excess
    return constants, threshold
