"""Joints for `BoxScene`, and what the tests ask of them."""

from __future__ import annotations

import numpy as np
from uipc import view
from uipc.constitution import (
    AffineBodyFixedJoint,
    AffineBodyPrismaticJoint,
    AffineBodyRevoluteJoint,
    AffineBodySphericalJoint,
)

from ipc_articulation import affine

TIGHT = {"newton__velocity_tol": 1e-7, "newton__transrate_tol": 1e-6}  # the answers are compared to many digits


def add_hinge(scene, parent, child, ends, *extras, strength=1e4, **attributes):
    """A revolute joint about the edge from ends[0] to ends[1] (world, [m]); its geometry slot."""
    return _add(scene, AffineBodyRevoluteJoint(), ends, parent, child, extras, strength, attributes)


def add_slider(scene, parent, child, ends, *extras, strength=1e4, **attributes):
    """A prismatic joint along the edge from ends[0] to ends[1] (world, [m]); its geometry slot."""
    return _add(scene, AffineBodyPrismaticJoint(), ends, parent, child, extras, strength, attributes)


def add_ball(scene, parent, child, anchor, strength=1e4):
    """A spherical joint at a world point [m]; its geometry slot."""
    return put(scene, AffineBodySphericalJoint().create_geometry([anchor], [parent], [0], [child], [0], [strength]))


def add_weld(scene, parent, child, strength=1e4):
    """A fixed joint between two bodies; its geometry slot."""
    return put(scene, AffineBodyFixedJoint().create_geometry([parent], [0], [child], [0], [strength]))


def put(scene, geometry):
    """Put a geometry into the scene."""
    return scene.scene.objects().create("joint").geometries().create(geometry)[0]


def put_animated(scene, geometry, callback):
    """Put a geometry into the scene; callback(geometry, frame) runs before each step."""
    owner = scene.scene.objects().create("joint")
    slot = owner.geometries().create(geometry)[0]
    scene.scene.animator().insert(owner, lambda info: callback(info.geo_slots()[0].geometry(), info.frame()))
    return slot


def write(slot_or_geometry, **attributes):
    """Write edge attributes; `driving__is_constrained` stands for driving/is_constrained."""
    geometry = slot_or_geometry.geometry() if hasattr(slot_or_geometry, "geometry") else slot_or_geometry
    for name, value in attributes.items():
        view(geometry.edges().find(name.replace("__", "/")))[:] = value


def read(slot, name):
    """The values of an edge attribute."""
    return np.array(slot.geometry().edges().find(name).view())


def hinge_inertia(scene, row, point, axis):
    """Moment of inertia [kg·m²] of a rigid body about an axis, from its affine mass matrix."""
    q = scene.q[row]
    spin = affine.qdot_from_twist(q, np.cross(axis, q[:3] - point), axis)
    return float(spin @ scene.masses()[row] @ spin)


def _add(scene, constitution, ends, parent, child, extras, strength, attributes):
    ends = np.asarray(ends, dtype=float)
    geometry = constitution.create_geometry(ends[:1], ends[1:], [parent], [0], [child], [0], [strength])
    for extra, *arguments in extras:
        extra.apply_to(geometry, *arguments)
    write(geometry, **attributes)
    return put(scene, geometry)
