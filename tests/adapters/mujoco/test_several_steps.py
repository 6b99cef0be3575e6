"""Several of MuJoCo's steps in one step of the scene: its own motion without contact, and exact forces with contact."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation.errors import ArticulationError
from tests.adapters.mujoco.driven import INTEGRATORS, Run, driven_panda, run_text
from tests.adapters.mujoco.test_floating import MODELS
from tests.adapters.mujoco.test_own_forces import CASES, MODEL, ignoring_the_guest, model_of

COUNTS = [2, 5]
SENSORS = """<sensor><jointpos joint="left"/><jointvel joint="hip"/><clock/><actuatorfrc actuator="servo"/></sensor>"""
RESTRAINED = """<mujoco><compiler angle="radian"/><option timestep="0.002" {option}/><worldbody>
  <body><joint name="limited" axis="0 1 0" range="-0.3 0.2" limited="true"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/></body>
  <body pos="0 1 0"><joint name="rubbing" axis="0 0 1" frictionloss="0.4"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/></body>
  <body pos="0 2 0"><joint name="leader" axis="1 0 0" damping="0.1"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03" mass="1"/></body>
  <body pos="0 3 0"><joint name="follower" axis="1 0 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.03" mass="0.5"/></body>
</worldbody><equality><joint joint1="follower" joint2="leader" polycoef="0 -1.5 0 0 0"/></equality></mujoco>"""


def beside_its_own(run, count, steps, atol=1e-6):
    """Let a run and MuJoCo alone take the same steps; both end alike."""
    model, data = run.model, run.data
    own = mujoco.MjData(model)
    mujoco.mj_copyState(model, data, own, mujoco.mjtState.mjSTATE_INTEGRATION)
    start = data.qpos.copy()
    for _ in range(steps):
        run.step()
        mujoco.mj_step(model, own, count)
    mujoco.mj_forward(model, own)
    np.testing.assert_allclose(data.qpos, own.qpos, atol=atol)
    np.testing.assert_allclose(data.qvel, own.qvel, atol=100.0 * atol)
    np.testing.assert_array_equal(data.act, own.act)
    np.testing.assert_allclose(data.sensordata, own.sensordata, atol=1e3 * atol)
    assert data.time == own.time
    assert np.abs(data.qpos - start).max() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("case", CASES)
def test_without_contact_the_motion_is_mujocos_own(case, integrator, tmp_path):
    model, data = model_of(case, integrator)
    beside_its_own(Run(model, data, tmp_path, ignoring_the_guest, count=3), 3, 8)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("count", COUNTS)
def test_without_contact_the_pandas_motion_is_mujocos_own(count, integrator, tmp_path):
    model, data = driven_panda(integrator, 0.001)
    data.qvel[:] = 0.3
    data.ctrl[:7] += 0.2
    beside_its_own(Run(model, data, tmp_path, count=count), count, 20)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("content", MODELS.values(), ids=MODELS)
def test_without_contact_floating_bases_and_balls_move_as_mujocos_own(content, integrator, tmp_path):
    option = f'<option timestep="0.002" integrator="{integrator}"/>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{content}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    data.qvel[:], data.ctrl[:] = np.random.default_rng(1).normal(size=model.nv), 8.0
    beside_its_own(Run(model, data, tmp_path, count=4), 4, 25)


def test_states_of_actuators_sensors_and_time_are_mujocos_own(tmp_path):
    servo = '<general name="servo" joint="left" dyntype="filter" dynprm="0.05" gainprm="3"/>'
    text = MODEL.format(option="", more=f"<actuator>{servo}</actuator>{SENSORS}")
    run = run_text(text, tmp_path, adapter=ignoring_the_guest, count=4)
    run.data.ctrl[:] = 0.7
    beside_its_own(run, 4, 10)
    assert run.data.act[0] > 0.5
    assert run.data.time == pytest.approx(0.2)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("count", COUNTS)
def test_without_contact_limits_dry_friction_and_equalities_act_as_mujocos_own(count, integrator, tmp_path):
    run = run_text(RESTRAINED.format(option=f'integrator="{integrator}"'), tmp_path, count=count)
    run.data.qvel[:] = [1.0, 2.0, 1.0, -1.5]
    beside_its_own(run, count, 200 // count)
    assert run.data.qpos[0] > 0.2  # on its limit
    assert abs(run.data.qvel[1]) < 1e-3  # stopped by dry friction


ROWS = """<mujoco><compiler angle="radian"/><option timestep="0.002" {option}/><worldbody>
  <site name="hook" pos="0.2 0 0.5"/>
  <body name="roped"><joint axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="1"/><site name="eye" pos="0.4 0 0.02"/></body>
  <body pos="0 1 0"><joint name="ball" type="ball" range="0 0.3"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/></body>
  <body pos="0 2 0"><joint name="braked" axis="0 0 1"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="1"/></body>
