"""The implicit step of robots with loops: its order, closure and energy, and what it is without loops."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import bias_forces, forward_dynamics, implicit, joints, mass_matrix
from ipc_articulation.dynamics.loops import FourBar, Static, gear, tello_hip
from ipc_articulation.errors import ModelError, StateError, UnsupportedError

LENGTHS, OFFSET = (0.3, 0.35, 0.25), (0.32, 0.05)
LOOPS = [(["a", "b", "c"], FourBar(LENGTHS, OFFSET)), (["d", "e"], gear(5.0))]
DAMPING, STIFFNESS = np.array([0.05, 0.1, 0.2, 0.03, 1e-3]), np.array([0.0, 2.0, 1.0, 0.5, 0.0])
TIME = 0.2


def linkage(passive: bool = True, **properties) -> dyn.Model:
    """A four-bar linkage in a vertical plane, and a geared hinge; every joint with a spring and a damper of its own."""
    mechanism = dyn.Mechanism("linkage", gravity=(0.0, -9.81, 0.0))
    places = {
        "a": ("world", (0, 0, 0)),
        "b": ("world", (*OFFSET, 0)),
        "c": ("A", (LENGTHS[0], 0, 0)),
        "d": ("C", (LENGTHS[1], 0, 0)),
        "e": ("C", (0, 0, 0)),
    }
    for k, (name, (parent, place)) in enumerate(places.items()):
        mechanism.add_link(name.upper(), 1.0 - 0.15 * k, (0.15, 0.02 * k, 0), 0.01 / (1 + k))
        given = {"damping": DAMPING[k], "stiffness": STIFFNESS[k], "spring_mount": 0.1 * k} if passive else {}
        mechanism.add_joint(
            name, joints.RevoluteJoint((0, 0, 1)), parent, name.upper(), origin=spatial.pose(p=place), **given
        )
    for name, value in properties.items():
        setattr(mechanism.joints[0], name, value)
    return mechanism.build().with_loops(LOOPS)


def start(robot: dyn.Model) -> tuple[np.ndarray, np.ndarray]:
    return robot.closed([1.7, 1.6, -1.65, 0.3]), np.array([-1.0, 2.0])


def drive(robot: dyn.Model) -> dyn.Drive:
    model, wrenches = robot.spanning_tree, np.zeros((5, 6))
    wrenches[2] = [0.1, -0.2, 0.3, 1.0, -2.0, 0.5]
    pd = dyn.PD.to(model, 0.1 * np.arange(5), kp=[4.0, 0.0, 1.0, 2.0, 0.0], kd=[0.3, 0.1, 0.0, 0.2, 0.0])
    return dyn.Drive(tau=[0.5, 0.1, -0.3, 0.2, 0.01], pd=pd, wrenches=wrenches)


def acceleration(robot: dyn.Model, x, y_dot, given: dyn.Drive) -> np.ndarray:
    """ÿ of the drive and the joints' own forces."""
    q, v, G, _ = robot.motion(x, y_dot)
    tau = given.tau + dyn.passive_forces(robot.spanning_tree, q, v) + given.pd.forces(robot.spanning_tree, q, v)
    return forward_dynamics(robot, x, y_dot, G.T @ tau, given.wrenches)


