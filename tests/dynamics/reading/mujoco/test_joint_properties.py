import mujoco
import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import conventions as conv
from ipc_articulation.dynamics.reading.mujoco.mechanism import mechanism_from_mujoco
from tests.dynamics.random_mjcf import random_mjcf, random_state

INF = np.inf

HINGES = """<mujoco><compiler angle="radian"/><option>{flags}</option><worldbody>
  <body name="upper">
    <joint name="elbow" damping="1" stiffness="2" ref="0.1" springref="0.3" armature="4" frictionloss="5"
      range="-6 7" actuatorfrcrange="-8 8"/>
    <geom size="0.1"/>
    <body name="lower"><joint name="wrist" type="slide"/><geom size="0.1"/></body>
  </body>
</worldbody></mujoco>"""


def hinges(flags=""):
    model = mujoco.MjModel.from_xml_string(HINGES.format(flags=flags))
    return {placed.name: placed for placed in mechanism_from_mujoco(model).joints}


def properties(placed):
    names = "damping stiffness spring_mount rotor_inertia friction lower upper effort velocity"
    return [float(np.squeeze(getattr(placed, name))) for name in names.split()]


def test_every_property_is_mujocos():
    joints = hinges()
    assert properties(joints["elbow"]) == [1.0, 2.0, 0.3, 4.0, 5.0, -6.0, 7.0, 8.0, INF]
    assert properties(joints["wrist"]) == [0.0, 0.0, 0.0, 0.0, 0.0, -INF, INF, INF, INF]


@pytest.mark.parametrize(
    ("flag", "expected"),
    [
        ("damper", [0.0, 2.0, 5.0, -6.0, 7.0]),
        ("spring", [1.0, 0.0, 5.0, -6.0, 7.0]),
        ("frictionloss", [1.0, 2.0, 0.0, -6.0, 7.0]),
        ("limit", [1.0, 2.0, 5.0, -INF, INF]),
        ("constraint", [1.0, 2.0, 0.0, -INF, INF]),
    ],
)
def test_what_the_model_disables_does_not_act(flag, expected):
    elbow = hinges(f'<flag {flag}="disable"/>')["elbow"]
    damping, stiffness, _, _, friction, lower, upper, *_ = properties(elbow)
    assert [damping, stiffness, friction, lower, upper] == expected


@pytest.mark.parametrize("seed", range(5))
def test_springs_and_dampers_of_all_joints_push_as_mujocos(seed):
    """Spring forces are -k difference(mount, q), damping forces -c v, in our coordinates."""
    model = mujoco.MjModel.from_xml_string(random_mjcf(seed))
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = random_state(model, seed)
    mujoco.mj_forward(model, data)
    ours = mechanism_from_mujoco(model).build()
    v = conv.velocity_from(conv.MUJOCO, ours, data.qpos, data.qvel)
    for force, theirs in (
        (dyn.spring_forces(ours, data.qpos), data.qfrc_spring),
        (dyn.damping_forces(ours, v), data.qfrc_damper),
    ):
        np.testing.assert_allclose(force, conv.force_from(conv.MUJOCO, ours, data.qpos, theirs), atol=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_armature_is_mujocos(seed):
    model = mujoco.MjModel.from_xml_string(random_mjcf(seed))
    rotors = [placed.rotor_inertia for placed in mechanism_from_mujoco(model).joints if placed.joint.ndof]
    np.testing.assert_array_equal(np.concatenate(rotors), model.dof_armature)
