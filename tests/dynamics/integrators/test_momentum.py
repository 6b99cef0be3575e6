"""Scheme.MOMENTUM: a floating robot gains the momentum of outer forces exactly, and nothing else changes it."""

import re

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import joints
from ipc_articulation.dynamics.integrators.momentum import floating_base, momentum, with_momentum
from ipc_articulation.dynamics.loops import gear
from ipc_articulation.errors import UnsupportedError

DT, STEPS, IDLE = 0.005, 100, dyn.Drive()
GRAVITY = (0.5, -1.0, -9.81)
WRENCH = np.array([0.2, -0.1, 0.3, 1.0, 2.0, -0.5])  # on the hand, about the world's origin
MOTORS = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1, -0.05, 0.02])


def mechanism(gravity=(0.0, 0.0, 0.0), **base) -> dyn.Mechanism:
    """A floating body in an oblique frame, with an arm of two hinges and a wheel."""
    flyer = dyn.Mechanism("flyer", gravity=gravity)
    oblique = spatial.pose(spatial.rotation_about((0.48, 0.6, 0.64), 0.7), (0.3, 0.2, 1.0))
    flyer.add_link("trunk", 2.0, (0.05, 0.02, 0.0), (0.03, 0.05, 0.06))
    flyer.add_joint("root", joints.FloatingJoint(), "world", "trunk", origin=oblique, child_origin=oblique, **base)
    for name, parent, joint in (("arm", "trunk", joints.RxJoint()), ("hand", "arm", joints.RyJoint())):
        flyer.add_link(name, 0.8, (0.0, 0.1, -0.2), (0.02, 0.02, 1e-3))
        place = spatial.pose(p=(0.1, 0.0, -0.3))
        flyer.add_joint(f"{name} joint", joint, parent, name, origin=place, rotor_inertia=0.01, damping=0.02)
    flyer.add_link("wheel", 0.3, inertia=(1e-3, 1e-3, 2e-3))
    flyer.add_joint("axle", joints.RzJoint(), "trunk", "wheel", stiffness=0.3)
    return flyer


def state(model: dyn.Model) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return dyn.random_position(model, rng), rng.normal(size=model.nv)


def run(model, q, v, drive=IDLE, scheme=dyn.Scheme.MOMENTUM, dt=DT, steps=STEPS):
    for _ in range(steps):
        q, v = dyn.implicit(model, q, v, dt, drive, scheme)
    return q, v


def test_momentum_is_the_sum_over_bodies_about_the_origin() -> None:
    model = mechanism().build()
    q, v = state(model)
    total = np.zeros(6)
    for body in model.bodies:
        J, pose = dyn.jacobian(model, q, body.name, body.centre), dyn.frame_poses(model, q, [body.name])[0]
        spin, speed, R = (J @ v)[:3], (J @ v)[3:], pose[:3, :3]
        x = R @ body.centre + pose[:3, 3]
        total += [*(R @ body.inertia @ R.T @ spin + np.cross(x, body.mass * speed)), *(body.mass * speed)]
    np.testing.assert_allclose(momentum(model, q, v), total, atol=1e-13)


def test_motors_springs_and_dampers_within_a_robot_leave_its_momentum_alone() -> None:
    model = mechanism().build()
    q, v = state(model)
    before = momentum(model, q, v)
    lost = {}
    for scheme in (dyn.Scheme.MOMENTUM, dyn.Scheme.FULL):
        lost[scheme] = np.abs(momentum(model, *run(model, q, v, dyn.Drive(tau=MOTORS), scheme)) - before).max()
    assert lost[dyn.Scheme.MOMENTUM] < 1e-12
    assert lost[dyn.Scheme.FULL] > 1e-3


def test_limits_and_dry_friction_within_a_robot_leave_its_momentum_alone() -> None:
    flyer = mechanism()
    flyer.joints[1].lower, flyer.joints[1].upper, flyer.joints[2].friction = -0.1, 0.1, 0.2
    model = flyer.build()
    q, v = model.neutral, state(model)[1]
    before, stopped = momentum(model, q, v), False
    for _ in range(STEPS):
        q, v = run(model, q, v, dyn.Drive(tau=5.0 * MOTORS), steps=1)
        stopped = stopped or abs(q[7] - 0.1) < 1e-12
    assert stopped
    np.testing.assert_allclose(momentum(model, q, v), before, atol=1e-12)


def test_wrenches_and_weight_give_their_momentum() -> None:
    """Their moment acts at the centre of mass of the beginning of each step."""
    model = mechanism(GRAVITY).build()
    q, v = state(model)
    wrenches = np.zeros((4, 6))
    wrenches[model.body("hand")] = WRENCH
    for _ in range(20):
        weight = model.mass * np.array(GRAVITY)
        of_weight = np.concatenate([np.cross(dyn.centre_of_mass(model, q), weight), weight])
        gained = DT * (WRENCH + of_weight)
        before = momentum(model, q, v)
        q, v = run(model, q, v, dyn.Drive(tau=MOTORS, wrenches=wrenches), steps=1)
        np.testing.assert_allclose(momentum(model, q, v) - before, gained, atol=1e-13)


