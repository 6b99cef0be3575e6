import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.kinematics import read_free_joint, write_free_joint

from tests.adapters.mujoco.models import arm


def test_writing_what_was_read_changes_nothing():
    model, data = arm(seed=5)
    body = model.body("crate").id
    q, qdot = read_free_joint(model, data, body)
    other = mujoco.MjData(model)
    write_free_joint(model, other, body, q, qdot)
    quat = data.qpos[7:11] / np.linalg.norm(data.qpos[7:11])
    np.testing.assert_allclose(other.qpos[4:7], data.qpos[4:7])
    np.testing.assert_allclose(abs(quat @ other.qpos[7:11]), 1.0, atol=1e-14)
    np.testing.assert_allclose(other.qvel[4:], data.qvel[4:], atol=1e-13)
