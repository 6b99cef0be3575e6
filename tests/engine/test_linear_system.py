"""The Newton system against the dense matrix that its definitions say, solved by numpy."""

import numpy as np
import pytest

from ipc_articulation import tetrads
from ipc_articulation.engine.linear_system import linear_system
from ipc_articulation.engine.linear_system.hessian import Coupled, NoHessian, coupled
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.linear_system.masks import ALL
from ipc_articulation.errors import SolverError

N = 7
IS_FIXED = np.array([False, True, False, False, False, False, False])


@pytest.fixture
def dear(monkeypatch):
    monkeypatch.setattr(linear_system, "DEAR", 0)


def spd(rng, *shape):
    A = rng.standard_normal((*shape, shape[-1]))
    return A @ np.swapaxes(A, -1, -2) + np.eye(shape[-1])


@pytest.fixture
def problem():
    rng = np.random.default_rng(11)
    M = spd(rng, 5)
    M[:3, 3:] = M[3:, :3] = 0.0  # two robots in one articulation
    return {
        "diagonal": spd(rng, N, 12),
        "pairs": np.array([[0, 1], [2, 0], [3, 4], [0, 2], [5, 5]]),
        "blocks": spd(rng, 5, 24),
        "coupled": np.array([[2, 0], [1, 4], [4, 5], [6, 3], [3, 3]]),
        "J": rng.standard_normal((5, 24)),
        "M": M,
        "g": rng.standard_normal((N, 12)),
    }


def reference(p):
    """The full matrix (N, 12, N, 12), straight from the definitions."""
    H = np.zeros((N, 12, N, 12))
    for b in range(N):
        H[b, :, b] += p["diagonal"][b]
    for (i, j), block in zip(p["pairs"], p["blocks"], strict=True):
        for a, first in enumerate((i, j)):
            for b, second in enumerate((i, j)):
                H[first, :, second] += block[12 * a : 12 * a + 12, 12 * b : 12 * b + 12]
    J = np.zeros((len(p["J"]), N, 12))
    for k, (i, j) in enumerate(p["coupled"]):
        J[k, i] += p["J"][k, :12]
        J[k, j] += p["J"][k, 12:]
    return H + np.einsum("kia,kl,ljb->iajb", J, p["M"], J)


def add_all(system, p):
    system.add_diagonal(p["diagonal"])
    system.add_pairs(p["pairs"], p["blocks"])
    system.add_coupled(coupled(p["coupled"], p["J"], p["M"]))


def check_solution(dq, p, is_unknown):
    H, size = reference(p)[is_unknown][:, :, is_unknown], 12 * is_unknown.sum()
    expected = np.linalg.solve(H.reshape(size, size), -p["g"][is_unknown].ravel())
    np.testing.assert_allclose(dq[is_unknown].ravel(), expected, rtol=1e-8, atol=1e-10)
    assert np.all(dq[~is_unknown] == 0.0)


def test_solution_is_that_of_the_dense_matrix(problem):
    system, is_unknown = LinearSystem(IS_FIXED), ~IS_FIXED
    for _ in range(2):  # the second time shows that `choose` forgets
        system.choose(is_unknown)
        add_all(system, problem)
        check_solution(system.solve(problem["g"]), problem, is_unknown)


@pytest.mark.parametrize("frozen", [[0], [2, 3], [0, 2, 3, 4, 5], [2, 3, 4, 5, 6]])
def test_frozen_bodies_have_no_unknowns(problem, frozen):
    is_unknown = ~IS_FIXED
    is_unknown[frozen] = False
    system = LinearSystem(IS_FIXED)
    add_all(system, problem)
    for mask in (is_unknown, ~IS_FIXED, is_unknown):  # `choose` forgets too
        system.choose(mask)
        add_all(system, problem)
        check_solution(system.solve(problem["g"]), problem, mask)


