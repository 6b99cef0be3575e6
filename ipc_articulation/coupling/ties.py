"""Joints that follow others by known rates, as the coupled joints of a knee do.

Besides the joints θ of M̂ the articulation has such tied joints d, with the prediction δd̃ and the rates G = ∂d/∂θ about
it. With e = δθ - δθ̃ and e_d = δd - δd̃ its energy is

    ½ eᵀ M̂ e + ½ (e_d - G e)ᵀ S (e_d - G e),     so its mass is [[M̂ + Gᵀ S G, -Gᵀ S], [-S G, S]]

with S so large that a contact strains the tie less than it moves the joints, by the same ratio c as in `stiffness`. By
virtual work the generalised contact force on θ and d together is [1 Gᵀ] times that mass times (e, e_d)/dt²: M̂ e/dt².
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.articulation.bounded_springs import SPRINGS
from ipc_articulation.articulation.spring_rows import BoundedRows
from ipc_articulation.articulation.step_places import StepInput
from ipc_articulation.coupling.batches import Predictions
from ipc_articulation.coupling.restraints import Held


def with_tied_joints(held: Held, predictions: Predictions, strength: Array) -> StepInput:
    """Mass, predicted displacement, springs and rows of joints and tied joints of N robots together.

    Args:
        held: Those of the m joints, for these predictions.
        predictions: Of m joints and t tied ones.
        strength: The diagonals of S, (N, t) [kg·m² or kg].

    Returns:
        (N, m + t, m + t), (N, m + t), (N, m + t, 4, 4), and rows over m + t freedoms.
    """
    if predictions.tied is None:
        return StepInput(held.mass, held.delta_theta_tilde, held.springs, held.rows)
    G, (N, t) = predictions.tied.rates, strength.shape
    SG, S = strength[:, :, None] * G, strength[:, :, None] * np.eye(t)
    mass = np.block([[held.mass + G.swapaxes(1, 2) @ SG, -SG.swapaxes(1, 2)], [-SG, S]])
    error = held.delta_theta_tilde - predictions.delta_theta_tilde
    change = predictions.tied.delta_theta_tilde + (G @ error[..., None])[..., 0]
    springs, rows = held.springs, held.rows
    if springs is not None:
        springs = np.concatenate([springs, np.zeros((N, t, SPRINGS, 4))], axis=1)
    if rows is not None:
        r = rows.weights.shape[1]
        rows = BoundedRows(np.concatenate([rows.weights, np.zeros((N, r, t))], axis=2), rows.springs)
    return StepInput(mass, np.concatenate([held.delta_theta_tilde, change], axis=1), springs, rows)
