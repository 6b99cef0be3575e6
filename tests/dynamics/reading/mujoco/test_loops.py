"""Equality constraints of MuJoCo models as loops: at our closed positions MuJoCo has nothing to correct."""

import mujoco
import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics.loops import Implicit, Static
from ipc_articulation.dynamics.loops.explicit import Affine
from ipc_articulation.dynamics.reading.mujoco.loops import robot_from_mujoco
from ipc_articulation.dynamics.reading.mujoco.mechanism import mechanism_from_mujoco
from ipc_articulation.errors import ModelError, UnsupportedError
from ipc_articulation.repairs import RepairWarning, strict

pytest.importorskip("casadi")

BARS = """<mujoco><compiler angle="radian"/><option>{flags}</option><worldbody>
  <body name="driver" pos="0.1 0 0" euler="0.3 0.2 0"><joint name="a" axis="0 0 1"/><geom size="0.03" pos="0.2 0 0"/>
    <body name="output" pos="0.4 0 0"><joint name="b" axis="0 0 1" pos="0 0.02 0" ref="0.3"/>
      <geom size="0.03" pos="0.1 0 0"/><site name="tip" pos="0.25 0.01 0"/></body></body>
  <body name="frame" pos="0.1 0 0" euler="0.3 0.2 0">
    <body name="support" pos="0.07 0.24 0"><joint name="c" axis="0 0 1"/><geom size="0.03" pos="0.2 0 0"/>
      <site name="end" pos="0.41 0 0"/></body></body>
  <body name="cart" pos="0 1 0"><joint name="d" type="slide" axis="1 0 0" ref="-0.5"/><geom size="0.1"/></body>
  <body name="ball" pos="0 2 0"><joint name="e" type="ball"/><geom size="0.1" pos="0.1 0 0"/></body>
</worldbody><equality>{equalities}</equality></mujoco>"""

SITES = '<connect name="pin" site1="tip" site2="end"/>'
BODIES = '<connect name="pin" body1="output" body2="support" anchor="0.25 0.01 0"/>'


def bars(equalities, flags=""):
    return mujoco.MjModel.from_xml_string(BARS.format(equalities=equalities, flags=flags))


def looped(model):
    robot = robot_from_mujoco(model)
    return robot.build()


def driven_by(equalities, *joints):
    """Names of the independent coordinates where motors are on some joints."""
    motors = "".join(f'<motor joint="{joint}"/>' for joint in joints)
    text = BARS.format(equalities=equalities, flags="").replace("</mujoco>", f"<actuator>{motors}</actuator></mujoco>")
    return sorted(looped(mujoco.MjModel.from_xml_string(text)).dof_names[:-3])  # without the ball's


@pytest.mark.parametrize("joint", ["a", "b", "c"])
def test_a_joint_with_an_actuator_is_the_independent_one(joint):
    assert driven_by(SITES, joint, "d") == [joint, "d"]


def test_a_follower_with_an_actuator_leads_unless_its_function_is_curved():
    assert driven_by(EQUALITIES["linear"][0], "a") == ["a", "b", "c"]
    assert driven_by(EQUALITIES["cam"][0], "b") == ["a", "c", "d"]


def test_of_more_actuators_than_freedoms_one_joint_is_the_independent_one():
    assert driven_by(EQUALITIES["both"][0], "a", "b", "c", "d") in [["a"], ["c"], ["d"]]
    assert driven_by(EQUALITIES["gear"][0], "a", "c") == ["b", "c", "d"]


def residual(model, q):
    """How far MuJoCo finds its equality constraints open."""
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    return data.efc_pos[: data.ne]


@pytest.fixture
def rng():
    return np.random.default_rng(8)


EQUALITIES = {
    "sites": (SITES, Implicit, 3, 2),
    "linear": ('<joint joint1="a" joint2="d" polycoef="0 2 0 0 0"/>', Affine, 2, 1),
    "gear": ('<joint joint1="a" joint2="c" polycoef="0 -2 0 0 0"/>', Static, 2, 1),
    "cam": ('<joint joint1="b" joint2="d" polycoef="0.1 0.4 -0.3 0.2 0.1"/>', Implicit, 2, 1),
    "both": (SITES + '<joint joint1="b" joint2="d" polycoef="0.1 0.4 -0.3 0 0"/>', Implicit, 4, 3),
}


@pytest.mark.parametrize("kind", EQUALITIES)
def test_closed_positions_are_mujocos(kind, rng):
    text, constraint, size, conditions = EQUALITIES[kind]
    model = bars(text)
    robot = looped(model)
    (loop,) = robot.loops
    own = loop.constraint
    assert (type(own), own.size, own.size - own.ndof) == (constraint, size, conditions)
    for _ in range(5):
        q = robot.spanning(dyn.random_position(robot, rng))
        found = residual(model, q)
        assert len(found) >= conditions
        np.testing.assert_allclose(found, 0.0, atol=1e-10)


def test_connect_of_bodies_holds_the_anchor_where_it_is_at_qpos0(rng):
    model = bars(BODIES)
    np.testing.assert_allclose(residual(model, model.qpos0), 0.0, atol=1e-15)
    (loop,) = looped(model).loops
    np.testing.assert_allclose(loop.constraint.phi(model.qpos0[loop.q]), 0.0, atol=1e-15)
    q = model.qpos0.copy()
    q[loop.q] = loop.constraint.closed(q[loop.q] + 0.1 * rng.normal(size=3))
    assert np.abs(q - model.qpos0).max() > 0.01
    np.testing.assert_allclose(residual(model, q), 0.0, atol=1e-10)