def test_a_mask_that_is_changed_in_place_is_followed(problem):
    is_unknown, system = ~IS_FIXED, LinearSystem(IS_FIXED)
    system.choose(is_unknown)
    is_unknown[3] = False
    system.choose(is_unknown)
    add_all(system, problem)
    check_solution(system.solve(problem["g"]), problem, is_unknown)


def test_nothing_unknown(problem):
    system = LinearSystem(np.ones(N, dtype=bool))
    add_all(system, problem)
    assert np.all(system.solve(problem["g"]) == 0.0)
    assert LinearSystem(np.zeros(0, dtype=bool)).solve(np.zeros((0, 12))).shape == (0, 12)


def test_joints_that_the_mass_does_not_couple_make_no_blocks(problem):
    system = LinearSystem(IS_FIXED)
    system.add_coupled(coupled(problem["coupled"], problem["J"], problem["M"]))
    _, rows, cols, *_ = system.matrix
    bodies = system.bodies
    assert {tuple(pair) for pair in np.column_stack([bodies[rows], bodies[cols]])} == {
        *((0, 2), (0, 4), (0, 5), (2, 4), (2, 5), (4, 5)),
        (3, 6),
    }


def test_several_coupled_sums_are_added_as_one_by_one(problem):
    """Also where the bodies of one have no unknowns, and where one has no rows."""
    system, one_by_one, is_unknown = LinearSystem(IS_FIXED), LinearSystem(IS_FIXED), ~IS_FIXED
    is_unknown[[0, 2]] = False
    parts, rng = (slice(0, 1), slice(1, 1), slice(1, 3), slice(3, 5)), np.random.default_rng(5)
    masses = [spd(rng, part.stop - part.start) for part in parts]
    bodies, J = problem["coupled"], problem["J"]
    for each in (system, one_by_one):
        each.choose(is_unknown)
    for part, M in zip(parts, masses, strict=True):
        one_by_one.add_coupled(coupled(bodies[part], J[part], M))
    system.add_coupled(Coupled(bodies, J, np.array([0, 1, 1, 3, 5]), np.concatenate([M.ravel() for M in masses])))
    for ours, theirs in zip(system.matrix, one_by_one.matrix, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert system.diagonal.any()


def test_singular_system_is_shifted():
    """Two free bodies in a tug-of-war: H has a null space, in which a gradient of zero asks for no motion."""
    system, block = LinearSystem(np.zeros(2, dtype=bool)), np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(12))
    system.add_pairs(np.array([[0, 1]]), block[None])
    g = np.stack([np.arange(12.0), -np.arange(12.0)])
    dq = system.solve(g)
    np.testing.assert_allclose(dq[1] - dq[0], np.arange(12.0), atol=1e-8)


def test_a_singular_part_is_shifted_and_others_keep_their_bits():
    """Body 2 is a part of its own."""
    tug = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(12))
    rng = np.random.default_rng(3)
    A = rng.standard_normal((12, 12))
    own, g = A @ A.T + np.eye(12), rng.standard_normal((3, 12))
    g[:2] = 0.0
    alone = LinearSystem(np.array([True, True, False]))
    alone.add_diagonal(np.stack([np.zeros((12, 12))] * 2 + [own]))
    system = LinearSystem(np.zeros(3, dtype=bool))
    system.add_pairs(np.array([[0, 1]]), tug[None])
    system.add_diagonal(np.stack([np.zeros((12, 12))] * 2 + [own]))
    np.testing.assert_array_equal(system.solve(g)[2], alone.solve(g)[2])


def test_indefinite_parts_are_left_out():
    blocks = np.stack([np.eye(12)] * N)
    blocks[4, 11, 11] = -1.0
    system = LinearSystem(IS_FIXED)
    system.add_diagonal(blocks)
    dq, is_definite = system.solve_parts(np.ones((N, 12)))
    assert not is_definite[4]
    assert is_definite[~IS_FIXED].sum() == (~IS_FIXED).sum() - 1
    movable = ~IS_FIXED & is_definite
    np.testing.assert_allclose(dq[movable], -1.0)


