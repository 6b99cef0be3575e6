"""The Newton system against the dense matrix that its definitions say, solved by numpy."""

import numpy as np
import pytest

from ipc_articulation import tetrads
from ipc_articulation.linear_system.hessian import Coupled, NoHessian, coupled
from ipc_articulation.linear_system.linear_system import LinearSystem
from ipc_articulation.linear_system.masks import ALL
from ipc_articulation.errors import SolverError

N = 7
IS_FIXED = np.array([False, True, False, False, False, False, False])


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
    np.testing.assert_array_equal(system.indefinite, [True, True, False])


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
        system.add_diagonal(np.array([_of_vertices(np.stack([-1e3 * np.eye(3)] * 4))] * n))
        assert system.solve_definite(g) is None
        assert system.indefinite.all()
    assert np.abs(found[1] - found[0]).max() < 1e-3 * np.abs(found[0]).max()
