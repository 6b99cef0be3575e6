"""Freedoms of joints that are strained: the penalty's force does no work along them."""

import numpy as np
import pytest

from ipc_articulation import affine
from ipc_articulation.articulation.kinds import KINDS
from ipc_articulation.coupling.readouts.joint_axes import about, freedoms, placement, residual
from tests.coupling.readouts.chains import Chain

MOVING = [number for number, entry in KINDS.items() if entry.freedoms]
NAMES = [KINDS[kind].name for kind in MOVING]


def strained(kind, size, seed=0):
    """Local vectors of a joint's penalty, and coordinates of its bodies a little apart."""
    robot = Chain(KINDS[kind].name).describe()
    local = KINDS[kind].held(placement(robot, robot.joints[0], kind))[0]
    q = affine.q_from_transform(np.stack([np.eye(4), robot.links[0].pose]))
    return local, q + size * np.random.default_rng(seed).normal(size=q.shape)


@pytest.mark.parametrize("kind", MOVING, ids=NAMES)
def test_the_residual_changes_as_its_derivative_says(kind):
    local, q = strained(kind, 0.1)
    R, h = residual(kind, local, q)[1], 1e-6
    for twist, column in zip(np.eye(6), R.T, strict=True):
        ends = []
        for sign in (-1.0, 1.0):
            moved = q.copy()
            V = sign * h * twist
            moved[1] += affine.qdot_from_twist(q[1], V[3:] + np.cross(V[:3], q[1, :3]), V[:3])
            ends.append(residual(kind, local, moved)[0])
        np.testing.assert_allclose((ends[1] - ends[0]) / (2.0 * h), column, atol=1e-8)


@pytest.mark.parametrize("kind", MOVING, ids=NAMES)
def test_the_joints_force_does_no_work(kind):
    local, q = strained(kind, 1e-3)
    r, R = residual(kind, local, q)
    S = freedoms(kind, local, q)
    assert S.shape == (6, KINDS[kind].freedoms)
    assert np.linalg.matrix_rank(S) == KINDS[kind].freedoms
    np.testing.assert_allclose(R @ S, 0.0, atol=0.05)
    np.testing.assert_allclose(r @ R @ S, 0.0, atol=1e-10 * max(np.linalg.norm(r), 1e-3))


def test_a_hinge_turns_about_its_axis():
    local, q = strained(0, 0.0)
    joint = Chain("revolute").joints[0]
    expected = np.concatenate([joint.axis, np.cross(joint.anchor, joint.axis)])
    S = freedoms(0, local, q)[:, 0]
    np.testing.assert_allclose(
        np.outer(S, S) / (S @ S), np.outer(expected, expected) / (expected @ expected), atol=1e-12
    )


def test_twists_about_another_point():
    p, twist, x = np.array([0.1, 0.2, -0.4]), np.array([1.0, -2.0, 0.5, 0.3, 0.1, 0.2]), np.array([0.7, 0.0, 0.2])
    there = about(p) @ twist
    np.testing.assert_allclose(there[3:] + np.cross(there[:3], x - p), twist[3:] + np.cross(twist[:3], x))