def test_forces_on_the_base_joint_give_their_momentum() -> None:
    """A force and a torque in the joint's axes, at the origin of its moving frame."""
    model = mechanism().build()
    q, v = state(model)
    force, torque = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.1, -0.2])
    frame = floating_base(model).frame
    before, origin = momentum(model, q, v), (frame @ [*q[:3], 1.0])[:3]
    q, v = run(model, q, v, dyn.Drive(tau=[*force, *torque, 0.1, 0.0, 0.0]), steps=1)
    R = frame[:3, :3]
    want = [*(R @ torque + np.cross(origin, R @ force)), *(R @ force)]
    np.testing.assert_allclose(momentum(model, q, v) - before, DT * np.array(want), atol=1e-13)


def test_dampers_of_the_base_joint_take_their_momentum() -> None:
    """In the implicit step they act with the velocity v* of its end."""
    model = mechanism(damping=2.0).build()
    q, v = state(model)
    before = momentum(model, q, v)
    end = dyn.implicit(model, q, v, DT, scheme=dyn.Scheme.FULL).v
    after = momentum(model, *run(model, q, v, steps=1))
    np.testing.assert_allclose(
        (after - before)[3:], -DT * 2.0 * floating_base(model).frame[:3, :3] @ end[:3], atol=1e-13
    )


def test_the_centre_of_mass_moves_with_the_momentum() -> None:
    model = mechanism(GRAVITY).build()
    q, v = state(model)
    for _ in range(20):
        centre = dyn.centre_of_mass(model, q)
        q, v = run(model, q, v, dyn.Drive(tau=MOTORS), steps=1)
        moved = DT * momentum(model, q, v)[3:] / model.mass
        np.testing.assert_allclose(dyn.centre_of_mass(model, q) - centre, moved, atol=1e-14)


def test_a_robot_moves_alike_however_fast_it_flies() -> None:
    model = mechanism().build()
    q, v = state(model)
    fast = np.array(v)
    fast[:3] += 300.0, -100.0, 50.0
    (q_slow, v_slow), (q_fast, v_fast) = (run(model, q, speed) for speed in (v, fast))
    np.testing.assert_allclose(q_fast[3:], q_slow[3:], atol=1e-9)
    np.testing.assert_allclose(v_fast[3:], v_slow[3:], atol=1e-9)
    np.testing.assert_allclose(v_fast[:3] - v_slow[:3], fast[:3] - v[:3], atol=1e-8)


def test_the_order_stays_one() -> None:
    model, drive = mechanism().build(), dyn.Drive(tau=MOTORS)
    q, v = state(model)
    exact, end = dyn.Step(q, v), []
    for _ in range(500):
        exact = dyn.midpoint(model, *exact, 1e-3, drive)
    for dt in (0.01, 0.005, 0.0025):
        reached = run(model, q, v, drive, dt=dt, steps=round(0.5 / dt))
        end.append(np.abs(dyn.difference(model, exact.q, reached[0])).max())
    assert end[0] / end[1] == pytest.approx(2.0, rel=0.2)
    assert end[1] / end[2] == pytest.approx(2.0, rel=0.2)


def test_the_velocity_is_the_nearest_in_the_norm_of_the_kinetic_energy() -> None:
    """The change is orthogonal to every velocity without momentum."""
    flyer = mechanism()
    for joint in flyer.joints:
        joint.rotor_inertia = 0.0
    model = flyer.build()
    q, v = state(model)
    base, h = floating_base(model), np.arange(1.0, 7.0)
    nearest = with_momentum(model, base, q, v, h)
    np.testing.assert_allclose(momentum(model, q, nearest), h, atol=1e-12)
    A = np.array([momentum(model, q, unit) for unit in np.eye(model.nv)]).T
    still = np.linalg.svd(A)[2][6:]
    np.testing.assert_allclose(still @ dyn.mass_matrix(model, q) @ (nearest - v), 0.0, atol=1e-12)


def test_loops_keep_momentum_too() -> None:
    flyer = mechanism()
    flyer.add_link("rotor", 0.1, inertia=(1e-4, 1e-4, 2e-4))
    flyer.add_joint("rotor joint", joints.RxJoint(), "arm", "rotor")
    model = flyer.build().with_loops([(["hand joint", "rotor joint"], gear(4.0))])
    q, v = model.neutral, np.random.default_rng(2).normal(size=model.nv)
    before = momentum(model, q, v)
    q, v = run(model, q, v, dyn.Drive(tau=[*MOTORS, 0.03]))
    np.testing.assert_allclose(momentum(model, q, v), before, atol=1e-12)
    assert np.abs(v[6:]).max() > 0.1


def test_a_robot_on_the_world_moves_as_with_the_full_scheme() -> None:
    flyer = mechanism()
    flyer.joints[0].joint = joints.SphericalJoint()
    model = flyer.build()
    q, v = state(model)
    kept, full = (dyn.implicit(model, q, v, DT, scheme=scheme) for scheme in (dyn.Scheme.MOMENTUM, dyn.Scheme.FULL))
    np.testing.assert_array_equal(kept.q, full.q)
    np.testing.assert_array_equal(kept.v, full.v)


def test_two_trees_are_refused_by_name() -> None:
    flyer = mechanism()
    flyer.add_link("door", 1.0, inertia=0.1)
    flyer.add_joint("hinge", joints.RzJoint(), "world", "door")
    message = (
        "one joint on the world, a floating one; model 'flyer' has 'root' and 'hinge' there: build a model of each"
    )
    model = flyer.build()
    with pytest.raises(UnsupportedError, match=re.escape(message)):
        dyn.implicit(model, model.neutral, np.zeros(model.nv), DT, scheme=dyn.Scheme.MOMENTUM)
