"""One API for robots with loops and without: every function on trees, gears, linkages, differentials and free bases."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import joints
from ipc_articulation.dynamics.loops import FourBar, gear, tello_hip
from ipc_articulation.errors import ModelError, StateError, UnsupportedError
from tests.dynamics.algorithms.test_over_states import CALLS
from tests.dynamics.by_hand import assert_near
from tests.dynamics.random_trees import States

LENGTHS, OFFSET = (0.3, 0.25, 0.28), (0.26, 0.05)
H = 1e-5


def mechanism(floating=False):
    """A base with a ball joint and a hinge on it; «tool» is a frame of the last link."""
    made = dyn.Mechanism("robot", gravity=(1.0, -9.0, 2.0))
    made.add_link("base", 2.0, (0.1, 0.0, 0.05), 0.1)
    made.add_joint("root", joints.FloatingJoint() if floating else joints.RxJoint(), "world", "base", damping=0.1)
    made.add_link("ball", 1.0, (0.0, 0.1, 0.0), 0.05)
    made.add_joint("ball joint", joints.SphericalJoint(), "base", "ball", origin=spatial.pose(p=(0.2, 0.0, 0.0)))
    return made


def hinges(made, names, hosts, places, axis=(0.0, 0.0, 1.0), **properties):
    for number, (name, host, place) in enumerate(zip(names, hosts, places, strict=True)):
        made.add_link(name, 1.0 / (1.0 + number), (0.12, 0.01 * number, 0.0), (0.002, 0.01, 0.01))
        own = {"damping": 0.1, "stiffness": 0.3, "spring_mount": 0.2} | properties
        made.add_joint(f"{name} joint", joints.RevoluteJoint(axis), host, name, origin=spatial.pose(p=place), **own)
    return [f"{name} joint" for name in names]


def tree():
    made = mechanism()
    hinges(made, ["a", "b"], ["base", "a"], [(0, 0, 0), (0.3, 0, 0)])
    return made, "b"


def geared():
    made = mechanism()
    made.add_loop(hinges(made, ["a", "rotor"], ["base", "base"], [(0, 0, 0), (0, 0.1, 0)]), gear(6.0))
    return made, "a"


def linkage(floating=False):
    made = mechanism(floating)
    bars = hinges(
        made, ["driver", "support", "output"], ["base", "base", "driver"], [(0, 0, 0), (*OFFSET, 0), (0.3, 0, 0)]
    )
    made.add_loop(bars, FourBar(LENGTHS, OFFSET))
    return made, "output"


def differential():
    made = mechanism()
    places = [(0, 0, 0)] * 4
    names = hinges(made, ["rotor1", "rotor2", "gimbal", "thigh"], ["base", "base", "base", "gimbal"], places)
    made.add_loop(names, tello_hip())
    return made, "thigh"


def everything():
    made, _ = linkage(floating=True)
    made.add_loop(hinges(made, ["flap", "rotor"], ["output", "base"], [(0.25, 0, 0), (0, 0, 0)]), gear(-3.0))
    return made, "flap"


ROBOTS = {"tree": tree, "gear": geared, "four-bar": linkage, "Tello": differential, "free base and loops": everything}


def built(make):
    made, last = make()
    made.add_frame("tool", last, spatial.pose(p=(0.05, 0.1, 0.0)))
    return made.build()


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    return built(ROBOTS[request.param])


def some(robot, count=4):
    """Random states, in which no bar is much faster than its driver."""
    rng, q = np.random.default_rng(0), []
    while len(q) < count:
        at = dyn.random_position(robot, rng)
        q += [at] if np.abs(robot.G(at)).max() < 10.0 else []
    numbers = rng.normal(size=(3, count, robot.nv))
    return States(np.array(q), *numbers, rng.normal(size=(count, len(robot.bodies), 6)))


def stepped(step):
    def call(m, s):
        return np.concatenate(list(step(m, s.q, s.v, 1e-3))[:2], axis=-1)

    return call


EXPLICIT = [dyn.semi_implicit_euler, dyn.trapezoid, dyn.runge_kutta_4, dyn.midpoint]
EVERY = {
    **CALLS,
    "difference": lambda m, s: dyn.difference(m, s.q, dyn.integrate(m, s.q, s.a, 0.1)),  # a linkage reaches no farther
    "integrate": lambda m, s: dyn.integrate(m, s.q, s.v, 0.1),
    "normalised": lambda m, s: dyn.normalised(m, s.q),
    "acceleration": lambda m, s: dyn.acceleration(m, s.q, s.v),
    "damping_forces": lambda m, s: dyn.damping_forces(m, s.v, s.q),
    "friction_forces": lambda m, s: dyn.friction_forces(m, s.v, q=s.q),
    "passive_forces": lambda m, s: dyn.passive_forces(m, s.q, s.v),
    "spring_energy": lambda m, s: dyn.spring_energy(m, s.q),
    "spring_forces": lambda m, s: dyn.spring_forces(m, s.q),
    **{step.__name__: stepped(step) for step in EXPLICIT},
    "motion": lambda m, s: np.concatenate([m.motion(s.q, s.v).q, m.motion(s.q, s.v).v], axis=-1),
    "G": lambda m, s: m.G(s.q),
}


@pytest.mark.parametrize("name", EVERY)
def test_a_batch_is_as_its_states_one_by_one(robot, name):
    """With one leading axis, with two, and with none; joints of loops transmit what this package does not tell."""
    call, states = EVERY[name], some(robot)
    if name == "joint_wrenches" and robot.loops:
        with pytest.raises(UnsupportedError, match="model 'robot' has loops: what its joints transmit depends"):
            call(robot, states)
        return
    each = np.array([call(robot, states.at(k)) for k in range(4)])
    rounding = 1e-14 * max(100.0, np.abs(each).max())
    np.testing.assert_allclose(call(robot, states), each, rtol=1e-12, atol=rounding)
    two = call(robot, States(*(x.reshape(2, 2, *x.shape[1:]) for x in states)))
    np.testing.assert_allclose(two, each.reshape(2, 2, *each.shape[1:]), rtol=1e-12, atol=rounding)
    assert call(robot, States(*(x[:0] for x in states))).shape == (0, *each.shape[1:])


def test_functions_agree_with_each_other(robot):
    q, v, a, tau, w = some(robot)
    M, h = dyn.mass_matrix(robot, q), dyn.bias_forces(robot, q, v)
    assert_near(dyn.inverse_dynamics(robot, q, v, a), times(M, a) + h, 1e-10)
    assert_near(h, dyn.coriolis_forces(robot, q, v) + dyn.gravity_forces(robot, q), 1e-11)
    assert_near(times(dyn.coriolis_matrix(robot, q, v), v), dyn.coriolis_forces(robot, q, v), 1e-10)
    assert_near(dyn.inverse_dynamics(robot, q, v, dyn.forward_dynamics(robot, q, v, tau, w), w), tau, 1e-9)
    assert_near(dyn.inverse_mass_matrix(robot, q) @ M, np.broadcast_to(np.eye(robot.nv), M.shape), 1e-8)
    assert_near(dyn.kinetic_energy(robot, q, v), 0.5 * np.sum(v * times(M, v), axis=-1), 1e-11)
    assert_near(dyn.centroidal_momentum(robot, q, v), times(dyn.centroidal_momentum_matrix(robot, q), v), 1e-11)
    J, J_dot = dyn.jacobian(robot, q, "tool"), dyn.jacobian_rate(robot, q, v, "tool")
    assert_near(dyn.frame_velocities(robot, q, v, ["tool"])[:, 0], times(J, v), 1e-11)
    assert_near(dyn.frame_accelerations(robot, q, v, a, ["tool"])[:, 0], times(J, a) + times(J_dot, v), 1e-10)


def times(matrix, vector):
    return (matrix @ vector[..., None])[..., 0]


def test_rates_are_differences(robot):
    """Along the motion: Ṁ = C + Cᵀ, J̇, Ṫ + V̇ = vᵀ τ and the speed of the centre of mass."""
    q, v, _, tau, _ = some(robot)
    a = dyn.forward_dynamics(robot, q, v, tau)

    def rate(function):
        ends = [function(dyn.integrate(robot, q, v + 0.5 * h * a, h), v + h * a) for h in (H, -H)]
        return (ends[0] - ends[1]) / (2.0 * H)

    C = dyn.coriolis_matrix(robot, q, v)
    assert_near(rate(lambda q, v: dyn.mass_matrix(robot, q)), C + np.swapaxes(C, -1, -2), 1e-6)
    assert_near(rate(lambda q, v: dyn.jacobian(robot, q, "tool")), dyn.jacobian_rate(robot, q, v, "tool"), 1e-6)
    energy = rate(lambda q, v: dyn.kinetic_energy(robot, q, v) + dyn.potential_energy(robot, q))
    assert_near(energy, np.sum(v * tau, axis=-1), 1e-6)
    assert_near(rate(lambda q, v: dyn.centre_of_mass(robot, q)), times(dyn.centre_of_mass_jacobian(robot, q), v), 1e-6)
    assert_near(rate(lambda q, v: dyn.spring_energy(robot, q)), -np.sum(v * dyn.spring_forces(robot, q), axis=-1), 1e-6)
    assert_near(rate(lambda q, v: q), dyn.rate(robot, q, v), 1e-6)


def test_derivatives_are_differences(robot):
    state = some(robot, 1).at(0)
    q, v, a, tau, w = state
    inverse = dyn.inverse_dynamics_derivatives(robot, q, v, a, w)
    forward = dyn.forward_dynamics_derivatives(robot, q, v, tau, w)
    for got, function, last in ((inverse, dyn.inverse_dynamics, a), (forward, dyn.forward_dynamics, tau)):
        moved = [
            lambda e, f=function, x=last: f(robot, dyn.integrate(robot, q, e), v, x, w),
            lambda e, f=function, x=last: f(robot, q, v + e, x, w),
            lambda e, f=function, x=last: f(robot, q, v, x + e, w),
        ]
        for ours, f in zip(got, moved, strict=True):
            columns = [(f(H * e) - f(-H * e)) / (2.0 * H) for e in np.eye(robot.nv)]
            assert_near(ours, np.transpose(columns), 2e-5)


def test_names_and_places(robot):
    assert len(set(robot.q_names)) == robot.nq
    assert len(set(robot.dof_names)) == robot.nv
    assert robot.dof_names[robot.dofs("ball joint")] == ("ball joint[0]", "ball joint[1]", "ball joint[2]")
    assert robot.q_names[robot.positions("ball joint")] == tuple(f"ball joint[{k}]" for k in range(4))
    assert not robot.spanning_tree.loops
    for loop in robot.loops:
        with pytest.raises(ModelError, match=f"joint '{loop.joints[0]}' is in {loop.name}; its own coordinates are"):
            robot.dofs(loop.joints[0])


def test_moving_and_back(robot):
    q, v, *_ = some(robot)
    end = dyn.integrate(robot, q, 0.1 * v)
    assert_near(dyn.difference(robot, q, end), 0.1 * v, 1e-9)
    robot.spanning(end)  # refuses open loops
    assert_near(dyn.normalised(robot, end), end, 1e-9)
    assert dyn.random_position(robot, np.random.default_rng(1), 3).shape == (3, robot.nq)


def test_the_neutral_position_is_closed(robot):
    robot.spanning(robot.neutral)
    assert_near(robot.neutral[robot.positions("ball joint")], np.array([1.0, 0.0, 0.0, 0.0]), 0.0)


def test_integrators_go_the_same_way(robot):
    """One drive on the joints, over 20 ms: by the Runge-Kutta method in steps of 1 ms, and by all others in 0.1 ms."""
    tree, state = robot.spanning_tree, some(robot, 1).at(0)
    pd = dyn.PD.to(robot, dyn.integrate(tree, tree.neutral, np.full(tree.nv, 0.1)), 3.0, 0.2)
    drive = dyn.Drive(tau=0.3 * np.cos(np.arange(tree.nv)), pd=pd)

    def travel(step, count):
        q, v = state.q, 0.3 * state.v
        for _ in range(count):
            end = step(robot, q, v, 0.02 / count, drive)
            q, v = (end.q, end.v) if isinstance(end, dyn.Step) else end
        return np.concatenate([q, v])

    want = travel(dyn.runge_kutta_4, 20)
    for step, error in (
        (dyn.trapezoid, 1e-5),
        (dyn.midpoint, 1e-5),
        (dyn.semi_implicit_euler, 2e-3),
        (dyn.implicit, 2e-3),
    ):
        assert_near(travel(step, 200), want, error)


def test_midpoint_keeps_the_energy(robot):
    """Within 1e-4 of what is exchanged, over 0.2 s."""
    free = robot.spanning_tree
    q, v = some(robot, 1).at(0)[:2]
    still = {"damping": np.zeros(free.nv), "stiffness": np.zeros(free.nv)}
    saved = {name: getattr(robot.coordinates, name) for name in still}
    energies = []
    try:
        for name, value in still.items():
            object.__setattr__(robot.coordinates, name, value)
        for _ in range(200):
            energies.append(dyn.kinetic_energy(robot, q, v) + dyn.potential_energy(robot, q))
            q, v = dyn.midpoint(robot, q, v, 1e-3)
    finally:
        for name, value in saved.items():
            object.__setattr__(robot.coordinates, name, value)
    assert np.ptp(energies) < 1e-4 * max(1.0, float(np.abs(energies).max()))


def test_skeletons_have_loops(robot):
    """The parts make up the acceleration; several robots are one world."""
    q, v, _, tau, _ = some(robot, 1).at(0)
    skeleton = dyn.Skeleton(robot, 1e-4)
    skeleton.positions, skeleton.velocities, skeleton.control_forces = q, v, tau
    skeleton.push("tool", (1.0, 2.0, -1.0))
    want = dyn.forward_dynamics(
        robot, q, v, tau + skeleton.external_forces - skeleton.damping_forces - skeleton.spring_forces
    )
    assert_near(skeleton.accelerations, want, 1e-9)
    assert_near(skeleton.damping_forces, -dyn.damping_forces(robot, v, q), 0.0)
    world = dyn.World([skeleton, dyn.Skeleton(robot, 1e-4)])
    world.step()
    robot.spanning(skeleton.positions)
    assert world.mass_matrix.shape == (2 * robot.nv, 2 * robot.nv)


def test_forces_of_speeds_need_the_position_where_there_are_loops():
    robot = built(linkage)
    for function in (dyn.damping_forces, dyn.friction_forces):
        with pytest.raises(StateError, match="q is needed: model 'robot' has loops"):
            function(robot, np.ones(robot.nv))


def test_out_is_filled(robot):
    q, v, *_ = some(robot)
    out = np.empty((4, robot.nv))
    assert dyn.bias_forces(robot, q, v, out=out) is out
    assert_near(out, dyn.bias_forces(robot, q, v), 0.0)


def test_loops_are_given_once():
    robot = built(geared)
    with pytest.raises(ModelError, match="model 'robot' has loops already; give all of them to its spanning tree"):
        robot.with_loops([])
