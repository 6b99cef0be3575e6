"""What MuJoCo integrates beside positions and velocities belongs to the step that contact allows."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from tests.adapters.mujoco.driven import INTEGRATORS, Run

ARM = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><site name="mast" pos="0.4 -0.3 0"/>
  <geom name="wall" type="box" pos="0.3 {wall} 0" size="0.2 0.02 0.1"/>
  <body name="arm"><joint name="turn" axis="0 0 1" damping="0.1" {spring}/>
    <geom type="capsule" fromto="0.1 0 0 0.4 0 0" size="0.02" mass="1"/><site name="tip" pos="0.4 0 0"/></body>
  <body name="guest" pos="0 0 5"><joint name="guest" type="ball" {spring}/><geom size="0.1" pos="0.2 0 0"/></body>
  </worldbody>{more}</mujoco>"""
JOINT = {"spring": 'stiffness="5" springyield="1"'}
ROPE = {
    "more": """<tendon><spatial name="rope" stiffness="50" springyield="0.01"><site site="mast"/><site site="tip"/>
            </spatial></tendon>"""
}
PID = {"more": '<actuator><pid name="servo" joint="turn" kp="20" kv="1" ki="30"/></actuator>'}

needs_4 = pytest.mark.skipif(not hasattr(mujoco.mjtState, "mjSTATE_PLASTIC"), reason="needs MuJoCo 4")


def arm(parts, wall=9.0, count=1):
    model = mujoco.MjModel.from_xml_string(ARM.format(**{"wall": wall, "spring": "", "more": "", **parts}))
    model.opt.timestep /= count
    return model, mujoco.MjData(model)


def ignoring_the_guest(model, data):
    return MujocoAdapter(model, data, ignore=["guest"])


@needs_4
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("parts", [JOINT, ROPE], ids=["joint", "rope"])
def test_springs_do_not_yield_where_contact_holds_them(parts, count, tmp_path):
    """Without contact the first step would turn the arm by 0.1 rad, and the spring would yield."""
    model, data = arm(parts, 0.0425, count)
    run = Run(model, data, tmp_path, ignoring_the_guest, count, d_hat=1e-3)
    data.qvel[0], data.qfrc_applied[0] = 10.0, 30.0
    start = data.plastic.copy()
    for _ in range(5):
        run.step()
        assert abs(data.qpos[0]) < 0.01
    np.testing.assert_allclose(data.plastic, start, atol=1e-12)


@needs_4
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("parts", [JOINT, ROPE, PID], ids=["joint", "rope", "pid"])
def test_without_contact_they_are_mujocos_own(parts, count, integrator, tmp_path):
    model, data = arm(parts, count=count)
    model.opt.integrator = INTEGRATORS[integrator]
    own = mujoco.MjData(model)
    for state in (data, own):
        state.qvel[:], state.qfrc_applied[0], state.ctrl[:] = [3.0, 1.0, -2.0, 4.0], 1.0, 0.4
    start = np.concatenate([data.act, data.plastic])
    run = Run(model, data, tmp_path, ignoring_the_guest, count)
    for _ in range(20):
        run.step()
        mujoco.mj_step(model, own, count)
    np.testing.assert_allclose(data.plastic, own.plastic, atol=1e-7)
    np.testing.assert_allclose(data.act, own.act, atol=1e-9)
    assert np.abs(np.concatenate([own.act, own.plastic]) - start).max() > 1e-3


@needs_4
def test_an_integral_of_the_error_is_that_of_the_arm_at_the_wall(tmp_path):
    """The servo presses harder and harder: with four steps MuJoCo's own would go on for up to a millimetre."""
    model, data = arm(PID, 0.0425, count=4)
    data.ctrl[0] = 2.0
    run = Run(model, data, tmp_path, ignoring_the_guest, 4, d_hat=1e-3)
    run.step(20)
    before = data.act[0]
    run.step(10)
    error = 2.0 - data.qpos[0]
    assert data.act[0] - before == pytest.approx(0.1 * error, rel=2e-4)
