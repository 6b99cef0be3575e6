"""States as other engines write them."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import conventions as conv
from ipc_articulation.dynamics import joints
from ipc_articulation.dynamics.loops import gear
from ipc_articulation.errors import StateError

CONVENTIONS = [
    conv.RAISIM,
    conv.MUJOCO,
    conv.PINOCCHIO,
    conv.RBDA,
    conv.ARBORIS,
    conv.DART,
    conv.NIMBLE,
    conv.NIMBLE_URDF,
]
STEP = 1e-6


@pytest.fixture(scope="module")
def model():
    """A floating link, and on it a ball joint and a hinge."""
    mechanism = dyn.Mechanism("hanging")
    places = {"base": "world", "ball": "base", "hinge": "ball"}
    kinds = {"base": joints.FloatingJoint(), "ball": joints.SphericalJoint(), "hinge": joints.RevoluteJoint((1, 2, 3))}
    for name, parent in places.items():
        mechanism.add_link(name, 1.3, (0.1, 0.2, -0.3), (0.2, 0.3, 0.4))
        mechanism.add_joint(f"to {name}", kinds[name], parent, name, origin=spatial.pose(p=(0.3, 0.1, 0.2)))
    return mechanism.build()


@pytest.fixture
def state(model):
    rng = np.random.default_rng(3)
    q = dyn.integrate(model, model.neutral, 0.4 * rng.normal(size=model.nv))
    return q, *rng.normal(size=(3, model.nv))


@pytest.fixture(params=CONVENTIONS, ids=lambda convention: convention.name)
def convention(request):
    return request.param


def test_positions_come_back(convention, model, state):
    q = state[0]
    there = conv.position_to(convention, model, q)
    np.testing.assert_allclose(dyn.difference(model, conv.position_from(convention, model, there), q), 0.0, atol=1e-14)


def test_the_rate_of_a_velocity_is_its_acceleration(convention, model, state):
    """Along q(t) with velocity v + a t: d/dt (T v) = T a + r."""
    q, v, a, _ = state

    def velocity(t):
        return conv.velocity_to(convention, model, dyn.integrate(model, q, v, t), v + t * a)

    rate = (velocity(STEP) - velocity(-STEP)) / (2 * STEP)
    np.testing.assert_allclose(conv.acceleration_to(convention, model, q, v, a), rate, atol=2e-9)


def test_power_is_the_same_for_all(convention, model, state):
    q, v, _, tau = state
    power = conv.force_to(convention, model, q, tau) @ conv.velocity_to(convention, model, q, v)
    assert power == pytest.approx(tau @ v, rel=1e-12)


def test_the_equations_of_motion_hold_in_any_convention(convention, model, state):
    q, v, a, _ = state
    M, h = dyn.mass_matrix(model, q), dyn.bias_forces(model, q, v)
    M_u = conv.mass_matrix_to(convention, model, q, M)
    tau_u = M_u @ conv.acceleration_to(convention, model, q, v, a) + conv.bias_to(convention, model, q, v, M, h)
    np.testing.assert_allclose(
        tau_u, conv.force_to(convention, model, q, dyn.inverse_dynamics(model, q, v, a)), rtol=1e-11
    )


def test_each_way_back(convention, model, state):
    q, v, a, tau = state
    for there, back in [
        (conv.velocity_to(convention, model, q, v), lambda u: conv.velocity_from(convention, model, q, u) - v),
        (
            conv.acceleration_to(convention, model, q, v, a),
            lambda u: conv.acceleration_from(convention, model, q, v, u) - a,
        ),
        (conv.force_to(convention, model, q, tau), lambda f: conv.force_from(convention, model, q, f) - tau),
    ]:
        np.testing.assert_allclose(back(there), 0.0, atol=1e-12)


@pytest.mark.parametrize("angular", [conv.ARBORIS, conv.NIMBLE])
def test_rates_of_angles_are_rates(angular, model, state):
    """What the table calls rates is the time derivative of the position's numbers."""
    q, v, *_ = state
    ahead, behind = (conv.position_to(angular, model, dyn.integrate(model, q, v, t)) for t in (STEP, -STEP))
    rates = (ahead - behind) / (2 * STEP)
    ball = slice(16, 19) if angular is conv.ARBORIS else slice(6, 9)
    np.testing.assert_allclose(conv.velocity_to(angular, model, q, v)[6:9], rates[ball], atol=1e-9)
    if angular is conv.NIMBLE:
        np.testing.assert_allclose(conv.velocity_to(angular, model, q, v)[:6], rates[:6], atol=1e-9)


