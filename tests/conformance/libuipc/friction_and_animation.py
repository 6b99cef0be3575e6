"""Cases of friction on ramps, and of bodies that are moved by soft constraints."""

import numpy as np
import pytest
from uipc import view
from uipc.constitution import AffineBodyFixedJoint, RotatingMotor, SoftTransformConstraint
from uipc.geometry import affine_body

from ipc_articulation import affine
from tests.conformance.libuipc.case_scene import (
    DT,
    EXACT,
    ZERO,
    G,
    fallen,
    resting_gap,
    tetrahedron,
    transforms,
    turned,
)

SLOPE = np.deg2rad(30.0)
DOWNHILL = np.array([np.cos(SLOPE), 0.0, -np.sin(SLOPE)])
UPHILL_NORMAL = np.array([np.sin(SLOPE), 0.0, np.cos(SLOPE)])
FRICTION = np.array([0.0, 0.2, 0.4, 0.7, 1.0])  # tan 30° = 0.577


def ramp_of_boxes(scene):
    """A fixed box, its top through the origin."""
    at = turned([0, SLOPE, 0], -0.1 * UPHILL_NORMAL)
    return scene.add_box(at, size=(4.0, 0.5 * len(FRICTION), 0.2), is_fixed=1)


def ramp_of_half_plane(scene):
    return scene.add_ground(0.0, UPHILL_NORMAL)


@pytest.mark.parametrize(
    "add_ramp", [ramp_of_boxes, ramp_of_half_plane], ids=["11_abd_ramp_sliding", "26_abd_ramp_ground"]
)
def test_cubes_on_a_ramp(new_scene, add_ramp):
    """11_abd_ramp_sliding, 26_abd_ramp_ground: a = g (sin φ - μ cos φ) where μ < tan φ, otherwise they stick."""
    scene = new_scene(contact__eps_velocity=1e-3)
    add_ramp(scene)
    cubes, tabular = slice(len(scene.slots), None), scene.scene.contact_tabular()
    gap = resting_gap(0.2**3 * 1000.0 * G * np.cos(SLOPE) / 4)
    for k, mu in enumerate(FRICTION):
        element = tabular.create(f"element {k}")
        tabular.insert(tabular.default_element(), element, mu, 1e9)
        at = turned([0, SLOPE, 0], (0.1 + gap) * UPHILL_NORMAL + [0, 0.4 * (k - 2), 0] - 0.5 * DOWNHILL)
        element.apply_to(scene.add_box(at).geometry())
    scene.start().run(15)
    before = scene.step_rates()[cubes, :3] @ DOWNHILL
    after = scene.run(29).step_rates()[cubes, :3] @ DOWNHILL
    expected = np.maximum(0.0, G * (np.sin(SLOPE) - FRICTION * np.cos(SLOPE)))
    np.testing.assert_allclose((after - before) / (30 * DT), expected, atol=0.02 * G)
    assert np.all(np.abs(after[np.tan(SLOPE) < FRICTION]) < 1e-3)


def soft(*strength):
    return lambda geometry: SoftTransformConstraint().apply_to(geometry, np.array(strength, dtype=float))


def aim_at(scene, slot, transform_at):
    """Let a body's soft transform constraint aim at a transform of the frame, before each step."""

    def write(geometry, frame):
        view(geometry.instances().find("is_constrained"))[:] = 1
        view(geometry.instances().find("aim_transform"))[0] = transform_at(frame)

    scene.animate(slot, write)