def test_indefinite_system_is_refused():
    system = LinearSystem(IS_FIXED)
    blocks = np.stack([np.eye(12)] * N)
    blocks[4, 11, 11] = -1.0
    system.add_diagonal(blocks)
    with pytest.raises(SolverError, match="not positive definite"):
        system.solve(np.ones((N, 12)))
    frozen = ~IS_FIXED
    frozen[4] = False
    system.choose(frozen)  # without the body at fault it is definite
    system.add_diagonal(blocks)
    np.testing.assert_allclose(system.solve(np.ones((N, 12)))[frozen], -1.0)


@pytest.mark.parametrize(("shares", "second"), [((), 9.0), ((0.5,), 9.0), ((0.5, 0.8, 0.9), 1.4)])
def test_definite_parts_are_put_back_and_others_are_softened(shares, second):
    """Bodies 0, 2 and 4, 5 are two parts, of which the second is indefinite at first: 1 - 30, and later 2 + 7."""
    system, pairs, g = LinearSystem(np.zeros(6, dtype=bool)), np.array([[0, 2], [5, 4]]), np.ones((6, 12))

    def add(of_pairs, of_bodies):
        system.choose(np.ones(6, dtype=bool))
        system.add_diagonal(np.stack([of_bodies * np.eye(12)] * 6))
        system.add_pairs(pairs, np.stack([scale * np.eye(24) for scale in of_pairs]))

    add((3.0, -30.0), 1.0)
    assert system.solve_definite(g) is None
    exact = system.definite_parts()
    np.testing.assert_array_equal(exact.is_definite, [True, True, True, True, False, False])
    add((7.0, 7.0), 2.0)
    system.soften(exact, shares)
    np.testing.assert_allclose(system.solve(g)[:, 0], [-0.25, -1.0, -0.25, -1.0, -1.0 / second, -1.0 / second])


@pytest.mark.parametrize(("level", "softened"), [(0, 1.0), (1, 1.5), (2, 1.8), (3, 2.0)])
def test_a_definite_part_that_is_distrusted_keeps_a_share(level, softened):
    """Of two parts, one is to omit the exact Hessian, 1, and the first shares of its difference from 2."""
    system, g = LinearSystem(np.zeros(2, dtype=bool)), np.ones((2, 12))
    system.add_diagonal(np.stack([np.eye(12)] * 2))
    assert system.solve_definite(g) is not None
    exact = system.definite_parts()
    system.choose(np.ones(2, dtype=bool))
    system.add_diagonal(np.stack([2.0 * np.eye(12)] * 2))
    system.soften(exact, (0.5, 0.8), np.array([0, level]))
    np.testing.assert_allclose(system.solve(g)[:, 0], [-1.0, -1.0 / softened])


def test_nothing_is_softened_where_blocks_have_come():
    system, g = LinearSystem(np.zeros(3, dtype=bool)), np.ones((3, 12))
    system.add_diagonal(np.stack([scale * np.eye(12) for scale in (1.0, -1.0, 1.0)]))
    assert system.solve_definite(g) is None
    exact = system.definite_parts()
    system.choose(np.ones(3, dtype=bool))
    system.add_diagonal(np.stack([np.eye(12)] * 3))
    system.add_pairs(np.array([[0, 1]]), np.eye(24)[None])
    system.soften(exact, (0.0, 0.5))
    np.testing.assert_allclose(system.solve(g)[:, 0], [-0.5, -0.5, -1.0])


def test_not_a_number_is_refused():
    system = LinearSystem(IS_FIXED)
    system.add_diagonal(np.full((N, 12, 12), np.nan))
    with pytest.raises(SolverError, match="not positive definite"):
        system.solve(np.ones((N, 12)))


