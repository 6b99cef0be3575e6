"""Links and joints of a robot with loops that are in the scene, and the joints that the articulation owns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from ipc_articulation.adapters.native.chain import LinkChain
from ipc_articulation.adapters.native.mechanism import LinkSurfaces

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import CoupledJoint, CoupledRobot
from ipc_articulation.dynamics.loops.clusters import Loop
from ipc_articulation.dynamics.loops.explicit import Explicit
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import AdapterError


@dataclass(frozen=True)
class LoopScene:
    """Links in the scene, and the joints that the articulation owns or ties."""

    links: Ints  # (n,) of the tree
    owned: Ints  # (nv,) degree of freedom that each independent velocity is of
    scale: Array  # (nv,) its velocity a unit of the independent one
    tied: Ints  # (t,) degrees of freedom that are known functions of the owned ones
    owned_links: tuple[int, ...]  # (m,) links that the joints of the owned degrees of freedom move
    tied_links: tuple[int, ...]  # (t,) links that the tied ones move

    def tie_rates(self, G: Array) -> Array:
        """∂d/∂θ of the tied degrees of freedom from G of the robot (spanning nv, nv), (t, nv)."""
        return G[self.tied] / self.scale


def loop_scene(robot: Model, chain: LinkChain, surfaces: LinkSurfaces, pinned: Collection[str]) -> LoopScene:
    """Choose joints and links.

    Joints of a loop without a pin are tied to its independent ones, whatever the constraint is. Dependent end links
    without geometry, such as rotors and patellae, are left out.

    Args:
        robot: The robot.
        chain: All of its links.
        surfaces: Their surfaces.
        pinned: Names of the links that pins hold together.

    Raises:
        AdapterError: An independent velocity belongs to no joint.
    """
    held = {link for link, name in enumerate(chain.names) if name in pinned}
    functions = {dof for loop in robot.loops for dof in _functions(loop, not held & _moved(chain, set(loop.dofs)))}
    bare = {link for link, body in enumerate(chain.bodies) if body < 0 or surfaces.meshes[body] is None}
    outside = _without_load(_moved(chain, functions) & bare, chain.parents)
    owned, scale = np.empty(robot.nv, dtype=np.int64), np.ones(robot.nv)
    owned[robot.closure.free_y] = robot.closure.free_dofs
    for loop in robot.loops:
        rates = loop.constraint.constant_rates()
        for column in range(loop.constraint.ndof):
            candidates = [place for place in rates if rates[place][0] == column]
            if not candidates:
                raise AdapterError(
                    f"{loop.name}: independent velocity {column} is that of none of these joints, so contact cannot "
                    "act on it; make the coordinate of a joint independent"
                )
            links_of = {place: int(chain.of_dof[loop.dofs[place]]) for place in candidates}
            chosen = min(candidates, key=lambda place: links_of[place] in outside)  # the first that is inside
            owned[loop.y.start + column], scale[loop.y.start + column] = loop.dofs[chosen], rates[chosen][1]
    functions -= set(owned.tolist())
    outside = _without_load(_moved(chain, functions) & bare, chain.parents)
    links = np.array([link for link in range(len(chain.names)) if link not in outside], dtype=np.int64)
    tied = [dof for dof in sorted(functions) if int(chain.of_dof[dof]) not in outside]
    return LoopScene(
        links,
        owned,
        scale,
        np.array(tied, dtype=np.int64),
        tuple(dict.fromkeys(chain.of_dof[owned].tolist())),
        tuple(chain.of_dof[tied].tolist()),
    )


def _moved(chain: LinkChain, dofs: set[int]) -> set[int]:
    """The links that degrees of freedom move."""
    return {int(chain.of_dof[dof]) for dof in dofs}


def _functions(loop: Loop, alone: bool) -> list[int]:
    """Degrees of freedom of a loop that are tied to its independent coordinates; `alone`: no pin closes it."""
    if alone or isinstance(loop.constraint, Explicit):
        return [int(dof) for dof in loop.dofs]
    return [int(loop.dofs[place]) for place in loop.constraint.constant_rates()]


def _without_load(links: set[int], parents: Sequence[int]) -> set[int]:
    """The given links without descendants outside of the set."""
    unloaded = set(links)
    while loaded := unloaded & {parent for link, parent in enumerate(parents) if link not in unloaded}:
        unloaded -= loaded
    return unloaded


def scene_mechanism(tree: CoupledRobot, scene: LoopScene, pins: Sequence[CoupledJoint]) -> CoupledRobot:
    """The scene's part of a spanning tree.

    Args:
        tree: All links and joints of the tree.
        scene: The links and joints that are in the scene.
        pins: Joints between the scene's links, which do not touch each other.
    """
    place = {-1: -1} | {int(link): k for k, link in enumerate(scene.links)}
    joints = {
        link: replace(tree.joints[link], parent=place[tree.joints[link].parent], child=place[link])
        for link in scene.links.tolist()
    }
    links = tuple(tree.links[link] for link in scene.links)
    held = {*scene.owned_links, *scene.tied_links}
    pairs = {frozenset({links[pin.parent].name, links[pin.child].name}) for pin in pins if pin.parent >= 0}
    return replace(
        tree,
        links=links,
        joints=tuple(joints[link] for link in scene.owned_links),
        untouchable=tree.untouchable | pairs,
        passive_joints=(*(joint for link, joint in joints.items() if link not in held), *pins),
        tied_joints=tuple(joints[link] for link in scene.tied_links),
    )
