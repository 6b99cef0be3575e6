import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco.kinematics import read_free_joint
from ipc_articulation.adapters.mujoco.write_state import free_addresses, put_free

from ipc_articulation import affine
from tests.adapters.mujoco.models import arm


@pytest.mark.parametrize("turn", [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0.5, 0.5, -0.5, 0.5)])
def test_writing_what_was_read_changes_nothing(turn):
    """Near each of the rotations in which another component of the quaternion is the largest."""
    model, data = arm(seed=5)
    data.qpos[7:11] = np.array(turn) + 0.1 * data.qpos[7:11]
    data.qpos[7:11] /= np.linalg.norm(data.qpos[7:11])
    body = model.body("crate").id
    q, qdot = read_free_joint(model, data, body)
    other = mujoco.MjData(model)
    pose, rate = affine.transform_from_q(q), affine.transform_rate_from_qdot(qdot)
    put_free(free_addresses(model, (body,)), pose[None], rate[None], other.qpos, other.qvel)
    np.testing.assert_allclose(other.qpos[4:7], data.qpos[4:7])
    np.testing.assert_allclose(abs(data.qpos[7:11] @ other.qpos[7:11]), 1.0, atol=1e-14)
    np.testing.assert_allclose(other.qvel[4:], data.qvel[4:], atol=1e-13)
