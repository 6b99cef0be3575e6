"""Without contact the coupled trajectory is MuJoCo's own, with everything that MuJoCo integrates implicitly."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco.prediction import contacts_off

from tests.adapters.mujoco.driven import Run, driven_panda

DURATION = 2.0  # [s]


def target(time):
    """Targets of the servos: a smooth swing of all joints [rad or m]."""
    posture = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.8, 0.5, 0.02, 0.02])
    swing = np.array([0.4, 0.2, -0.3, 0.3, 0.4, -0.3, 0.5, 0.015, 0.015])
    return posture + swing * np.sin(np.pi * time) ** 2


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
        with contacts_off(model, list(range(model.ngeom))):
            mujoco.mj_step(model, own)
    assert np.abs(data.qvel).max() > 1e-3  # still moving
    np.testing.assert_allclose(data.qpos, own.qpos, atol=1e-6)
    np.testing.assert_allclose(data.qvel, own.qvel, atol=1e-6)
    assert data.time == own.time
