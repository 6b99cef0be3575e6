"""The Newton system against numpy, by fronts and by gradients; the order of elimination against brute force."""

import itertools

import numpy as np
import pytest

from ipc_articulation.compiled import compiled
from ipc_articulation.engine.newton.direction import _shift
from ipc_articulation.linear_system.minimum_degree import minimum_degree
from ipc_articulation.linear_system.system import (
    analysed,
    empty_matrix,
    factorise,
    find,
    is_of,
    solve,
    solve_by_gradients,
    with_room,
    without_later,
)
from tests.engine.nodes import dense


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


@compiled
def put(matrix, i, j, block):
    """Have the block of rows i <= j in the matrix."""
    at = matrix.own[i] if i == j else matrix.start[find(matrix, i, j)]
    matrix.numbers[at : at + block.size] = block.ravel()


@compiled
def size_of(pattern):
    return pattern.starts[-1]


@compiled
def fronts_of(pattern):
    return pattern.fronts


def empty(sizes):
    """H of rows with these numbers of nodes, with room."""
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return with_room(empty_matrix(first), len(sizes) ** 2, 9 * int(np.sum(sizes)) ** 2)


def fill(matrix, sizes, pairs, seed=5):
    """Put random blocks of pairs (p, 2) of rows into an empty H, and on the diagonal what makes it definite."""
    rng, n = np.random.default_rng(seed), len(sizes)
    own = [rng.standard_normal((3 * k, 3 * k)) for k in sizes]
    own = [A @ A.T + np.eye(len(A)) for A in own]
    for i, j in np.sort(rng.permutation(pairs), axis=1) if len(pairs) else pairs:
        block = rng.standard_normal((3 * sizes[i], 3 * sizes[j]))
        put(matrix, i, j, block)
        for row in (i, j):
            own[row] += np.abs(block).sum() * np.eye(len(own[row]))  # dominates the rows and columns of the block
    for row in range(n):
        put(matrix, row, row, own[row])
    return matrix


def rows(n, seed=7):
    """Numbers of nodes of rows: affine bodies and vertices."""
    return np.random.default_rng(seed).choice([4, 1], n)


def solution(matrix, b, active=None, pattern=None):
    """x (N, 3), or None if H is not definite, and which rows are in definite parts."""
    pattern = analysed(matrix) if pattern is None else pattern
    active = np.ones(row_count(matrix), dtype=bool) if active is None else active
    U, x = np.full(size_of(pattern), np.nan), np.full_like(b, np.nan)
    definite = factorise(pattern, numbers_of(matrix), active, U)
    if definite.all():
        solve(pattern, matrix, active, U, b, x)
    return (x if definite.all() else None), definite


@compiled
def numbers_of(matrix):
    return matrix.numbers


@compiled
def row_count(matrix):
    return len(matrix.own)


def assert_solves(x, matrix, b):
    H = dense(matrix)
    np.testing.assert_allclose(x.ravel(), np.linalg.solve(H, b.ravel()), rtol=1e-9, atol=1e-12)


def right_side(sizes, seed=6):
    return np.random.default_rng(seed).standard_normal((int(np.sum(sizes)), 3))


@pytest.mark.parametrize("name", GRAPHS)
def test_solution_is_that_of_numpy(name):
    n, pairs = GRAPHS[name]
    sizes = rows(n)
    matrix, b = fill(empty(sizes), sizes, pairs), right_side(sizes)
    assert_solves(solution(matrix, b)[0], matrix, b)


@pytest.mark.parametrize("still", [[0], [3], [0, 2, 4], [0, 1, 2, 3, 4, 5]])
def test_rows_that_stay_have_no_unknowns(still):
    """Two of them are coupled with others, in the pattern alone."""
    sizes, active = rows(6), ~np.isin(np.arange(6), still)
    pairs = np.array([[0, 3], [1, 5], [2, 4], [0, 2]])
    matrix = fill(empty(sizes), sizes, pairs)
    for i, j in pairs:
        if not (active[i] and active[j]):
            put(matrix, i, j, np.zeros((3 * sizes[i], 3 * sizes[j])))
    b = right_side(sizes)
    x, definite = solution(matrix, b, active)
    assert definite[active].all()
    free = np.repeat(active, sizes)
    H = dense(matrix).reshape(len(b), 3, len(b), 3)[free][:, :, free]
    expected = np.linalg.solve(H.reshape(3 * free.sum(), 3 * free.sum()), b[free].ravel())
    np.testing.assert_allclose(x[free].ravel(), expected, rtol=1e-9, atol=1e-12)
    assert not x[~free].any()


