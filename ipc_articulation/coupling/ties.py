"""Joints that follow others by known rates, as the coupled joints of a knee do.

Besides the joints θ of M̂ the articulation has such tied joints d, with the prediction δd̃ and the rates G = ∂d/∂θ about
it. With e = δθ - δθ̃ and e_d = δd - δd̃ its energy is

    ½ eᵀ M̂ e + ½ (e_d - G e)ᵀ S (e_d - G e),     so its mass is [[M̂ + Gᵀ S G, -Gᵀ S], [-S G, S]]

with S so large that a contact strains the tie less than it moves the joints, by the same ratio c as in `stiffness`. By
virtual work the generalised contact force on θ and d together is [1 Gᵀ] times that mass times (e, e_d)/dt²: M̂ e/dt².
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.coupling.adapter import Array, Prediction


def with_tied_joints(prediction: Prediction, strength: Array) -> tuple[Array, Array]:
    """Mass and predicted displacement of joints and tied joints together.

    Args:
        prediction: Of m joints and t tied ones.
        strength: The diagonal of S, (t,) [kg·m² or kg].

    Returns:
        (m + t, m + t) and (m + t,).
    """
    if prediction.tied is None:
        return prediction.mass, prediction.delta_theta_tilde
    G = prediction.tied.rates
    SG = strength[:, None] * G
    mass = np.block([[prediction.mass + G.T @ SG, -SG.T], [-SG, np.diag(strength)]])
    return mass, np.concatenate([prediction.delta_theta_tilde, prediction.tied.delta_theta_tilde])
