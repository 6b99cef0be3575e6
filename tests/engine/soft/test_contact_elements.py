"""Contact elements that differ from vertex to vertex of a soft body."""

import re

import numpy as np
import pytest

from ipc_articulation.errors import SceneError, UnsupportedError
from tests.engine.soft.soft_scenes import SoftScene, block, cloth, moved, particles, vertices

DT = 0.01


def table(scene, *entries, count=2):
    """Contact elements 1 to `count`, with their models."""
    tabular = scene.scene.contact_tabular()
    made = [tabular.default_element(), *(tabular.create(f"element {k + 1}") for k in range(count))]
    for first, second, friction, enabled in entries:
        tabular.insert(made[first], made[second], friction, 1e8, enabled)
    return scene


def on_a_box(tmp_path, mesh, *entries):
    """A scene with a fixed box whose top is at 0 m, of the default element, and a soft body."""
    scene = table(SoftScene(tmp_path), *entries)
    T = np.eye(4)
    T[2, 3] = -0.1
    scene.add_box(T, size=[2, 2, 0.2], is_fixed=1)
    scene.add_soft(mesh)
    return scene.start()


def dust(**attributes):
    return vertices(particles([[0, 0, 0.0115], [0.3, 0, 0.0115]]), contact_element_id=[1, 2], **attributes)


def test_each_particle_touches_what_its_element_touches(tmp_path):
    scene = on_a_box(tmp_path, dust(), (0, 1, 0.0, True), (0, 2, 0.0, False))
    z = scene.run(30).x()[:, 2]
    assert 0.01 < z[0] < 0.012
    assert z[1] == pytest.approx(0.0115 - 9.8 * DT**2 * 30 * 31 / 2, rel=1e-6)


def test_each_particle_has_the_friction_of_its_element(tmp_path):
    models = (0, 1, 0.0, True), (0, 2, 0.3, True)

    def velocities(*ids):
        mesh = particles([[0, 0, 0.01199], [0.3, 0, 0.01199]])
        mesh = vertices(mesh, contact_element_id=ids, velocity=np.array([[1.0, 0, 0]] * 2))
        return on_a_box(tmp_path, mesh, *models).run(20).v()

    each = velocities(1, 2)
    np.testing.assert_allclose(each[0], velocities(1, 1)[0], atol=1e-9)
    np.testing.assert_allclose(each[1], velocities(2, 2)[1], atol=1e-9)
    assert each[1, 0] < 0.5 < 0.99 < each[0, 0]


@pytest.mark.slow
def test_equal_models_are_those_of_one_element(tmp_path):
    """A cloth that falls over a box and onto itself."""
    lying = [(a, b, 0.4, True) for a in range(3) for b in range(a, 3)]
    found = []
    for ids in (np.full(81, 1), np.arange(81) % 2 + 1):
        mesh = vertices(moved(cloth(8, size=0.5), 0.9, 0, 0.003), contact_element_id=ids)
        found.append(on_a_box(tmp_path, mesh, *lying).run(25).x())
    np.testing.assert_allclose(found[0], found[1], atol=1e-5)
    assert found[0][:, 2].min() < -0.05


def test_a_part_of_a_cloth_falls_through(tmp_path):
    """Elements with a vertex of element 2 pass through the box; the others hold the cloth."""
    mesh = moved(cloth(8, size=0.5), 0, 0, 0.003)
    x = mesh.positions().view()[:, 0, 0]
    ids = np.where(x > 0.1, 2, 1)
    z = on_a_box(tmp_path, vertices(mesh, contact_element_id=ids), (0, 2, 0.0, False)).run(25).x()[:, 2]
    assert z[ids == 1].min() > 0.0
    assert z[ids == 2].min() < -0.02


def test_half_planes_with_different_models_are_refused(tmp_path):
    scene = table(SoftScene(tmp_path), (0, 1, 0.0, True), (0, 2, 0.5, True))
    scene.add_soft(vertices(moved(block(1), 0, 0, 1), contact_element_id=[1, 1, 1, 1, 2, 2, 2, 2]))
    scene.add_ground()
    text = (
        "soft body 'soft' (geometry 0) has vertices with the contact elements 1, 2, which have different models with "
        "the half-planes of element 0"
    )
    with pytest.raises(UnsupportedError, match=re.escape(text)):
        scene.start()


def test_resistances_by_load_cannot_be_averaged(tmp_path):
    scene = table(SoftScene(tmp_path, resistance=None))
    scene.add_soft(vertices(block(1), contact_element_id=[1, 1, 1, 1, 2, 2, 2, 2]))
    with pytest.raises(
        UnsupportedError, match="contact elements 1, 2; the CPU engine can average given resistances only"
    ):
        scene.start(resistance="load")


def test_an_element_of_a_vertex_that_there_is_not_is_refused(tmp_path):
    scene = table(SoftScene(tmp_path))
    scene.add_soft(vertices(block(1), contact_element_id=[1, 1, 1, 1, 2, 2, 2, 7]), "cube")
    with pytest.raises(SceneError, match=re.escape("'cube' has contact element 7; the scene's table has 0 to 2")):
        scene.start()