</worldbody><tendon>
  <spatial name="rope" range="0 0.6"><site site="hook"/><site site="eye"/></spatial>
  <fixed name="brake" frictionloss="0.2"><joint joint="braked" coef="2"/></fixed>
</tendon></mujoco>"""


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("count", COUNTS)
def test_without_contact_limits_and_friction_of_tendons_and_balls_act_as_mujocos_own(count, integrator, tmp_path):
    run = run_text(ROWS.format(option=f'integrator="{integrator}"'), tmp_path, count=count)
    run.data.qvel[-1] = 2.0
    beside_its_own(run, count, 150 // count)
    assert run.data.ten_length[0] > 0.6  # at their limits
    assert 2.0 * np.arccos(run.data.qpos[1]) > 0.3
    assert abs(run.data.qvel[-1]) < 1.9


@pytest.mark.parametrize("kind", ["limit_force", "friction_force"])
def test_forces_on_rows_are_means_of_those_of_all_steps(kind):
    model = mujoco.MjModel.from_xml_string(ROWS.format(option=""))
    data = mujoco.MjData(model)
    data.qvel[-1] = 2.0
    for _ in range(100):  # the rope is taut
        mujoco.mj_step(model, data)
    adapter, means = MujocoAdapter(model, data), []
    for count in (1, 3):
        adapter.follow_time_step(0.002 * count)
        means.append(getattr(adapter.predict().restraints, kind))
    first, mean = means
    acting = np.flatnonzero(first)
    assert acting.size
    assert acting.min() >= model.nv  # rows, not freedoms
    np.testing.assert_allclose(mean[acting], first[acting], rtol=0.5)


def test_displacements_of_balls_are_rotation_vectors_of_the_whole_step():
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body><joint type="ball"/>'
        '<geom type="box" size="0.1 0.2 0.3"/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    data.qvel[:] = [5.0, 3.0, -4.0]
    adapter = MujocoAdapter(model, data)
    adapter.follow_time_step(0.05)
    moved = adapter.predict().delta_theta_tilde
    own = mujoco.MjData(model)
    own.qvel[:] = data.qvel
    mujoco.mj_step(model, own, 5)
    mujoco.mj_integratePos(model, data.qpos, moved, 1.0)
    np.testing.assert_allclose(data.qpos, own.qpos, atol=1e-14)
    assert np.abs(moved - 0.05 * own.qvel).max() > 0.01  # not that of one velocity


def test_a_ball_that_turns_by_half_a_turn_in_all_steps_is_refused_by_name(tmp_path):
    run = run_text(
        '<mujoco><option timestep="0.002" gravity="0 0 0"/><worldbody><body><joint name="top" type="ball"/>'
        '<geom size="0.1"/></body></worldbody></mujoco>',
        tmp_path,
        count=5,
    )
    run.data.qvel[2] = 330.0
    with pytest.raises(ArticulationError, match=r"joint 'top' \(spherical\): \|delta_theta_tilde\| is 3\.3 rad, must"):
        run.step()
    assert run.data.time == 0.0
