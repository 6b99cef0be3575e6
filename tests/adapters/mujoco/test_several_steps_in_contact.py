"""Contact over several of MuJoCo's steps: loads at rest, blows, momentum, limits and friction, and states."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from tests.adapters.mujoco.driven import INTEGRATORS, Run, run_text
from tests.adapters.mujoco.test_contact_force import ARM_AND_WALL, KP, TARGET
from tests.adapters.mujoco.test_floating import MODELS
from tests.coupling import test_restraints as by_single_steps

DT = 0.01
COUNTS = [2, 5, 20]


def with_steps(text, count, folder, **scene):
    """A coupled model in steps of 10 ms, with so many of MuJoCo's."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.timestep = DT / count
    return Run(model, mujoco.MjData(model), folder, count=count, **scene)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("count", COUNTS)
def test_at_rest_the_force_is_gain_times_position_error(count, integrator, tmp_path):
    run = with_steps(ARM_AND_WALL.format(integrator=integrator), count, tmp_path)
    run.data.ctrl[:] = TARGET
    run.step(80)
    force = KP * (run.data.qpos[0] - TARGET)
    assert force < -50.0
    assert abs(run.data.qvel[0]) < 1e-6
    np.testing.assert_allclose(run.coupling.contact_force, [force], rtol=1e-7)


@pytest.mark.parametrize("count", [1, *COUNTS])
def test_a_blow_against_a_wall_does_not_throw_the_arm_back(count, tmp_path):
    """A constant force that stopped it within the step would throw it back with (k-1)/(k+1) of its speed."""
    passive = ARM_AND_WALL.format(integrator="Euler").split("<actuator>")[0].replace('damping="2"', "") + "</mujoco>"
    run = with_steps(passive.replace("timestep", 'gravity="0 0 0" timestep'), count, tmp_path)
    run.data.qvel[:] = 5.0
    speeds = []
    for _ in range(30):
        run.step()
        speeds.append(run.data.qvel[0])
    assert max(speeds) == pytest.approx(5.0)
    assert -0.15 < min(speeds) < 0.2


@pytest.mark.parametrize(("speed", "push"), [(2.0, 0.0), (0.0, 60.0), (0.5, 60.0)])
@pytest.mark.parametrize("count", COUNTS)
def test_the_robot_loses_the_momentum_that_a_body_gains(count, speed, push, tmp_path):
    """A sled that drives into a free block, pushed or not: the impulse of contact is the sum of contact_force dt."""
    run = with_steps(
        """<mujoco><option gravity="0 0 0"/><worldbody>
          <body name="sled"><joint name="x" type="slide" axis="1 0 0"/>
            <geom type="box" size="0.1 0.1 0.1" mass="3"/></body>
          <body name="block" pos="0.22 0 0"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body>
        </worldbody><actuator><motor joint="x"/></actuator></mujoco>""",
        count,
        tmp_path,
    )
    run.data.qvel[0], run.data.ctrl[0] = speed, push
    impulse = 0.0
    for _ in range(30):
        run.step()
        impulse += DT * run.coupling.contact_force[0]
        given = push * run.data.time
        np.testing.assert_allclose(3.0 * (run.data.qvel[0] - speed), impulse + given, atol=1e-9)
        np.testing.assert_allclose(3.0 * run.data.qvel[0] + 2.0 * run.data.qvel[1], 3.0 * speed + given, atol=2e-4)
    assert run.data.qvel[1] > 1.1
    assert run.data.qvel[0] == pytest.approx(run.data.qvel[1], rel=0.2)


@pytest.mark.parametrize("count", [1, 4])
def test_a_ball_gives_a_floating_robot_the_momentum_that_it_loses(count, tmp_path):
    ball = '<body name="ball" pos="-0.6 0.02 1.01"><freejoint/><geom size="0.08" mass="10"/></body>'
    option = f'<option gravity="0 0 0" timestep="{0.004 / count}"/>'
    content = MODELS["legs on hinges"] + ball
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{content}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    data.qvel[9] = 5.0
    run = Run(model, data, tmp_path, count=count, d_hat=1e-3)
    gained, lost = np.zeros(3), np.zeros(3)
    for _ in range(50):
        before = run.data.qvel[9:12].copy()
        run.step()
        gained += 0.004 * run.coupling.contact_force[:3]
        lost += 10.0 * (before - run.data.qvel[9:12])
    assert lost[0] > 5.0
    np.testing.assert_allclose(gained, lost, atol=2e-4 * lost[0])


def mujoco_arm(joint, count):
    adapter = by_single_steps.mujoco_arm(joint)
    adapter.model.opt.timestep = DT / count
    return adapter


