"""Rods along each other: the mollifier of parallel edges is zero there, so their vertices must carry."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from uipc import view

from tests.engine.rods import D_HAT, RADIUS, G, add_rod, along_x, force_on, rod_scene, weight
from tests.engine.scenes import twist_rate


def run_converged(scene, steps, most=40):
    """Steps that must all converge within few Newton iterations."""
    for _ in range(steps):
        newton = scene.run().engine.statistics.newton
        assert newton.result.value == "converged"
        assert newton.iterations <= most
    return scene


def gap(scene, i, j):
    """Of two rods along x, from the distance of their axes in the plane x = 0 [m]."""
    return np.linalg.norm(scene.q[i, 1:3] - scene.q[j, 1:3]) - 2 * RADIUS


@pytest.mark.parametrize("segments", [1, 4])
@pytest.mark.parametrize("length", [1.0, 0.7])
def test_a_rod_rests_on_a_parallel_one(tmp_path, length, segments):
    scene = rod_scene(tmp_path)
    add_rod(scene, along_x(0, 0), fixed=True, segments=segments)
    add_rod(scene, along_x(0, 2 * RADIUS + 0.8 * D_HAT, length), segments=segments)
    run_converged(scene.start(), 40)
    assert 0.1 * D_HAT < gap(scene, 0, 1) < D_HAT
    np.testing.assert_allclose(force_on(scene, 1), [0, 0, weight(scene.slots[1])], rtol=1e-3, atol=1e-6)


def test_a_pile_of_six_logs_carries_its_weight(tmp_path):
    """Three, two and one on the ground between two fixed ones."""
    scene, pitch = rod_scene(tmp_path), 2 * RADIUS + 0.9 * D_HAT
    scene.add_ground()
    low = RADIUS + 0.9 * D_HAT
    for row, count in enumerate((3, 2, 1)):
        for k in range(count):
            add_rod(scene, along_x((k - (count - 1) / 2) * pitch, low + row * pitch * np.sqrt(0.75), 0.5))
    for side in (-2, 2):
        add_rod(scene, along_x(side * pitch, low, 0.5), fixed=True)
    run_converged(scene.start(), 60)
    assert 0.1 * D_HAT < scene.engine.statistics.minimum_distance < D_HAT
    pushed = sum(force_on(scene, log) for log in range(6))  # what the logs do to each other cancels
    np.testing.assert_allclose(pushed[2], sum(map(weight, scene.slots[:6])), rtol=1e-3)
    assert np.abs(scene.qdot[:6]).max() < 1e-3


def test_crossing_rods_touch_at_one_place(tmp_path):
    scene = rod_scene(tmp_path)
    add_rod(scene, along_x(0, 0), fixed=True)
    z = 2 * RADIUS + 0.8 * D_HAT
    add_rod(scene, [[0.2, -0.4, z], [0.2, 0.4, z]])
    run_converged(scene.start(), 1)
    assert scene.engine.statistics.collisions == 1


@pytest.mark.parametrize(("friction", "holds"), [(0.5, True), (0.0, False)])
def test_friction_holds_a_rod_on_an_inclined_pair(tmp_path, friction, holds):
    """Two fixed rods side by side lean by 15 degrees; a third lies between them, along both."""
    lean = np.radians(15.0)
    scene = rod_scene(tmp_path, gravity=(G * np.sin(lean), 0, -G * np.cos(lean)), friction=friction)
    half, apart = 1.5 * RADIUS, 2 * RADIUS + 0.9 * D_HAT
    for y in (-half, half):
        add_rod(scene, along_x(y, 0), fixed=True)
    add_rod(scene, along_x(0, np.sqrt(apart**2 - half**2), 0.5))
    run_converged(scene.start(), 40)
    speed, free_fall = scene.qdot[2, 0], G * np.sin(lean) * 0.4
    assert abs(speed) < 0.01 if holds else speed == pytest.approx(free_fall, rel=1e-3)


def test_spinning_logs_thrown_together_never_overlap(tmp_path):
    scene, rng = rod_scene(tmp_path, gravity=(0, 0, 0)), np.random.default_rng(4)
    for k in range(6):
        angle = 2 * np.pi * k / 6
        slot = add_rod(scene, along_x(0.3 * np.cos(angle), 0.3 * np.sin(angle), 0.5))
        velocity = -3.0 * np.array([0.0, np.cos(angle), np.sin(angle)])
        spin = rng.normal(size=3) * (k % 3)
        view(slot.geometry().instances().find("velocity"))[0] = twist_rate(np.eye(4), velocity, spin)
    scene.start()
    for _ in range(40):
        scene.run()
        assert smallest_distance(scene, 0.5) > 2 * RADIUS


def smallest_distance(scene, length):
    """Of any two axes, by points along them; slower and coarser than what is tested, and independent of it."""
    s = np.linspace(-length / 2, length / 2, 41)
    lines = [q[:3] + s[:, None] * q[3:].reshape(3, 3)[:, 0] for q in scene.q]
    return min(np.linalg.norm(a[:, None] - b[None], axis=2).min() for i, a in enumerate(lines) for b in lines[i + 1 :])


def test_nearly_parallel_rods_rest(tmp_path):
    """Within the mollifier's 1.8 degrees and beyond, both at the middle."""
    for k, angle in enumerate(np.radians([0.01, 0.3, 1.0, 3.0])):
        scene = rod_scene(tmp_path / f"{k}")
        add_rod(scene, along_x(0, 0), fixed=True)
        add_rod(scene, Rotation.from_euler("z", angle).apply(along_x(0, 2 * RADIUS + 0.8 * D_HAT)))
        run_converged(scene.start(), 30)
        assert force_on(scene, 1)[2] == pytest.approx(weight(scene.slots[1]), rel=1e-3)
