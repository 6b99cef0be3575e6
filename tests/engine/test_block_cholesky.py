"""The block Cholesky solver against numpy, on graphs of many kinds; the order of elimination against brute force."""

import itertools

import numpy as np
import pytest

from ipc_articulation.engine.linear_system.block_cholesky import BlockCholesky
from ipc_articulation.engine.linear_system.factor_pattern import factor_pattern
from ipc_articulation.engine.linear_system.minimum_degree import minimum_degree


def grid(*shape):
    at = np.arange(np.prod(shape)).reshape(shape)
    pairs = [
        np.column_stack([np.delete(at, -1, axis).ravel(), np.delete(at, 0, axis).ravel()]) for axis in range(len(shape))
    ]
    return at.size, np.concatenate(pairs)


def random_graph(n, edges, seed):
    pairs = np.random.default_rng(seed).integers(n, size=(edges, 2))
    return n, np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)


GRAPHS = {
    "empty": (0, np.zeros((0, 2), dtype=int)),
    "single": (1, np.zeros((0, 2), dtype=int)),
    "disconnected": (6, np.array([[0, 3], [5, 1]])),
    "chain": grid(9),
    "plane": grid(5, 6),
    "cube": grid(3, 4, 3),
    "arrow to the first": (8, np.array([[0, k] for k in range(1, 8)])),
    "arrow to the last": (8, np.array([[k, 7] for k in range(7)])),
    "complete": (7, np.argwhere(np.triu(np.ones((7, 7)), 1))),
    "complete, more than a strip": (40, np.argwhere(np.triu(np.ones((40, 40)), 1))),
    **{f"random {seed}": random_graph(30, 15 * (seed + 1), seed) for seed in range(6)},
}


def system(n, pairs, seed=5):
    """Diagonal blocks, rows, columns and blocks of a matrix, and that matrix (12n, 12n)."""
    rng = np.random.default_rng(seed)
    rows, cols = rng.permuted(pairs, axis=1).T if len(pairs) else pairs.T  # some above the diagonal, some below
    A = rng.standard_normal((n, 12, 12))
    diagonal, blocks = A @ A.transpose(0, 2, 1) + np.eye(12), rng.standard_normal((len(rows), 12, 12))
    for e, (i, j) in enumerate(zip(rows, cols, strict=True)):
        weight = np.abs(blocks[e]).sum()  # dominates the rows and columns of the block, so that H is definite
        diagonal[i] += weight * np.eye(12)
        diagonal[j] += weight * np.eye(12)
    H = np.zeros((n, 12, n, 12))
    H[np.arange(n), :, np.arange(n)] = diagonal
    H[rows, :, cols] = blocks
    H[cols, :, rows] = blocks.transpose(0, 2, 1)
    return diagonal, rows.astype(np.int64), cols.astype(np.int64), blocks, H.reshape(12 * n, 12 * n)


@pytest.mark.parametrize("name", GRAPHS)
def test_solution_is_that_of_numpy(name):
    *parts, H = system(*GRAPHS[name])
    b = np.random.default_rng(6).standard_normal((len(parts[0]), 12))
    for shift in (0.0, 3.0):
        x = BlockCholesky().solve(*parts, b, shift)
        expected = np.linalg.solve(H + shift * np.eye(len(H)), b.ravel())
        np.testing.assert_allclose(x.ravel(), expected, rtol=1e-9, atol=1e-12)


def test_one_solver_takes_one_pattern_after_the_other():
    solver = BlockCholesky()
    for name in ["plane", "chain", "chain", "random 0", "random 1", "empty", "plane"]:
        for seed in (7, 8):  # the second time only numbers are different, or which blocks are transposed
            *parts, H = system(*GRAPHS[name], seed)
            x = solver.solve(*parts, np.ones((len(parts[0]), 12)))
            np.testing.assert_allclose(H @ x.ravel(), 1.0, rtol=1e-10)


