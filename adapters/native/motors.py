"""Motors of limited force whose gains are in M̂, of many robots."""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.dynamics.integrators import Scheme
from ipc_articulation.dynamics.integrators.control import Control
from ipc_articulation.dynamics.kernels.kernel import batch_kernel


def motor_arrays(
    control: Control, with_effort: Bools, v: Array, dt: float, scheme: Scheme
) -> tuple[Array, Array, Bools]:
    """Stiffness and force of each motor, see `coupling.adapter.Motors`, and whether a robot has any.

    With the control τ = kp (q_d - q - δθ) + kd (v_d - δθ/dt); schemes without implicit springs take kp at q.

    Args:
        control: Of s robots, with the gains that are in M̂.
        with_effort: Freedoms whose motors have limited force, (m,).
        v: Velocities at the end of the step, (s, m).
        dt: Time step [s].
        scheme: The forces that are implicit.

    Returns:
        (s, m), (s, m), (s,).
    """
    stiffness, force, found = np.zeros(v.shape), np.zeros(v.shape), np.zeros(len(v), dtype=np.bool_)
    if scheme.has_gains and with_effort.any():
        gains = control.kp, control.kd, control.stretch, control.v
        _put_motors(gains, with_effort, v, dt, scheme.has_springs, stiffness, force, found)
    return stiffness, force, found


@batch_kernel
def _put_motors(gains, with_effort, v, dt, has_springs, stiffness, force, found):
    kp, kd, stretch, target_v = gains
    for s in range(len(v)):
        for i in range(len(with_effort)):
            if with_effort[i] and (kp[s, i] > 0.0 or kd[s, i] > 0.0):
                found[s] = True
                stiffness[s, i], left = dt * kd[s, i], stretch[s, i]
                if has_springs:
                    stiffness[s, i] += dt * dt * kp[s, i]
                    left -= dt * v[s, i]
                force[s, i] = kp[s, i] * left + kd[s, i] * (target_v[s, i] - v[s, i])
