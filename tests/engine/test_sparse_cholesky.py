"""The sparse Cholesky solver against numpy, on graphs of many kinds; the order of elimination against brute force."""

import itertools

import numpy as np
import pytest

from ipc_articulation import tetrads
from ipc_articulation.linear_system.block_matrix import Matrix
from ipc_articulation.linear_system.by_fronts.front_cholesky import FrontCholesky
from ipc_articulation.linear_system.by_fronts.front_pattern import front_pattern
from ipc_articulation.linear_system.conjugate_gradients import solve_by_gradients
from ipc_articulation.linear_system.masks import ALL
from ipc_articulation.linear_system.minimum_degree import minimum_degree


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


def matrix(diagonal, rows, cols, blocks):
    none = np.zeros(len(diagonal), dtype=np.int64)
    return Matrix(diagonal, rows, cols, blocks, none, none, np.full(len(rows), ALL))


@pytest.mark.parametrize("name", GRAPHS)
def test_solution_is_that_of_numpy(name):
    *parts, H = system(*GRAPHS[name])
    b = np.random.default_rng(6).standard_normal((len(parts[0]), 12))
    solver = FrontCholesky()
    x = solver.solve(matrix(*parts), b)
    np.testing.assert_allclose(x.ravel(), np.linalg.solve(H, b.ravel()), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(solver.solve_again(np.stack([2.0 * b, b])), [2.0 * x, x], rtol=1e-9, atol=1e-12)


def test_one_solver_takes_one_pattern_after_the_other():
    solver = FrontCholesky()
    for name in ["plane", "chain", "chain", "random 0", "random 1", "empty", "plane"]:
        for seed in (7, 8):  # the second time only numbers are different, or which blocks are transposed
            *parts, H = system(*GRAPHS[name], seed)
            x = solver.solve(matrix(*parts), np.ones((len(parts[0]), 12)))
            np.testing.assert_allclose(H @ x.ravel(), 1.0, rtol=1e-10)


def test_pattern_may_change_in_columns_alone():
    solver, b = FrontCholesky(), np.ones((4, 12))
    for pairs in ([[0, 1], [2, 3]], [[0, 3], [2, 1]]):
        diagonal, _, _, blocks, _ = system(4, np.array(pairs))
        rows, cols = np.array(pairs).T.copy()
        H = matrix(diagonal, rows, cols, blocks)
        assert np.array_equal(solver.solve(H, b), FrontCholesky().solve(H, b))


@pytest.mark.parametrize("name", ["single", "chain", "cube", "complete"])
def test_indefinite_matrices_have_no_solution(name):
    *parts, dense = system(*GRAPHS[name])
    lowest, H = np.linalg.eigvalsh(dense)[0], matrix(*parts)
    b, solver = np.ones((len(H.diagonal), 12)), FrontCholesky()
    for share, has_solution in ((0.99, True), (1.01, False)):
        shifted = H._replace(diagonal=H.diagonal - share * lowest * np.eye(12))
        assert (solver.solve(shifted, b) is not None) == has_solution
    assert solver.solve(H, b) is not None


PARTS = [[0, 3, 7], [1], [2, 4, 5, 8], [6, 9]]  # of ten rows
CHAINS = np.array([pair for part in PARTS for pair in itertools.pairwise(part)])


@pytest.mark.parametrize("bad", [(), (0,), (1,), (2, 3), (0, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize("which", [0, -1])
def test_the_definite_parts_are_those_of_the_dense_matrix(bad, which):
    """A part with one indefinite block, first or last, says nothing about the others."""
    diagonal, rows, cols, blocks, _ = system(10, CHAINS)
    for part in bad:
        diagonal[PARTS[part][which]] -= 1e3 * np.eye(12)
    solver = FrontCholesky()
    assert (solver.solve(matrix(diagonal, rows, cols, blocks), np.ones((10, 12))) is None) == bool(bad)
    expected = np.array([not any(row in PARTS[part] for part in bad) for row in range(10)])
    np.testing.assert_array_equal(solver.definite_rows(diagonal, blocks), expected)


def test_equal_runs_give_equal_bits():
    *parts, _ = system(*GRAPHS["cube"])
    b = np.random.default_rng(6).standard_normal((len(parts[0]), 12))
    first, solver = FrontCholesky().solve(matrix(*parts), b), FrontCholesky()
    for _ in range(3):
        assert np.array_equal(solver.solve(matrix(*parts), b), first)


def pattern_of(n, pairs):
    H = matrix(np.zeros((n, 12, 12)), *pairs.T.astype(np.int64), np.zeros((len(pairs), 12, 12)))
    return front_pattern(*H.pattern)


@pytest.mark.parametrize("name", GRAPHS)
def test_fronts_hold_the_fill_of_the_elimination(name):
    """Each row of the factor has at least what elimination fills, in fronts that follow their children."""
    n, pairs = GRAPHS[name]
    pattern = pattern_of(n, pairs)
    fronts, row = pattern.fronts, np.argsort(pattern.threes)
    assert sorted(pattern.threes) == list(range(4 * n))
    assert np.all((fronts.parent == -1) | (fronts.parent > np.arange(len(fronts.parent))))
    A = np.eye(n, dtype=bool)
    A[pairs[:, 0], pairs[:, 1]] = A[pairs[:, 1], pairs[:, 0]] = True
    A = A[np.ix_(row // 4, row // 4)]
    for k in range(4 * n):
        neighbours = np.flatnonzero(A[k, k + 1 :]) + k + 1
        A[np.ix_(neighbours, neighbours)] = True
        f = np.searchsorted(fronts.pivots, k, side="right") - 1
        has = {*range(k + 1, fronts.pivots[f + 1]), *fronts.border[fronts.first[f] : fronts.first[f + 1]]}
        assert has >= set(neighbours)


def split_system(seed, affine=2, split=7):
    """A matrix of affine rows before rows of vertices, sparse by vertices, and its dense one by coordinates."""
    rng, k = np.random.default_rng(seed), affine + split
    is_split = np.arange(k) >= affine
    coupled = rng.random((4 * k, 4 * k)) < 0.1
    affine_threes = np.arange(4 * k) < 4 * affine
    coupled = coupled.reshape(k, 4, k, 4)
    coupled[:affine] = coupled[:affine].any(axis=1, keepdims=True)
    coupled[:, :, :affine] = coupled[:, :, :affine].any(axis=3, keepdims=True)
    coupled = coupled.reshape(4 * k, 4 * k)
    coupled = np.triu(coupled, 1)
    coupled |= coupled.T | np.eye(4 * k, dtype=bool)
    same_row = np.arange(4 * k)[:, None] // 4 == np.arange(4 * k) // 4
    coupled |= same_row & affine_threes[:, None]
    A = rng.standard_normal((12 * k, 12 * k)) * np.kron(coupled, np.ones((3, 3)))
    A = A + A.T
    A += np.diag(np.abs(A).sum(axis=1) + 1.0)
    blocks, bits = A.reshape(k, 12, k, 12), coupled.reshape(k, 4, k, 4)
    rows, cols = np.nonzero(np.triu(bits.any(axis=(1, 3)), 1))
    masks = np.array([bits[i, :, j].ravel() @ (1 << np.arange(16)) for i, j in zip(rows, cols, strict=True)], np.int64)
    own = np.array([bits[i, :, i].ravel() @ (1 << np.arange(16)) for i in range(k)], np.int64)
    flipped = rng.random(len(rows)) < 0.5
    rows, cols = np.where(flipped, cols, rows), np.where(flipped, rows, cols)
    masks = np.array([_transposed(m) if f else m for m, f in zip(masks, flipped, strict=True)], np.int64)
    H = Matrix(
        blocks[np.arange(k), :, np.arange(k)].copy(), rows, cols, blocks[rows, :, cols].copy(),
        is_split.astype(np.int64), own, masks,
    )  # fmt: skip
    x_of_q = np.zeros((12 * k, 12 * k))  # of split rows, x = T q
    for i in range(k):
        at = slice(12 * i, 12 * i + 12)
        x_of_q[at, at] = tetrads.vertices(np.eye(12)).reshape(12, 12).T if is_split[i] else np.eye(12)
    return H, x_of_q.T @ A @ x_of_q


def _transposed(mask):
    return sum(1 << (4 * b + a) for a in range(4) for b in range(4) if mask >> (4 * a + b) & 1)


@pytest.mark.parametrize("seed", range(8))
def test_rows_of_vertices_are_solved_vertex_by_vertex(seed):
    """Matrices by vertices, right sides and solutions by coordinates; the graph has one node for each vertex."""
    H, dense = split_system(seed)
    b, solver = np.random.default_rng(seed).standard_normal((9, 12)), FrontCholesky()
    expected = np.linalg.solve(dense, b.ravel()).reshape(9, 12)
    np.testing.assert_allclose(solver.solve(H, b), expected, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(solver.solve_again(2.0 * b[None])[0], 2.0 * expected, rtol=1e-8, atol=1e-12)
    assert ALL not in H.masks[(H.rows >= 2) & (H.cols >= 2)]


@pytest.mark.parametrize("seed", range(4))
def test_conjugate_gradients_solve_rows_of_vertices(seed):
    H, dense = split_system(seed, affine=0)
    b = np.random.default_rng(seed).standard_normal((7, 12))
    expected = np.linalg.solve(dense, b.ravel()).reshape(7, 12)
    assert np.abs(solve_by_gradients(H, b).x - expected).max() < 1e-3 * np.abs(expected).max()


def test_conjugate_gradients_solve_a_light_part_beside_a_heavy_one_that_nothing_connects_with_it():
    """The heavy one, solved at once, has nearly all of the residual; the light one is a chain of forty vertices."""
    chain = np.kron(2.0 * np.eye(40) - np.eye(40, k=1) - np.eye(40, k=-1), np.eye(3))
    dense = np.zeros((240, 240))
    dense[:120, :120], dense[120:, 120:] = 1e8 * np.eye(120), chain
    H, b = of_vertices(dense), np.ones((20, 12))
    b[:10] *= 1e8
    alone = solve_by_gradients(of_vertices(chain), b[10:]).x
    assert np.abs(solve_by_gradients(H, b).x[10:] - alone).max() < 1e-2 * np.abs(alone).max()


def test_conjugate_gradients_see_matrices_that_are_not_definite():
    H, _ = split_system(0, affine=0)
    b = np.ones((7, 12))
    H.diagonal[3] -= 1e3 * np.eye(12)  # no vertex is held
    assert solve_by_gradients(H, b) == (None, False)
    H.diagonal[3] += 1e3 * np.eye(12)
    H.blocks[:] *= 1e3  # each vertex is, but not all together
    assert solve_by_gradients(H, b) == (None, False)


def test_conjugate_gradients_give_up_early_where_they_take_too_long():
    """Of a long chain that is held at one end, where it is pulled: waves need an iteration for each vertex."""
    k = 200
    order = np.random.default_rng(0).permutation(4 * k)
    dense = 2.0 * np.eye(4 * k) - np.eye(4 * k, k=1) - np.eye(4 * k, k=-1)
    dense = np.kron(dense[np.ix_(order, order)], np.eye(3))
    H, b = of_vertices(dense), np.ones((k, 12))
    assert solve_by_gradients(H, b) == (None, True)
    H.diagonal[:] += np.eye(12)
    assert solve_by_gradients(H, b).x is not None


def of_vertices(dense):
    """A matrix by vertices (12 k, 12 k) in rows of four vertices."""
    k = len(dense) // 12
    blocks = dense.reshape(k, 12, k, 12).transpose(0, 2, 1, 3)
    coupled = np.abs(dense).reshape(k, 4, 3, k, 4, 3).max(axis=(2, 5)) > 0.0
    masks = coupled.transpose(0, 2, 1, 3).reshape(k, k, 16) @ (1 << np.arange(16))
    rows, cols = np.nonzero(np.triu(masks, 1))
    own = np.arange(k), np.arange(k)
    of = np.ones(k, dtype=np.int64), masks[own], masks[rows, cols]
    return Matrix(blocks[own].copy(), rows, cols, blocks[rows, cols].copy(), *of)


@pytest.mark.parametrize(
    ("name", "blocks"),
    [("chain", 8), ("arrow to the first", 7), ("arrow to the last", 7), ("disconnected", 2), ("complete", 21)],
)
def test_order_of_trees_has_no_fill(name, blocks):
    assert _fill(*GRAPHS[name]) == blocks


def test_order_of_a_plane_has_little_fill():
    """Natural order of a 30x30 grid gives some 30³ blocks, minimum degree about 10⁴, as SuperLU's does."""
    assert _fill(*grid(30, 30)) < 10500


def _fill(n, pairs):
    i, j = np.concatenate([pairs, pairs[:, ::-1]]).T
    by_row = np.argsort(i, kind="stable")
    begin = np.searchsorted(i[by_row], np.arange(n + 1))
    order, first, _ = minimum_degree(begin, j[by_row].astype(np.int64), np.full(n, 4))
    assert sorted(order) == list(range(n))
    return first[-1]


def test_heavy_nodes_are_eliminated_after_light_ones():
    """A star whose centre is light and whose rays are heavy: the centre couples all, so it comes when two are left."""
    begin, neighbours = np.array([0, 5, 6, 7, 8, 9, 10]), np.array([1, 2, 3, 4, 5, 0, 0, 0, 0, 0])
    order, first, _ = minimum_degree(begin, neighbours, np.array([1, 9, 9, 9, 9, 9]))
    assert list(order).index(0) >= 4
    assert first[-1] == 5
