"""Four vertices in one row of coordinates."""

import numpy as np
import pytest

from ipc_articulation import affine, tetrads


def test_rows_have_the_vertices_as_points_with_their_labels():
    x = np.random.default_rng(0).normal(size=(5, 4, 3))
    q = tetrads.coordinates(x)
    np.testing.assert_allclose(tetrads.vertices(q), x, rtol=1e-12)
    np.testing.assert_allclose(affine.world_points(q, np.broadcast_to(tetrads.LABELS, (5, 4, 3))), x, rtol=1e-12)


def test_the_mass_matrix_has_the_kinetic_energy_of_the_vertices():
    rng = np.random.default_rng(1)
    mass, v = rng.uniform(0.1, 2.0, (6, 4)), rng.normal(size=(6, 4, 3))
    qdot = tetrads.coordinates(v)
    energy = 0.5 * np.einsum("ni,nij,nj->n", qdot, tetrads.mass_matrices(mass), qdot)
    np.testing.assert_allclose(energy, 0.5 * np.einsum("ns,nsk->n", mass, v**2), rtol=1e-13)


@pytest.mark.parametrize("cells", [1, 5, 20])
def test_neighbours_of_one_kind_share_a_row(cells):
    n = cells + 1
    number = np.arange(n * n).reshape(n, n)
    edges = np.concatenate(
        [
            np.stack([number[:-1].ravel(), number[1:].ravel()], 1),
            np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], 1),
        ]
    )
    kind = (number.ravel() < n).astype(np.int64)  # one side of a square is fixed
    rows = tetrads.group(kind, edges)
    assert sorted(rows[rows != tetrads.NOBODY].tolist()) == list(range(n * n))
    assert all(len(set(kind[row[row != tetrads.NOBODY]])) == 1 for row in rows)
    assert len(rows) <= -(-n // 4) + -(-(n * n - n) // 4)
    near = {frozenset(edge) for edge in edges.tolist()}
    full = [row for row in rows.tolist() if tetrads.NOBODY not in row]
    joined = [sum(frozenset((a, b)) in near for a in row for b in row if a < b) for row in full]
    assert not joined or np.mean(joined) > 2.5  # of at most four edges among four vertices of a grid


def test_vertices_without_neighbours_share_rows_too():
    rows = tetrads.group(np.zeros(10, dtype=np.int64), np.zeros((0, 2), dtype=np.int64))
    assert rows.shape == (3, 4)
    assert (rows == tetrads.NOBODY).sum() == 2
    assert tetrads.group(np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64)).shape == (0, 4)
