"""Mocap bodies follow `mocap_pos` and `mocap_quat`, and push what is in their way."""

import mujoco
import numpy as np
import pytest

from ipc_articulation.errors import AdapterError
from tests.adapters.mujoco.driven import Run, run_text

D_HAT = 2e-3
PUSH = """<mujoco><option timestep="0.01"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1" friction="0.3"/>
  <geom name="wall" type="box" size="0.1 1 1" pos="0.9 0 0"/>
  <body name="plate" mocap="true" pos="-0.2 0 0.1"><geom type="box" size="0.02 0.1 0.1" friction="0.3"/>
    <body name="knob" pos="-0.1 0 0"><geom size="0.02"/></body></body>
  <body name="ghost" mocap="true"/>
  <body name="crate" pos="0 0 0.101"><freejoint/><geom type="box" size="0.1 0.1 0.1" friction="0.3"/></body>
</worldbody></mujoco>"""


def plate_in_scene(run):
    return run.coupling.body_poses[-1]


def test_a_plate_pushes_a_free_box(tmp_path):
    run = run_text(PUSH, tmp_path, d_hat=D_HAT)
    for _ in range(100):
        run.data.mocap_pos[0, 0] += 0.003
        run.step()
        assert run.coupling.minimum_distance > 0.0
        np.testing.assert_allclose(plate_in_scene(run)[:3, 3], run.data.mocap_pos[0], atol=1e-5)
    gap = run.data.body("crate").xpos[0] - run.data.mocap_pos[0, 0] - 0.12
    assert 0.0 < gap < D_HAT
    assert run.data.body("crate").xpos[0] > 0.2


def test_it_turns_and_carries_what_is_welded_to_it(tmp_path):
    run = run_text(PUSH, tmp_path, d_hat=D_HAT)
    angle = 0.0
    for _ in range(20):
        angle += 0.02
        run.data.mocap_quat[0] = [np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]
        run.step()
    expected = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    np.testing.assert_allclose(plate_in_scene(run)[:3, :3], expected, atol=1e-5)
    assert len(run.coupling.robot.free) == 2  # the crate, and the plate with its knob
    mesh = run.coupling.robot.free[1].mesh
    assert mesh.vertices[:, 0].min() == pytest.approx(-0.12)


def test_a_plate_that_is_placed_beyond_a_box_takes_it_along(tmp_path):
    """IPC moves it: it cannot jump through the box."""
    run = run_text(PUSH, tmp_path, d_hat=D_HAT)
    run.data.mocap_pos[0, 0] = 0.3
    for _ in range(5):
        run.step()
        assert run.coupling.minimum_distance > 0.0
        assert run.data.body("crate").xpos[0] > plate_in_scene(run)[0, 3] + 0.119  # it is compressed a little
    assert plate_in_scene(run)[0, 3] == pytest.approx(0.3, abs=1e-3)


def test_without_a_move_it_stays(tmp_path):
    run = run_text(PUSH, tmp_path, d_hat=D_HAT)
    before = plate_in_scene(run)
    run.step(5)
    np.testing.assert_allclose(plate_in_scene(run), before, atol=1e-12)


def test_a_weld_to_a_mocap_body_drags_a_link(tmp_path):
    text = """<mujoco><option timestep="0.01"/><worldbody>
      <body name="target" mocap="true"/>
      <body name="cart"><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body></worldbody>
      <equality><weld body1="cart" body2="target"/></equality></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    run, own = Run(model, mujoco.MjData(model), tmp_path), mujoco.MjData(model)
    for _ in range(50):
        run.data.mocap_pos[0, 0] += 0.01
        own.mocap_pos[0, 0] += 0.01
        run.step()
        mujoco.mj_step(model, own)
    np.testing.assert_allclose(run.data.qpos, own.qpos, atol=1e-6)
    assert run.data.qpos[0] > 0.3


def test_a_pose_that_is_not_finite_is_refused(tmp_path):
    run = run_text(PUSH, tmp_path, d_hat=D_HAT)
    run.data.mocap_pos[0, 0] = np.nan
    with pytest.raises(AdapterError):
        run.step()
