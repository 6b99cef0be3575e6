"""The dense and the sparse system must be the same matrix, built by independent code."""

import numpy as np
import pytest
import scipy.sparse

from ipc_articulation.affine import jacobian
from ipc_articulation.contact.surfaces import Surfaces
from ipc_articulation.engine.dense_system import DenseSystem
from ipc_articulation.engine.sparse_system import SparseSystem
from ipc_articulation.errors import SolverError

N, V = 5, 12


def spd(rng, *shape):
    A = rng.standard_normal((*shape, shape[-1]))
    return A @ np.swapaxes(A, -1, -2) + np.eye(shape[-1])


@pytest.fixture
def problem():
    rng = np.random.default_rng(11)
    body = np.sort(rng.integers(N, size=V))
    edges, faces = np.zeros((0, 2), np.int32), np.zeros((0, 3), np.int32)
    surfaces = Surfaces(rng.standard_normal((V, 3)), body, edges, faces, np.zeros(V))
    is_fixed = np.array([False, True, False, False, False])
    B = rng.standard_normal((3 * V, 4))
    return {
        "surfaces": surfaces,
        "is_fixed": is_fixed,
        "diagonal": spd(rng, N, 12),
        "pairs": np.array([[0, 1], [2, 0], [3, 4]]),
        "blocks": spd(rng, 3, 24),
        "coupled": np.array([[0, 2], [1, 4]]),
        "J": rng.standard_normal((2, 24)),
        "M": spd(rng, 2),
        "vertex": scipy.sparse.csc_matrix(B @ B.T),
        "g": rng.standard_normal((N, 12)),
    }


def reference(p):
    """The full matrix, straight from the definitions."""
    H = np.zeros((N, 12, N, 12))
    for b in range(N):
        H[b, :, b] += p["diagonal"][b]
    for (i, j), block in zip(p["pairs"], p["blocks"], strict=True):
        for a, first in enumerate((i, j)):
            for b, second in enumerate((i, j)):
                H[first, :, second] += block[12 * a : 12 * a + 12, 12 * b : 12 * b + 12]
    J = np.zeros((2, N, 12))
    for k, (i, j) in enumerate(p["coupled"]):
        J[k, i] += p["J"][k, :12]
        J[k, j] += p["J"][k, 12:]
    H += np.einsum("kia,kl,ljb->iajb", J, p["M"], J)
    x = np.zeros((3 * V, N, 12))
    for v in range(V):
        x[3 * v : 3 * v + 3, p["surfaces"].body[v]] = jacobian(p["surfaces"].points[v])
    H += np.einsum("pia,pq,qjb->iajb", x, p["vertex"].toarray(), x)
    moving = ~p["is_fixed"]
    return H[moving][:, :, moving].reshape(48, 48)


@pytest.mark.parametrize("kind", [DenseSystem, SparseSystem])
def test_solution_satisfies_the_system(problem, kind):
    p = problem
    system = kind(p["surfaces"], p["is_fixed"])
    for _ in range(2):  # the second time shows that `clear` forgets
        system.clear()
        system.add_diagonal(p["diagonal"])
        system.add_pairs(p["pairs"], p["blocks"])
        system.add_coupled(p["coupled"], p["J"], p["M"])
        system.add_vertex_hessian(p["vertex"])
        dq = system.solve(p["g"])
    moving = ~p["is_fixed"]
    np.testing.assert_allclose(reference(p) @ dq[moving].ravel(), -p["g"][moving].ravel(), atol=1e-9)
    assert np.all(dq[p["is_fixed"]] == 0.0)


@pytest.mark.parametrize("kind", [DenseSystem, SparseSystem])
def test_indefinite_system_is_refused(problem, kind):
    system = kind(problem["surfaces"], problem["is_fixed"])
    system.add_diagonal(np.stack([np.diag([1.0] * 11 + [-1.0])] * N))
    with pytest.raises(SolverError, match="not positive definite"):
        system.solve(problem["g"])
