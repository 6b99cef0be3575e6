"""Joints for `BoxScene`, and what the tests ask of them."""

from __future__ import annotations

import numpy as np
import trimesh
from uipc import view
from uipc.constitution import (
    AffineBodyConstitution,
    AffineBodyFixedJoint,
    AffineBodyPrismaticJoint,
    AffineBodyRevoluteJoint,
    AffineBodySphericalJoint,
)
from uipc.geometry import label_surface
from uipc.geometry import trimesh as uipc_trimesh

from ipc_articulation import affine
from ipc_articulation.articulation.joints import Joints
from ipc_articulation.compiled import compiled
from ipc_articulation.frontend.joint_kinds import JOINT_KINDS
from ipc_articulation.frontend.joints import JointMesh
from ipc_articulation.frontend.nodes.numbering import nodes_of
from tests.derivatives import central_difference, relative_error
from tests.engine.nodes import derivatives, energy

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


def add_boxes(scene, transforms, is_fixed):
    """Boxes that are instances of one geometry; its slot."""
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    geometry = uipc_trimesh(box.vertices.copy(), box.faces.copy())
    label_surface(geometry)
    AffineBodyConstitution().apply_to(geometry, 1e9, 1000.0)
    geometry.instances().resize(len(transforms))
    for k, transform in enumerate(transforms):
        view(geometry.transforms())[k] = transform
    view(geometry.instances().find("is_fixed"))[:] = is_fixed
    return put(scene, geometry)


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


def joint_mesh(kind, bodies, placement, strength_ratio):
    """Joints of a kind between pairs of bodies, as if read from a scene."""
    (in_libuipc,) = (entry for entry in JOINT_KINDS.values() if entry.kind == kind)
    joints = Joints.placed(kind, bodies, placement)
    return JointMesh(None, 0, in_libuipc, joints, placement, strength_ratio, np.zeros(len(bodies)))


def term(scene, name):
    """A term of a started scene's potential, by name."""
    return next(t for t in scene.engine.cpu.workspace.core.terms if t.name == name)


@compiled
def _stiffness(penalties):
    return penalties.stiffness


def stiffness(term):
    """κ of joints, (m,) [kg]."""
    return _stiffness(term.penalties)


def begin(term, state, dt):
    """Begin a step of a term of affine bodies."""
    term.begin_step(state, nodes_of(state.q).reshape(-1, 3), dt)


def check_derivatives(term, q):
    """See `check`."""
    return check(lambda q: energy(term, q), lambda q: derivatives(term, q), q)


def check(energy, derivatives, q, step=1e-6, tolerance=1e-6):
    """The gradient is the energy's; the Hessian is positive semidefinite and nowhere below the exact one."""
    x = q.ravel()
    g, H = derivatives(q)
    difference = central_difference(lambda y: energy(y.reshape(q.shape)), x, step)
    assert relative_error(g, difference) < tolerance
    exact = central_difference(lambda y: derivatives(y.reshape(q.shape))[0], x, step)
    noise = tolerance * np.abs(exact).max()
    assert np.linalg.eigvalsh(H)[0] > -noise
    assert np.linalg.eigvalsh(H - 0.5 * (exact + exact.T))[0] > -noise
    return H, exact
