"""Initial positions, velocities and targets of joints that follow others (mimic joints, equalities of joints).

A follower is at θ_f = p(θ_l) and moves with θ̇_f = p'(θ_l) θ̇_l, with a polynomial p and its leader l.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.robots import RobotSetup
from ipc_articulation.errors import StartError

AGREES = 1e-3  # [rad, m, rad/s or m/s] by which a file's value may differ, as people type it; the leader's counts

Start = tuple[dict[str, float], dict[str, float]]  # positions and velocities by joint
Tie = tuple[int, int, Polynomial]  # places of a follower and its leader among some joints, and the follower's position


@dataclass(frozen=True)
class Follower:
    """A joint whose position is a polynomial of another joint's."""

    joint: str
    leader: str
    position: Polynomial  # [rad or m] of the leader's position


def started(followers: Iterable[Follower], rest: Mapping[str, float], setup: RobotSetup) -> Start:
    """The positions and velocities of a setup, with the followers where their leaders put them.

    Args:
        followers: The joints that follow others.
        rest: Positions of joints that the setup does not name; those that are missing are at 0.
        setup: The scene's settings.

    Raises:
        StartError: The setup puts a follower elsewhere than its leader does; names both, and the position.
    """
    theta, theta_dot = dict(setup.start), dict(setup.start_velocity)
    followers = tuple(followers)
    for _ in followers:  # a leader may follow another joint, that of a later one
        for follower in followers:
            at = theta.get(follower.leader, rest.get(follower.leader, 0.0))
            rate = follower.position.deriv()(at)
            if follower.joint not in setup.start:
                theta[follower.joint] = float(follower.position(at))
            if follower.leader in theta_dot and follower.joint not in setup.start_velocity:
                theta_dot[follower.joint] = float(rate * theta_dot[follower.leader])
    for follower in followers:
        at = theta.get(follower.leader, rest.get(follower.leader, 0.0))
        rate = follower.position.deriv()(at) * theta_dot.get(follower.leader, 0.0)
        _agree(follower, "initial", setup.start, theta, float(follower.position(at)))
        _agree(follower, "initial_velocity", setup.start_velocity, theta_dot, float(rate))
    return theta, theta_dot


def ties(followers: Iterable[Follower], joints: Sequence[str], speeds: Collection[str] = ()) -> list[Tie]:
    """The followers among some joints whose leaders are among them too, but for those whose targets are velocities."""
    among = [follower for follower in followers if {follower.joint, follower.leader} <= {*joints} - {*speeds}]
    return [(joints.index(one.joint), joints.index(one.leader), one.position) for one in among]


def aimed(tied: Sequence[Tie], start: Array, targets: Array) -> Array:
    """Targets (k,) of actuators where those of followers do not hold them back from what moves their leaders.

    A follower that is aimed at its start goes where its leader's target puts it.

    Args:
        tied: The followers.
        start: Where the joints start, (k,).
        targets: (k,).
    """
    if not tied:
        return targets
    aims, rests = np.array(targets, dtype=float), targets == start
    for _ in tied:
        for joint, leader, position in tied:
            if rests[joint] and aims[leader] != start[leader]:
                aims[joint] = position(aims[leader])
    return aims


def _agree(follower: Follower, key: str, given: Mapping[str, float], values: dict[str, float], wanted: float) -> None:
    """Set what was given to the follower to what its leader makes of it, or refuse it."""
    value = given.get(follower.joint)
    if value is None:
        return
    if not abs(value - wanted) <= AGREES * max(1.0, abs(wanted)):
        raise StartError(
            key,
            follower.joint,
            f"{key} of joint '{follower.joint}' is {value:g}, but it follows joint '{follower.leader}', which makes it "
            f"{wanted:.6g}; leave it out, or change '{follower.leader}'",
        )
    values[follower.joint] = wanted