def test_animated_translation(new_scene):
    """24_abd_animated_translation: each step balances inertia and constraint, x = (2xᵗ - xᵗ⁻¹ + η aim)/(1 + η)."""
    scene, eta = new_scene(gravity=ZERO, contact__enable=0, **EXACT), 100.0
    slot = scene.add(tetrahedron([(0, 0, 1), (0, 1, 0), (-0.9, -0.5, 0), (0.9, -0.5, 0)]), extras=[soft(eta, 0)])
    aim_at(scene, slot, lambda frame: turned([0, 0, 0], [0, 0, np.sin(2 * np.pi * frame / 60)]))
    scene.start()
    x = [0.0, 0.0]
    for frame in range(1, 61):
        x.append((2 * x[-1] - x[-2] + eta * np.sin(2 * np.pi * frame / 60)) / (1 + eta))
        assert scene.run().q[0, 2] == pytest.approx(x[-1], abs=1e-8)


def test_animated_rotation(new_scene):
    """25_abd_animated_rotation: a motor turns a cube about x at its speed, and leaves it to fall."""
    scene = new_scene()
    scene.add_ground()
    slot = scene.add_box(turned([0, 0, 0], [0, 0, 1.5]), kappa=1e7)
    RotatingMotor().apply_to(slot.geometry(), 100.0, np.array([1.0, 0, 0]), np.pi)

    def run_motor(info):
        geometry = info.geo_slots()[0].geometry()
        view(geometry.instances().find("is_constrained"))[:] = 1
        RotatingMotor.animate(geometry, info.dt())

    scene.scene.animator().insert(scene.scene.objects().find(1), run_motor)
    scene.start().run(39)
    np.testing.assert_allclose(scene.spins()[0], [np.pi, 0, 0], rtol=0.01, atol=1e-6)
    assert scene.q[0, 2] == pytest.approx(1.5 - fallen(40), abs=1e-6)


def test_soft_transform_of_a_body_off_its_origin(new_scene):
    """92_abd_stc_off_origin_cm: with strength in translation alone, the centre of mass goes where its aim is."""
    scene, center = new_scene(gravity=ZERO, contact__enable=0, **EXACT), np.array([0.0, 1.0, 0.0])
    M = affine_body.from_rigid_body(1.0, center, np.eye(3))
    mesh = tetrahedron([(0, 0, 1), (0, 1, 0), (-0.9, -0.5, 0), (0.9, -0.5, 0)])
    slot = scene.add(mesh, arguments=(M, 0.001), extras=[soft(100.0, 0.0)])
    aim_at(scene, slot, lambda frame: turned([0, 0, np.pi / 2 * min(frame, 50) / 50]))
    scene.start().run(70)
    np.testing.assert_allclose(affine.world_points(scene.q[0], center[None])[0], [-1, 0, 0], atol=1e-5)
    np.testing.assert_allclose(scene.q[0, 3:], np.eye(3).ravel(), atol=1e-6)  # nothing turns it


def test_fixed_joint_follows_an_animated_body(new_scene):
    """77_abd_fixed_joint: one body is led through a figure, the other one goes with it as one piece."""
    scene = new_scene(contact__enable=0)
    left = scene.add_box(turned([0, 0, 0], [-0.5, 0, 0.5]), size=(0.3, 0.3, 0.3))
    right = scene.add_box(turned([0, 0, 0], [0.5, 0, 0.5]), size=(0.3, 0.3, 0.3))
    soft(100.0, 100.0)(left.geometry())
    joint = AffineBodyFixedJoint().create_geometry([left], [0], [right], [0], [100.0])
    scene.scene.objects().create("joint").geometries().create(joint)

    def figure(frame):
        phase = 2 * np.pi * frame * DT
        swing = [0, np.pi / 4 * np.sin(phase), 0]
        return turned(swing, [-0.5 + 0.5 * np.sin(phase), 0, 0.5 + 0.3 * np.sin(2 * phase)])

    aim_at(scene, left, figure)
    scene.start()
    for _ in range(50):
        scene.run()
        relative = np.linalg.inv(transforms(left)[0]) @ transforms(right)[0]
        np.testing.assert_allclose(relative, turned([0, 0, 0], [1, 0, 0]), atol=5e-3)
    assert np.abs(transforms(left)[0, :3, 3] - figure(50)[:3, 3]).max() < 0.1, "the aim is followed"
