"""Stiffness beside which the inertia of bodies is lost in rounding is refused, and no other."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from uipc import view
from uipc.constitution import AffineBodyDrivingRevoluteJoint, SoftTransformConstraint

from ipc_articulation.errors import SceneError
from tests.engine.joints import add_hinge, add_weld, write
from tests.engine.scenes import BoxScene, translation

TILTED = Rotation.from_rotvec([0.3, 0.5, 0.7]).apply([0.0, 1.0, 0.0])
MIDDLE = np.array([0.25, 0.0, 1.0])


def two_boxes(tmp_path, first_fixed=1, **second):
    scene = BoxScene(tmp_path, contact__enable=0)
    scene.add_box(translation(0, 0, 1), is_fixed=first_fixed)
    scene.add_box(translation(0.5, 0, 1), **second)
    return scene


def hinged(scene, length=0.2, axis=TILTED, strength=100.0, *extras):
    ends = MIDDLE + np.outer([-length / 2, length / 2], axis)
    return add_hinge(scene, *scene.slots, ends, *extras, strength=strength)


JOINT = "joint geometry 2, joint 0, between 'box {}' and 'box {}', is so stiff that the inertia of 'box {}' is lost in"


@pytest.mark.parametrize("given", [{"length": 1e8}, {"length": 1e12}, {"strength": 1e16}, {"strength": 1e20}])
def test_a_joint_that_freezes_its_bodies(tmp_path, given):
    scene = two_boxes(tmp_path)
    hinged(scene, **given)
    with pytest.raises(SceneError, match=re.escape(JOINT.format(1, 0, 1))):
        scene.start()


def test_a_joint_of_free_bodies_that_freezes_both(tmp_path):
    scene = two_boxes(tmp_path, first_fixed=0)
    add_weld(scene, *scene.slots, strength=1e17)
    with pytest.raises(SceneError, match=r"joint geometry 2, joint 0, between .* the body more mass"):
        scene.start()


def test_a_body_without_weight_beside_its_joint(tmp_path):
    scene = two_boxes(tmp_path, density=1e-15)
    hinged(scene)
    with pytest.raises(SceneError, match=re.escape("the inertia of 'box 1' is lost in rounding")):
        scene.start()


@pytest.mark.parametrize(
    "given", [{}, {"length": 1e4}, {"strength": 1e12}, {"length": 1e12, "axis": np.array([0.0, 1.0, 0.0])}]
)
def test_what_rounding_leaves_right_is_taken(tmp_path, given):
    """Also an axis of any length that is a coordinate axis: no free motion is near the stiff ones."""
    usual = two_boxes(tmp_path / "usual")
    hinged(usual, axis=given.get("axis", TILTED))
    scene = two_boxes(tmp_path / "stiff")
    hinged(scene, **given)
    drop = usual.start().run(10).q[1, 2]
    assert 1.0 - drop > 0.01
    assert scene.start().run(10).q[1, 2] == pytest.approx(drop, abs=1e-3 * (1.0 - drop))


def test_a_drive_that_becomes_too_stiff(tmp_path):
    """Its strength is written while the scene runs."""
    scene = two_boxes(tmp_path, first_fixed=0)
    slot = hinged(scene, 0.2, TILTED, 100.0, (AffineBodyDrivingRevoluteJoint(), 100.0))
    write(slot, driving__is_constrained=1)
    scene.start().run(2)
    write(slot, driving__strength_ratio=1e20)
    for _ in range(2):  # nothing is taken
        with pytest.raises(SceneError, match=re.escape("the drive of joint geometry 2, joint 0, between 'box")):
            scene.run()
    write(slot, driving__strength_ratio=1e6)
    scene.run()


def test_an_aim_of_the_whole_body_may_be_as_strong_as_it_likes(tmp_path):
    """It leaves no motion free whose inertia could be lost."""
    scene = BoxScene(tmp_path)
    slot = scene.add_box(translation(0, 0, 1))
    SoftTransformConstraint().apply_to(slot.geometry(), np.array([1e17, 1e17]))
    view(slot.geometry().instances().find("is_constrained"))[0] = 1
    view(slot.geometry().instances().find("aim_transform"))[0] = translation(0, 0, 1.1)
    assert scene.start().run().q[0, 2] == pytest.approx(1.1, abs=1e-9)


def test_a_body_may_be_as_stiff_as_it_likes(tmp_path):
    """What it leaves free, rigid motion, has its inertia alone."""
    scene = BoxScene(tmp_path, contact__enable=0)
    spin = np.zeros((4, 4))
    spin[:2, :2] = [[0.0, -1.0], [1.0, 0.0]]
    scene.add_box(translation(0, 0, 1), kappa=1e20, velocity=spin)
    A = scene.start().run(10).q[0, 3:].reshape(3, 3)
    assert np.arctan2(A[1, 0], A[0, 0]) == pytest.approx(0.1, rel=1e-3)
