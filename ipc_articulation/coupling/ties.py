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
from ipc_articulation.coupling.adapter import Prediction
from ipc_articulation.coupling.restraints import Held
from ipc_articulation.frontend.articulations import StepInput


def with_tied_joints(held: Held, prediction: Prediction, strength: Array) -> StepInput:
    """Mass, predicted displacement, springs and rows of joints and tied joints together.

    Args:
        held: Those of the m joints, for this prediction.
        prediction: Of m joints and t tied ones.
        strength: The diagonal of S, (t,) [kg·m² or kg].

    Returns:
        (m + t, m + t), (m + t,), (m + t, 4, 4), and rows over m + t freedoms.
    """
    if prediction.tied is None:
        return StepInput(held.mass, held.delta_theta_tilde, held.springs, held.rows)
    G = prediction.tied.rates
    SG = strength[:, None] * G
    mass = np.block([[held.mass + G.T @ SG, -SG.T], [-SG, np.diag(strength)]])
    change = prediction.tied.delta_theta_tilde + G @ (held.delta_theta_tilde - prediction.delta_theta_tilde)
    t, springs, rows = len(strength), held.springs, held.rows
    if springs is not None:
        springs = np.concatenate([springs, np.zeros((t, SPRINGS, 4))])
    if rows is not None:
        rows = BoundedRows(np.concatenate([rows.weights, np.zeros((len(rows.springs), t))], axis=1), rows.springs)
    return StepInput(mass, np.concatenate([held.delta_theta_tilde, change]), springs, rows)