def midpoint(robot: dyn.Model, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the linkage is after TIME, by the explicit midpoint rule in the independent coordinates."""
    (x, y_dot), given, dt = start(robot), drive(robot), TIME / count
    for _ in range(count):
        half = dyn.integrate(robot, x, y_dot, 0.5 * dt)
        rate = y_dot + 0.5 * dt * acceleration(robot, x, y_dot, given)
        x, y_dot = dyn.integrate(robot, x, rate, dt), y_dot + dt * acceleration(robot, half, rate, given)
    return x, y_dot


def travel(robot: dyn.Model, count: int, scheme=dyn.Scheme.FULL) -> tuple[np.ndarray, np.ndarray]:
    (x, y_dot), given = start(robot), drive(robot)
    for _ in range(count):
        end = implicit(robot, x, y_dot, TIME / count, given, scheme)
        x, y_dot = end.q, end.v
    return x, y_dot


@pytest.mark.slow
@pytest.mark.parametrize("scheme", dyn.Scheme)
def test_order(scheme):
    robot = linkage()
    truth = np.concatenate(midpoint(robot, 2000))
    errors = [np.linalg.norm(np.concatenate(travel(robot, count, scheme)) - truth) for count in (80, 160, 320)]
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 1.0, atol=0.1)


def test_the_matrix_is_the_trees_in_the_independent_velocities():
    robot, dt = linkage(), 0.01
    (x, y_dot), given = start(robot), drive(robot)
    G = robot.G(x)
    added = dt * (DAMPING + given.pd.kd) + dt**2 * (STIFFNESS + given.pd.kp)
    step = implicit(robot, x, y_dot, dt, given)
    np.testing.assert_allclose(step.mass, mass_matrix(robot, x) + G.T @ np.diag(added) @ G, rtol=1e-12, atol=1e-14)


def test_independent_coordinates_move_with_the_end_velocity_and_loops_stay_closed():
    robot, dt = linkage(), 0.02
    x, y_dot = start(robot)
    for _ in range(100):
        step = implicit(robot, x, y_dot, dt)
        np.testing.assert_allclose(step.q[[0, 3]], x[[0, 3]] + dt * step.v, atol=1e-14)
        x, y_dot = step.q, step.v
        assert np.abs(LOOPS[0][1].phi(x[:3])).max() < 1e-11


def test_at_rest_the_drive_balances_gravity():
    """Δẏ = 0 where Gᵀτ is the bias force."""
    robot = linkage(passive=False)
    x, rest = start(robot)[0], np.zeros(2)
    tau = np.zeros(5)
    tau[[0, 3]] = bias_forces(robot, x, rest)
    step = implicit(robot, x, rest, 0.01, dyn.Drive(tau=tau))
    np.testing.assert_allclose(step.v, 0.0, atol=1e-13)


def test_energy_error_falls_with_the_step():
    """Without drive and dampers energy is kept but for the step's error, of order 1."""
    robot = linkage(passive=False)

    def energy(x, y_dot):
        q, v, _, _ = robot.motion(x, y_dot)
        return dyn.kinetic_energy(robot.spanning_tree, q, v) + dyn.potential_energy(robot.spanning_tree, q)

    errors = []
    for count in (100, 200, 400):
        x, y_dot = start(robot)
        before = energy(x, y_dot)
        for _ in range(count):
            step = implicit(robot, x, y_dot, 0.1 / count)
            x, y_dot = step.q, step.v
        errors.append(abs(energy(x, y_dot) - before))
    assert errors[0] < 0.05
    np.testing.assert_allclose(np.log2(np.array(errors[:-1]) / errors[1:]), 1.0, atol=0.1)


def test_any_stiffness_and_damping_is_stable():
    """Of a dependent joint too: the loop goes where the coupler's motor wants it."""
    robot = linkage(passive=False)
    x = start(robot)[0]
    target = dyn.integrate(robot, x, [-0.3, 0.2])
    pd = dyn.PD.to(robot.spanning_tree, robot.spanning(target), [0, 0, 1e7, 1e7, 0], [0, 0, 1e5, 1e5, 0])
    y_dot = np.zeros(2)
    for _ in range(300):
        step = implicit(robot, x, y_dot, 0.01, dyn.Drive(pd=pd))
        x, y_dot = step.q, step.v
    np.testing.assert_allclose(x, target, atol=1e-4)


def trivially_looped(model):
    """Each joint in a loop with itself alone, which asks for nothing: the step takes the way of robots with loops."""
    return model.with_loops([([name], Static([[1.0]])) for name in model.joint_names])


@pytest.mark.parametrize("scheme", dyn.Scheme)
def test_without_loops_it_is_the_trees_own_step(scheme):
    model = linkage().spanning_tree
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=5), rng.normal(size=5)
    given = drive(linkage())
    ours, trees = (
        implicit(trivially_looped(model), q, v, 0.01, given, scheme),
        dyn.implicit(model, q, v, 0.01, given, scheme),
    )
    np.testing.assert_allclose(ours.q, trees.q, rtol=1e-12)
    np.testing.assert_allclose(ours.v, trees.v, rtol=1e-10)
    np.testing.assert_allclose(ours.mass, trees.mass, rtol=1e-14)


def hindered(**properties) -> dyn.Model:
    """Joints of `linkage` with further properties: e_friction is the friction of joint e."""
    mechanism = dyn.Mechanism("linkage", gravity=(0.0, -9.81, 0.0))
    like = linkage()
    for body, name in zip(like.bodies, "abcde", strict=True):
        parent, place = {"a": ("world", (0, 0, 0)), "b": ("world", (*OFFSET, 0)), "c": ("A", (LENGTHS[0], 0, 0))}.get(
            name, ("C", (LENGTHS[1] if name == "d" else 0, 0, 0))
        )
        mechanism.add_link(name.upper(), body.mass, body.centre, body.inertia)
        own = {key[2:]: value for key, value in properties.items() if key[0] == name}
        mechanism.add_joint(name, joints.RzJoint(), parent, name.upper(), origin=spatial.pose(p=place), **own)
    return mechanism.build().with_loops(LOOPS)


def test_without_loops_friction_and_limits_are_the_trees_own():
    model = hindered(a_friction=0.3, b_lower=-0.5, b_upper=0.5, d_upper=0.1, e_friction=1.0).spanning_tree
    q, v = np.array([0.2, 0.45, -0.1, 0.08, 0.0]), np.array([0.1, 8.0, -1.0, 3.0, 0.01])
    ours, trees = implicit(trivially_looped(model), q, v, 0.01), dyn.implicit(model, q, v, 0.01)
    np.testing.assert_allclose(ours.v, trees.v, rtol=1e-9, atol=1e-12)
    assert ours.q[1] == pytest.approx(0.5)
    assert ours.q[3] == pytest.approx(0.1)
    assert ours.v[4] == 0.0


