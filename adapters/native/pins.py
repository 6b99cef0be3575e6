"""Pins: hinges that close loops, between links that the spanning tree does not connect."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from ipc_articulation.adapters.native.chain import LinkChain
from ipc_articulation.adapters.native.loop_scene import LoopScene
from numpy.typing import ArrayLike

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import CoupledJoint
from ipc_articulation.coupling.robots import Pin
from ipc_articulation.coupling.stiffness import AXIS_LENGTH
from ipc_articulation.dynamics.algorithms.jacobian import jacobian
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import AdapterError

GAP = 1e-6  # [m], largest distance of the two ends of a pin
BLIND = 1e-6  # separation speed of a pin's ends, or singular value, that counts as zero; relative to the largest

WORLD = "world"


def placed_pin(pin: Pin, names: Sequence[str], poses: Array) -> CoupledJoint:
    """A pin as a joint of the coupled scene.

    Args:
        pin: The pin.
        names: Names of the scene's links.
        poses: Poses of these links, (n, 4, 4).

    Raises:
        AdapterError: A link is unknown, the axis has no length, or the ends do not meet; the message has the gap.
    """
    first, second = _link(pin, pin.first, names), _link(pin, pin.second, names)
    if second < 0:
        raise AdapterError(f"pin '{pin.name}': its second link is 'world'; give 'world' as the first")
    base = np.eye(4) if first < 0 else poses[first]
    here, there = _point(base, pin.on_first), _point(poses[second], pin.on_second)
    gap = float(np.linalg.norm(there - here))
    if not gap <= GAP:
        raise AdapterError(
            f"pin '{pin.name}': its ends on '{pin.first}' and '{pin.second}' are {gap:.6g} m apart; they must meet at "
            f"the start within {GAP:g} m"
        )
    axis = base[:3, :3] @ np.asarray(pin.axis, dtype=float)
    length = float(np.linalg.norm(axis))
    if not length > 0.0:
        raise AdapterError(f"pin '{pin.name}': its axis has no length")
    return CoupledJoint(pin.name, "revolute", first, second, 0.5 * (here + there), axis / length)


def require_closing(robot: Model, x: Array, chain: LinkChain, scene: LoopScene, pins: Sequence[CoupledJoint]) -> None:
    """Refuse pins that do not close exactly the loops of the robot, as far as its links are in the scene.

    The ends of a pin's axis separate at the speed J q̇. Loops and pins agree if J G = 0, and if the rank of J, on the
    joints of the scene's links except the tied ones, is the number of dependent joints.

    Args:
        robot: The robot.
        x: Its position, (nx,), loops closed.
        chain: All of its links.
        scene: Its links and joints in the scene.
        pins: The pins as joints between the scene's links.

    Raises:
        AdapterError: A pin blocks the motion of the loops, or there are more degrees of freedom than in the robot.
        StateError: A loop is open or singular.
    """
    q, G = robot.spanning(x), robot.G(x)
    parting = [np.zeros((0, robot.spanning_tree.nv)), *(_parting(chain, q, scene.links, pin) for pin in pins)]
    for pin, J in zip(pins, parting[1:], strict=True):
        if np.abs(J @ G).max() > BLIND * np.abs(J).max() * np.abs(G).max():
            raise AdapterError(f"pin '{pin.name}' hinders its loop: its ends part when the robot moves as its loops do")
    J = np.concatenate(parting)
    J[:, scene.owned] += J[:, scene.tied] @ scene.tie_rates(G)
    J = J[:, np.isin(chain.of_dof, np.setdiff1d(scene.links, scene.tied_links))]
    rank = int(np.linalg.matrix_rank(J, tol=BLIND * np.abs(J).max(initial=0.0))) if J.size else 0
    missing = J.shape[1] - rank - robot.nv
    if missing > 0:
        raise AdapterError(
            f"the links of model '{robot.name}' can move in {missing} ways more than its loops allow: nothing in "
            "the scene holds them together there; give a Pin where links meet"
        )


def _parting(chain: LinkChain, q: Array, links: Ints, pin: CoupledJoint) -> Array:
    """Separation speed of both links at both ends of the axis per unit of q̇: (6, spanning nv) [m/s]."""
    poses = chain.link_poses(q)
    ends = [pin.anchor + side * 0.5 * AXIS_LENGTH * pin.axis for side in (-1.0, 1.0)]
    return np.concatenate([_point_rate(chain, q, poses, links, pin.child, end) for end in ends]) - np.concatenate(
        [_point_rate(chain, q, poses, links, pin.parent, end) for end in ends]
    )


def _point_rate(chain: LinkChain, q: Array, poses: Array, links: Ints, link: int, point: Array) -> Array:
    """Velocity of a point (3,), in the world, that moves with a link, per unit of q̇: (3, spanning nv)."""
    if link < 0:
        return np.zeros((3, chain.model.nv))
    H = poses[links[link]]
    local = H[:3, :3].T @ (point - H[:3, 3])
    return np.asarray(jacobian(chain.linked, q, int(links[link]), local)[3:], dtype=float)


def _link(pin: Pin, name: str, names: Sequence[str]) -> int:
    if name == WORLD:
        return -1
    if name not in names:
        raise AdapterError(f"pin '{pin.name}' is on '{name}', which is no link of the scene; there are {list(names)}")
    return names.index(name)


def _point(pose: Array, local: ArrayLike) -> Array:
    return np.asarray(pose[:3, :3] @ np.asarray(local, dtype=float) + pose[:3, 3], dtype=float)
