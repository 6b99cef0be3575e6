"""Fixed and spherical joint geometries, read and refused."""

import re

import numpy as np
import pytest
import uipc
from uipc.constitution import AffineBodyFixedJoint, AffineBodySphericalJoint
from uipc.geometry import pointcloud

from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.bodies import read_bodies
from ipc_articulation.frontend.joint_kinds import JOINT_KINDS
from ipc_articulation.frontend.joints import read_joint_mesh
from tests.hinged_boxes import hinged_boxes

WORLD = np.array([[0.5, 0.1, 0.0], [1.5, 0.0, 0.2]])


def two_joints(constitution, local=False):
    """Boxes 0 and 1, 1 and 2 joined at world points, or at the same points given in each body: boxes, slot."""
    boxes = hinged_boxes(turned=True)
    poses = np.array(boxes.bodies.geometry().transforms().view())
    slots, left, right, strength = [boxes.bodies] * 2, [0, 1], [1, 2], [100.0, 50.0]
    if local:
        ends = [
            np.stack([np.linalg.solve(poses[i], [*p, 1.0])[:3] for i, p in zip(side, WORLD, strict=True)])
            for side in (left, right)
        ]
        mesh = constitution().create_geometry(*ends, slots, left, slots, right, strength)
    else:
        mesh = pointcloud(WORLD)
        constitution().apply_to(mesh, slots, left, slots, right, strength)
    return boxes, boxes.owner.geometries().create(mesh)[0]


def refuses(boxes, slot, message):
    with pytest.raises(SceneError, match=re.escape(message)):
        read_joint_mesh(slot, read_bodies(boxes.slots))


@pytest.mark.parametrize(("constitution", "uid"), [(AffineBodyFixedJoint, 25), (AffineBodySphericalJoint, 26)])
@pytest.mark.parametrize("local", [False, True])
def test_anchors_are_the_same_point_in_both_bodies(constitution, uid, local):
    boxes, slot = two_joints(constitution, local)
    bodies = read_bodies(boxes.slots)
    mesh = read_joint_mesh(slot, bodies)
    assert (mesh.geo_id, mesh.kind) == (slot.id(), JOINT_KINDS[uid])
    np.testing.assert_array_equal(mesh.joints.bodies, [[0, 1], [1, 2]])
    np.testing.assert_array_equal(mesh.strength_ratio, [100.0, 50.0])
    for pair, anchors, point in zip(mesh.joints.bodies, mesh.placement.points[:, :, 0], WORLD, strict=True):
        for body, anchor in zip(pair, anchors, strict=True):
            np.testing.assert_allclose(bodies.transforms[body] @ [*anchor, 1.0], [*point, 1.0], atol=1e-14)


def test_without_points_a_weld_lies_between_the_origins():
    boxes = hinged_boxes()
    mesh = AffineBodyFixedJoint().create_geometry([boxes.bodies], [0], [boxes.bodies], [1], [100.0])
    slot, _ = boxes.owner.geometries().create(mesh)
    anchors = read_joint_mesh(slot, read_bodies(boxes.slots)).placement.points[:, :, 0]
    np.testing.assert_allclose(anchors, [[[0.5, 0, 0], [-0.5, 0, 0]]], atol=1e-15)


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        (
            "r_geo_id",
            77,
            "joint 1 (right body) refers to geometry 77, instance 2, but no affine body has that geometry",
        ),
        ("l_inst_id", 9, "joint 1 (left body) refers to geometry 0, instance 9, but no affine body has that geometry"),
        ("r_inst_id", 1, "joint 1 joins geometry 0, instance 1 to itself; give it two different bodies"),
        ("strength_ratio", -2.0, "joint 1: strength_ratio is -2.0; it must be finite and not negative"),
        ("position", np.nan, "joint 1: position is [nan nan nan]; it must be finite"),
    ],
)
def test_what_cannot_be_is_refused(attribute, value, message):
    boxes, slot = two_joints(AffineBodySphericalJoint)
    uipc.view(slot.geometry().vertices().find(attribute))[1] = value
    refuses(boxes, slot, f"joint geometry {slot.id()}, {message}")


def test_local_anchors_that_are_not_finite_are_refused():
    boxes, slot = two_joints(AffineBodyFixedJoint, local=True)
    uipc.view(slot.geometry().vertices().find("r_position"))[0] = np.inf
    refuses(boxes, slot, f"joint geometry {slot.id()}, joint 0: r_position is [inf inf inf]; it must be finite")


@pytest.mark.parametrize("attribute", ["l_geo_id", "r_inst_id", "strength_ratio"])
def test_a_missing_attribute_is_named(attribute):
    boxes, slot = two_joints(AffineBodyFixedJoint)
    slot.geometry().vertices().destroy(attribute)
    refuses(boxes, slot, f"joint geometry {slot.id()} has no attribute '{attribute}'")
