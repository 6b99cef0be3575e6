"""Cases of joints: what they leave free, limits, local end points."""

import numpy as np
import pytest
from uipc.constitution import (
    AffineBodyFixedJoint,
    AffineBodyPrismaticJoint,
    AffineBodyPrismaticJointLimit,
    AffineBodyRevoluteJoint,
    AffineBodyRevoluteJointLimit,
    AffineBodySphericalJoint,
)

from ipc_articulation import affine
from tests.conformance.libuipc.case_scene import DT, EXACT, ZERO, G, fallen, travelled
from tests.conformance.libuipc.linked_boxes import ARM, ASIDE, INERTIA, MASS, SIDE, Y_AXIS, Z_AXIS, joined, two_boxes
from tests.engine.joints import add_ball, add_hinge, add_slider, put, read
from tests.engine.scenes import translation

HALF = SIDE / 2


def test_pendulums_on_hinges(new_scene):
    """37_abd_revolute_joint: two joints of one mesh, axes opposite; α = m g l/I, right-handed; no energy gained."""
    dt = 0.002
    scene = new_scene(dt=dt, **EXACT)
    first = two_boxes(scene)
    second = two_boxes(scene, (-ARM, 1, 0), (ARM, 1, 0))
    edges = np.array([Y_AXIS, Y_AXIS[::-1] + ASIDE])
    hinges = joined(scene, AffineBodyRevoluteJoint(), edges, [first[0], second[0]], [first[1], second[1]])
    scene.start().run(20)
    angle = travelled([MASS * G * ARM / INERTIA] * 20, dt)[-1]
    np.testing.assert_allclose(read(hinges, "angle"), [angle, -angle], rtol=5e-3)  # +x turned about +y goes down
    fastest = 0.0
    for _ in range(230):
        before = read(hinges, "angle")[0]
        scene.run()
        speed = (read(hinges, "angle")[0] - before) / dt
        fastest = max(fastest, speed)
        bob = scene.q[1, :3]
        assert np.linalg.norm(bob) == pytest.approx(ARM, abs=1e-4)
        assert 0.5 * INERTIA * speed**2 <= -MASS * G * bob[2] * 1.001
    assert fastest == pytest.approx(np.sqrt(2 * MASS * G * ARM / INERTIA), rel=0.03)  # at the lowest point


def test_sliders_on_a_slope(new_scene):
    """45_abd_prismatic_joint: along a diagonal a = g·t; distance is the child's from the parent, whichever is free."""
    scene = new_scene(**EXACT)
    first = two_boxes(scene)
    second = two_boxes(scene, (-ARM, 1, 0), (ARM, 1, 0), fixed=(0, 1))
    edge = np.array([[-0.2, 0, -0.2], [0.2, 0, 0.2]])
    sliders = joined(
        scene, AffineBodyPrismaticJoint(), [edge, edge + ASIDE], [first[0], second[0]], [first[1], second[1]]
    )
    scene.start().run(30)
    way = fallen(30) / np.sqrt(2)
    np.testing.assert_allclose(read(sliders, "distance"), [-way, way], rtol=1e-4)
    down = -way / np.sqrt(2)
    np.testing.assert_allclose(scene.q[1, :3], [ARM + down, 0, down], atol=1e-4)
    np.testing.assert_allclose(scene.q[2, :3], [-ARM + down, 1, down], atol=1e-4)
    np.testing.assert_allclose(scene.q[:, 3:], [np.eye(3).ravel()] * 4, atol=1e-4)


def overshoot(load, strength, width):
    """Where a limit holds a load [N or N·m]: 3 s r²/w = dt² load, r in widths w (or in metres where w = 0)."""
    scale = width or 1.0
    return scale * np.sqrt(DT**2 * load * scale / (3 * strength))


@pytest.mark.parametrize(("lower", "upper"), [(-0.05, 0.05), (0.05, 0.05)])
def test_limit_of_a_slider(new_scene, lower, upper):
    """51_abd_prismatic_joint_limit: a cube hangs below its lower limit as far as the limit is soft."""
    scene = new_scene(**EXACT)
    limit = (AffineBodyPrismaticJointLimit(), lower, upper, 50.0)
    slider = add_slider(scene, *two_boxes(scene), Z_AXIS, limit)
    scene.start().run(120)
    rest = lower - overshoot(MASS * G, 50.0, upper - lower)
    assert read(slider, "distance")[0] == pytest.approx(rest, abs=1e-5)
    assert scene.q[1, 2] == pytest.approx(rest, abs=1e-4)


