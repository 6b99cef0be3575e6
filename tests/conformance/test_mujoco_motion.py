"""The coupled Panda beside MuJoCo: its own trajectory without contact, its own balance of forces against a wall."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco.contacts import ContactsOff

from tests.adapters.mujoco.driven import POSTURE, Run, driven_panda

DURATION = 2.0  # [s]


def target(time):
    """Targets of the servos: a smooth swing of all joints [rad or m]."""
    swing = np.array([0.4, 0.2, -0.3, 0.3, 0.4, -0.3, 0.5, 0.015, 0.015])
    return POSTURE + swing * np.sin(np.pi * time) ** 2


@pytest.mark.slow
@pytest.mark.parametrize("dt", [0.002, 0.01])
@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_panda_without_contact_moves_as_in_mujoco(integrator, dt, tmp_path):
    model, data = driven_panda(integrator, dt)
    own = mujoco.MjData(model)
    own.qpos[:] = data.qpos
    run = Run(model, data, tmp_path)
    for _ in range(round(DURATION / dt)):
        data.ctrl[:] = own.ctrl[:] = target(data.time)
        run.step()
        with ContactsOff(model, list(range(model.ngeom))):
            mujoco.mj_step(model, own)
    assert np.abs(data.qvel).max() > 1e-3  # still moving
    np.testing.assert_allclose(data.qpos, own.qpos, atol=1e-6)
    np.testing.assert_allclose(data.qvel, own.qvel, atol=1e-6)
    assert data.time == own.time


@pytest.mark.slow
def test_panda_pressing_on_a_wall_is_in_balance(tmp_path):
    """At rest contact takes what actuators, gravity and damping leave over, on every joint.

    On the fingers it does so together: the equality between them has in the step what MuJoCo's soft one lacks.
    """
    model, data = driven_panda("implicitfast", 0.01, wall=True)
    run = Run(model, data, tmp_path)
    for k in range(300):
        data.ctrl[0] = min(0.8, 0.01 * k)
        run.step()
        assert run.coupling.minimum_distance > 0.0
    assert np.abs(data.qvel).max() < 0.01
    others = data.qfrc_smooth
    assert np.abs(others).max() > 50.0
    balance = run.coupling.contact_force + others
    np.testing.assert_allclose([*balance[:7], balance[7:].sum()], 0.0, atol=1e-3 * np.abs(others).max())
    np.testing.assert_allclose(data.qfrc_constraint + others, 0.0, atol=1e-3 * np.abs(others).max())
    assert run.coupling.drift.max() < 1e-4
