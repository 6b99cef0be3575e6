"""Limits of ball joints and tendons, and dry friction of tendons, against contact with a heavy box."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from tests.coupling.test_restraints import G, run

HEAD = '<mujoco><compiler angle="radian"/><option timestep="0.01" integrator="implicitfast"/><worldbody>'
BOX = '<body name="box" pos="{x} 0 0.63"><freejoint/><geom type="box" size="0.08 0.08 0.08" mass="20"/></body>'
ARM = '<geom type="box" size="0.25 0.05 0.02" pos="0.25 0 0" mass="1"/>'
RANGE = 0.2

BALL = f"""{HEAD}
  <body name="arm" pos="0 0 0.5" euler="0 {-RANGE} 0"><joint name="ball" type="ball" range="0 {RANGE}"
    damping="{{damping}}"/>{ARM}</body>{{box}}</worldbody></mujoco>"""
TWO_JOINTS = f"""{HEAD}
  <body name="arm" pos="0 0 0.5"><joint name="one" axis="0 1 0" damping="3"/>{ARM}
    <body name="hand" pos="0.55 0 0"><joint name="two" axis="0 1 0" damping="3"/>
      <geom type="box" size="0.1 0.05 0.02" pos="0.1 0 0" mass="1"/></body></body>{{box}}</worldbody>
  <tendon><fixed name="sum" range="-2 0"><joint joint="one" coef="1"/><joint joint="two" coef="0.5"/></fixed></tendon>
</mujoco>"""
ROPE = f"""{HEAD}<site name="hook" pos="0.2 0 1.0"/>
  <body name="arm" pos="0 0 0.5"><joint name="hinge" axis="0 1 0"/>{ARM}<site name="eye" pos="0.48 0 0.02"/></body>
  {{box}}</worldbody>
  <tendon><spatial name="rope" range="0 {np.hypot(0.28, 0.48)}"><site site="hook"/><site site="eye"/></spatial></tendon>
</mujoco>"""
BRAKE = f"""{HEAD}
  <body name="arm" pos="0 0 0.5"><joint name="hinge" axis="0 1 0"/>{ARM}</body>{{box}}</worldbody>
  <tendon><fixed name="brake" frictionloss="{{friction}}"><joint joint="hinge" coef="2"/></fixed></tendon></mujoco>"""


def adapter_of(text: str, box: float | None = 0.35, **values) -> MujocoAdapter:
    """The model with its box at x, or without it."""
    text = text.format(box="" if box is None else BOX.format(x=box), **values)
    model = mujoco.MjModel.from_xml_string(text)
    return MujocoAdapter(model, mujoco.MjData(model))


def ball_arm(box: float | None = 0.35, damping: float = 0.0) -> MujocoAdapter:
    """An arm on a ball joint, horizontal at its limit."""
    adapter = adapter_of(BALL, box, damping=damping)
    adapter.data.qpos[:4] = np.cos(RANGE / 2), 0.0, np.sin(RANGE / 2), 0.0
    return adapter


def angle(adapter: MujocoAdapter) -> float:
    """How far a ball joint has turned [rad]."""
    turned = np.zeros(3)
    mujoco.mju_quat2Vel(turned, adapter.data.qpos[:4], 1.0)
    return float(np.linalg.norm(turned))


def length(adapter: MujocoAdapter) -> float:
    """Length of the first tendon beyond its limit [m or rad]."""
    return float(adapter.data.ten_length[0] - adapter.model.tendon_range[0, 1])


def measured(adapter, folder, measure, steps=80, **options):
    """The values of a measure after each step, and the largest force of contact on the joints."""
    values, force = [], 0.0
    for coupling in run(adapter, folder, steps, **options):
        values.append(measure(adapter))
        force = max(force, float(np.abs(coupling.contact_force).max()))
    return np.array(values), force


def mujocos_own(adapter: MujocoAdapter, measure, steps: int) -> np.ndarray:
    values = []
    for _ in range(steps):
        mujoco.mj_step(adapter.model, adapter.data)
        mujoco.mj_forward(adapter.model, adapter.data)  # tendons
        values.append(measure(adapter))
    return np.array(values)


@pytest.mark.slow
def test_contact_adds_nothing_to_the_softness_of_a_ball_joints_limit(tmp_path):
    angles, force = measured(ball_arm(), tmp_path, angle)
    own = mujocos_own(ball_arm(box=None), angle, len(angles))
    assert force > 60.0
    assert np.abs(angles - own).max() < 2e-4  # where the box hits; 0.9 rad where only M̂ resists
    assert own.max() > RANGE + 1e-3


def test_an_exact_limit_of_a_ball_joint_bears_a_heavy_box(tmp_path):
    adapter = ball_arm()
    angles, _ = measured(adapter, tmp_path, angle, restraints="exact")
    assert np.abs(angles - RANGE).max() < 1e-4
    assert angles[-1] > RANGE - 1e-5


def test_as_the_engine_has_it_the_limit_of_a_ball_joint_gives_way(tmp_path):
    angles, _ = measured(ball_arm(), tmp_path, angle, restraints="engine")
    assert angles.max() > RANGE + 0.05


@pytest.mark.parametrize(("restraints", "low", "high"), [("exact", -1.0, 1e-4), ("engine", 2e-2, 1.0)])
def test_a_tendon_of_two_joints_does_not_become_longer_than_its_limit(restraints, low, high, tmp_path):
    adapter = adapter_of(TWO_JOINTS, 0.3)
    lengths, force = measured(adapter, tmp_path, length, 40, restraints=restraints)
    assert force > 50.0
    assert low < lengths.max() < high
    assert adapter.data.qpos[0] > 0.05  # the box moves the arm,
    assert adapter.data.qpos[1] < -0.1  # and the tendon the hand


def test_contact_makes_a_tendon_no_longer_than_each_step_of_mujoco_has_it(tmp_path):
    """MuJoCo's own steps are up to 0.03 beyond the limit, and where contact hinders their return, they stay there."""
    adapter, beyond, force = adapter_of(TWO_JOINTS, 0.3), [], 0.0
    before = length(adapter)
    for coupling in run(adapter, tmp_path, 40):
        prediction = coupling.steps.taken.prediction
        own = before + float(prediction.restraints.rows[0] @ prediction.delta_theta_tilde)
        after = length(adapter)
        beyond.append(after - max(own, before, 0.0))
        before, force = after, max(force, abs(coupling.contact_force).max())
    assert force > 50.0
    assert max(beyond) < 1e-5


