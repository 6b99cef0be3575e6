"""What of a robot with loops is in the scene, and which of its joints the articulation owns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from ipc_articulation.adapters.native.chain import Chain
from ipc_articulation.adapters.native.mechanism import Surfaces

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.coupling.adapter import CoupledJoint, CoupledRobot
from ipc_articulation.dynamics.loops import LoopConstraint
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import AdapterError

SAME = 1e-9  # difference of equal entries of G, relative to the largest of a row


@dataclass(frozen=True)
class LoopScene:
    """Links of the scene, and the joints whose coordinates are independent."""

    links: Ints  # (n,) link i of the tree is moved by its degree of freedom i
    owned: Ints  # (nv,) degree of freedom that each independent velocity is of
    scale: Array  # (nv,) its velocity a unit of the independent one


def loop_scene(robot: Model, chain: Chain, surfaces: Surfaces) -> LoopScene:
    """Choose joints and links; rotors whose joint is not chosen stay outside.

    Raises:
        AdapterError: An independent velocity is that of no joint.
    """
    rotors = _rotors(robot, chain, surfaces)
    owned, scale = np.empty(robot.nv, dtype=np.int64), np.ones(robot.nv)
    owned[robot.closure.free_y] = robot.closure.free_dofs
    for loop in robot.loops:
        rows = _constant_rows(loop.constraint)
        for column in range(loop.constraint.ndof):
            candidates = [row for row in rows if np.flatnonzero(rows[row]).tolist() == [column]]
            if not candidates:
                raise AdapterError(
                    f"{loop.name}: independent velocity {column} is that of none of these joints, so contact cannot "
                    "act on it; make the coordinate of a joint independent"
                )
            chosen = min(candidates, key=lambda row: int(loop.dofs[row]) in rotors)  # the first that is no rotor
            owned[loop.y.start + column] = loop.dofs[chosen]
            scale[loop.y.start + column] = rows[chosen][column]
    outside = rotors - set(owned.tolist())
    return LoopScene(
        np.array([i for i in range(robot.spanning_tree.nv) if i not in outside], dtype=np.int64), owned, scale
    )


def scene_mechanism(tree: CoupledRobot, scene: LoopScene, pins: Sequence[CoupledJoint]) -> CoupledRobot:
    """The scene's part of a spanning tree.

    Args:
        tree: All links and joints of the tree.
        scene: Which of them are in the scene.
        pins: Joints between the scene's links, which do not touch each other.
    """
    place = {-1: -1} | {int(link): k for k, link in enumerate(scene.links)}
    joints = {
        dof: replace(tree.joints[dof], parent=place[tree.joints[dof].parent], child=place[dof])
        for dof in scene.links.tolist()
    }
    links = tuple(tree.links[link] for link in scene.links)
    pairs = {frozenset({links[pin.parent].name, links[pin.child].name}) for pin in pins if pin.parent >= 0}
    return replace(
        tree,
        links=links,
        joints=tuple(joints[dof] for dof in scene.owned.tolist()),
        untouchable=tree.untouchable | pairs,
        passive_joints=(*(joint for dof, joint in joints.items() if dof not in scene.owned), *pins),
    )


def _rotors(robot: Model, chain: Chain, surfaces: Surfaces) -> set[int]:
    """Links without geometry that carry nothing and turn in a constant ratio to others, as in gears and belts."""
    geared = {int(loop.dofs[row]) for loop in robot.loops for row in _constant_rows(loop.constraint)}
    bare = {dof for dof, body in enumerate(chain.bodies) if body < 0 or surfaces.meshes[body] is None}
    return (geared & bare) - set(chain.parents)


def _constant_rows(constraint: LoopConstraint) -> dict[int, Array]:
    """Rows of G that are the same everywhere to rounding, off the manifold too, as independent coordinates' are."""
    rng = np.random.default_rng(0)
    samples = np.array([constraint.G(x) for x in rng.normal(size=(3, constraint.position_size))])
    same = np.ptp(samples, axis=0).max(axis=1) <= SAME * np.abs(samples).max(axis=(0, 2))
    rows = np.where(np.abs(samples[0]) > SAME * np.abs(samples[0]).max(), samples[0], 0.0)
    return {int(row): rows[row] for row in np.flatnonzero(same)}
