import numpy as np
import pytest
from uipc import World

from benchmarks.box_scenes import chain
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import Engine
from ipc_articulation.engine.terms import arap, ortho_potential
from ipc_articulation.engine.terms.shape import Shape
from ipc_articulation.frontend.nodes.numbering import nodes_of
from tests.derivatives import central_difference, relative_error
from tests.engine import nodes


def affine_states(count, stretch):
    """Random coordinates around rotations: A = R (1 + stretch·noise)."""
    rng = np.random.default_rng(5)
    q = np.empty((count, 12))
    for row in q:
        R, _ = np.linalg.qr(rng.standard_normal((3, 3)))
        row[:3] = rng.standard_normal(3)
        row[3:] = (R @ (np.eye(3) + stretch * rng.standard_normal((3, 3)))).ravel()
    return q


def shapes(kind, c, dA=0.0):
    """Energies of a kind with constants c, one of each body, after a last step by dA (n, 9) in a step of 1 s."""
    c = np.atleast_1d(np.asarray(c, dtype=float))
    term = Shape("", kind.KERNELS, c, 4 * len(c))
    q = np.zeros((len(c), 12))
    term.begin_step(None, None, 1.0)
    q[:, 3:] = dA
    _follow(term.stiff, nodes_of(q).reshape(-1, 3))
    return term


@compiled
def _follow(stiff, step):
    stiff.step[:] = step


def energy(q, c):
    return nodes.energy(shapes(ortho_potential, c), q)


def derivatives(q, c, dA=0.0, project=True):
    g, H = nodes.derivatives(shapes(ortho_potential, c, dA), q, project)
    return g.reshape(-1, 12), np.stack([H[12 * b : 12 * b + 12, 12 * b : 12 * b + 12] for b in range(len(q))])


def test_energy_is_zero_at_rotations_and_counts_every_body():
    q, c = affine_states(4, 0.0), np.array([1.0, 2.0, 3.0, 0.0])
    assert energy(q, c) < 1e-25
    q[1, 3:] *= 2.0  # A Aᵀ - I = 3 I
    assert energy(q, c) == pytest.approx(2.0 * 27.0, rel=1e-12)


@pytest.mark.parametrize("kind", [ortho_potential, arap])
def test_bodies_that_do_not_move_are_left_out(kind):
    q, some, term = affine_states(3, 0.2), np.array([False, True, False]), shapes(kind, np.full(3, 2.0))
    x, of = nodes_of(q).reshape(-1, 3), nodes.Nodes.of_bodies(3)
    of.select(some)
    alone, one = shapes(kind, 2.0), slice(12, 24)
    assert of.energy(term, x) == nodes.energy(alone, q[1:2])
    (g, H), (own, block) = of.derivatives(term, x, True), nodes.Nodes.of_bodies(1).derivatives(alone, x[4:8], True)
    np.testing.assert_array_equal(g[one], own)
    np.testing.assert_array_equal(H[one, one], block)
    assert np.count_nonzero(g) == np.count_nonzero(own)
    assert np.count_nonzero(H) == np.count_nonzero(block)


def test_gradient_equals_differences_whatever_the_last_step_was():
    rng = np.random.default_rng(6)
    for q in affine_states(50, 0.2):
        g, _ = derivatives(q[None], np.array([3.0]), rng.standard_normal((1, 9)))
        difference = central_difference(lambda x: energy(x[None], 3.0), q)
        assert relative_error(g[0], difference) < 1e-7


def test_an_unprojected_hessian_equals_differences():
    c = np.array([3.0])
    for q in affine_states(20, 0.2):
        _, H = derivatives(q[None], c, np.ones((1, 9)), project=False)
        assert relative_error(H[0], central_difference(lambda x: derivatives(x[None], c)[0][0], q)) < 1e-7


def test_hessian_is_exact_at_rotations():
    for q in affine_states(50, 0.0):
        _, H = derivatives(q[None], np.array([3.0]))
        difference = central_difference(lambda x: derivatives(x[None], np.array([3.0]))[0][0], q)
        assert relative_error(H[0], difference) < 1e-7


def test_hessian_is_exact_where_a_body_is_stretched():
    """All of S is tension there."""
    for q in affine_states(20, 0.05):
        q[3:] *= 1.3
        _, H = derivatives(q[None], np.array([3.0]))
        difference = central_difference(lambda x: derivatives(x[None], np.array([3.0]))[0][0], q)
        assert relative_error(H[0], difference) < 1e-7


def gauss_newton(q, c):
    """Of 2c ‖dA Aᵀ + A dAᵀ‖², by A, (9, 9)."""
    A, E = q[3:].reshape(3, 3), np.eye(9).reshape(9, 3, 3)
    strain = (E @ A.T + A @ E.transpose(0, 2, 1)).reshape(9, 9)
    return 2.0 * c * strain @ strain.T


def tension(q, dA, c):
    """Of 4c ⟨T⁺ dA, dA⟩, T⁺ the positive part of A Aᵀ - I - dA dAᵀ, by A, (9, 9)."""
    A, dA = q[3:].reshape(3, 3), dA.reshape(3, 3)
    w, V = np.linalg.eigh(A @ A.T - np.eye(3) - dA @ dA.T)
    return 4.0 * c * np.kron(V @ np.diag(np.maximum(w, 0.0)) @ V.T, np.eye(3))


@pytest.mark.parametrize("size", [0.0, 0.1, 0.5])
def test_hessian_is_gauss_newton_and_the_positive_part_of_the_predicted_tension(size):
    rng, without = np.random.default_rng(7), []
    for q in affine_states(50, 0.3):
        dA = size * rng.standard_normal(9)
        H = derivatives(q[None], np.array([3.0]), dA[None])[1][0]
        assert not H[:3].any()
        np.testing.assert_allclose(H[3:, 3:], gauss_newton(q, 3.0) + tension(q, dA, 3.0), atol=1e-11 * np.abs(H).max())
        without.append(np.abs(tension(q, dA, 3.0) - tension(q, np.zeros(9), 3.0)).max())
    assert (np.max(without) > 0.1) == (size > 0.0)


def test_a_turn_leaves_no_tension():
    """After the step dA = [w] A from a rotation, S = dA dAᵀ, which is not zero."""
    A, w = affine_states(1, 0.0)[0, 3:].reshape(3, 3), np.array([0.3, -0.2, 0.1])
    dA = np.cross(w, A, axisb=0, axisc=0)
    q = np.concatenate([np.zeros(3), (A + dA).ravel()])
    H = derivatives(q[None], np.array([1.0]), dA.reshape(1, 9))[1][0]
    np.testing.assert_allclose(H[3:, 3:], gauss_newton(q, 1.0), atol=1e-13)
    assert np.abs(tension(q, np.zeros(9), 1.0)).max() > 0.1


def test_hessian_has_no_negative_eigenvalue():
    rng = np.random.default_rng(8)
    for q in affine_states(100, 0.3):
        _, H = derivatives(q[None], np.array([3.0]), 0.3 * rng.standard_normal((1, 9)))
        w = np.linalg.eigvalsh(H[0])
        assert w[0] > -1e-12 * w[-1]


def test_swinging_chain_needs_few_newton_iterations(tmp_path):
    """Its links hang on each other while they turn: tension and turning at once."""
    engine = Engine("cpu", str(tmp_path))
    world = World(engine)
    world.init(chain(8))
    iterations = []
    for _ in range(60):
        world.advance()
        iterations.append(engine.statistics.newton.iterations)
    assert np.mean(np.array(iterations) <= 3) > 0.9