@pytest.mark.parametrize("count", COUNTS)
def test_contact_adds_nothing_to_the_softness_of_mujocos_own_limits(count, tmp_path):
    limited = 'range="-1.5 0" limited="true"'
    _, angles, forces = by_single_steps.loaded(mujoco_arm(limited, count), tmp_path)
    alone, own = mujoco_arm(limited, count), []
    alone.data.qpos[1:4] = 5.0, 5.0, 5.0
    for _ in angles:
        mujoco.mj_step(alone.model, alone.data, count)
        own.append(alone.data.qpos[0])
    assert max(own) > 5e-4
    np.testing.assert_allclose(angles, own, rtol=0.0, atol=2e-5)
    assert forces[-20:].mean() == pytest.approx(by_single_steps.weight_of_the_box(angles), rel=1e-3)


@pytest.mark.parametrize("count", COUNTS)
def test_limits_may_be_exact(count, tmp_path):
    adapter = mujoco_arm('range="-1.5 0" limited="true"', count)
    _, angles, forces = by_single_steps.loaded(adapter, tmp_path, restraints="exact")
    assert angles.max() < 1e-5
    assert forces[-1] == pytest.approx(by_single_steps.weight_of_the_box(angles), rel=0.01)


@pytest.mark.parametrize("count", COUNTS)
def test_dry_friction_bears_a_heavy_box(count, tmp_path):
    adapter = mujoco_arm('frictionloss="400"', count)
    _, angles, forces = by_single_steps.loaded(adapter, tmp_path, restraints="exact")
    assert abs(angles[-1] - angles[-20]) < 0.2 * 1e-6  # creep, in 0.2 s
    assert forces[-1] == pytest.approx(by_single_steps.weight_of_the_box(angles), rel=0.02)


GRIPPER = """<mujoco><option timestep="{h}" gravity="0 0 0" integrator="implicitfast"/><worldbody>
  <geom name="wall" type="box" size="0.05 0.5 0.5" pos="0.25 0 0"/>
  <body name="near"><joint name="near" type="slide" axis="1 0 0" damping="5"/>
    <geom type="box" size="0.1 0.1 0.1" mass="1"/></body>
  <body name="far" pos="0 1 0"><joint name="far" type="slide" axis="1 0 0"/>
    <geom type="box" size="0.05 0.1 0.1" mass="1"/></body>
</worldbody><equality><joint joint1="near" joint2="far"/></equality>
<actuator><position joint="far" kp="500" kv="40"/></actuator></mujoco>"""


@pytest.mark.parametrize("count", [1, *COUNTS])
def test_an_equality_carries_the_force_of_contact(count, tmp_path):
    """The servo of the far slide presses the near one against the wall; they do not part."""
    run = run_text(GRIPPER.format(h=DT / count), tmp_path, count=count)
    run.data.ctrl[:] = 0.2
    run.step(120)
    near, far = run.data.qpos
    assert abs(near - far) < 2.5e-3  # as soft as MuJoCo has it
    force = 500.0 * (far - 0.2)
    assert force < -40.0
    np.testing.assert_allclose(run.coupling.contact_force.sum(), force, rtol=1e-3)


def states_of(run, steps):
    states = []
    for _ in range(steps):
        run.step()
        states.append(np.concatenate([run.data.qpos, run.data.qvel, run.coupling.contact_force, [run.data.time]]))
    return np.array(states)


def test_reset_and_restored_states_go_on_with_the_same_bits(tmp_path):
    run = with_steps(ARM_AND_WALL.format(integrator="implicitfast"), 5, tmp_path)
    run.data.ctrl[:] = TARGET
    first = states_of(run, 12)
    assert run.world.dump()
    state = run.coupling.state()
    later = states_of(run, 10)
    assert run.world.recover(12)
    run.world.retrieve()
    run.coupling.restore(state)
    np.testing.assert_array_equal(states_of(run, 10), later)
    run.coupling.reset(run.world)
    run.data.ctrl[:] = TARGET
    np.testing.assert_array_equal(states_of(run, 12), first)


def test_a_state_that_is_set_goes_on_from_there(tmp_path):
    run = with_steps(ARM_AND_WALL.format(integrator="Euler"), 5, tmp_path)
    run.step(3)
    run.coupling.set_state(run.world, theta=[-0.5], theta_dot=[1.0])
    own = mujoco.MjData(run.model)
    mujoco.mj_copyState(run.model, run.data, own, mujoco.mjtState.mjSTATE_INTEGRATION)
    run.step(4)
    mujoco.mj_step(run.model, own, 20)
    np.testing.assert_allclose(run.data.qpos, own.qpos, atol=1e-6)
    assert isinstance(run.coupling.adapter, MujocoAdapter)
    assert run.coupling.adapter.step_count == 5
