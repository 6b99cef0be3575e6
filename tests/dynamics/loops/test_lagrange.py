"""Robots with loops against Lagrange's equations, derived by CasADi from nothing but where the bodies are.

    T = ½ Σ tr(Ḣ P Ḣᵀ),   V = -Σ m g·x,   τ_q = d/dt ∂T/∂q̇ - ∂(T - V)/∂q,   τ = Gᵀ τ_q   at q̈ = G ÿ + Ġ ẏ

with H(q) the pose of a body in the world and P = ∫ r rᵀ dm its matrix of second moments, r = (x, 1). Ġ is a difference.
"""

import casadi
import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import forward_dynamics
from ipc_articulation.dynamics.loops import Implicit
from ipc_articulation.dynamics.loops.motion import times
from tests.dynamics.by_hand import assert_near
from tests.dynamics.loops.by_clusters import slope
from tests.dynamics.loops.random_clusters import KINDS
from tests.dynamics.loops.robots import robot_of, stacked, states
from tests.dynamics.loops.symbolic import Tree, rate

CHAINS = [f"chain of {kind}" for kind in KINDS]
LEGS = ["spread", "planar leg", "six-bar arm", "humanoid leg"]


def second_moments(link):
    """∫ r rᵀ dm, (4, 4): about the centre ½ tr(I) 1 - I."""
    c, inertia = np.asarray(link.centre), np.asarray(link.inertia)
    S = 0.5 * np.trace(inertia) * np.eye(3) - inertia + link.mass * np.outer(c, c)
    return np.block([[S, link.mass * c[:, None]], [link.mass * c[None], np.array([[link.mass]])]])


def lagrange(robot):
    """τ_q of (q, q̇, q̈), for hinges only."""
    tree, links = Tree(robot), {link.name: link for link in robot.mechanism.links}
    q, q_dot, q_ddot, T, V = tree.q, tree.v, tree.a, 0, 0
    for name, link in links.items():
        H = tree.poses[name]
        H_dot = rate(H, q, q_dot)
        T += 0.5 * casadi.trace(H_dot @ second_moments(link) @ H_dot.T)
        V -= link.mass * casadi.dot(robot.model.spanning_tree.gravity, (H @ np.array([*link.centre, 1.0]))[:3])
    momentum = casadi.gradient(T, q_dot)
    tau = casadi.jtimes(momentum, q, q_dot) + casadi.jtimes(momentum, q_dot, q_ddot) - casadi.gradient(T - V, q)
    return casadi.Function("tau", [q, q_dot, q_ddot], [tau])


def rate_of_G(model, x, y_dot):
    """Ġ along ẏ, positions of linkages moving along the tangent q̇; all joints are in loops."""
    x_dot = np.empty(model.nq)
    for loop in model.loops:
        straight = isinstance(loop.constraint, Implicit)
        x_dot[loop.x] = loop.constraint.G(x[loop.x]) @ y_dot[loop.y] if straight else y_dot[loop.y]
    return slope(lambda h: model.G(x + h * x_dot), 3e-4)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", CHAINS + LEGS)
def test_equations_of_motion_are_lagranges(kind, seed):
    robot = robot_of(kind, seed)
    model, some = robot.model, states(robot, steepest=10.0)
    x, y_dot, y_ddot, *_ = stacked(some)
    q, v, G, _ = (np.array(part) for part in zip(*map(model.motion, x, y_dot), strict=True))
    rates = np.array([rate_of_G(model, *state) for state in zip(x, y_dot, strict=True)])
    a = times(G, y_ddot) + times(rates, y_dot)
    want = times(G.swapaxes(1, 2), lagrange(robot)(q.T, v.T, a.T).full().T)
    for state, tau in zip(some, want, strict=True):
        assert_near(dyn.inverse_dynamics(model, state.x, state.y_dot, state.y_ddot), tau, 1e-7)
        assert_near(forward_dynamics(model, state.x, state.y_dot, tau), state.y_ddot, 1e-6)
