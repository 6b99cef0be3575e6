"""Robots with loops against Lagrange's equations, derived by CasADi from nothing but where the bodies are.

    T = ½ Σ tr(Ḣ P Ḣᵀ),   V = -Σ m g·x,   τ_q = d/dt ∂T/∂q̇ - ∂(T - V)/∂q,   τ = Gᵀ τ_q   at q̈ = G ÿ + Ġ ẏ

with H(q) the pose of a body in the world and P = ∫ r rᵀ dm its matrix of second moments, r = (x, 1). Ġ is a difference.
"""

import casadi
import numpy as np
import pytest

from ipc_articulation.dynamics.loops import Implicit, projection
from ipc_articulation.dynamics.loops.forward_dynamics import forward_dynamics
from tests.dynamics.by_hand import assert_near
from tests.dynamics.loops.by_clusters import slope
from tests.dynamics.loops.robots import robot_of, states

FIXED = ["Revolute", "RevolutePair", "RevoluteWithRotor", "RevolutePairWithRotor", "RevoluteTripleWithRotor"]
CASES = [(f"chain of {kind}", seed) for kind in FIXED for seed in (0, 1, 2)]
CASES += [
    (f"chain of {kind}", seed) for kind in ("TelloHip", "TelloKneeAnkle", "FourBar", "six-bar") for seed in (0, 1)
]
CASES += [("spread", 0), ("planar leg", 0), ("six-bar arm", 0), ("humanoid leg", 0)]


def hinge(axis, angle):
    """Rodrigues' formula, as a pose."""
    a = casadi.skew(axis)
    H = casadi.SX.eye(4)
    H[:3, :3] = casadi.SX.eye(3) + casadi.sin(angle) * a + (1 - casadi.cos(angle)) * (a @ a)
    return H


def second_moments(link):
    """∫ r rᵀ dm, (4, 4): about the centre ½ tr(I) 1 - I."""
    c, inertia = np.asarray(link.centre), np.asarray(link.inertia)
    S = 0.5 * np.trace(inertia) * np.eye(3) - inertia + link.mass * np.outer(c, c)
    return np.block([[S, link.mass * c[:, None]], [link.mass * c[None], np.array([[link.mass]])]])


def lagrange(robot):
    """τ_q of (q, q̇, q̈), for hinges only."""
    tree, links = robot.model.model, {link.name: link for link in robot.mechanism.links}
    q, q_dot, q_ddot = (casadi.SX.sym(name, tree.nv) for name in ("q", "v", "a"))
    poses, T, V = {"world": casadi.SX.eye(4)}, 0, 0
    for placed in robot.mechanism.joints:
        turned = hinge(placed.joint.elements[0].axis, q[tree.dofs(placed.name).start])
        H = poses[placed.child] = poses[placed.parent] @ casadi.SX(np.asarray(placed.origin)) @ turned
        link = links[placed.child]
        H_dot = casadi.reshape(casadi.jtimes(casadi.vec(H), q, q_dot), 4, 4)
        T += 0.5 * casadi.trace(H_dot @ second_moments(link) @ H_dot.T)
        V -= link.mass * casadi.dot(tree.gravity, (H @ np.array([*link.centre, 1.0]))[:3])
    momentum = casadi.gradient(T, q_dot)
    tau = casadi.jtimes(momentum, q, q_dot) + casadi.jtimes(momentum, q_dot, q_ddot) - casadi.gradient(T - V, q)
    return casadi.Function("tau", [q, q_dot, q_ddot], [tau])


def rate_of_G(model, x, y_dot):
    """Ġ along ẏ, positions of linkages moving along the tangent q̇; all joints are in loops."""
    x_dot = np.empty(model.nx)
    for loop in model.loops:
        straight = isinstance(loop.constraint, Implicit)
        x_dot[loop.x] = loop.constraint.G(x[loop.x]) @ y_dot[loop.y] if straight else y_dot[loop.y]
    return slope(lambda h: model.G(x + h * x_dot), 1e-3)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_equations_of_motion_are_lagranges(kind, seed):
    robot = robot_of(kind, seed)
    model, tau_q = robot.model, lagrange(robot)
    for x, y_dot, y_ddot, *_ in states(robot, 5, steepest=10.0):
        G = model.G(x)
        a = G @ y_ddot + rate_of_G(model, x, y_dot) @ y_dot
        want = G.T @ tau_q(model.spanning(x), G @ y_dot, a).full().ravel()
        assert_near(projection.inverse_dynamics(model, x, y_dot, y_ddot), want, 1e-8)
        assert_near(forward_dynamics(model, x, y_dot, want), y_ddot, 1e-7)
