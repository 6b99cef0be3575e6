"""DART's own step, taken on a clone of the world.

Without contact, one step of DART solves

    (M + dt D + dt² K) (v⁺ - v) = dt (τ - c - D v - K (q + dt v - q₀)),   q⁺ = q ⊕ dt v⁺,

D the damping and K the springs of the joints (q₀ at rest), c the Coriolis forces and gravity. The matrix on the left,
`Skeleton.getAugMassMatrix`, is M̂. DART's constraint solver then corrects v⁺ for the limits, dry friction and servos of
joints. Contact is off: no body of the clone collides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array


class Step(NamedTuple):
    """A step of a world."""

    mass: Array  # (m, m) M̂
    v: Array  # (m,) v⁺
    constraint_force: Array  # (m,) of DART's constraint solver [N·m or N], see `restraints`


def own_step(world: Any) -> Step:
    """The step without contact; the world does not change.

    Args:
        world: The world, of which only mobile skeletons move.
    """
    clone = world.clone()
    skeletons = mobile(clone)
    for skeleton in skeletons:
        for number in range(skeleton.getNumBodyNodes()):
            skeleton.getBodyNode(number).setCollidable(False)
    mass = _block_diagonal([np.array(skeleton.getAugMassMatrix()) for skeleton in skeletons])
    free = _without_constraints(clone, skeletons)
    clone.step(False)
    v = velocities(clone)
    return Step(mass, v, mass @ (v - free) / clone.getTimeStep())


def _without_constraints(clone: Any, skeletons: list[Any]) -> Array:
    """The velocities that DART's forward dynamics give, (m,); the clone does not change."""
    start = [np.array(skeleton.getVelocities()) for skeleton in skeletons]
    for skeleton in skeletons:
        skeleton.computeForwardDynamics()
        skeleton.integrateVelocities(clone.getTimeStep())
    free = velocities(clone)
    for skeleton, v in zip(skeletons, start, strict=True):
        skeleton.setVelocities(v)
    return free


def mobile(world: Any) -> list[Any]:
    """The skeletons that move."""
    skeletons = (world.getSkeleton(number) for number in range(world.getNumSkeletons()))
    return [skeleton for skeleton in skeletons if skeleton.isMobile()]


def velocities(world: Any) -> Array:
    """v of all skeletons, (m,)."""
    return np.concatenate([np.zeros(0), *(skeleton.getVelocities() for skeleton in mobile(world))])


def _block_diagonal(blocks: list[Array]) -> Array:
    size = sum(len(block) for block in blocks)
    matrix, at = np.zeros((size, size)), 0
    for block in blocks:
        matrix[at : at + len(block), at : at + len(block)] = block
        at += len(block)
    return matrix
