"""The motion of the spanning tree by compiled code, against each constraint's own functions."""

import re

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import Mechanism, forward_dynamics, joints
from ipc_articulation.dynamics.algorithms import projection
from ipc_articulation.dynamics.loops import Affine, CoordinateFunctions, FourBar, Implicit, gear
from ipc_articulation.errors import StateError
from tests.dynamics.by_hand import assert_near


@pytest.mark.slow
def test_motion_is_that_of_each_loop(robots):
    for robot, some in robots:
        for x, y_dot, *_ in some:
            q, v, G, g = robot.model.motion(x, y_dot)
            assert_near(G @ y_dot, v, 1e-13)
            for loop in robot.model.loops:
                q_loop, G_loop, g_loop = loop.constraint.motion(x[loop.x], y_dot[loop.y])
                assert_near(q[loop.q], q_loop, 1e-13)
                assert_near(G[loop.dofs, loop.y], G_loop, 1e-13)
                assert_near(g[loop.dofs], g_loop, 1e-11)
                assert np.count_nonzero(np.delete(G[loop.dofs], loop.y, axis=1)) == 0
            dofs, free = robot.model.closure.free_dofs, robot.model.closure.free_y
            np.testing.assert_array_equal(G[dofs, free], 1.0)
            assert not g[dofs].any()


class Square:
    """x²."""

    def __call__(self, x):
        return x * x

    def first(self, x):
        return 2.0 * x

    def second(self, x):
        return 2.0


def every_kind():
    """A free base and eleven hinges, in loops of all kinds that compiled code tells apart, out of order."""
    mechanism = Mechanism("every kind", gravity=(1.0, -2.0, -9.0))
    rng = np.random.default_rng(0)
    names = ["base", *(f"hinge{k}" for k in range(11))]
    for number, name in enumerate(names):
        mechanism.add_link(f"{name} link", 1.0, rng.uniform(-0.2, 0.2, 3), 0.02)
        joint = joints.RevoluteJoint(rng.normal(size=3)) if number else joints.FloatingJoint()
        parent = "world" if number == 0 else f"{names[number // 2]} link"
        mechanism.add_joint(name, joint, parent, f"{name} link")
    hinges = names[1:]
    loops = [
        ([hinges[9], hinges[2], hinges[5]], FourBar((0.3, 0.25, 0.28), (0.26, 0.05), 1)),
        ([hinges[3], hinges[0]], gear(-3.0)),
        ([hinges[1], hinges[10]], Affine([[1.0], [2.0]], [0.3, -0.1])),
        ([hinges[8], hinges[4]], CoordinateFunctions([Square(), Square()], [0, 0])),
        ([hinges[7], hinges[6]], Implicit(lambda q: [q[0] + q[1] ** 2], 2, [1])),
    ]
    return mechanism.build().with_loops(loops)


def test_one_robot_with_every_kind_of_loop():
    """Compiled and evaluated by Python side by side: by clusters and by projection the same."""
    robot = every_kind()
    assert sorted({int(kind) for kind in robot.closure.program.loops["kind"]}) == [0, 1, 2, 3]
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = dyn.random_position(robot, rng)
        y_dot, tau = rng.normal(size=(2, robot.nv))
        q, v, G, g = robot.motion(x, y_dot)
        for loop in robot.loops:
            got = q[loop.q], G[loop.dofs, loop.y], g[loop.dofs]
            for ours, theirs in zip(got, loop.constraint.motion(x[loop.x], y_dot[loop.y]), strict=True):
                assert_near(ours, theirs, 1e-12)
        assert_near(v, G @ y_dot, 1e-13)
        assert_near(robot.spanning(x), q, 0.0)
        assert_near(robot.G(x), G, 0.0)
        assert_near(robot.g(x, y_dot), g, 0.0)
        want = projection.projected_dynamics(robot, x, y_dot, tau)
        assert_near(forward_dynamics(robot, x, y_dot, tau), want, 1e-8)
        assert_near(forward_dynamics(robot, x.tolist(), y_dot.tolist(), tau.tolist()), want, 1e-8)
        assert_near(forward_dynamics(robot, np.repeat(x, 2)[::2], y_dot, tau), want, 1e-8)


def test_states_that_do_not_fit():
    """The words are those for trees; joints of loops are named."""
    robot = every_kind()
    x, rest = dyn.random_position(robot, np.random.default_rng(0)), np.zeros(robot.nv)
    sizes = "but model 'every kind' (nq = 15, nv = 11) needs"
    for call, message in (
        (lambda: forward_dynamics(robot, x[1:], rest, rest), f"q has shape (14,), {sizes} (15) or (..., 15)"),
        (lambda: forward_dynamics(robot, x, rest[1:], rest), f"v has shape (10,), {sizes} (11) or (..., 11)"),
        (lambda: forward_dynamics(robot, x, rest, rest[1:]), f"tau has shape (10,), {sizes} (11) or (..., 11)"),
        (lambda: robot.motion(x, np.append(rest, 0.0)), "velocity has shape (12,); give (11,) or (..., 11)"),
    ):
        with pytest.raises(StateError) as error:
            call()
        assert str(error.value) == message
    for place, what in ((0, "q[7] ('hinge3')"), (1, "v[7] ('hinge1')"), (2, "tau[7] ('hinge1')")):
        state = [x.copy(), rest.copy(), rest.copy()]
        state[place][7] = np.nan
        with pytest.raises(StateError, match="^" + re.escape(f"{what} is nan; it must be finite")):
            forward_dynamics(robot, *state)


def test_quaternions():
    """Zero and other lengths than one are refused."""
    robot = every_kind()
    x, rest = dyn.random_position(robot, np.random.default_rng(0)), np.zeros(robot.nv)
    for factor, words in ((1.5, "has length 1.5"), (0.0, "is zero")):
        other = x.copy()
        other[3:7] *= factor
        with pytest.raises(StateError, match=f"the quaternion of joint 'base' {words}"):
            forward_dynamics(robot, other, rest, rest)