def test_friction_and_limits_of_a_rotor_are_those_of_its_link():
    """Of a gear with ratio 5: f at the rotor is 5 f at the link, a limit at 5 θ is one at θ."""
    given = dyn.Drive(tau=[0.0, 0.0, 0.0, 3.0, 0.0])
    for rotor, link in (({"e_friction": 0.4}, {"d_friction": 2.0}), ({"e_upper": 1.55}, {"d_upper": 0.31})):
        robots = hindered(**rotor), hindered(**link)
        first, second = (implicit(robot, *start(robot), 0.01, given) for robot in robots)
        free = implicit(hindered(), *start(robots[0]), 0.01, given)
        np.testing.assert_allclose(first.v, second.v, rtol=1e-9)
        assert abs(first.v[1]) < abs(free.v[1]) - 0.01


@pytest.mark.parametrize(("end", "sign"), [("upper", 1.0), ("lower", -1.0)])
@pytest.mark.parametrize("narrow", [0, 1])
def test_of_two_limits_the_narrower_counts(end, sign, narrow):
    """One of the link and one of its rotor, from 0.3 and 1.5 rad."""
    limits = {f"d_{end}": 0.3 + sign * (0.01, 0.02)[narrow], f"e_{end}": 1.5 + 5.0 * sign * (0.02, 0.01)[narrow]}
    robot, y_dot = hindered(**limits), np.array([0.0, 5.0 * sign])
    step = implicit(robot, start(robot)[0], y_dot, 0.01)
    assert step.q[3] == pytest.approx(0.3 + sign * 0.01)


def test_a_driven_joint_of_a_linkage_stops_at_its_limit():
    """To the square of the step, by which the linkage bends within it."""
    robot = hindered(b_upper=1.8)
    x, y_dot = robot.closed([1.7, 1.6, -1.65, 0.3]), np.zeros(2)
    given, dt, reached = dyn.Drive(tau=[30.0, 0.0, 0.0, 0.0, 0.0]), 1e-3, 0.0
    for _ in range(300):
        step = implicit(robot, x, y_dot, dt, given)
        x, y_dot = step.q, step.v
        reached = max(reached, robot.spanning(x)[1])
    assert 1.8 - 1e-6 < robot.spanning(x)[1] < 1.8 + 1e-6
    assert reached < 1.8 + 1e-4
    assert abs(y_dot[0]) < 1e-3


def test_friction_in_a_linkage_holds_it():
    """Of any of its joints: the driver does not move under a torque below Σ f |G|, and does above it."""
    robot = hindered(b_friction=20.0)
    x = robot.closed([1.7, 1.6, -1.65, 0.3])
    G = robot.G(x)
    loose = bias_forces(robot, x, np.zeros(2))
    for part, moves in ((0.99, False), (1.01, True)):
        tau = np.zeros(5)
        tau[[0, 3]] = loose[0] + part * 20.0 * abs(G[1, 0]), loose[1]
        y_dot = implicit(robot, x, np.zeros(2), 1e-3, dyn.Drive(tau=tau)).v
        assert (abs(y_dot[0]) > 1e-6) == moves


@pytest.mark.parametrize("properties", [{"friction": 0.1}, {"upper": 3.0}])
def test_what_moves_with_several_coordinates_has_no_friction_and_no_limits(properties):
    mechanism, parent = dyn.Mechanism("hip"), "world"
    for name in ("rotor1", "rotor2", "gimbal", "thigh"):
        mechanism.add_link(name.upper(), 1.0, inertia=1.0)
        own = properties if name in ("rotor1", "thigh") else {}
        mechanism.add_joint(name, joints.RzJoint(), parent, name.upper(), **own)
        parent = "GIMBAL" if name == "gimbal" else "world"
    robot = mechanism.build().with_loops([(["rotor1", "rotor2", "gimbal", "thigh"], tello_hip())])
    message = (
        "joint 'thigh' has dry friction or a position limit, and moves with several independent coordinates of the "
        "loop of joints 'rotor1', 'rotor2', 'gimbal', 'thigh'; only joints that move with one may have them"
    )
    with pytest.raises(UnsupportedError) as error:
        implicit(robot, dyn.random_position(robot, np.random.default_rng(0)), [0.0, 0.0], 0.01)
    assert str(error.value) == message


def test_mimic_joints_are_gears():
    with pytest.raises(ModelError) as error:
        linkage(mimic=dyn.Mimic("b"))
    assert str(error.value) == (
        "joint 'a' of model 'linkage', which has loops, mimics another one; make it a gear, or read the file with "
        "read_robot"
    )


def test_an_open_loop_is_told():
    robot = linkage()
    with pytest.raises(StateError, match=r"the loop of joints 'a', 'b', 'c' is open: \|φ\| = "):
        implicit(robot, [1.7, 1.6, -1.6, 0.3], [0.0, 0.0], 0.01)
