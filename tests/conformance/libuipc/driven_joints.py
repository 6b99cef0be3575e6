"""Cases of joints that are moved: drives, forces, external articulation."""

import numpy as np
import pytest
from uipc import view
from uipc.constitution import (
    AffineBodyDrivingPrismaticJoint,
    AffineBodyDrivingRevoluteJoint,
    AffineBodyPrismaticJointExternalForce,
    AffineBodyRevoluteJoint,
    AffineBodyRevoluteJointExternalForce,
    ExternalArticulationConstraint,
)

from ipc_articulation import affine
from tests.conformance.libuipc.case_scene import DOWN, DT, EXACT, ZERO, G, travelled
from tests.conformance.libuipc.linked_boxes import ARM, ASIDE, INERTIA, MASS, Y_AXIS, Z_AXIS, follow, joined, two_boxes
from tests.engine.joints import add_hinge, add_slider, put, read, write
from tests.engine.scenes import translation


def drive(scene, slot, coordinate, speed_at, force=None, last=np.inf):
    """Let a joint's drive aim at its coordinate plus dt·speed(frame); from `last` on a force takes its place."""

    def callback(geometry, frame):
        is_driven = frame <= last
        write(geometry, driving__is_constrained=is_driven)
        here = np.array(geometry.edges().find(coordinate).view())
        write(geometry, **{f"aim_{coordinate}": here + DT * speed_at(frame)})
        if force is not None:
            name, value = force
            write(geometry, **{f"{name}__is_constrained": not is_driven, name: value})

    scene.animate(slot, callback)


def driven_rates(speeds, stiffness_over_inertia, acceleration=0.0):
    """Rates of a joint that aims at its present place plus dt·w: v = (vᵗ + β w + dt a)/(1 + β)."""
    v, rates, beta = 0.0, [], stiffness_over_inertia
    for w in speeds:
        v = (v + beta * w + DT * acceleration) / (1 + beta)
        rates.append(v)
    return np.array(rates)


def there_and_back(frame):
    return -2.0 if frame <= 15 else 3.0


SPEEDS = [there_and_back(frame) for frame in range(1, 31)]


def test_driven_slider(new_scene):
    """71_abd_driving_prismatic_joint: there and back at a given speed, under gravity, by the balance of each step."""
    scene = new_scene(**EXACT)
    slider = add_slider(scene, *two_boxes(scene), Z_AXIS, (AffineBodyDrivingPrismaticJoint(), 10.0))
    drive(scene, slider, "distance", there_and_back)
    scene.start()
    distances = follow(scene, slider, "distance")[:, 0]
    beta = 2 * 10.0 * 2 * MASS / MASS  # K/2 twice, K = ratio (mᵢ + mⱼ)
    np.testing.assert_allclose(distances, DT * np.cumsum(driven_rates(SPEEDS, beta, -G)), atol=1e-6)


def test_driven_hinge(new_scene):
    """72_abd_driving_revolute_joint: there and back at a given speed, whoever of the two bodies is fixed."""
    scene = new_scene(gravity=ZERO, **EXACT)
    first = two_boxes(scene)
    second = two_boxes(scene, (-ARM, 1, 0), (ARM, 1, 0), fixed=(0, 1))
    hinges = joined(
        scene,
        AffineBodyRevoluteJoint(),
        [Y_AXIS, Y_AXIS + ASIDE],
        [first[0], second[0]],
        [first[1], second[1]],
        [(AffineBodyDrivingRevoluteJoint(), [1.0, 1.0])],
    )
    drive(scene, hinges, "angle", there_and_back)
    scene.start()
    angles = follow(scene, hinges, "angle")
    expected = DT * np.cumsum(driven_rates(SPEEDS, 2 * MASS / INERTIA))
    np.testing.assert_allclose(angles, np.stack([expected] * 2, axis=1), atol=2e-3)
    end = angles[-1, 0]  # +y turns +x down, and for the fixed child the parent's -x as well
    np.testing.assert_allclose(scene.q[1, :3], ARM * np.array([np.cos(end), 0, -np.sin(end)]), atol=1e-3)
    np.testing.assert_allclose(scene.q[2, :3], [-ARM * np.cos(end), 1, -ARM * np.sin(end)], atol=1e-3)


def pushing(name, value_at):
    """A callback that switches a joint's force on and writes its value for the frame."""
    return lambda geometry, frame: write(geometry, **{f"{name}__is_constrained": 1, name: value_at(frame)})


def test_force_on_a_slider(new_scene):
    """73_abd_prismatic_joint_external_force: forth and, with five times the force, back; the child moves by F/m."""
    scene = new_scene(**EXACT)
    load = (AffineBodyPrismaticJointExternalForce(), 0.0)
    slider = add_slider(scene, *two_boxes(scene), [[0, -0.3, 0], [0, 0.3, 0]], load)  # level: no weight along it
    force = [20.0] * 15 + [-100.0] * 15
    scene.animate(slider, pushing("external_force", lambda frame: force[frame - 1]))
    scene.start()
    distances = follow(scene, slider, "distance")[:, 0]
    np.testing.assert_allclose(distances, travelled(np.array(force) / MASS), atol=1e-5)


def test_torque_on_a_hinge(new_scene):
    """74_abd_revolute_joint_external_force: as long one way as the other, and the child stands still; α = τ/I."""
    scene = new_scene(**EXACT)
    load = (AffineBodyRevoluteJointExternalForce(), 0.0)
    hinge = add_hinge(scene, *two_boxes(scene), Z_AXIS, load)  # upright: no weight about it
    torque = [-2.0] * 15 + [2.0] * 15
    scene.animate(hinge, pushing("external_torque", lambda frame: torque[frame - 1]))
    scene.start()
    angles = follow(scene, hinge, "angle")[:, 0]
    np.testing.assert_allclose(angles, travelled(np.array(torque) / INERTIA), atol=2e-4)
    assert angles[-1] < -0.02
    assert abs(angles[-1] - angles[-2]) < 1e-5