def test_pattern_may_change_in_columns_alone():
    solver, b = BlockCholesky(), np.ones((4, 12))
    for pairs in ([[0, 1], [2, 3]], [[0, 3], [2, 1]]):
        diagonal, _, _, blocks, _ = system(4, np.array(pairs))
        rows, cols = np.array(pairs).T.copy()
        x = solver.solve(diagonal, rows, cols, blocks, b)
        assert np.array_equal(x, BlockCholesky().solve(diagonal, rows, cols, blocks, b))


@pytest.mark.parametrize("name", ["single", "chain", "cube", "complete"])
def test_indefinite_matrices_have_no_solution(name):
    diagonal, *others, H = system(*GRAPHS[name])
    lowest = np.linalg.eigvalsh(H)[0]
    b, solver = np.ones((len(diagonal), 12)), BlockCholesky()
    assert solver.solve(diagonal, *others, b, -0.99 * lowest) is not None
    assert solver.solve(diagonal, *others, b, -1.01 * lowest) is None
    assert solver.solve(diagonal, *others, b) is not None


PARTS = [[0, 3, 7], [1], [2, 4, 5, 8], [6, 9]]  # of ten rows
CHAINS = np.array([pair for part in PARTS for pair in itertools.pairwise(part)])


@pytest.mark.parametrize("bad", [(), (0,), (1,), (2, 3), (0, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize("which", [0, -1])
def test_the_definite_parts_are_those_of_the_dense_matrix(bad, which):
    """A part with one indefinite block, first or last, says nothing about the others."""
    diagonal, rows, cols, blocks, _ = system(10, CHAINS)
    for part in bad:
        diagonal[PARTS[part][which]] -= 1e3 * np.eye(12)
    solver = BlockCholesky()
    assert (solver.solve(diagonal, rows, cols, blocks, np.ones((10, 12))) is None) == bool(bad)
    expected = np.array([not any(row in PARTS[part] for part in bad) for row in range(10)])
    np.testing.assert_array_equal(solver.definite_rows(diagonal, blocks), expected)


def test_equal_runs_give_equal_bits():
    *parts, _ = system(*GRAPHS["cube"])
    b = np.random.default_rng(6).standard_normal((len(parts[0]), 12))
    first, solver = BlockCholesky().solve(*parts, b), BlockCholesky()
    for _ in range(3):
        assert np.array_equal(solver.solve(*parts, b), first)


@pytest.mark.parametrize("name", GRAPHS)
def test_pattern_is_that_of_the_elimination(name):
    n, pairs = GRAPHS[name]
    pattern = factor_pattern(n, pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64))
    assert sorted(pattern.order) == list(range(n))
    A = np.zeros((n, n), dtype=bool)
    A[pairs[:, 0], pairs[:, 1]] = A[pairs[:, 1], pairs[:, 0]] = True
    A = A[np.ix_(pattern.order, pattern.order)]
    for k in range(n):
        neighbours = np.flatnonzero(A[k, k + 1 :]) + k + 1
        A[np.ix_(neighbours, neighbours)] = True
        assert np.array_equal(pattern.columns[pattern.first[k] : pattern.first[k + 1]], neighbours)


@pytest.mark.parametrize(
    ("name", "blocks"),
    [("chain", 8), ("arrow to the first", 7), ("arrow to the last", 7), ("disconnected", 2), ("complete", 21)],
)
def test_order_of_trees_has_no_fill(name, blocks):
    n, pairs = GRAPHS[name]
    assert len(factor_pattern(n, pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)).columns) == blocks


def test_order_of_a_plane_has_little_fill():
    """Natural order of a 30x30 grid gives some 30³ blocks, minimum degree about 10⁴, as SuperLU's does."""
    n, pairs = grid(30, 30)
    i, j = np.concatenate([pairs, pairs[:, ::-1]]).T
    by_row = np.argsort(i, kind="stable")
    order, first, _ = minimum_degree(np.searchsorted(i[by_row], np.arange(n + 1)), j[by_row].astype(np.int64))
    assert sorted(order) == list(range(n))
    assert first[-1] < 10500
