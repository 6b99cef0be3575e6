"""A small libuipc scene for tests: boxes in a row, joined by revolute and prismatic joints, and an articulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import trimesh
import uipc
from uipc.constitution import (
    AffineBodyConstitution,
    AffineBodyPrismaticJoint,
    AffineBodyRevoluteJoint,
    ExternalArticulationConstraint,
)

from tests.articulation.reference import random_rotation

uipc.Logger.set_level(uipc.Logger.Level.Error)


@dataclass
class HingedBoxes:
    """Three instances of one box; a hinge between 0 and 1, a slider between 1 and 2."""

    scene: Any
    bodies: Any  # geometry slots
    hinge: Any
    slider: Any
    articulation: Any  # the geometry, before it was put into the scene
    owner: Any  # the object that holds it
    slot: Any  # its slot in the scene

    @property
    def slots(self):
        return [self.bodies, self.hinge, self.slider, self.slot]


def hinged_boxes(ref_dof_prev: Any = None, local: bool = False, turned: bool = False) -> HingedBoxes:
    """Build the scene.

    Args:
        ref_dof_prev: Default value of that instance attribute of the boxes, if given.
        local: Joints given by local end points instead of by world positions.
        turned: The boxes begin with random rotations, all different.
    """
    config = uipc.Scene.default_config()
    config["gravity"] = [[0.0], [0.0], [0.0]]
    config["newton"]["velocity_tol"] = 1e-6  # [m/s], so that joint motion is exact to 1e-8
    scene = uipc.Scene(config)
    bodies, _ = scene.objects().create("boxes").geometries().create(_boxes(ref_dof_prev, turned))
    poses = [np.array(T) for T in bodies.geometry().transforms().view()]
    hinge_ends, slider_ends = [[0.5, 0, -0.2], [0.5, 0, 0.2]], [[1.3, 0, 0], [1.7, 0, 0]]
    hinge = _joint(scene, AffineBodyRevoluteJoint(), hinge_ends, bodies, (0, 1), poses if local else None)
    slider = _joint(scene, AffineBodyPrismaticJoint(), slider_ends, bodies, (1, 2), poses if local else None)
    articulation = ExternalArticulationConstraint().create_geometry([hinge, slider], [0, 0])
    owner = scene.objects().create("articulation")
    slot, _ = owner.geometries().create(articulation)
    return HingedBoxes(scene, bodies, hinge, slider, articulation, owner, slot)


def _boxes(ref_dof_prev, turned):
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    mesh = uipc.geometry.trimesh(box.vertices, box.faces.astype(np.int32))
    uipc.geometry.label_surface(mesh)
    AffineBodyConstitution().apply_to(mesh, 1e8)
    mesh.instances().resize(3)
    transforms = uipc.view(mesh.transforms())
    rng = np.random.default_rng(0)
    for k in range(3):
        transforms[k] = np.eye(4)
        transforms[k][0, 3] = float(k)
        if turned:
            transforms[k][:3, :3] = random_rotation(rng)
    uipc.view(mesh.instances().find("is_fixed"))[:] = [1, 0, 0]
    uipc.view(mesh.instances().find("external_kinetic"))[:] = 1
    if ref_dof_prev is not None:
        mesh.instances().create("ref_dof_prev", ref_dof_prev)
    return mesh


def _joint(scene, constitution, ends, bodies, instances, poses):
    ends = np.array(ends)[:, None]
    if poses is not None:
        left, right = (np.linalg.inv(poses[i]) for i in instances)
        ends = np.array([e @ T[:3, :3].T + T[:3, 3] for T in (left, right) for e in ends])
    geometry = constitution.create_geometry(*ends, [bodies], [instances[0]], [bodies], [instances[1]], [100.0])
    return scene.objects().create("joint").geometries().create(geometry)[0]
