"""The C++ filter must say of every pair of vertices what the matrix of bodies says."""

import numpy as np
import pytest

from ipc_articulation.contact.filters import clique_partitions, make_pair_filter


def random_matrix(rng, n, density):
    allowed = np.triu(rng.random((n, n)) < density, 1)
    return allowed | allowed.T


def grouped_matrix(rng, n, groups):
    """Pairs decided by the group of the two bodies alone, as a contact table does."""
    group = rng.integers(groups, size=n)
    table = rng.random((groups, groups)) < 0.5
    allowed = (table | table.T)[np.ix_(group, group)]
    np.fill_diagonal(allowed, False)
    return allowed


@pytest.mark.parametrize("seed", range(20))
def test_filter_equals_matrix(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    allowed = random_matrix(rng, n, rng.random()) if seed % 2 else grouped_matrix(rng, n, 3)
    body = np.sort(rng.integers(n, size=40))
    may_collide = make_pair_filter(allowed, body)
    for v in range(len(body)):
        for w in range(len(body)):
            if v != w:
                assert may_collide(v, w) == allowed[body[v], body[w]]


def test_partitions_cover_exactly_the_blocked_pairs():
    rng = np.random.default_rng(7)
    blocked = random_matrix(rng, 15, 0.4)
    covered = np.zeros_like(blocked)
    for labels in clique_partitions(blocked):
        covered |= labels[:, None] == labels[None, :]
    off_diagonal = ~np.eye(15, dtype=bool)
    np.testing.assert_array_equal(covered[off_diagonal], blocked[off_diagonal])


def test_one_clique_needs_one_partition():
    assert len(clique_partitions(np.ones((6, 6), dtype=bool))) == 1
