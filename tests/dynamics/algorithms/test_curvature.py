"""γ'' and γ''' of loops, against functions whose derivatives are known and CasADi's of linkages."""

import warnings

import casadi
import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import Mechanism, joints
from ipc_articulation.dynamics.algorithms.curvature import Curvature
from ipc_articulation.dynamics.loops import (
    CoordinateFunctions,
    FourBar,
    Implicit,
    Static,
    gear,
    tello_hip,
    tello_knee_ankle,
)
from tests.dynamics.by_hand import assert_near
from tests.dynamics.loops.linkages import four_bar, hip, knee_ankle
from tests.dynamics.loops.waves import Wave

LENGTHS, OFFSET = (0.3, 0.25, 0.28), (0.26, 0.05)


def series(*constraints):
    """A robot of hinges one after the other, and a loop on each few of them."""
    mechanism, parent, loops = Mechanism("series"), "world", []
    for number, constraint in enumerate(constraints):
        names = [f"{number}.{k}" for k in range(constraint.size)]
        for name in names:
            mechanism.add_link(name, 1.0, inertia=0.1)
            mechanism.add_joint(f"joint {name}", joints.RzJoint(), parent, name)
            parent = name
        loops.append(([f"joint {name}" for name in names], constraint))
    return mechanism.build().with_loops(loops)


def motions(robot, count=20):
    """x, ẏ, another velocity and forces on all joints of the tree."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        yield dyn.random_position(robot, rng), *rng.normal(size=(2, robot.nv)), rng.normal(size=robot.spanning_tree.nv)


def test_functions_of_one_coordinate():
    """Beside a gear; so that velocities, joints and positions are at different places."""
    waves, of = [Wave(1.0), Wave(2.0), Wave(3.0)], [1, 0, 1]
    robot = series(gear(3.0), CoordinateFunctions(waves, of))
    for x, y_dot, u, f in motions(robot):
        curvature = Curvature(robot, x)
        second, third = np.zeros((5, 3, 3)), np.zeros((5, 3))
        for k, (wave, c) in enumerate(zip(waves, of, strict=True)):
            y = x[1 + c]
            second[2 + k, 1 + c, 1 + c], third[2 + k, 1 + c] = wave.second(y), wave.third(y) * y_dot[1 + c] ** 2
        assert_near(curvature.along(u), second @ u, 1e-14)
        assert_near(curvature.weighted(f), np.tensordot(f, second, 1), 1e-14)
        assert_near(curvature.third(y_dot), third, 1e-10)


def test_loops_with_constant_tangents_have_none():
    robot = series(gear(3.0), Static([[1.0, 0.0], [2.0, -1.0], [0.0, 1.0]]))
    for x, y_dot, u, f in motions(robot, 1):
        curvature = Curvature(robot, x)
        for got in (curvature.along(u), curvature.weighted(f), curvature.third(y_dot)):
            assert not got.any()


def geared(phi):
    """Of rotors before their gears of 6."""
    return lambda q: phi([q[0] / 6.0, q[1] / 6.0, q[2], q[3]])


def symbolic(phi, constraint):
    """Of (q, u, ẏ) of a loop: γ''[u, ·] and γ'''[ẏ, ẏ, ·], exactly."""
    n, m = constraint.size, constraint.ndof
    q, u, y_dot = casadi.SX.sym("q", n), casadi.SX.sym("u", m), casadi.SX.sym("y_dot", m)
    free, bound = constraint._free.tolist(), constraint._bound.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        K = casadi.jacobian(casadi.vertcat(*phi(np.array(casadi.vertsplit(q), dtype=object))), q)
    G = casadi.SX(n, m)
    for column, (place, scale) in enumerate(zip(free, constraint._scale, strict=True)):
        G[place, column] = scale
    G[bound, :] = -casadi.solve(K[:, bound], K[:, free] @ G[free, :])
    g = casadi.jtimes(G @ y_dot, q, G @ y_dot)
    return casadi.Function("curvature", [q, u, y_dot], [casadi.jacobian(G @ u, q) @ G, casadi.jacobian(g, q) @ G])


def saddle(q):
    """One equation on three coordinates."""
    return np.array([q[0] + q[1] ** 2 * q[2] - np.sin(q[2])])


LINKAGES = [
    (lambda q: four_bar(q, (*LENGTHS, *OFFSET)), FourBar(LENGTHS, OFFSET)),
    (geared(hip), tello_hip()),
    (geared(knee_ankle), tello_knee_ankle()),
    (saddle, Implicit(saddle, 3, [2, 1])),
]


@pytest.mark.parametrize("linkages", [[0, 1], [2, 3], [1, 0, 2]])
def test_linkages(linkages):
    """Loops of one and two independent coordinates side by side, compiled or evaluated by Python."""
    robot = series(*(LINKAGES[k][1] for k in linkages))
    exact = [symbolic(*LINKAGES[k]) for k in linkages]
    for x, y_dot, u, f in motions(robot):
        curvature = Curvature(robot, x)
        second, third, weighted = curvature.along(u), curvature.third(y_dot), curvature.weighted(f)
        for loop, function in zip(robot.loops, exact, strict=True):
            want = [np.array(part) for part in function(x[loop.x], u[loop.y], y_dot[loop.y])]
            assert_near(second[loop.dofs, loop.y], want[0], 1e-10)
            assert_near(third[loop.dofs, loop.y], want[1], 1e-7)
            assert_near(u[loop.y] @ weighted[loop.y, loop.y], f[loop.dofs] @ want[0], 1e-10)
            assert np.count_nonzero(np.delete(third[loop.dofs], loop.y, axis=1)) == 0


def test_a_linkage_beside_a_singular_position():
    """Where the other bars are twenty times as fast as the driver, the step of the differences is as much smaller."""
    constraint = FourBar(LENGTHS, OFFSET)
    robot, exact = series(constraint), symbolic(lambda q: four_bar(q, (*LENGTHS, *OFFSET)), constraint)
    x, fastest, y_dot = robot.closed([1.2, 1.1, -1.0]), 1.0, np.ones(1)
    while fastest < 20.0:
        x = dyn.integrate(robot, x, y_dot, 0.02 / fastest**2)
        fastest = np.abs(robot.G(x)).max()
    assert_near(Curvature(robot, x).third(y_dot), np.array(exact(x, y_dot, y_dot)[1]), 1e-8)
