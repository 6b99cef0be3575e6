"""How two links of a mechanism hang together."""

from __future__ import annotations

import numpy as np

from ipc_articulation.dynamics.joints.elements import Screw
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.parts import WORLD, PlacedJoint
from ipc_articulation.dynamics.reading.loops.chain import Chain, Step
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest


def ways(mechanism: Mechanism, first: str, second: str, where: str) -> tuple[Chain, Chain]:
    """The ways to two links from their nearest common ancestor.

    Args:
        mechanism: A tree.
        first: A link or «world».
        second: The same.
        where: Beginning of messages.

    Raises:
        ModelError: An unknown link, a joint on the way that has not one degree of freedom, or none that moves.
    """
    above = {joint.child: joint for joint in mechanism.joints}
    to_first, to_second = (_from_world(name, above, where) for name in (first, second))
    while to_first and to_second and to_first[0] is to_second[0]:
        del to_first[0], to_second[0]
    chains = _chain(to_first, where), _chain(to_second, where)
    if not any(chain.steps for chain in chains):
        raise ModelError(f"{where}: links '{first}' and '{second}' do not move relative to each other; leave it out")
    return chains


def _from_world(link: str, above: dict[str, PlacedJoint], where: str) -> list[PlacedJoint]:
    """All joints that a link hangs on, the world's first."""
    if link != WORLD and link not in above:
        raise ModelError(f"{where}: unknown link '{link}'{suggest(link, above, 'links')}")
    path: list[PlacedJoint] = []
    while link != WORLD:
        path.append(above[link])
        link = above[link].parent
    return path[::-1]


def _chain(joints: list[PlacedJoint], where: str) -> Chain:
    steps, pose = [], np.eye(4)
    for placed in joints:
        pose = pose @ np.asarray(placed.origin, dtype=float)
        if placed.joint.ndof:
            steps.append(Step(placed.name, pose, _screw(placed, where)))
            pose = np.eye(4)
        pose = pose @ np.asarray(placed.child_origin, dtype=float)
    return Chain(tuple(steps), pose)


def _screw(placed: PlacedJoint, where: str) -> Screw:
    elements = placed.joint.elements
    if len(elements) == 1 and isinstance(elements[0], Screw):
        return elements[0]
    kind = f"a {type(placed.joint).__name__} with {placed.joint.ndof} degrees of freedom"
    raise ModelError(f"{where}: goes through joint '{placed.name}', {kind}; joints of a loop have one")
