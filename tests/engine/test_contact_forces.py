"""Contact points and forces of a step: they hold boxes up, and are what the contact energy says."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation import affine
from ipc_articulation.errors import EngineError
from tests.engine.parts import contact_gradient, core_of
from tests.engine.scenes import BoxScene, translation, twist_rate

WEIGHT = 8.0 * 9.8  # of a box of 0.2 m and 1000 kg/m³ [N]


def tilted(x, y, z, angle=0.3):
    T = translation(x, y, z)
    T[:3, :3] = Rotation.from_rotvec(angle * np.array([0.6, 0.64, 0.48])).as_matrix()
    return T


def on_each(scene):
    """Sum of the forces on each box, (n, 3) [N]."""
    contacts, total = scene.engine.statistics.contacts, np.zeros((len(scene.slots), 3))
    for (first, second), force in zip(contacts.bodies, contacts.forces, strict=True):
        total[first] += force
        if second < len(total):
            total[second] -= force
    return total


def test_the_ground_bears_the_weight_of_a_box_at_rest(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.105))
    scene.start().run(100)
    contacts = scene.engine.statistics.contacts
    np.testing.assert_allclose(on_each(scene), [[0, 0, WEIGHT]], rtol=1e-6, atol=1e-6)
    assert {tuple(pair) for pair in contacts.bodies.tolist()} == {(0, 1)}
    assert scene.engine.cpu.contact_names == ("box 0", "ground")
    np.testing.assert_allclose(np.sort(np.abs(contacts.points[:, :2]), axis=None), 0.1, atol=1e-6)  # at the corners


def test_a_box_bears_the_one_that_stands_on_it(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.105))
    scene.add_box(translation(0.03, 0.02, 0.31))
    scene.start().run(150)
    contacts = scene.engine.statistics.contacts
    of_boxes = (contacts.bodies < 2).all(axis=1)
    sign = np.where(contacts.bodies[:, :1] == 1, 1.0, -1.0)
    above = (sign * contacts.forces)[of_boxes].sum(axis=0)
    np.testing.assert_allclose(above, [0, 0, WEIGHT], rtol=1e-5, atol=1e-4)
    from_ground = contacts.forces[~of_boxes].sum(axis=0)
    np.testing.assert_allclose(from_ground, [0, 0, 2 * WEIGHT], rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(contacts.points[of_boxes][:, 2], 0.2, atol=0.02)


def test_friction_holds_a_box_on_a_slope(tmp_path):
    scene = BoxScene(tmp_path, gravity=(2.0, 0.0, -9.8))
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.105))
    scene.start().run(150)
    np.testing.assert_allclose(on_each(scene)[0], [-8.0 * 2.0, 0, WEIGHT], rtol=1e-3, atol=1e-3)


def gradient_of(scene):
    """Of the contact energy by the coordinates, over dt², (n, 12) [N, N·m]."""
    return contact_gradient(core_of(scene)) / scene.engine.statistics.dt**2


def wrenches(scene):
    """Moments about the world's origin and forces on each box, (n, 3) each."""
    contacts, n = scene.engine.statistics.contacts, len(scene.slots)
    moments, forces = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))  # the ground's too
    for side, sign, points in ((0, 1.0, contacts.points), (1, -1.0, contacts.opposite_points)):
        np.add.at(forces, contacts.bodies[:, side], sign * contacts.forces)
        turned = np.cross(points, contacts.forces) + contacts.couples
        np.add.at(moments, contacts.bodies[:, side], sign * turned)
    return moments[:n], forces[:n]


