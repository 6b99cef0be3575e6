"""Robots with loops: every algorithm against every other one, and against sums over bodies."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import forward_dynamics
from ipc_articulation.dynamics.algorithms import multipliers, projection
from ipc_articulation.dynamics.loops import FourBar, Implicit, TelloDifferential
from ipc_articulation.dynamics.loops.kinds import TELLO_HIP
from tests.dynamics.by_hand import assert_near
from tests.dynamics.loops import by_clusters
from tests.dynamics.loops.by_clusters import assert_each
from tests.dynamics.loops.linkages import four_bar, geared, hip, knee_ankle
from tests.dynamics.loops.random_clusters import KINDS
from tests.dynamics.loops.robots import chain, robot_of, stacked, states

TOLERANCE = 5e-8


@pytest.mark.slow
def test_mass_matrix_and_bias_are_sums_over_bodies(robots):
    for robot, some in robots:
        x, y_dot, y_ddot, _, w = stacked(some)
        H, tau = by_clusters.sums_over_bodies(robot, x, y_dot, y_ddot, w)
        assert np.linalg.eigvalsh(H).min() > 0.0
        assert_each(over_states(dyn.mass_matrix, robot, x), H, TOLERANCE)
        assert_each(over_states(dyn.inverse_dynamics, robot, x, y_dot, y_ddot, w), tau, TOLERANCE)
        C = over_states(dyn.inverse_dynamics, robot, x, y_dot, 0.0 * y_ddot, w)
        assert_each(C, tau - (H @ y_ddot[..., None])[..., 0], TOLERANCE)


def over_states(function, robot, *arrays):
    """A function of a robot and one state, of several."""
    return np.array([function(robot.model, *state) for state in zip(*arrays, strict=True)])


def test_accelerations_are_the_same_by_all_algorithms(robots):
    """With a wrench on every body; and inverse dynamics gives the forces back."""
    for robot, some in robots:
        for x, y_dot, _, tau, wrenches in some:
            asked = robot.model, x, y_dot, tau, wrenches
            y_ddot = forward_dynamics(*asked)
            assert_near(projection.projected_dynamics(*asked), y_ddot, TOLERANCE)
            assert_near(multipliers.constrained_dynamics(*asked).y_ddot, y_ddot, TOLERANCE)
            assert_near(dyn.inverse_dynamics(robot.model, x, y_dot, y_ddot, wrenches), tau, TOLERANCE)


def test_multipliers_are_those_of_one_system_for_motion_and_forces(robots):
    """[H -Kᵀ; K 0] [q̈; λ] = [τ_q - C; k] at once; λ the least one where rows are redundant."""
    for robot, some in robots:
        model = robot.model
        for x, y_dot, _, tau, wrenches in some:
            got = multipliers.constrained_dynamics(model, x, y_dot, tau, wrenches)
            q, v = model.spanning(x), model.G(x) @ y_dot
            H, K = dyn.mass_matrix(model.spanning_tree, q), model.K(q)
            C = dyn.inverse_dynamics(model.spanning_tree, q, v, np.zeros(model.spanning_tree.nv), wrenches)
            tau_q = np.linalg.lstsq(model.G(x).T, tau, rcond=None)[0]
            whole = np.block([[H, -K.T], [K, np.zeros((len(K), len(K)))]])
            both = np.linalg.lstsq(whole, np.concatenate([tau_q - C, model.k(q, v)]), rcond=None)[0]
            assert_near(got.q_ddot, both[: model.spanning_tree.nv], TOLERANCE)
            assert_near(got.multipliers, both[model.spanning_tree.nv :], TOLERANCE)


def test_multipliers_keep_the_loops_closed(robots):
    for robot, some in robots:
        for x, y_dot, _, tau, wrenches in some:
            got = multipliers.constrained_dynamics(robot.model, x, y_dot, tau, wrenches)
            q, v = robot.model.spanning(x), robot.model.G(x) @ y_dot
            assert_near(robot.model.K(q) @ got.q_ddot, robot.model.k(q, v), TOLERANCE)
            assert_near(robot.model.G(x) @ got.y_ddot + robot.model.g(x, y_dot), got.q_ddot, TOLERANCE)


def from_mask(constraint):
    """The same static constraint as an implicit one: φ = K q, with a mask of independent coordinates."""
    G, K = constraint.matrix, constraint.K(np.zeros(constraint.size))
    places = [int(np.flatnonzero((unit == G).all(axis=1))[0]) for unit in np.eye(constraint.ndof)]
    return Implicit(lambda q: K @ q, constraint.size, places)


GEARED = ["RevoluteWithRotor", "RevolutePairWithRotor", "RevoluteTripleWithRotor"]


@pytest.mark.parametrize("kind", [*(f"chain of {kind}" for kind in GEARED), "spread"])
def test_a_cluster_from_a_mask_is_the_specialised_one(kind):
    for seed in range(10):
        robot = robot_of(kind, seed)
        generic = robot.model.spanning_tree.with_loops(
            [(names, from_mask(constraint)) for names, constraint in robot.loops]
        )
        for x, y_dot, _, tau, wrenches in states(robot):
            q = np.concatenate([loop.constraint.spanning(x[loop.x]) for loop in robot.model.loops])
            want = forward_dynamics(robot.model, x, y_dot, tau, wrenches)
            assert_near(forward_dynamics(generic, q, y_dot, tau, wrenches), want, TOLERANCE)
            assert_near(dyn.mass_matrix(generic, q), dyn.mass_matrix(robot.model, x), TOLERANCE)
            C = dyn.bias_forces(robot.model, x, y_dot)
            assert_near(dyn.bias_forces(generic, q, y_dot), C, TOLERANCE)


def from_function(constraint):
    """The same linkage as an implicit constraint that CasADi differentiates; others as they are."""
    if isinstance(constraint, FourBar):
        own = constraint.parameters[constraint.size + constraint.ndof :]
        return Implicit(lambda q: four_bar(q, own), 3, constraint._free.tolist())
    if isinstance(constraint, TelloDifferential):
        return geared(hip if constraint.kind == TELLO_HIP else knee_ankle, constraint._scale[0])
    return constraint


LINKAGES = ["chain of TelloHip", "chain of TelloKneeAnkle", "chain of FourBar", "planar leg", "tello"]


@pytest.mark.parametrize("kind", LINKAGES)
def test_a_cluster_from_a_function_is_the_specialised_one(kind):
    """Evaluated by Python and by compiled code: as far as linkages are steep, which multiplies their rounding."""
    for seed in range(10):
        robot = robot_of(kind, seed)
        generic = robot.model.spanning_tree.with_loops([(names, from_function(c)) for names, c in robot.loops])
        assert generic.closure.program.given
        for x, y_dot, _, tau, wrenches in states(robot):
            want = forward_dynamics(robot.model, x, y_dot, tau, wrenches)
            assert_near(forward_dynamics(generic, x, y_dot, tau, wrenches), want, TOLERANCE)
            assert_near(dyn.mass_matrix(generic, x), dyn.mass_matrix(robot.model, x), TOLERANCE)
            C = dyn.bias_forces(robot.model, x, y_dot)
            assert_near(dyn.bias_forces(generic, x, y_dot), C, TOLERANCE)


@pytest.mark.parametrize("kind", ["Revolute", "RevolutePair"])
def test_trivial_loops_change_nothing(kind):
    for seed in range(10):
        robot = robot_of(f"chain of {kind}", seed)
        free = robot.model.spanning_tree.with_loops([])
        for x, y_dot, _, tau, wrenches in states(robot):
            want = forward_dynamics(free, x, y_dot, tau, wrenches)
            assert_near(forward_dynamics(robot.model, x, y_dot, tau, wrenches), want, 1e-11)


def test_clusters_of_robots_are_their_joints():
    """Cluster ABA works off as many clusters as were put together, except where they hang on several bodies."""
    for kind in KINDS:
        robot = chain(kind, 5, 0)
        assert len(robot.model.closure.clusters.parent) == len(robot.placed) == 5
    for kind in ("humanoid leg", "planar leg", "six-bar arm"):
        robot = robot_of(kind, 0)
        assert len(robot.model.closure.clusters.parent) == len(robot.placed)
    assert len(robot_of("spread", 0).model.closure.clusters.parent) == 1


@pytest.mark.parametrize(
    ("kind", "nv", "bodies", "nx"), [("humanoid leg", 5, 10, 5), ("mini cheetah", 18, 25, 19), ("tello", 16, 21, 25)]
)
def test_sizes_of_real_robots(kind, nv, bodies, nx):
    robot = robot_of(kind, 0).model
    assert (robot.nv, len(robot.bodies), robot.nq) == (nv, bodies, nx)


def test_a_rotor_adds_its_inertia_times_the_ratio_squared():
    """Σ S_rotᵀ I S_rot, generalized_rbda's reflected inertia, of rotors along any axis."""
    masses = []
    for seed in range(10):
        robot = chain("RevoluteWithRotor", 1, seed)
        [link, rotor] = robot.mechanism.links
        axis = [np.array(body.joint.elements[0].axis) for body in robot.placed[0].cluster.bodies]
        N = robot.loops[0][1].matrix[1, 0]
        about = [
            a @ (np.asarray(body.inertia) @ a) + body.mass * (body.centre @ body.centre - (body.centre @ a) ** 2)
            for body, a in zip((link, rotor), axis, strict=True)
        ]
        masses.append((dyn.mass_matrix(robot.model, [0.3])[0, 0], about[0] + N**2 * about[1]))
    assert_near(*np.transpose(masses), 1e-12)