def test_slider_driven_then_pushed(new_scene):
    """79_abd_prismatic_joint_driving_and_external_force: one joint, first led at a speed, then left to a force."""
    scene = new_scene(gravity=ZERO, **EXACT)
    extras = [(AffineBodyDrivingPrismaticJoint(), 100.0), (AffineBodyPrismaticJointExternalForce(), 0.0)]
    slider = add_slider(scene, *two_boxes(scene), Z_AXIS, *extras)
    drive(scene, slider, "distance", lambda frame: 0.5, force=("external_force", -20.0), last=15)
    scene.start().run(15)
    start, led = read(slider, "distance")[0], driven_rates([0.5] * 15, 400.0)[-1]
    scene.run(15)
    way = read(slider, "distance")[0] - start
    assert way == pytest.approx(15 * DT * led + travelled([-20.0 / MASS] * 15)[-1], abs=1e-6)


def test_hinge_driven_then_turned(new_scene):
    """80_abd_revolute_joint_driving_and_external_torque: one joint, first led at a speed, then left to a torque."""
    scene = new_scene(gravity=ZERO, **EXACT)
    extras = [(AffineBodyDrivingRevoluteJoint(), 100.0), (AffineBodyRevoluteJointExternalForce(), 0.0)]
    hinge = add_hinge(scene, *two_boxes(scene), Z_AXIS, *extras)
    drive(scene, hinge, "angle", lambda frame: 0.5, force=("external_torque", -2.0), last=15)
    scene.start().run(15)
    start = read(hinge, "angle")[0]
    scene.run(15)
    way = read(hinge, "angle")[0] - start
    assert start == pytest.approx(15 * DT * 0.5, rel=0.02)
    assert way == pytest.approx(15 * DT * 0.5 + travelled([-2.0 / INERTIA] * 15)[-1], rel=0.02)


def articulated(scene, joints, indices, mass_matrix, steps):
    """An external articulation that asks for a given δθ̃ in each step; its object's slot."""
    geometry = ExternalArticulationConstraint().create_geometry(joints, indices)
    view(geometry["joint_joint"].find("mass"))[:] = np.ravel(mass_matrix)
    slot = put(scene, geometry)

    def write_steps(geometry, frame):
        view(geometry["joint"].find("delta_theta_tilde"))[:] = steps

    scene.animate(slot, write_steps)
    return slot


def reference_follows(scene, slot):
    """Write `ref_dof_prev` from the body's present transform before each step; no kinetic term of its own."""
    instances = slot.geometry().instances()
    view(instances.find("external_kinetic"))[:] = 1
    instances.create("ref_dof_prev", np.zeros(12))

    def write_reference(geometry, frame):
        q = affine.q_from_transform(np.array(geometry.transforms().view()))
        view(geometry.instances().find("ref_dof_prev"))[..., 0] = q

    scene.animate(slot, write_reference)


def test_articulated_hinges(new_scene):
    """46_external_articulation_constraint: two articulations of a hinge each, opposite ways; gravity is not theirs."""
    scene = new_scene(gravity=DOWN, **EXACT)
    first = two_boxes(scene, fixed=(0, 1))
    second = two_boxes(scene, (-ARM, 1, 0), (ARM, 1, 0), fixed=(0, 1))
    for slot in first + second:
        reference_follows(scene, slot)
    edges = [Z_AXIS, Z_AXIS + ASIDE]
    hinges = joined(scene, AffineBodyRevoluteJoint(), edges, [first[0], second[0]], [first[1], second[1]])
    for k, sign in enumerate((-1, 1)):
        articulated(scene, [hinges], [k], [[64.0]], sign * np.pi / 6 * DT)
    scene.start().run(50)
    angle = 50 * np.pi / 6 * DT
    np.testing.assert_allclose(read(hinges, "angle"), [-angle, angle], atol=1e-5)
    x, y = -ARM * np.cos(angle), ARM * np.sin(angle)  # the free parents turn against their joints
    np.testing.assert_allclose(scene.q[[0, 2], :3], [[x, -y, 0], [x, 1 + y, 0]], atol=1e-4)


def test_articulated_hinge_and_slider(new_scene):
    """47_external_articulation_multijoints: one articulation of a hinge and a slider with a full mass matrix."""
    scene = new_scene(gravity=DOWN, contact__enable=0, **EXACT)
    base, arm, hand = (scene.add_box(translation(0, 0, z), kappa=1e9, is_fixed=int(z < 0)) for z in (-0.8, 0.0, 0.8))
    for slot in (base, arm, hand):
        reference_follows(scene, slot)
    hinge = add_hinge(scene, base, arm, [[-0.5, 0, -0.4], [0.5, 0, -0.4]])
    slider = add_slider(scene, arm, hand, [[0, 0, 0], [0, 0, 0.4]])
    articulated(scene, [hinge, slider], [0, 0], [[64.0, 8.0], [8.0, 64.0]], [np.pi / 6 * DT, 0.1 * DT])
    scene.start().run(60)
    angle, way = 60 * np.pi / 6 * DT, 60 * 0.1 * DT
    assert read(hinge, "angle")[0] == pytest.approx(angle, abs=1e-5)
    assert read(slider, "distance")[0] == pytest.approx(way, abs=1e-5)
    up = np.array([0, -np.sin(angle), np.cos(angle)])  # +x turns +z towards -y
    np.testing.assert_allclose(scene.q[1:, :3], [[0, 0, -0.4] + 0.4 * up, [0, 0, -0.4] + (1.2 + way) * up], atol=1e-3)