def test_constraint_jacobians_have_the_same_row_space(rng):
    model = bars(SITES)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    robot = looped(model)
    q = robot.spanning(dyn.random_position(robot, rng))
    data = mujoco.MjData(model)
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    K, J = robot.K(q)[:, :3], data.efc_J.reshape(-1, model.nv)[: data.ne, :3]
    np.testing.assert_allclose(np.linalg.pinv(K) @ K, np.linalg.pinv(J, rcond=1e-9) @ J, atol=1e-10)


def test_mass_matrix_is_mujocos_in_the_independent_velocities(rng):
    model = bars(SITES)
    robot = looped(model)
    x = dyn.random_position(robot, rng)
    q, G = robot.spanning(x), robot.G(x)
    data, H = mujoco.MjData(model), np.zeros((model.nv, model.nv))
    data.qpos[:] = q
    mujoco.mj_forward(model, data)
    mujoco.mj_fullM(model, data, H)
    hinged = [0, 1, 2, 3]  # the ball's velocity has other axes
    own = dyn.mass_matrix(robot, x)[:2, :2]
    np.testing.assert_allclose(own, (G.T[:, hinged] @ H[np.ix_(hinged, hinged)] @ G[hinged])[:2, :2], atol=1e-12)


def test_the_mechanism_has_no_mimics_and_the_model_stays_as_it_is():
    model = bars('<joint joint1="a" joint2="c"/>')
    robot = robot_from_mujoco(model)
    assert all(joint.mimic is None for joint in robot.joints)
    assert model.eq_active0.tolist() == [1]
    assert [joint.name for joint in robot.joints] == [j.name for j in mechanism_from_mujoco(model).joints]


@pytest.mark.parametrize("flags", ['<flag equality="disable"/>', '<flag constraint="disable"/>'])
def test_disabled_equalities_are_left_out(flags):
    assert robot_from_mujoco(bars(SITES, flags)).loops == []


IDLE = [
    '<weld body1="driver" active="false"/>',
    '<connect name="pin" body1="frame" anchor="0 0 0"/>',
    '<weld name="glue" body1="frame"/>',
]


@pytest.mark.parametrize("equality", IDLE)
def test_equalities_that_do_nothing_are_left_out(equality):
    assert robot_from_mujoco(bars(equality)).loops == []


def test_a_weld_of_links_is_left_out_with_a_warning():
    read = "connects, joint equalities and linear ones of fixed tendons are read"
    message = f"equality constraint 'glue': it is a weld; {read}"
    weld = '<weld name="glue" body1="output" body2="support"/>'
    with pytest.warns(RepairWarning, match=f"^{message}; left out$"):
        assert robot_from_mujoco(bars(weld)).loops == []
    with strict(), pytest.raises(UnsupportedError, match=message):
        robot_from_mujoco(bars(weld))


BELT = """<mujoco><worldbody>
  <body name="x"><joint name="x" ref="0.2" axis="1 0 0"/><geom size="0.1"/></body>
  <body name="y"><joint name="y" axis="0 1 0"/><geom size="0.1"/></body>
  <body name="z"><joint name="z" ref="-0.1" axis="0 0 1"/><geom size="0.1"/></body></worldbody>
  <tendon><fixed name="one"><joint joint="x" coef="2"/><joint joint="y" coef="-1"/></fixed>
    <fixed name="two"><joint joint="z" coef="3"/></fixed></tendon>
  <equality><tendon tendon1="one" {more}/></equality></mujoco>"""


@pytest.mark.parametrize("more", ['polycoef="0.3 0 0 0 0"', 'tendon2="two" polycoef="0.3 0.5 0 0 0"'])
def test_a_linear_equality_of_fixed_tendons_leaves_mujoco_nothing_to_correct(more, rng):
    model = mujoco.MjModel.from_xml_string(BELT.format(more=more))
    robot = looped(model)
    data = mujoco.MjData(model)
    data.qpos[:] = robot.spanning(dyn.random_position(robot, rng))
    mujoco.mj_forward(model, data)
    assert data.ne == 1
    np.testing.assert_allclose(data.efc_pos[:1], 0.0, atol=1e-12)
    assert np.abs(data.qpos).max() > 0.1


REFUSED = [
    ('<joint joint1="a"/>', "equality constraint 'equality0' holds joint 'a' alone; take the joint out instead"),
]


@pytest.mark.parametrize(("equality", "message"), REFUSED)
def test_what_is_no_loop_is_refused_by_name(equality, message):
    with pytest.raises(UnsupportedError) as raised:
        robot_from_mujoco(bars(equality))
    assert str(raised.value) == message


WRONG = [
    (
        '<connect name="pin" body1="ball" body2="cart" anchor="0 0 0"/>',
        "equality constraint 'pin': goes through joint 'e', a SphericalJoint with 3 degrees of freedom; "
        "joints of a loop have one",
    ),
    (
        '<connect name="pin" body1="driver" anchor="0 0 0"/>',
        "equality constraint 'pin': holds nothing that joints 'a' and what else is between them do not hold already; "
        "leave it out",
    ),
    (
        '<joint name="gear" joint1="a" joint2="c" polycoef="0 0 0 0 0"/>',
        "equality constraint 'gear': the ratio for joint 'c' must be finite and not zero; it is 0",
    ),
]


@pytest.mark.parametrize(("equality", "message"), WRONG)
def test_loops_that_are_none(equality, message):
    with pytest.raises(ModelError) as raised:
        robot_from_mujoco(bars(equality))
    assert str(raised.value) == message