def test_what_is_written_for_a_turned_and_moved_body(model):
    """A quarter turn about z at (1, 2, 3), moving along x and turning about x of the world."""
    q, v = model.neutral, np.zeros(model.nv)
    q[:7] = [1, 2, 3, *spatial.quaternion_exp([0, 0, np.pi / 2])]
    v[:6] = [5, 0, 0, 7, 0, 0]
    half = np.sqrt(0.5)
    positions = {
        conv.RAISIM: [1, 2, 3, half, 0, 0, half],
        conv.PINOCCHIO: [1, 2, 3, 0, 0, half, half],
        conv.ARBORIS: [0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1],
        conv.DART: [0, 0, np.pi / 2, 1, 2, 3],
        conv.NIMBLE: [np.pi / 2, 0, 0, 1, 2, 3],
    }
    velocities = {
        conv.RAISIM: [5, 0, 0, 7, 0, 0],
        conv.MUJOCO: [5, 0, 0, 0, -7, 0],
        conv.PINOCCHIO: [0, -5, 0, 0, -7, 0],
        conv.RBDA: [0, -7, 0, 0, -5, 0],
        conv.ARBORIS: [0, -7, 0, 0, -5, 0],
        conv.DART: [7, 0, 0, 5, 0, 0],
        conv.NIMBLE_URDF: [0, -7, 0, 0, -5, 0],
        conv.NIMBLE: [0, 0, -7, 5, 0, 0],
    }
    for convention, numbers in positions.items():
        np.testing.assert_allclose(conv.position_to(convention, model, q)[: len(numbers)], numbers, atol=1e-15)
    for convention, numbers in velocities.items():
        np.testing.assert_allclose(conv.velocity_to(convention, model, q, v)[:6], numbers, atol=1e-14)


@pytest.mark.filterwarnings("ignore:Gimbal lock")
def test_singular_angles_are_refused(model):
    q = model.neutral
    q[3:7] = spatial.quaternion_exp([np.pi / 2, 0, 0])
    with pytest.raises(StateError, match=r"the angles ZXY are singular where the middle one is ±π/2; it is 1\.57079"):
        conv.velocity_to(conv.NIMBLE, model, q, np.zeros(model.nv))


def test_wrong_lengths_are_refused(model):
    with pytest.raises(StateError, match=r"Pinocchio's position has shape \(3,\); give \(12,\)"):
        conv.position_from(conv.PINOCCHIO, model, np.zeros(3))
    with pytest.raises(StateError, match=r"q has shape \(4,\), but model .* needs \(12\)"):
        conv.position_to(conv.PINOCCHIO, model, np.zeros(4))


def test_rotations_that_are_none_are_refused(convention, model, state):
    """A quaternion of twice the length; arboris has H in its place."""
    q = state[0].copy()
    there = conv.position_to(convention, model, q)
    q[3:7] *= 2.0
    for use in (conv.position_to, lambda *args: conv.velocity_map(*args, np.zeros(model.nv))):
        with pytest.raises(StateError, match="q: the quaternion of joint 'to base' has length 2; give one of"):
            use(convention, model, q)
    if convention.attitude in (conv.Attitude.WXYZ, conv.Attitude.XYZW):
        there[3:7] *= 2.0
        with pytest.raises(StateError, match=f"{convention.name}'s position: the quaternion of joint 'to base' has"):
            conv.position_from(convention, model, there)
    if convention is conv.ARBORIS:
        there[0] *= 2.0
        with pytest.raises(StateError, match=r"arboris's position: H = .* is no rigid motion"):
            conv.position_from(convention, model, there)


def test_joints_behind_a_loop_are_converted():
    """A ball joint behind a geared pair, whose positions are one coordinate of the robot."""
    mechanism = dyn.Mechanism("geared")
    for name, joint in ("a", joints.RzJoint()), ("b", joints.RzJoint()), ("ball", joints.SphericalJoint()):
        mechanism.add_link(name, 1.0, (0.1, 0.0, 0.0), 0.1)
        mechanism.add_joint(name, joint, "world", name)
    mechanism.add_loop(("a", "b"), gear(2.0))
    robot = mechanism.build()
    q = dyn.integrate(robot, robot.neutral, [0.1, 0.2, 0.3, 0.4])
    assert conv.position_to(conv.PINOCCHIO, robot, q).tolist() == q[[0, 2, 3, 4, 1]].tolist()
