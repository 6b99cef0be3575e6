import numpy as np

from ipc_articulation.engine.terms import ortho_potential as shape
from tests.derivatives import central_difference, relative_error


def affine_states(count, stretch):
    """Random coordinates around rotations: A = R (1 + stretch·noise)."""
    rng = np.random.default_rng(5)
    q = np.empty((count, 12))
    for row in q:
        R, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        row[:3] = rng.standard_normal(3)
        row[3:] = (R @ (np.eye(3) + stretch * rng.standard_normal((3, 3)))).ravel()
    return q


def derivatives(q, c):
    g, H = np.zeros_like(q), np.zeros((len(q), 12, 12))
    shape.add_derivatives(q, c, g, H)
    return g, H


def test_energy_is_zero_at_rotations_and_counts_every_body():
    q, c = affine_states(4, 0.0), np.array([1.0, 2.0, 3.0, 0.0])
    assert shape.energy(q, c) < 1e-25
    q[1, 3:] *= 2.0  # A Aᵀ - I = 3 I
    np.testing.assert_allclose(shape.energy(q, c), 2.0 * 27.0, rtol=1e-12)


def test_gradient_equals_differences():
    for q in affine_states(50, 0.2):
        g, _ = derivatives(q[None], np.array([3.0]))
        difference = central_difference(lambda x: shape.energy(x[None], np.array([3.0])), q)
        assert relative_error(g[0], difference) < 1e-7


def test_hessian_is_exact_at_rotations():
    for q in affine_states(50, 0.0):
        _, H = derivatives(q[None], np.array([3.0]))
        difference = central_difference(lambda x: derivatives(x[None], np.array([3.0]))[0][0], q)
        assert relative_error(H[0], difference) < 1e-7


def test_hessian_has_no_negative_eigenvalue():
    for q in affine_states(100, 0.3):
        _, H = derivatives(q[None], np.array([3.0]))
        w = np.linalg.eigvalsh(H[0])
        assert w[0] > -1e-12 * w[-1]
