"""Rotations of poses."""

import numpy as np
from scipy.spatial.transform import Rotation

from ipc_articulation.scenefile.schema import PoseEntry


def test_rotations_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    for rpy, quaternion in zip(rng.uniform(-4.0, 4.0, (20, 3)), rng.normal(size=(20, 4)), strict=True):
        turned, given = PoseEntry(rpy=tuple(rpy)), PoseEntry(quaternion=tuple(quaternion / np.linalg.norm(quaternion)))
        expected = Rotation.from_euler("xyz", rpy), Rotation.from_quat(quaternion, scalar_first=True)
        for pose, rotation in zip((turned, given), expected, strict=True):
            found = Rotation.from_quat(pose.wxyz, scalar_first=True)
            assert (found * rotation.inv()).magnitude() < 1e-14
            assert abs(np.linalg.norm(pose.wxyz) - 1.0) < 1e-15
