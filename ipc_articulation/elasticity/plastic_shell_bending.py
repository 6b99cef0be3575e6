"""StrainPlasticDiscreteShellBending and StressPlasticDiscreteShellBending, creases (libuipc's constitutions 31 and 32).

With w and θ of `shell_bending`, and δ = θ - θ̄ in [-π, π], within one step

    E = w δ²                          where |δ| ≤ θ_max
    E = w θ_max² + τ (|δ| - θ_max)    elsewhere,   τ = 2 w θ_max.

The strain-plastic form is elastic in a step: θ_max = ∞. The stress-plastic one yields at the moment τ: θ_max = τ/(2w)
(Li et al. 2022, «Energetically consistent inelasticity for optimization time integration», section 4.1). After a step
`yielded` moves the rest angle: with the excess γ = max(|δ| - θ_y, 0)

    θ̄ ← θ̄ + sign(δ) γ,   θ_y ← θ_y + H γ  (strain),   τ ← τ + H γ  (stress, θ_y = τ/(2w)).

E has a kink where |δ| = π. A hinge that has no angle has no energy, and does not yield.
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
    wrapped,
)
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
    theta, weight = angle_and_weight(X, hinges)
    return np.column_stack([kappa * weight, theta, np.broadcast_to(yield_moment, len(theta))])


@compiled
def energy(x, c):
    """E [J] of x (4, 3) with constants c (3,)."""
    return _response(x, c)[0] if has_angle(x) else 0.0


@compiled
def gradient(x, c, g):
    """Write ∂E/∂x into g (12,)."""
    g[:] = 0.0
    if has_angle(x):
        g[:] = _response(x, c)[1] * angle_gradient(x)


@compiled
def hessian(x, c, project, H):
    """Write ∂²E/∂x² into H (12, 12), exact or projected."""
    H[:] = 0.0
    if has_angle(x):
        _, slope, curve = _response(x, c)
        H[:] = slope * angle_hessian(x)
        positive_part.add_mode(curve, angle_gradient(x), H)
        if project:
            positive_part.project(H)


energies, gradients, hessians = over_elements(energy, gradient, hessian)


@compiled
def _response(x, c):
    """E, ∂E/∂θ and ∂²E/∂θ²."""
    w, delta, tau = c[0], wrapped(angle(x) - c[1]), c[2]
    if 2.0 * w * abs(delta) <= tau:
        return w * delta**2, 2.0 * w * delta, 2.0 * w
    limit = tau / (2.0 * w)
    return w * limit**2 + tau * (abs(delta) - limit), np.sign(delta) * tau, 0.0


@compiled
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
