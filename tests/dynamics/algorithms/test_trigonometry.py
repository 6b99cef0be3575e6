"""Sine and cosine of our own, beside numpy's."""

import numpy as np
import pytest
from numba import njit

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics.kernels.trigonometry import FAR, sin_cos
from tests.dynamics.model.chains import hinges


@njit
def all_of(angles, result):
    for i in range(len(angles)):
        result[i] = sin_cos(angles[i])


@pytest.mark.parametrize("scale", [1e-9, 1.0, 10.0, 1e3, FAR])
def test_sine_and_cosine(scale):
    angles = np.random.default_rng(0).uniform(-scale, scale, 20_000)
    found = np.empty((len(angles), 2))
    all_of(angles, found)
    np.testing.assert_allclose(found, np.stack([np.sin(angles), np.cos(angles)], axis=1), rtol=0, atol=2.3e-16)


def test_where_the_quarters_meet():
    angles = np.concatenate([np.nextafter(k * np.pi / 4, (-9, 9)) for k in range(-8, 9)])
    found = np.empty((len(angles), 2))
    all_of(angles, found)
    np.testing.assert_allclose(found, np.stack([np.sin(angles), np.cos(angles)], axis=1), rtol=0, atol=2.3e-16)


def test_angles_of_many_turns_are_the_librarys():
    model, far = hinges(1).build(), 3.0 * FAR
    R = dyn.frame_poses(model, [far])[0, :3, :3]
    np.testing.assert_allclose(R[:2, :2], [[np.cos(far), -np.sin(far)], [np.sin(far), np.cos(far)]], atol=1e-15)
