"""Contact points and forces of a step: they hold boxes up, and are what the contact energy says."""

import numpy as np
import pytest

from ipc_articulation.errors import EngineError
from tests.engine.scenes import BoxScene, translation, twist_rate

WEIGHT = 8.0 * 9.8  # of a box of 0.2 m and 1000 kg/m³ [N]


def tilted(x, y, z, angle=0.3):
    from scipy.spatial.transform import Rotation

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


@pytest.mark.parametrize("steps", [5, 18, 30])
def test_they_are_the_gradient_of_the_contact_energy(tmp_path, steps):
    """Of a tumbling pile with friction, body by body."""
    scene = BoxScene(tmp_path)
    scene.add_ground()
    scene.add_box(tilted(0, 0, 0.19), velocity=twist_rate(tilted(0, 0, 0.19), linear=(0.4, 0, -1)))
    scene.add_box(tilted(0.02, 0.05, 0.54, 0.5), velocity=twist_rate(tilted(0.02, 0.05, 0.54, 0.5), linear=(0, 0, -2)))
    scene.add_box(tilted(-0.05, 0, 0.89, -0.4), velocity=twist_rate(tilted(-0.05, 0, 0.89), linear=(0, 0, -3)))
    scene.start().run(steps)
    model, contact, q = scene.engine.cpu.model, scene.engine.cpu.workspace.contact, scene.engine.cpu.state.q
    moving = np.ones(len(q), dtype=bool)
    contact.place(q, moving)
    gradient = contact.derivatives().gradient
    total = on_each(scene)
    assert np.abs(total).max() > 0.5 * WEIGHT
    dt = scene.engine.statistics.dt
    np.testing.assert_allclose(total, -gradient[:, :3] / dt**2, rtol=1e-9, atol=1e-6)
    torque = np.zeros((len(q), 3, 3))  # ∂E/∂A = Σ (∂E/∂x) x̄ᵀ, which the points must give
    contacts = scene.engine.statistics.contacts
    for (first, second), force, point in zip(contacts.bodies, contacts.forces, contacts.points, strict=True):
        if second == len(q):
            A, p = q[first, 3:].reshape(3, 3), q[first, :3]
            torque[first] += np.outer(force, np.linalg.solve(A, point - p))
    planes = np.zeros((len(q), 12))
    contact.half_planes.add_derivatives(model.surfaces.positions(q), moving, planes, np.zeros((len(q), 12, 12)))
    np.testing.assert_allclose(torque, -planes[:, 3:].reshape(-1, 3, 3) / dt**2, rtol=1e-9, atol=1e-6)


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
