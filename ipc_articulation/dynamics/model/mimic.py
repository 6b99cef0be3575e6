"""Joints that follow another one, q_f = multiplier · q_l + offset; then v = G y with y the velocities of the others.

What resists a follower resists its leader: with the multiplier k, damping d and dry friction f are k² d and |k| f of
the leader (the same power), and a limit l is the limit (l - offset)/k.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.model.coordinates import Coordinates
from ipc_articulation.dynamics.model.parts import Mimic, PlacedJoint
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest
from ipc_articulation.repairs import caution


@dataclass(frozen=True)
class Followers:
    """The k joints that follow others, which themselves follow none."""

    dofs: Ints  # (k,) the followers'
    leader_dofs: Ints  # (k,)
    positions: Ints  # (k,) the followers'
    leader_positions: Ints  # (k,)
    multiplier: Array  # (k,)
    offset: Array  # (k,) [rad or m]
    independent: Ints  # (nv - k,) degrees of freedom that follow none
    G: Array  # (nv, nv - k)

    def __len__(self) -> int:
        return len(self.dofs)


def followers(joints: list[PlacedJoint], body_q: Ints, body_v: Ints, where: str) -> Followers:
    """Mimic joints, each related to the last joint in its chain of leaders.

    Args:
        joints: The joints in the model's order.
        body_q: First position coordinate of each, and nq.
        body_v: First velocity coordinate of each, and nv.
        where: Beginning of messages.

    Raises:
        ModelError: A joint follows itself, or one that is unknown, fixed or has several degrees of freedom.
    """
    index = {joint.name: i for i, joint in enumerate(joints) if joint.joint.ndof == 1}
    rows = [(index[name], *row) for name, row in _resolved(joints, index, where).items()]
    rows.sort()  # in the model's order
    at = np.array([row[0] for row in rows], dtype=np.int64)
    leads = np.array([row[1] for row in rows], dtype=np.int64)
    multipliers, offsets = np.array([row[2] for row in rows]), np.array([row[3] for row in rows])
    nv = int(body_v[-1])
    independent = np.setdiff1d(np.arange(nv), body_v[at])
    G = np.eye(nv)
    G[body_v[at], body_v[at]] = 0.0
    G[body_v[at], body_v[leads]] = multipliers
    return Followers(
        body_v[at], body_v[leads], body_q[at], body_q[leads], multipliers, offsets, independent, G[:, independent]
    )


def _resolved(joints: list[PlacedJoint], index: dict[str, int], where: str) -> dict[str, tuple[int, float, float]]:
    """By follower: the joint at the end of its chain of leaders, and its multiplier and offset, in linear time."""
    resolved: dict[str, tuple[int, float, float]] = {}
    for joint in joints:
        chain: dict[str, Mimic] = {}
        while joint.mimic is not None and joint.name not in resolved:
            if joint.name in chain:
                raise ModelError(f"{where}: joint '{joint.name}' mimics itself, through {', '.join(chain)}")
            chain[joint.name] = joint.mimic
            joint = _leader(joint.name, joint.mimic, joints, index, where)
        for follower, mimic in reversed(chain.items()):
            end, multiplier, offset = resolved.get(mimic.joint, (index[mimic.joint], 1.0, 0.0))
            resolved[follower] = end, mimic.multiplier * multiplier, mimic.multiplier * offset + mimic.offset
    return resolved


def _leader(name: str, mimic: Mimic, joints: list[PlacedJoint], index: dict[str, int], where: str) -> PlacedJoint:
    if name not in index or mimic.joint not in index:
        raise ModelError(
            f"{where}: joint '{name}' mimics '{mimic.joint}'; both must be joints with one degree of "
            f"freedom{suggest(mimic.joint, index)}"
        )
    return joints[index[mimic.joint]]


def on_leaders(c: Coordinates, f: Followers, names: Sequence[str], where: str) -> Coordinates:
    """The coordinates with the damping, dry friction and limits of followers on their leaders.

    Args:
        c: Of the joints.
        f: The followers.
        names: Of the degrees of freedom.
        where: Beginning of messages.
    """
    c = replace(c, **{name: getattr(c, name).copy() for name in ("damping", "friction", "lower", "upper")})
    for dof, leader, k, offset in zip(f.dofs, f.leader_dofs, f.multiplier, f.offset, strict=True):
        c.damping[leader] += k * k * c.damping[dof]
        c.friction[leader] += abs(k) * c.friction[dof]
        ends = sorted((limit - offset) / k for limit in (c.lower[dof], c.upper[dof])) if k else (-np.inf, np.inf)
        lower, upper = max(ends[0], c.lower[leader]), min(ends[1], c.upper[leader])
        if lower < upper:
            c.lower[leader], c.upper[leader] = lower, upper
        else:
            caution(f"{where}: joint '{names[dof]}' has limits that '{names[leader]}', which it mimics, cannot keep")
        c.damping[dof] = c.friction[dof] = 0.0
        c.lower[dof], c.upper[dof] = -np.inf, np.inf
    return c