def test_no_hessian_keeps_nothing(problem):
    hessian = NoHessian()
    add_all(hessian, problem)
    assert not vars(hessian)


def test_rows_of_vertices_are_the_same_system(problem):
    """What is added by vertices, and on the diagonal vertex by vertex, has the same solution in split rows."""
    rng, n = np.random.default_rng(3), 6
    is_split = np.arange(n) >= 2
    slots = rng.integers(4, size=(40, 3))
    bodies = rng.integers(n, size=(40, 3))
    points = np.where(is_split[bodies][..., None], tetrads.LABELS[slots], rng.standard_normal((40, 3, 3)))
    H_v = rng.standard_normal((40, 9, 9))
    H_v = H_v @ H_v.transpose(0, 2, 1)
    alone = rng.standard_normal((n, 4, 3, 3))
    alone = alone @ alone.transpose(0, 1, 3, 2) + np.eye(3)
    solutions, g = [], rng.standard_normal((n, 12))
    for split in (np.zeros(n, dtype=bool), is_split):
        system = LinearSystem(np.arange(n) == 5, split)
        system.add_vertices(bodies, points, H_v)
        system.add_diagonal(np.array([_of_vertices(blocks) for blocks in alone]))
        system.add_vertices(bodies[:5], points[:5], H_v[:5])
        solutions.append(system.solve(g))
    np.testing.assert_allclose(solutions[1], solutions[0], rtol=1e-8, atol=1e-12)
    assert np.any(system.matrix.masks != ALL)


def _of_vertices(blocks):
    """Σ y_s y_sᵀ ⊗ H_s in coordinates, (12, 12)."""
    T = tetrads.vertices(np.eye(12))  # (12, 4, 3): vertices of each coordinate
    return np.einsum("isk,skm,jsm->ij", T, blocks, T)


def test_definiteness_is_decided_by_rows_whose_vertices_belong_together():
    """Row 0 has a vertex that is indefinite alone, and another one that is coupled with row 1: both rows are left."""
    system, g = LinearSystem(np.zeros(3, dtype=bool), np.ones(3, dtype=bool)), np.ones((3, 12))

    def add(alone, coupled):
        system.choose(np.ones(3, dtype=bool))
        system.add_diagonal(np.array([_of_vertices(np.stack([np.eye(3)] * 4))] * 3))
        difference = coupled * np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(3))
        system.add_vertices(np.array([[0, 1]]), tetrads.LABELS[[[2, 0]]], difference[None])
        system.add_vertices(np.array([[0, 0]]), tetrads.LABELS[[[1, 1]]], alone * np.eye(6)[None])

    add(-30.0, -0.3)
    assert system.solve_definite(g) is None
    np.testing.assert_array_equal(system.definite_parts().is_definite, [False, False, True])
    exact = system.definite_parts()
    add(0.0, 9.0)
    unmixed = system.solve(g)
    add(0.0, 9.0)
    np.testing.assert_array_equal(system.soften(exact, ()), [False, False, True])
    np.testing.assert_allclose(system.solve(g), unmixed)


def test_systems_of_many_vertices_are_solved_by_conjugate_gradients_and_others_too():
    """Where gradients see that a system is not definite, its factor is tried, with the same answer as without them."""
    rng, n = np.random.default_rng(4), 5
    slots, bodies = rng.integers(4, size=(30, 3)), rng.integers(n, size=(30, 3))
    H_v = rng.standard_normal((30, 9, 9))
    H_v = H_v @ H_v.transpose(0, 2, 1)
    g, found = rng.standard_normal((n, 12)), []
    for has_many in (False, True):
        system = LinearSystem(np.zeros(n, dtype=bool), np.ones(n, dtype=bool), has_many)
        system.add_vertices(bodies, tetrads.LABELS[slots], H_v)
        system.add_diagonal(np.array([_of_vertices(np.stack([np.eye(3)] * 4))] * n))
        found.append(system.solve(g))
        assert system._has_factor != has_many
        system.add_diagonal(np.array([_of_vertices(np.stack([-1e3 * np.eye(3)] * 4))] * n))
        assert system.solve_definite(g) is None
        assert not system._has_factor
    assert np.abs(found[1] - found[0]).max() < 1e-3 * np.abs(found[0]).max()