def test_a_pattern_serves_other_numbers_and_is_told_from_others():
    """Blocks that are forgotten leave the pattern with which a step has begun."""
    sizes = rows(30)
    _, pairs = GRAPHS["random 1"]
    half, b = len(pairs) // 2, right_side(sizes)
    matrix = fill(empty(sizes), sizes, pairs[:half])
    first = analysed(matrix)
    assert is_of(first, matrix)
    fill(matrix, sizes, pairs[:half], seed=8)
    assert is_of(first, matrix)
    assert_solves(solution(matrix, b, pattern=first)[0], matrix, b)
    fill(matrix, sizes, pairs, seed=9)
    assert not is_of(first, matrix)
    assert_solves(solution(matrix, b)[0], matrix, b)
    without_later(matrix, half)
    assert is_of(first, matrix)
    assert not dense(matrix).any()
    fill(matrix, sizes, pairs[:half], seed=8)
    assert_solves(solution(matrix, b, pattern=first)[0], matrix, b)


@pytest.mark.parametrize("name", ["single", "chain", "cube", "complete"])
def test_indefinite_matrices_have_no_solution(name):
    n, pairs = GRAPHS[name]
    sizes = rows(n)
    matrix, b = fill(empty(sizes), sizes, pairs), right_side(sizes)
    lowest = np.linalg.eigvalsh(dense(matrix))[0]
    for share, has_solution in ((0.99, True), (1.01, False)):
        shifted = fill(empty(sizes), sizes, pairs)
        shift(shifted, sizes, range(n), -share * lowest)
        assert (solution(shifted, b)[0] is not None) == has_solution


def shift(matrix, sizes, which, by):
    """Add to the diagonals of rows."""
    H, ends = dense(matrix), 3 * np.cumsum(sizes)
    for row in which:
        own = slice(ends[row] - 3 * sizes[row], ends[row])
        put(matrix, row, row, H[own, own] + by * np.eye(3 * sizes[row]))


PARTS = [[0, 3, 7], [1], [2, 4, 5, 8], [6, 9]]  # of ten rows
CHAINS = np.array([pair for part in PARTS for pair in itertools.pairwise(part)])


