"""Published models with tendons, fluids, equalities and actuators of their own: the prediction is MuJoCo's own step."""

from pathlib import Path

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

MODELS = Path(__file__).parents[3] / "models"
FILES = [
    "dm_control/suite/ball_in_cup.xml",  # a rope of limited length
    "dm_control/suite/manipulator.xml",  # an equality of a fixed tendon
    "dm_control/suite/stacker.xml",
    "dm_control/suite/swimmer.xml",  # a fluid
    "dm_control/suite/walker.xml",
    "gymnasium/envs/mujoco/assets/swimmer.xml",  # a fluid
    "gymnasium/envs/mujoco/assets/half_cheetah.xml",
    "gymnasium/envs/mujoco/assets/reacher.xml",
    "gymnasium/envs/mujoco/assets/pusher.xml",
]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("integrator", [mujoco.mjtIntegrator.mjINT_EULER, mujoco.mjtIntegrator.mjINT_IMPLICITFAST])
def test_prediction_is_mujocos_step_without_contact(file, integrator):
    if not (MODELS / file).is_file():
        pytest.skip("python tools/fetch_robots.py fetches it")
    model = mujoco.MjModel.from_xml_path(str(MODELS / file))
    model.opt.integrator = integrator
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    data.qvel[:], data.ctrl[:] = 0.3 * rng.normal(size=model.nv), rng.uniform(0.0, 0.5, model.nu)
    adapter = MujocoAdapter(model, data, mesh_shape="hull")
    prediction = adapter.predict()
    qpos = model.jnt_qposadr[[model.joint(joint.name).id for joint in adapter.describe().joints]]
    before, model.opt.disableflags = data.qpos.copy(), model.opt.disableflags | mujoco.mjtDisableBit.mjDSBL_CONTACT
    mujoco.mj_step(model, data)
    np.testing.assert_allclose(prediction.delta_theta_tilde, (data.qpos - before)[qpos], atol=1e-12)
    assert np.abs(prediction.delta_theta_tilde).max() > 1e-6
    np.testing.assert_allclose(prediction.mass, prediction.mass.T, atol=1e-12)
    assert np.linalg.eigvalsh(prediction.mass)[0] > 0.0