def test_an_exact_rope_holds_a_link_that_a_box_pushes(tmp_path):
    lengths, force = measured(adapter_of(ROPE), tmp_path, length, restraints="exact")
    assert force > 0.9 * 20.0 * G * 0.35
    assert np.abs(lengths).max() < 1e-4


def test_contact_adds_nothing_to_the_softness_of_a_rope(tmp_path):
    lengths, force = measured(adapter_of(ROPE), tmp_path, length)
    own = mujocos_own(adapter_of(ROPE, box=None), length, len(lengths))
    assert force > 0.9 * 20.0 * G * 0.35
    assert np.abs(lengths - own).max() < 2e-5


@pytest.mark.slow
@pytest.mark.parametrize(("share", "slips"), [(0.99, True), (1.01, False)])
def test_friction_of_a_tendon_holds_against_contact_to_its_bound(share, slips, tmp_path):
    """The box comes to rest on an arm that the tendon holds; then its friction becomes too small, or just not."""
    adapter = adapter_of(BRAKE, friction=500.0)
    steps = run(adapter, tmp_path, 150, restraints="exact")
    loads = [float(next(steps).contact_force[0]) for _ in range(110)]
    assert abs(loads[-1] - loads[-2]) < 1e-3 * loads[-1]
    load = loads[-1] + G * 0.25 * np.cos(adapter.data.qpos[0])
    adapter.model.tendon_frictionloss[0] = share * load / 2.0
    before = adapter.data.qpos[0]
    for _ in steps:
        pass
    assert (adapter.data.qpos[0] - before > 1e-4) == slips


def swinging_ball() -> MujocoAdapter:
    adapter = ball_arm(box=None, damping=0.05)
    adapter.data.qpos[:4] = 1.0, 0.0, 0.0, 0.0
    adapter.data.qvel[:3] = 0.5, 1.0, -0.8
    return adapter


def moving_joints() -> MujocoAdapter:
    adapter = adapter_of(TWO_JOINTS, box=None)
    adapter.data.qpos[:] = -0.3, 0.1
    return adapter


def falling_on_a_rope() -> MujocoAdapter:
    adapter = adapter_of(ROPE, box=None)
    adapter.data.qpos[:] = -0.2
    return adapter


ALONE = {
    "ball": swinging_ball,
    "two joints": moving_joints,
    "rope": falling_on_a_rope,
    "sliding": lambda: adapter_of(BRAKE, None, friction=0.4),
    "held": lambda: adapter_of(BRAKE, None, friction=4.0),
}


@pytest.mark.parametrize("make", ALONE.values(), ids=ALONE)
def test_without_contact_the_motion_is_mujocos_own(make, tmp_path):
    adapter, alone = make(), make()
    restrained = False
    for _ in run(adapter, tmp_path, 60):
        mujoco.mj_step(alone.model, alone.data)
        np.testing.assert_allclose(adapter.data.qpos, alone.data.qpos, rtol=0.0, atol=1e-6)
        restrained |= bool(np.any(alone.data.qfrc_constraint))
    assert restrained


@pytest.mark.slow
def test_where_joints_are_lowered_rows_act_in_mujocos_own_step_alone(tmp_path):
    angles, force = measured(ball_arm(), tmp_path, angle, 40, joints="chains")
    direct, expected = measured(ball_arm(), tmp_path, angle, 40, restraints="engine")
    assert angles.max() > RANGE + 0.05
    np.testing.assert_allclose(angles, direct, atol=0.05)
    assert force == pytest.approx(expected, rel=0.2)
