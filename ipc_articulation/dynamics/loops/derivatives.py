"""First derivatives of inverse and forward dynamics of robots with loops.

With q(y), v = G ẏ and a = G ÿ + g of the spanning tree, and its inverse dynamics τ(q, v, a), τ_y = Gᵀ τ. Changes of the
independent coordinates, which keep the loops closed, and of their velocities and accelerations change the tree's by

    δq = G δy,   δv = γ''[ẏ, δy] + G δẏ,   δa = γ''[ÿ, δy] + γ'''[ẏ, ẏ, δy] + 2 γ''[ẏ, δẏ] + G δÿ

(γ'' and γ''' in `curvature.py`), and so

    δτ_y = γ''[·, δy]ᵀ τ + Gᵀ (∂τ/∂q δq + ∂τ/∂v δv + ∂τ/∂a δa).

The tree's own derivatives are exact, and so are these but for γ''', by differences (errors are said there). As with
trees, derivatives by the position are along the directions in which velocities point, x moved to `robot.integrate(x,
δ)`; of joints in no loop, floating and ball joints among them, G is 1 and nothing is curved. For ÿ = forward dynamics,
∂ÿ = -H⁻¹ ∂τ_y at that ÿ, with H = ∂τ_y/∂ÿ = Gᵀ M G.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.dynamics.algorithms.derivatives import ForwardDerivatives, InverseDerivatives
from ipc_articulation.dynamics.algorithms.derivatives import inverse_dynamics_derivatives as tree_derivatives
from ipc_articulation.dynamics.algorithms.rnea import inverse_dynamics as tree_inverse_dynamics
from ipc_articulation.dynamics.loops.curvature import Curvature
from ipc_articulation.dynamics.loops.forward_dynamics import forward_dynamics, wrenches_of
from ipc_articulation.dynamics.loops.loop_model import LoopModel


def inverse_dynamics_derivatives(
    robot: LoopModel, x: ArrayLike, y_dot: ArrayLike, y_ddot: ArrayLike, wrenches: ArrayLike | None = None
) -> InverseDerivatives:
    """Derivatives of `projection.inverse_dynamics`, with wrenches held constant.

    Args:
        robot: The robot.
        x: Position, (nx,).
        y_dot: Independent velocities ẏ, (nv,).
        y_ddot: Their rates ÿ, (nv,).
        wrenches: On the bodies of the spanning tree, (nb, 6) [moment about the world's origin; force], world axes.

    Returns:
        By displacements along ẏ, by ẏ and by ÿ, (nv, nv) each.

    Raises:
        StateError: A wrong length, a number that is not finite, an open or singular loop.
    """
    x, y_dot = robot.vector(x, robot.nx, "x"), robot.vector(y_dot, robot.nv, "velocity")
    y_ddot = robot.vector(y_ddot, robot.nv, "acceleration")
    wrenches = None if wrenches is None else wrenches_of(robot, wrenches)
    q, v, G, g = robot.motion(x, y_dot)
    a, curvature = G @ y_ddot + g, Curvature(robot, x)
    by, tau = tree_derivatives(robot.model, q, v, a, wrenches), tree_inverse_dynamics(robot.model, q, v, a, wrenches)
    turn = curvature.along(y_dot)
    a_by_y = curvature.along(y_ddot) + curvature.third(y_dot)
    return InverseDerivatives(
        q=curvature.weighted(tau) + G.T @ (by.q @ G + by.v @ turn + by.a @ a_by_y),
        v=G.T @ (by.v @ G + 2.0 * by.a @ turn),
        a=G.T @ by.a @ G,
    )


def forward_dynamics_derivatives(
    robot: LoopModel, x: ArrayLike, y_dot: ArrayLike, tau: ArrayLike, wrenches: ArrayLike | None = None
) -> ForwardDerivatives:
    """Derivatives of `forward_dynamics`, with wrenches held constant; arguments as there.

    Returns:
        By displacements along ẏ, by ẏ and by τ, (nv, nv) each.

    Raises:
        StateError: A wrong length, a number that is not finite, an open or singular loop.
    """
    y_ddot = forward_dynamics(robot, x, y_dot, tau, wrenches)
    by = inverse_dynamics_derivatives(robot, x, y_dot, y_ddot, wrenches)
    W = np.asarray(np.linalg.inv(by.a), dtype=float)
    return ForwardDerivatives(-W @ by.q, -W @ by.v, W)