def test_parts_of_a_system_that_gradients_have_solved_are_its_own():
    """The factorisation has not seen that system, or another one before."""
    n = 4
    system = LinearSystem(np.zeros(n, dtype=bool), np.ones(n, dtype=bool), True)
    g = np.random.default_rng(5).standard_normal((n, 12))
    for pairs in ([[0, 1], [2, 3]], [[0, 1]]):
        system.add_vertices(np.array(pairs), tetrads.LABELS[[[0, 1]] * len(pairs)], np.array([np.eye(6)] * len(pairs)))
        system.add_diagonal(np.array([_of_vertices(np.stack([np.eye(3)] * 4))] * n))
        assert system.solve_definite(g) is not None
        assert not system._has_factor
        assert system.definite_parts().is_definite.tolist() == [True] * n


def chains(n, loads, stiffness):
    """Two chains of n vertices each, side by side, with loads on each; and where stiff springs are added later."""
    system = LinearSystem(np.zeros(2 * n, dtype=bool), np.ones(2 * n, dtype=bool))
    spring = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.eye(3))
    pairs = np.array([[i, i + 1] for i in range(2 * n - 1) if i != n - 1])
    system.add_vertices(pairs, tetrads.LABELS[[[0, 0]] * len(pairs)], np.array([spring] * len(pairs)))
    system.add_diagonal(np.array([_of_vertices(np.stack([0.1 * np.eye(3)] * 4))] * (2 * n)))
    g = np.repeat(loads, n)[:, None] * np.random.default_rng(6).standard_normal((2 * n, 12))
    dq = system.solve(g)
    stiff = np.array([[2, 5], [n + 3, n + 7]])
    system.add_vertices(stiff, tetrads.LABELS[[[0, 0], [0, 0]]], np.array([stiffness * spring] * 2))
    return system, g, dq


@pytest.mark.usefixtures("dear")
@pytest.mark.parametrize("stiffness", [0.3, 1e6])
def test_a_change_of_few_stiff_springs_is_a_small_correction(stiffness):
    system, g, dq = chains(10, [1.0, 1.0], stiffness)
    corrected, whole = system.corrected(g, dq), system.solve(g)
    np.testing.assert_allclose(corrected, whole, atol=2e-3 * np.abs(whole).max())
    assert np.abs(whole - dq).max() > 0.01 * np.abs(whole).max()


@pytest.mark.usefixtures("dear")
def test_corrections_are_small_beside_the_steps_of_their_own_part():
    system, g, dq = chains(10, [1.0, 1e-5], 0.3)
    corrected, whole = system.corrected(g, dq)[10:], system.solve(g)[10:]
    np.testing.assert_allclose(corrected, whole, atol=2e-3 * np.abs(whole).max())
    assert np.abs(whole - dq[10:]).max() > 0.01 * np.abs(whole).max()


@pytest.mark.usefixtures("dear")
@pytest.mark.parametrize("added", [10.0 ** np.arange(9.0), np.full(9, -2.0)], ids=["far", "not definite"])
def test_a_system_that_is_no_longer_near_is_not_corrected(added):
    n = 9
    system = LinearSystem(np.zeros(n, dtype=bool), np.ones(n, dtype=bool))
    system.add_diagonal(np.array([_of_vertices(np.stack([np.eye(3)] * 4))] * n))
    g = np.random.default_rng(7).standard_normal((n, 12))
    dq = system.solve(g)
    system.add_diagonal(np.array([_of_vertices(np.stack([factor * np.eye(3)] * 4)) for factor in added]))
    assert system.corrected(g, dq) is None
