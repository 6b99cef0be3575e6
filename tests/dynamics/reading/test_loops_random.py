"""Random robots written as URDF+ and read back are the robots that they were: ten of each kind, in twenty states."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import forward_dynamics
from ipc_articulation.dynamics.reading.loops import read_robot
from tests.dynamics.by_hand import assert_near
from tests.dynamics.loops.robots import robot_of, states
from tests.dynamics.reading.test_loops import position_of, row_space
from tests.dynamics.reading.written_robots import text_of

pytest.importorskip("casadi")
KINDS = ["chain of Revolute", "chain of RevoluteWithRotor", pytest.param("chain of FourBar", marks=pytest.mark.slow)]
KINDS += ["humanoid leg", "mini cheetah", "planar leg"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_robot_from_its_file_is_the_robot(kind):
    """FK, G, g, K up to its row space, k, H, C and forward dynamics."""
    for seed in range(10):
        robot = robot_of(kind, seed)
        by_hand, names = robot.model, [link.name for link in robot.mechanism.links]
        file = read_robot(text_of(robot), floating_base=kind == "mini cheetah")
        file.gravity = robot.mechanism.gravity
        read = file.build()
        for state in states(robot):
            assert_state_is_the_same(read, by_hand, names, state)


def assert_state_is_the_same(read, by_hand, names, state):
    q, v, G, g = by_hand.motion(state.x, state.y_dot)
    x = position_of(read, q)
    for got, want in zip(read.motion(x, state.y_dot), (q, v, G, g), strict=True):
        assert_near(got, want, 1e-10)
    for function in (dyn.frame_poses, lambda *arguments: dyn.frame_velocities(*arguments[:2], v, arguments[2])):
        assert_near(function(read.spanning_tree, q, names), function(by_hand.spanning_tree, q, names), 1e-10)
    assert_near(row_space(read.K(q)), row_space(by_hand.K(q)), 1e-10)
    assert_near(read.K(q) @ g, read.k(q, v), 1e-10)
    assert_near(dyn.mass_matrix(read, x), dyn.mass_matrix(by_hand, state.x), 5e-8)
    bias = dyn.bias_forces(by_hand, state.x, state.y_dot)
    assert_near(dyn.bias_forces(read, x, state.y_dot), bias, 5e-8)
    y_ddot = forward_dynamics(by_hand, state.x, state.y_dot, state.tau, state.wrenches)
    pushed = dict(zip([body.name for body in by_hand.bodies], state.wrenches, strict=True))
    wrenches = [pushed.get(body.name, np.zeros(6)) for body in read.bodies]  # «ground» is one of them
    assert_near(forward_dynamics(read, x, state.y_dot, state.tau, wrenches), y_ddot, 5e-8)