def assert_they_are_the_gradient(scene):
    """By rigid motions: a turn by ω changes q by (ω × p, [ω]A)."""
    q, gradient = scene.engine.cpu.state.q, gradient_of(scene)
    moments, forces = wrenches(scene)
    turns = affine.qdot_from_twist(q[:, None], np.cross(np.eye(3), q[:, None, :3]), np.eye(3))  # (n, 3, 12)
    size = np.abs(gradient).max()
    np.testing.assert_allclose(forces, -gradient[:, :3], rtol=0.0, atol=1e-11 * size)
    np.testing.assert_allclose(moments, -np.einsum("nki,ni->nk", turns, gradient), rtol=0.0, atol=1e-11 * size)


@pytest.mark.parametrize("steps", [5, 18, 30])
def test_they_are_the_gradient_of_the_contact_energy(tmp_path, steps):
    """Of a tumbling pile with friction, body by body."""
    scene = BoxScene(tmp_path)
    scene.add_ground()
    scene.add_box(tilted(0, 0, 0.19), velocity=twist_rate(tilted(0, 0, 0.19), linear=(0.4, 0, -1)))
    scene.add_box(tilted(0.02, 0.05, 0.54, 0.5), velocity=twist_rate(tilted(0.02, 0.05, 0.54, 0.5), linear=(0, 0, -2)))
    scene.add_box(tilted(-0.05, 0, 0.89, -0.4), velocity=twist_rate(tilted(-0.05, 0, 0.89), linear=(0, 0, -3)))
    scene.start().run(steps)
    assert np.abs(wrenches(scene)[1]).max() > 0.5 * WEIGHT
    assert_they_are_the_gradient(scene)


def test_edges_that_are_almost_parallel_have_a_couple(tmp_path):
    """A beam lies across the edge of another one, turned by 1.1°; without the couple the moments differ."""
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 0), size=(0.4, 0.05, 0.05), is_fixed=True)
    turned = translation(0.0, 0.024, 0.033 + 0.5 * np.hypot(0.05, 0.05))
    turned[:3, :3] = Rotation.from_euler("xz", [np.pi / 4, 0.02]).as_matrix()
    scene.add_box(turned, size=(0.4, 0.05, 0.05))
    scene.start().run(1)
    assert np.linalg.norm(scene.engine.statistics.contacts.couples, axis=1).max() > 0.1  # [N·m]
    assert_they_are_the_gradient(scene)


def test_normals_gaps_and_points_belong_together(tmp_path):
    scene = BoxScene(tmp_path, gravity=(2.0, 0.0, -9.8))
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.105))
    scene.add_box(translation(0.03, 0.02, 0.31))
    scene.start().run(60)
    contacts = scene.engine.statistics.contacts
    np.testing.assert_allclose(np.linalg.norm(contacts.normals, axis=1), 1.0, atol=1e-12)
    apart = contacts.points - contacts.opposite_points
    np.testing.assert_allclose(np.einsum("ki,ki->k", apart, contacts.normals), contacts.gaps, atol=1e-12)
    pushed = np.einsum("ki,ki->k", contacts.normal_forces, contacts.normals)
    assert (pushed >= 0.0).all()
    np.testing.assert_allclose(contacts.normal_forces, pushed[:, None] * contacts.normals, atol=1e-9)
    along = np.einsum("ki,ki->k", contacts.friction_forces, contacts.normals)
    np.testing.assert_allclose(along, 0.0, atol=1e-9)
    assert np.abs(contacts.friction_forces).max() > 1.0


def test_nothing_touches_in_the_air(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_ground()
    scene.add_box(translation(0, 0, 5.0))
    scene.start().run(1)
    assert len(scene.engine.statistics.contacts.points) == 0


def test_a_scene_without_contact_has_none(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0)
    scene.add_box(translation(0, 0, 5.0))
    scene.start().run(1)
    assert scene.engine.statistics.contacts.forces.shape == (0, 3)


def test_contacts_of_a_past_step_are_refused(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 5.0))
    first = scene.start().run(1).engine.statistics
    scene.run(1)
    with pytest.raises(EngineError, match="contacts, collisions and minimum_distance of step 1 can be measured only"):
        _ = first.contacts
