"""Affine bodies whose vertices have different contact elements."""

import numpy as np
import pytest
from uipc import view

from ipc_articulation.errors import SceneError, UnsupportedError
from tests.engine.scenes import BoxScene, translation, twist_rate


def sledge(folder, models, ids=None, on_box=False):
    """A box that slides along x at 1 m/s, its lower vertices of element 1 and its upper ones of element 2."""
    scene = BoxScene(folder, gravity=(0.0, 0.0, -9.81), contact__d_hat=1e-3)
    tabular = scene.scene.contact_tabular()
    elements = [tabular.default_element(), tabular.create("below"), tabular.create("above")]
    for element, model in zip(elements[1:], models, strict=True):
        tabular.insert(elements[0], element, *model)
    if on_box:
        scene.add_box(translation(0, 0, -0.1), size=(2.0, 2.0, 0.2), is_fixed=1)
    else:
        scene.add_ground()
    slot = scene.add_box(translation(0, 0, 0.1005), velocity=twist_rate(translation(0, 0, 0.1005), (1.0, 0, 0)))
    z = slot.geometry().positions().view()[:, 2, 0]
    ids = np.where(z < 0, 1, 2) if ids is None else ids
    view(slot.geometry().vertices().create("contact_element_id", 0))[:] = ids
    return scene, slot


def speed(scene, slot, steps=20):
    for _ in range(steps):
        scene.world.advance()
        scene.world.retrieve()
    return float(slot.geometry().instances().find("velocity").view()[0][0, 3])


@pytest.mark.parametrize("on_box", [False, True], ids=["half-plane", "box"])
def test_friction_is_that_of_the_vertices_that_touch(on_box, tmp_path):
    scene, slot = sledge(tmp_path, [(0.1, 1e9, True), (0.9, 1e9, True)], on_box=on_box)
    assert 1.0 - speed(scene.start(), slot) == pytest.approx(0.1 * 9.81 * 0.2, rel=0.05)


def test_friction_of_a_part_can_be_set(tmp_path):
    scene, slot = sledge(tmp_path, [(0.1, 1e9, True), (0.9, 1e9, True)])
    scene.start()
    ground = (0, 0)
    scene.engine.properties.set_frictions({((slot.id(), 0, 1), ground): 0.2, ((slot.id(), 0, 2), ground): 0.0})
    assert 1.0 - speed(scene, slot) == pytest.approx(0.2 * 9.81 * 0.2, rel=0.05)
    with pytest.raises(SceneError, match="friction of 'box 0': no vertex has the contact element 7"):
        scene.engine.properties.set_frictions({((slot.id(), 0, 7), ground): 0.2})


def test_elements_that_the_table_does_not_have_are_refused(tmp_path):
    scene, _ = sledge(tmp_path, [(0.1, 1e9, True)] * 2, ids=[1, 1, 1, 1, 2, 2, 2, 7])
    with pytest.raises(SceneError, match="'box 0' has contact element 7; the scene's table has 0 to 2"):
        scene.start()


@pytest.mark.parametrize(
    ("models", "what"),
    [
        ([(0.1, 1e9, True), (0.1, 1e9, False)], "masks"),
        ([(0.1, 1e9, True), (0.1, 1e8, True)], "resistances"),
    ],
)
def test_parts_that_differ_in_more_than_friction_are_refused(models, what, tmp_path):
    scene, _ = sledge(tmp_path, models)
    text = f"'box 0' has vertices with the contact elements 1, 2, of different {what} in the contact table"
    with pytest.raises(UnsupportedError, match=text):
        scene.start()
