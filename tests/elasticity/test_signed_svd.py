import numpy as np
import pytest

from ipc_articulation.elasticity.signed_svd import signed_svd

HARD = {
    "identity": np.eye(3),
    "reflection": np.diag([1.0, 1.0, -1.0]),
    "point reflection": -np.eye(3),
    "zero": np.zeros((3, 3)),
    "rank one": np.outer([1.0, 2.0, 3.0], [0.0, 1.0, 0.0]),
    "rank two": np.diag([0.0, 2.0, 1.0]),
    "nearly singular": np.diag([1.0, 1e-9, 0.0]),
    "huge": 1e70 * np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 10]]),
    "tiny": 1e-70 * np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 10]]),
}


def decompose(A):
    U, s, V = np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    signed_svd(np.ascontiguousarray(A), U, s, V)
    return U, s, V


def check(A):
    U, s, V = decompose(A)
    np.testing.assert_allclose(U @ np.diag(s) @ V.T, A, atol=1e-14 * np.abs(A).max())
    for rotation in (U, V):
        np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-14)
        assert np.linalg.det(rotation) > 0.0
    assert s[0] >= s[1] * (1 - 1e-15) >= np.abs(s[2]) * (1 - 2e-15)


@pytest.mark.parametrize("name", HARD)
def test_hard_matrices(name):
    check(HARD[name])


def test_random_matrices_agree_with_numpy():
    for A in np.random.default_rng(1).standard_normal((200, 3, 3)):
        check(A)
        _, s, _ = decompose(A)
        np.testing.assert_allclose(np.abs(s), np.linalg.svd(A)[1], atol=1e-14)
        assert np.sign(s[2]) == np.sign(np.linalg.det(A))
