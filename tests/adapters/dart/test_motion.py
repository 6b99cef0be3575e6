"""Without contact every joint of DART moves in the scene as DART's own step moves it."""

import numpy as np
import pytest
from ipc_articulation.adapters.dart import DartAdapter

from ipc_articulation import spatial
from ipc_articulation.errors import UnsupportedError
from tests.adapters.dart.worlds import DT, KINDS, D, add_body, add_box, chain, empty, poses, run

NONE = np.zeros((0, 4, 4))


@pytest.mark.parametrize("child_placed", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_motion_without_contact_is_darts_own(kind, child_placed, tmp_path) -> None:
    world, own = chain(kind, child_placed), chain(kind, child_placed)
    adapter, start = DartAdapter(world), poses(own)
    for _ in range(20):
        for each in (world, own):
            each.getSkeleton(0).setForces(np.cos(np.arange(each.getSkeleton(0).getNumDofs())))
        adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
        own.step()
    assert np.abs(poses(own) - start).max() > 0.05
    np.testing.assert_allclose(poses(world), poses(own), rtol=0, atol=1e-11)
    assert world.getTime() == own.getTime()
    coupling = run(adapter, tmp_path, 20)
    for _ in range(20):
        own.step()
    np.testing.assert_allclose(poses(world), poses(own), rtol=0, atol=1e-8)
    assert coupling.drift.max() < 1e-7


@pytest.mark.parametrize("kind", ["Ball", "Free", "Planar"])
def test_the_links_move_by_what_is_committed(kind) -> None:
    """With oblique frames at both ends of the joint; a planar joint's distances are those of its anchor."""
    world = chain(kind)
    adapter = DartAdapter(world)
    joint = adapter.describe().joints[1]
    first, before = adapter.link_poses()[:2]
    adapter.predict()
    change = np.zeros(len(adapter.theta()))
    change[1:-1] = 0.3 * np.cos(np.arange(len(change) - 2))
    adapter.commit(change, NONE, NONE)
    np.testing.assert_allclose(adapter.link_poses()[0], first, atol=1e-14)
    after, anchor = adapter.link_poses()[1], np.linalg.solve(before, np.append(joint.anchor, 1.0))
    turn = spatial.quaternion_log(spatial.quaternion_from_rotation(before[:3, :3].T @ after[:3, :3]))
    moved = ((after - before) @ anchor)[:3]
    if kind == "Ball":
        np.testing.assert_allclose(turn, change[1:-1], atol=1e-13)
        np.testing.assert_allclose(moved, 0.0, atol=1e-14)
    elif kind == "Free":
        shift = first[:3, :3].T @ (after - before)[:3, 3]
        np.testing.assert_allclose([*shift, *turn], change[1:-1], atol=1e-13)
    else:
        across = np.cross(joint.axis, joint.second_axis)
        np.testing.assert_allclose([moved @ joint.second_axis, moved @ across], change[1:3], atol=1e-13)
        np.testing.assert_allclose(before[:3, :3] @ turn, change[3] * joint.axis, atol=1e-13)


def test_the_mass_has_implicit_damping_and_springs() -> None:
    world = chain("Prismatic")
    skeleton = world.getSkeleton(0)
    added = DartAdapter(world).predict().mass - skeleton.getMassMatrix()
    np.testing.assert_allclose(added, (0.1 * DT + 2.0 * DT**2) * np.eye(3), atol=1e-13)


def test_forces_of_a_step_are_darts_and_are_cleared_after_it() -> None:
    world, own = chain("Free"), chain("Free")
    adapter = DartAdapter(world)
    for each in (world, own):
        skeleton = each.getSkeleton(0)
        skeleton.setForces(np.ones(skeleton.getNumDofs()))
        skeleton.getBodyNode(1).addExtForce([3.0, 2.0, 1.0])
    adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
    own.step()
    np.testing.assert_allclose(poses(world), poses(own), rtol=0, atol=1e-13)
    skeleton = world.getSkeleton(0)
    for forces in (skeleton.getForces(), skeleton.getExternalForces(), skeleton.getCommands()):
        np.testing.assert_array_equal(forces, 0.0)


def test_limits_of_joints_are_in_the_prediction() -> None:
    world, own = chain("Revolute"), chain("Revolute")
    adapter = DartAdapter(world)
    for each in (world, own):
        joint = each.getSkeleton(0).getJoint(0)
        joint.setPositionUpperLimit(0, joint.getPosition(0))
        joint.setVelocity(0, 2.0)
        joint.setLimitEnforcement(True)
    adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
    own.step()
    assert own.getSkeleton(0).getVelocity(0) < 1.0
    np.testing.assert_allclose(poses(world), poses(own), rtol=0, atol=1e-13)


def test_contact_is_not_darts() -> None:
    """Of two overlapping boxes, which DART alone would push apart; afterwards DART has its contact back."""
    world, own = empty(), empty()
    for each in (world, own):
        for name, seed in (("one", 1), ("other", 1)):
            skeleton = D.Skeleton(name)
            add_box(add_body(skeleton, None, "Free", "body", seed))
            each.addSkeleton(skeleton)
    adapter = DartAdapter(world)
    change = adapter.predict().delta_theta_tilde
    np.testing.assert_allclose(change[:3] / DT**2, world.getGravity(), rtol=0.1)
    adapter.commit(change, NONE, NONE)
    own.step()
    assert world.checkCollision()
    ours, theirs = (each.getSkeleton(0).getVelocities() for each in (world, own))
    assert np.abs(ours - theirs).max() > 1e-3


def test_two_skeletons_move_together() -> None:
    world, own = chain("Free"), chain("Free")
    for each in (world, own):
        second = D.Skeleton("second")
        add_body(second, None, "Ball", "ball", 9)
        each.addSkeleton(second)
    adapter = DartAdapter(world)
    assert [link.name for link in adapter.describe().links][-1] == "second/ball"
    for _ in range(5):
        adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
        own.step()
    np.testing.assert_allclose(poses(world), poses(own), rtol=0, atol=1e-12)
    ours, theirs = (each.getSkeleton(1).getPositions() for each in (world, own))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["Euler", "Translational"])
def test_a_joint_without_counterpart_is_named(kind) -> None:
    message = (
        f"joint 'to middle' is of kind {kind}; those that can be coupled: Revolute, Prismatic, Screw, Universal, Ball"
    )
    with pytest.raises(UnsupportedError, match=message):
        DartAdapter(chain(kind))


@pytest.mark.parametrize("kind", ["VELOCITY", "ACCELERATION", "LOCKED"])
def test_a_joint_that_moves_as_it_is_told_is_named(kind) -> None:
    world = chain("Ball")
    world.getSkeleton(0).getJoint(0).setActuatorType(getattr(D.ActuatorType, kind))
    with pytest.raises(
        UnsupportedError, match=f"joint 'to first' has an actuator of type {kind}, which contact cannot"
    ):
        DartAdapter(world)


def test_a_joint_that_mimics_another_one_is_named() -> None:
    world = chain("Revolute")
    world.getSkeleton(0).getJoint(1).setActuatorType(D.ActuatorType.MIMIC)
    with pytest.raises(
        UnsupportedError, match=r"has an actuator of type MIMIC, which pushes it without a reaction on its"
    ):
        DartAdapter(world)
