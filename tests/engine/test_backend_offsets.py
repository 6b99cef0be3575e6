"""Offsets in the `meta` of geometries, by which libuipc's scripts find rows."""

import numpy as np
import pytest
import uipc
from uipc import builtin

from tests.engine.scenes import BoxScene, translation
from tests.engine.soft.soft_scenes import SoftScene, moved, particles

NAMES = "backend_abd_body_offset", "backend_fem_vertex_offset", "global_vertex_offset", "dof_offset", "dof_count"


def offsets(slot):
    found = [slot.geometry().meta().find(name) for name in NAMES]
    return tuple(None if attribute is None else int(attribute.view()[0]) for attribute in found)


@pytest.fixture
def mixed(tmp_path):
    """Particles, a box, two boxes of one geometry, more particles, the ground."""
    scene = SoftScene(tmp_path)
    first = scene.add_soft(moved(particles(np.arange(9.0).reshape(3, 3)), 20, 0, 0))
    box, two = scene.add_box(translation(0, 0, 1)), scene.add_box(translation(1, 0, 1))
    two.geometry().instances().resize(2)
    uipc.view(two.geometry().transforms())[1] = translation(2, 0, 1)
    second = scene.add_soft(moved(particles(np.arange(6.0).reshape(2, 3)), 40, 0, 0))
    ground = scene.add_ground(-1.0)
    return scene.start(), (box, two, first, second, ground)


def test_offsets_of_affine_and_soft_bodies_and_half_planes(mixed):
    _, slots = mixed
    assert [offsets(slot) for slot in slots] == [
        (0, None, 0, 0, 12),
        (1, None, 8, 12, 24),
        (None, 0, 24, 36, 9),
        (None, 3, 27, 45, 6),
        (None, None, 29, None, None),
    ]


def test_offsets_are_the_rows_of_the_accessors(mixed):
    scene, (_, two, _, second, _) = mixed
    state = scene.engine.state_accessor.create_geometry(offsets(two)[0], 2)
    state.instances().create(builtin.transform, uipc.Matrix4x4.Zero())
    scene.engine.state_accessor.copy_to(state)
    np.testing.assert_array_equal(state.instances().find("transform").view(), two.geometry().transforms().view())
    state = scene.engine.vertex_accessor.create_geometry(offsets(second)[1], 2)
    scene.engine.vertex_accessor.copy_to(state)
    np.testing.assert_array_equal(state.positions().view(), second.geometry().positions().view())


def test_offsets_of_geometries_that_come_later(tmp_path):
    scene = BoxScene(tmp_path)
    first, ground = scene.add_box(translation(0, 0, 1)), scene.add_ground()
    scene.start()
    later = scene.add_box(translation(1, 0, 1))
    scene.run()
    assert [offsets(slot) for slot in (first, later, ground)] == [
        (0, None, 0, 0, 12),
        (1, None, 8, 12, 12),
        (None, None, 16, None, None),
    ]
