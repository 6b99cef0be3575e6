"""The mimic joints of a model, which start where their leaders put them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from numpy.polynomial import Polynomial

from ipc_articulation.coupling.followers import Follower, started
from ipc_articulation.coupling.robots import RobotSetup
from ipc_articulation.dynamics.model import Model


def followers_of(model: Model) -> list[Follower]:
    """The mimic joints of a model, each with the joint at the end of its chain."""
    f, names = model.followers, model.dof_names
    entries = zip(f.dofs, f.leader_dofs, f.offset, f.multiplier, strict=True)
    return [Follower(names[dof], names[leader], Polynomial(line)) for dof, leader, *line in entries]


def with_followers(model: Model, rest: Mapping[str, float], setup: RobotSetup) -> RobotSetup:
    """The setup with the mimic joints where their leaders put them."""
    start, velocity = started(followers_of(model), rest, setup)
    return replace(setup, start=start, start_velocity=velocity)
