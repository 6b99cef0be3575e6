"""Poses and twists of each joint as written in textbooks and in arboris-python's documentation."""

from math import cos, sin

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation.dynamics import joints

A = np.array([2.0, -1.0, 2.0]) / 3.0  # unit vectors
B = np.array([0.6, 0.0, -0.8])
E1, E2, E3 = np.eye(3)
QUATERNION = np.array([1.0, -5.0, 3.0, 1.0]) / 6.0


def turn(axis, angle):
    return Rotation.from_rotvec(angle * np.asarray(axis)).as_matrix()


def turns(axes, angles):
    """Successive turns about axes of the moving frame."""
    return Rotation.from_euler(axes.upper(), angles).as_matrix()


R = Rotation.from_quat(QUATERNION, scalar_first=True).as_matrix()


def pose(R=None, p=(0.0, 0.0, 0.0)):
    H = np.eye(4)
    H[:3, :3], H[:3, 3] = np.eye(3) if R is None else R, p
    return H


def angular(*rows):
    return np.vstack([rows, np.zeros((3, len(rows[0])))])


def linear(*rows):
    return np.vstack([np.zeros((3, len(rows[0]))), rows])


def column(omega, v=(0.0, 0.0, 0.0)):
    return np.array([[*omega, *v]]).T


z, y, x = 0.4, -0.7, 1.2  # angles about these axes
sz, sy, sx, cz, cy, cx = sin(z), sin(y), sin(x), cos(z), cos(y), cos(x)
d, e = 0.3, -0.9  # distances
o = np.zeros((3, 3))

FORMULAS = [  # joint, position, pose, X
    (joints.FixedJoint(), [], pose(), np.zeros((6, 0))),
    (joints.RxJoint(), [x], pose(turn(E1, x)), column(E1)),
    (joints.RyJoint(), [y], pose(turn(E2, y)), column(E2)),
    (joints.RzJoint(), [z], pose(turn(E3, z)), column(E3)),
    (joints.TxJoint(), [d], pose(p=d * E1), column((0, 0, 0), E1)),
    (joints.TyJoint(), [d], pose(p=d * E2), column((0, 0, 0), E2)),
    (joints.TzJoint(), [d], pose(p=d * E3), column((0, 0, 0), E3)),
    (joints.TxTyTzJoint(), [d, e, x], pose(p=(d, e, x)), linear(*np.eye(3))),
    (joints.RzRyJoint(), [z, y], pose(turns("zy", [z, y])), angular([-sy, 0], [0, 1], [cy, 0])),
    (joints.RzRxJoint(), [z, x], pose(turns("zx", [z, x])), angular([0, 1], [sx, 0], [cx, 0])),
    (joints.RyRxJoint(), [y, x], pose(turns("yx", [y, x])), angular([0, 1], [cx, 0], [-sx, 0])),
    (
        joints.RzRyRxJoint(),
        [z, y, x],
        pose(turns("zyx", [z, y, x])),
        angular([-sy, 0, 1], [sx * cy, cx, 0], [cx * cy, -sx, 0]),
    ),
    (joints.RevoluteJoint(3.0 * A), [x], pose(turn(A, x)), column(A)),
    (joints.PrismaticJoint(3.0 * A), [d], pose(p=d * A), column((0, 0, 0), A)),
    (joints.HelicalJoint(3.0 * A, 0.2), [x], pose(turn(A, x), 0.2 * x * A), column(A, 0.2 * A)),
    (
        joints.CylindricalJoint(3.0 * A),
        [x, d],
        pose(turn(A, x), d * A),
        np.hstack([column(A), column((0, 0, 0), A)]),
    ),
    (
        joints.UniversalJoint(3.0 * A, 2.0 * B),
        [z, y],
        pose(turn(A, z) @ turn(B, y)),
        np.hstack([column(turn(B, -y) @ A), column(B)]),
    ),
    (
        joints.PlanarJoint(),
        [d, e, z],
        pose(turn(E3, z), (d, e, 0)),
        np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [cz, sz, 0], [-sz, cz, 0], [0, 0, 0]]),
    ),
    (joints.SphericalJoint(), QUATERNION, pose(R), np.vstack([R.T, o])),
    (joints.FloatingJoint(), [d, e, x, *QUATERNION], pose(R, (d, e, x)), np.block([[o, R.T], [R.T, o]])),
]


@pytest.mark.parametrize(("joint", "q", "H", "X"), FORMULAS, ids=[type(row[0]).__name__ for row in FORMULAS])
def test_pose_and_subspace(joint, q, H, X):
    np.testing.assert_allclose(joint.pose_at(q), H, atol=1e-15)
    np.testing.assert_allclose(joint.subspace(q), X, atol=1e-15)


def test_every_joint_has_a_formula():
    assert {type(row[0]).__name__ for row in FORMULAS} == set(joints.__all__) - {"Joint"}


def test_planar_joint_slides_across_its_normal():
    joint = joints.PlanarJoint(3.0 * A)
    H, X = joint.pose_at([d, e, z]), joint.subspace([0.0, 0.0, 0.0])
    e1, e2 = X[3:, :2].T
    np.testing.assert_allclose(H, pose(turn(A, z), d * e1 + e * e2), atol=1e-15)
    np.testing.assert_allclose(np.cross(e1, e2), A, atol=1e-15)
    assert e1 @ e2 == pytest.approx(0.0, abs=1e-15)


def test_three_angles_are_a_chain_of_three_joints():
    """RzRyRx = Rz · Ry · Rx, with X_k = Ad(H⁻¹) of the joints after it and dX/dt accordingly."""
    q, v = np.array([z, y, x]), np.array([0.3, -1.1, 0.8])
    chain = [joints.RzJoint(z, v[0]), joints.RyJoint(y, v[1]), joints.RxJoint(x, v[2])]
    whole = joints.RzRyRxJoint(q, v)
    H = chain[0].pose @ chain[1].pose @ chain[2].pose
    np.testing.assert_allclose(whole.pose, H, atol=1e-15)
    omega = np.zeros(3)
    for joint in chain:
        omega = joint.pose[:3, :3].T @ omega + joint.twist[:3]
    np.testing.assert_allclose(whole.twist, [*omega, 0.0, 0.0, 0.0], atol=1e-15)
    rows = [[-cy * v[1], 0, 0]]
    rows += [[cx * cy * v[2] - sx * sy * v[1], -sx * v[2], 0], [-sx * cy * v[2] - cx * sy * v[1], -cx * v[2], 0]]
    np.testing.assert_allclose(whole.djacobian, angular(*rows), atol=1e-15)
