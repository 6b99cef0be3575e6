"""Joints that cannot be stop `world.init` with their name, whatever constitution they have."""

import re

import numpy as np
import pytest
from uipc import view

from ipc_articulation.errors import SceneError
from tests.engine.joints import add_ball, add_hinge, add_slider, add_weld
from tests.engine.scenes import BoxScene, translation

AXIS = [[0, 0.25, 0], [0.3, 0.25, 0]]
JOINTS = {
    "hinge": lambda scene: add_hinge(scene, *scene.slots, AXIS),
    "slider": lambda scene: add_slider(scene, *scene.slots, AXIS),
    "ball": lambda scene: add_ball(scene, *scene.slots, (0, 0.25, 0)),
    "weld": lambda scene: add_weld(scene, *scene.slots),
}


@pytest.fixture(params=list(JOINTS))
def joint(request, tmp_path):
    """A scene of two boxes and the attributes of the joint between them."""
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 1))
    scene.add_box(translation(0, 0.5, 1))
    slot = JOINTS[request.param](scene)
    geometry = slot.geometry()
    return scene, slot, geometry.edges() if request.param in ("hinge", "slider") else geometry.vertices()


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("l_geo_id", -1, "joint 0 (left body) refers to geometry -1, instance 0, but no affine body"),
        ("r_geo_id", 2, "joint 0 (right body) refers to geometry 2, instance 0, but no affine body"),
        ("r_inst_id", 1, "joint 0 (right body) refers to geometry 1, instance 1, but no affine body"),
        ("l_geo_id", 1, "joint 0 joins geometry 1, instance 0 to itself; give it two different bodies"),
        ("strength_ratio", np.nan, "joint 0: strength_ratio is nan; it must be finite and not negative"),
    ],
)
def test_attributes(joint, attribute, value, message):
    scene, slot, attributes = joint
    view(attributes.find(attribute))[0] = value
    with pytest.raises(SceneError, match=re.escape(f"joint geometry {slot.id()}, {message}")):
        scene.start()


@pytest.mark.parametrize("kind", ["hinge", "slider"])
def test_axis_without_length(tmp_path, kind):
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 1))
    scene.add_box(translation(0, 0.5, 1))
    slot = JOINTS[kind](scene)
    view(slot.geometry().positions())[1] = slot.geometry().positions().view()[0]
    with pytest.raises(SceneError, match=rf"joint geometry {slot.id()}, joint 0: its axis edge has zero length"):
        scene.start()