@pytest.mark.parametrize("bad", [(), (0,), (1,), (2, 3), (0, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize("which", [0, -1])
def test_the_definite_parts_are_those_of_the_dense_matrix(bad, which):
    """A part with one indefinite block, first or last, says nothing about the others."""
    sizes = rows(10)
    matrix = fill(empty(sizes), sizes, CHAINS)
    shift(matrix, sizes, [PARTS[part][which] for part in bad], -1e4)
    x, definite = solution(matrix, right_side(sizes))
    assert (x is None) == bool(bad)
    np.testing.assert_array_equal(definite, [not any(row in PARTS[part] for part in bad) for row in range(10)])


def test_what_is_not_a_number_is_not_definite():
    sizes = rows(10)
    matrix = fill(empty(sizes), sizes, CHAINS)
    shift(matrix, sizes, [4], np.nan)
    np.testing.assert_array_equal(np.flatnonzero(~solution(matrix, right_side(sizes))[1]), PARTS[2])


def test_equal_runs_give_equal_bits():
    n, pairs = GRAPHS["cube"]
    sizes = rows(n)
    b = right_side(sizes)
    first, second = (solution(fill(empty(sizes), sizes, pairs), b)[0] for _ in range(2))
    assert np.array_equal(first, second)


def test_a_singular_part_is_shifted_and_others_keep_their_bits():
    """Two free bodies in a tug-of-war, for which a gradient of zero asks for no motion; body 2 is a part of its own."""
    sizes, tug = np.array([4, 4, 4]), np.arange(12.0)
    A = np.random.default_rng(3).standard_normal((12, 12))
    matrix, b = empty(sizes), right_side(sizes)
    put(matrix, 0, 0, np.eye(12))
    put(matrix, 1, 1, np.eye(12))
    put(matrix, 0, 1, -np.eye(12))
    put(matrix, 2, 2, A @ A.T + np.eye(12))
    b[:4], b[4:8] = tug.reshape(4, 3), -tug.reshape(4, 3)
    x, definite = solution(matrix, b)
    assert x is None
    np.testing.assert_array_equal(definite, [False, False, True])
    alone = solution(matrix, b, np.array([False, False, True]))[1]
    assert alone[2]
    _shift(matrix, definite)
    x, _ = solution(matrix, b)
    np.testing.assert_allclose((x[:4] - x[4:8]).ravel(), tug, atol=1e-7)
    other = fill(empty(sizes[:1]), sizes[:1], np.zeros((0, 2)))
    put(other, 0, 0, A @ A.T + np.eye(12))
    np.testing.assert_array_equal(x[8:], solution(other, b[8:])[0])


@pytest.mark.parametrize("name", GRAPHS)
def test_fronts_hold_the_fill_of_the_elimination(name):
    """Each node of the factor has at least what elimination fills, in fronts that follow their children."""
    n, pairs = GRAPHS[name]
    sizes = rows(n)
    fronts = fronts_of(analysed(fill(empty(sizes), sizes, pairs)))
    place = np.concatenate([np.zeros(0, dtype=int), *(fronts.start[r] + np.arange(sizes[r]) for r in range(n))])
    row = np.repeat(np.arange(n), sizes)[np.argsort(place)]
    assert sorted(place) == list(range(sizes.sum()))
    assert np.all((fronts.parent == -1) | (fronts.parent > np.arange(len(fronts.parent))))
    A = np.eye(n, dtype=bool)
    A[pairs[:, 0], pairs[:, 1]] = A[pairs[:, 1], pairs[:, 0]] = True
    A = A[np.ix_(row, row)]
    for k in range(len(row)):
        neighbours = np.flatnonzero(A[k, k + 1 :]) + k + 1
        A[np.ix_(neighbours, neighbours)] = True
        f = np.searchsorted(fronts.pivots, k, side="right") - 1
        has = {*range(k + 1, fronts.pivots[f + 1]), *fronts.border[fronts.first[f] : fronts.first[f + 1]]}
        assert has >= set(neighbours)


def of_vertices(H):
    """A matrix (3 k, 3 k) of k vertices."""
    k = len(H) // 3
    blocks = H.reshape(k, 3, k, 3).transpose(0, 2, 1, 3)
    matrix = empty(np.ones(k, dtype=int))
    for i, j in np.argwhere(np.triu(np.abs(blocks).max(axis=(2, 3)) > 0.0)):
        put(matrix, i, j, np.ascontiguousarray(blocks[i, j]))
    return matrix


def gradients(matrix, b, active=None, body=None):
    """x (N, 3), or None, and whether H is seen to be definite."""
    n, x = len(b), np.zeros_like(b)
    active = np.ones(n, dtype=bool) if active is None else active
    is_solved, is_definite = solve_by_gradients(matrix, active, np.zeros(n, dtype=int) if body is None else body, b, x)
    return (x if is_solved else None), is_definite


@pytest.mark.parametrize("seed", range(4))
def test_conjugate_gradients_find_the_same(seed):
    sizes, b = np.ones(36, dtype=int), right_side(np.ones(36))
    matrix = fill(empty(sizes), sizes, GRAPHS["cube"][1], seed)
    expected = np.linalg.solve(dense(matrix), b.ravel()).reshape(b.shape)
    assert np.abs(gradients(matrix, b)[0] - expected).max() < 1e-3 * np.abs(expected).max()


def test_conjugate_gradients_leave_rows_that_stay_out():
    """Among them one of four nodes."""
    sizes, active = np.array([4, 1, 1, 1]), np.array([False, True, False, True])
    matrix, b = fill(empty(sizes), sizes, np.array([[1, 3]])), right_side(sizes)
    x, free = np.zeros_like(b), [4, 6]
    assert solve_by_gradients(matrix, active, np.zeros(4, dtype=int), b, x) == (True, True)
    H = dense(matrix).reshape(7, 3, 7, 3)[free][:, :, free].reshape(6, 6)
    np.testing.assert_allclose(x[free].ravel(), np.linalg.solve(H, b[free].ravel()), rtol=1e-3)
    assert not np.delete(x, free, axis=0).any()


def chain(k):
    return np.kron(2.0 * np.eye(k) - np.eye(k, k=1) - np.eye(k, k=-1), np.eye(3))


def test_conjugate_gradients_solve_a_light_body_beside_a_heavy_one_that_nothing_connects_with_it():
    """The heavy one, solved at once, has nearly all of the residual; the light one is a chain of forty vertices."""
    H = np.zeros((240, 240))
    H[:120, :120], H[120:, 120:] = 1e8 * np.eye(120), chain(40)
    b = np.ones((80, 3))
    b[:40] *= 1e8
    alone, _ = gradients(of_vertices(chain(40)), b[40:])
    together, _ = gradients(of_vertices(H), b, body=np.repeat([0, 1], 40))
    assert np.abs(together[40:] - alone).max() < 1e-2 * np.abs(alone).max()


def test_conjugate_gradients_see_matrices_that_are_not_definite():
    b = np.ones((28, 3))
    H = dense(fill(empty(np.ones(28, dtype=int)), np.ones(28, dtype=int), grid(4, 7)[1]))
    held = H.copy()
    held[9:12, 9:12] -= 1e3 * np.eye(3)  # no vertex is held
    assert gradients(of_vertices(held), b) == (None, False)
    own = np.kron(np.eye(28), np.ones((3, 3)))
    assert gradients(of_vertices(own * H + 1e3 * (1.0 - own) * H), b) == (None, False)  # not all together


def test_conjugate_gradients_give_up_early_where_they_take_too_long():
    """Of a long chain that is held at one end, where it is pulled: waves need an iteration for each vertex."""
    k = 800
    order = (3 * np.random.default_rng(0).permutation(k)[:, None] + np.arange(3)).ravel()
    H, b = chain(k)[np.ix_(order, order)], np.ones((k, 3))
    assert gradients(of_vertices(H), b) == (None, True)
    assert gradients(of_vertices(H + np.eye(3 * k)), b)[0] is not None


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
