"""Bodies with a free joint: IPC moves them, and MuJoCo's data shows where they are."""

import mujoco
import numpy as np
import pytest

from tests.adapters.mujoco.driven import Run, run_text

D_HAT = 2e-3

BOX = """<mujoco><option timestep="0.01"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="box" pos="0 0 {height}" euler="{euler}"><freejoint/><geom type="box" size="0.05 0.05 0.05"/></body>
</worldbody></mujoco>"""

PUSHER = """<mujoco><option timestep="0.01" integrator="implicitfast"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1" friction="0.3"/>
  <body name="ram" pos="-0.3 0 0.1"><joint name="slide" type="slide" axis="1 0 0" damping="5"/>
    <geom type="box" size="0.1 0.05 0.05" friction="0"/></body>
  <body name="crate" pos="0 0 0.101"><freejoint/><geom type="box" size="0.1 0.1 0.1" friction="0"/></body>
</worldbody><actuator><position joint="slide" kp="2000" kv="200"/></actuator></mujoco>"""


def test_free_fall_is_mujocos_own(tmp_path):
    model = mujoco.MjModel.from_xml_string(BOX.format(height=5, euler="10 20 30"))
    data, own = mujoco.MjData(model), mujoco.MjData(model)
    data.qvel[:3] = own.qvel[:3] = [1.0, 0.0, 2.0]
    run = Run(model, data, tmp_path)
    for _ in range(50):
        run.step()
        mujoco.mj_step(model, own)
    np.testing.assert_allclose(data.qpos, own.qpos, atol=1e-8)
    np.testing.assert_allclose(data.qvel, own.qvel, atol=1e-7)


def test_spin_comes_back_in_the_bodys_frame(tmp_path):
    model = mujoco.MjModel.from_xml_string(BOX.format(height=5, euler="10 20 30"))
    data, own = mujoco.MjData(model), mujoco.MjData(model)
    data.qvel[3:] = own.qvel[3:] = [0.3, -0.2, 0.5]
    run = Run(model, data, tmp_path)
    for _ in range(20):
        run.step()
        mujoco.mj_step(model, own)
    np.testing.assert_allclose(data.qvel[3:], own.qvel[3:], atol=2e-3)  # backward Euler damps spin a little
    np.testing.assert_allclose(data.qpos[3:], own.qpos[3:], atol=1e-3)


def test_dropped_box_comes_to_rest_within_the_barrier(tmp_path):
    run = run_text(BOX.format(height=0.08, euler="0 0 0"), tmp_path, d_hat=D_HAT)
    for _ in range(100):
        run.step()
        assert run.coupling.minimum_distance > 0.0
    gap = run.data.body("box").xpos[2] - 0.05
    assert 0.0 < gap < D_HAT
    assert run.coupling.minimum_distance == pytest.approx(gap, rel=1e-3)
    np.testing.assert_allclose(run.data.qvel, 0.0, atol=1e-3)


def test_pushed_crate_moves_with_the_ram(tmp_path):
    run = run_text(PUSHER, tmp_path)
    forces = []
    for k in range(150):
        run.data.ctrl[:] = min(0.5, 0.5 * k * run.model.opt.timestep)
        run.step()
        forces.append(run.coupling.contact_force[0])
        assert run.coupling.minimum_distance > 0.0
    gap = run.data.body("crate").xpos[0] - run.data.body("ram").xpos[0] - 0.2
    assert 0.0 < gap < D_HAT
    assert run.data.body("crate").xpos[0] > 0.35
    sliding = 0.3 * 9.81 * run.model.body("crate").mass[0]
    assert np.median(forces[80:100]) == pytest.approx(-sliding, rel=0.02)  # Coulomb friction holds the crate back