@pytest.mark.parametrize(("lower", "upper"), [(-0.25, 0.25), (0.3, 0.3)])
def test_limit_of_a_hinge(new_scene, lower, upper):
    """52_abd_revolute_joint_limit: a cube on a hinge falls to the upper limit and rests there."""
    scene = new_scene(**EXACT)
    limit = (AffineBodyRevoluteJointLimit(), lower, upper, 50.0)
    hinge = add_hinge(scene, *two_boxes(scene), Y_AXIS, limit)
    scene.start().run(200)
    angle = upper
    for _ in range(20):  # the arm of the weight depends on the angle
        angle = upper + overshoot(MASS * G * ARM * np.cos(angle), 50.0, upper - lower)
    assert read(hinge, "angle")[0] == pytest.approx(angle, abs=1e-4)
    np.testing.assert_allclose(scene.q[1, :3], ARM * np.array([np.cos(angle), 0, -np.sin(angle)]), atol=1e-3)


def test_body_on_a_ball_joint(new_scene):
    """78_abd_spherical_joint: released aside of its anchor it starts with I_P ω̇ = r x m g, and the anchor holds."""
    scene = new_scene(contact__enable=0, dt=DT, **EXACT)
    wall, bob = two_boxes(scene, ZERO, (0.15, 0.15, -0.15))
    anchor, r = np.array([0.0, 0.0, 0.15]), np.array([0.15, 0.15, -0.3])
    add_ball(scene, wall, bob, anchor)
    scene.start()
    spin = scene.run(2).spins()[1]
    inertia = MASS * (SIDE**2 / 6 * np.eye(3) + r @ r * np.eye(3) - np.outer(r, r))
    np.testing.assert_allclose(spin, 3 * DT * np.linalg.solve(inertia, np.cross(r, [0, 0, -MASS * G])), atol=0.02)
    for _ in range(47):
        scene.run()
        np.testing.assert_allclose(
            affine.world_points(scene.q[1], (anchor - [0.15, 0.15, -0.15])[None])[0], anchor, atol=1e-3
        )
        assert scene.q[1, 2] < -0.15, "it cannot rise above its start"


LOCAL_CASES = {
    "88_abd_revolute_joint_local": (AffineBodyRevoluteJoint, [(HALF, 0, -HALF), (HALF, 0, HALF)]),
    "89_abd_prismatic_joint_local": (AffineBodyPrismaticJoint, [(-HALF, 0, 0), (HALF, 0, 0)]),
    "90_abd_fixed_joint_local": (AffineBodyFixedJoint, [(HALF, 0, 0)]),
    "91_abd_spherical_joint_local": (AffineBodySphericalJoint, [(HALF, 0, 0)]),
}


@pytest.mark.parametrize(("constitution", "ends"), LOCAL_CASES.values(), ids=LOCAL_CASES)
@pytest.mark.parametrize("offset", [ZERO, (0.05, 0.05, 0.05)], ids=["aligned", "misaligned"])
def test_joint_by_local_points(new_scene, constitution, ends, offset):
    """88 to 91: points given in each body are brought together, where the bodies stand apart at the start as well."""
    scene = new_scene(gravity=ZERO, contact__enable=0, **EXACT)
    left = scene.add_box(translation(-HALF, 0, 0), is_fixed=1)
    right = scene.add_box(translation(HALF, 0, 0) + np.pad(np.array(offset)[:, None], ((0, 1), (3, 0))), is_dynamic=0)
    left_ends = np.array(ends, dtype=float)
    right_ends = left_ends if constitution is AffineBodyPrismaticJoint else left_ends * [-1, 1, 1]
    points = [end[None] for side in (left_ends, right_ends) for end in side]
    put(scene, constitution().create_geometry(*points, [left], [0], [right], [0], [100.0]))
    scene.start().run(5)
    apart = affine.world_points(scene.q[1], right_ends) - affine.world_points(scene.q[0], left_ends)
    if constitution is AffineBodyPrismaticJoint:
        apart = apart[:, 1:]  # along x it is free
    np.testing.assert_allclose(apart, 0.0, atol=1e-6)
    if constitution in (AffineBodyPrismaticJoint, AffineBodyFixedJoint):
        np.testing.assert_allclose(scene.q[1, 3:], np.eye(3).ravel(), atol=1e-6)
