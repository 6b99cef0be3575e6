"""The coupling's `CoupledRobot` from a model and a position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from ipc_articulation.adapters.native.chain import LinkChain
from ipc_articulation.adapters.native.shapes import surface
from ipc_articulation.adapters.native.touching import untouchable_pairs

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody, CoupledJoint, CoupledRobot
from ipc_articulation.coupling.robots import FRICTION
from ipc_articulation.coupling.solids import Facets
from ipc_articulation.dynamics.model import Model


@dataclass(frozen=True)
class LinkSurfaces:
    """Surfaces and friction coefficients of a model's bodies."""

    meshes: tuple[ClosedMesh | None, ...]  # in the bodies' frames
    friction: tuple[float, ...]  # Coulomb coefficients

    @staticmethod
    def of(model: Model, friction: float | Mapping[str, float], facets: Facets) -> LinkSurfaces:
        """Surfaces of all bodies; `friction` is one number, or by body name with `FRICTION` for all others.

        Raises:
            MeshError: Repairs are refused, and a mesh is open or cannot be read, or a shape has no volume.
        """
        given = friction if isinstance(friction, Mapping) else dict.fromkeys(model.body_names, friction)
        return LinkSurfaces(
            tuple(surface(body.collision, body.name, facets) for body in model.bodies),
            tuple(float(given.get(body.name, FRICTION)) for body in model.bodies),
        )


def describe(chain: LinkChain, q: Array, surfaces: LinkSurfaces) -> CoupledRobot:
    """A model without its surroundings.

    Args:
        chain: The model's links.
        q: Position of the spanning tree, (nq,).
        surfaces: Surfaces of the model's bodies.
    """
    poses = chain.link_poses(q)
    return CoupledRobot(
        links=tuple(_link(chain, i, pose, surfaces) for i, pose in enumerate(poses)),
        joints=_joints(chain, poses),
        static=_ground(chain.model, surfaces),
        untouchable=untouchable_pairs(chain.model),
    )


def _link(chain: LinkChain, index: int, pose: Array, surfaces: LinkSurfaces) -> CoupledBody:
    name, number = chain.names[index], chain.bodies[index]
    if number < 0:
        return CoupledBody(name, pose)
    body = chain.model.bodies[number]
    return CoupledBody(
        name,
        pose,
        surfaces.meshes[number],
        body.mass,
        body.centre,
        body.inertia,
        friction=surfaces.friction[number],
        visual=body.visual,
    )


def _ground(model: Model, surfaces: LinkSurfaces) -> tuple[CoupledBody, ...]:
    """The body fixed to the world, if it can be touched or seen."""
    return tuple(
        CoupledBody(
            body.name,
            model.frame_pose[model.body_frame[b]],
            surfaces.meshes[b],
            friction=surfaces.friction[b],
            visual=body.visual,
        )
        for b, body in enumerate(model.bodies)
        if model.body_node[b] < 0 and (surfaces.meshes[b] is not None or body.visual)
    )


def _joints(chain: LinkChain, poses: Array) -> tuple[CoupledJoint, ...]:
    entries = zip(chain.joints, chain.kinds, chain.parents, *chain.axes(poses), chain.pitches, strict=True)
    return tuple(
        CoupledJoint(name, kind, parent, index, np.array(anchor), np.array(axis), pitch=float(pitch))
        for index, (name, kind, parent, anchor, axis, pitch) in enumerate(entries)
    )
