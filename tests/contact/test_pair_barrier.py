"""The barrier between bodies beside ipctk's, which works by vertices, and beside differences."""

import ipctk
import numpy as np
import pytest

from ipc_articulation.contact import pair_barrier
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from tests.contact.in_touch import folded, near_pose, one_stencil, parallel_stack, two_primitives
from tests.contact.worlds import D_HAT, full_hessian, pose, pull_back
from tests.derivatives import central_difference, relative_error

KAPPA = 1e7  # [J/m⁴], so that energies are of the order of 1
SCENES = {
    **{f"boxes {seed}, {xi}": (near_pose, seed, xi) for seed in range(12) for xi in (0.0, 0.03)},
    **{f"stack {seed}, {xi}": (parallel_stack, seed, xi) for seed in range(3) for xi in (0.0, 0.03)},
    **{f"itself {seed}": (folded, seed) for seed in range(3)},
}
in_scenes = pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)


def energy(touching, stencils, moving=None):
    E, n = np.zeros(len(touching.q)), len(touching.q)
    moving = np.ones(n, dtype=bool) if moving is None else moving
    kappa = np.full(len(stencils.bodies), KAPPA)
    pair_barrier.add_energy(*stencils.columns, moving, touching.x, kappa, D_HAT, touching.xi, E)
    return E


def in_reach(touching, stencils):
    """Rows of those within d̂."""
    moving = np.ones(len(touching.q), dtype=bool)
    return pair_barrier.in_reach(*stencils.columns[:4], moving, touching.x, D_HAT + touching.xi)


def derivatives(touching, stencils, project=True):
    """Gradient (12n,) and Hessian (12n, 12n)."""
    g, near = np.zeros_like(touching.q), stencils.rows(in_reach(touching, stencils))
    where, kappa = (touching.surfaces.points, touching.x), np.full(len(near.bodies), KAPPA)
    blocks = pair_barrier.add_derivatives(
        *near.columns, *where, kappa, D_HAT, touching.xi, np.full(len(near.bodies), project), g
    )
    np.testing.assert_allclose(
        blocks, np.swapaxes(blocks, 1, 2), rtol=1e-12, atol=1e-12 * np.abs(blocks).max(initial=0.0)
    )
    return g.ravel(), full_hessian(len(g), near.bodies, blocks)


def true_hessian(touching, stencils):
    """By differences, (12n, 12n)."""
    H = central_difference(lambda q: derivatives(touching.at(q), stencils)[0], touching.q.ravel(), 1e-9)
    return 0.5 * (H + H.T)


@in_scenes
def test_energy_and_gradient_are_ipctk_s(make):
    touching = make[0](*make[1:])
    stencils, (mesh, collisions) = touching.stencils(), touching.collisions()
    potential, x = ipctk.BarrierPotential(D_HAT, KAPPA), np.asfortranarray(touching.x)
    expected = potential(collisions, mesh, x)
    assert expected > 0.0
    assert energy(touching, stencils).sum() == pytest.approx(expected, rel=1e-10)
    by_vertices = potential.gradient(collisions, mesh, x)
    expected = pull_back(touching.surfaces, len(touching.q)).T @ by_vertices
    assert relative_error(derivatives(touching, stencils)[0], expected) < 1e-10


@in_scenes
def test_gradient_equals_differences_and_hessian_has_no_negative_eigenvalue(make):
    touching = make[0](*make[1:])
    stencils = touching.stencils()
    g, H = derivatives(touching, stencils)
    difference = central_difference(lambda q: energy(touching.at(q), stencils).sum(), touching.q.ravel(), 1e-8)
    assert relative_error(g, difference) < 1e-5
    w = np.linalg.eigvalsh(H)
    assert w[0] > -1e-12 * w[-1]


def test_scenes_have_all_kinds_of_contact():
    """In reach, and of what ipctk makes of it; edges within the mollifier among them."""
    kinds, theirs, mollified = np.zeros(3), np.zeros(4), 0
    for make, *arguments in SCENES.values():
        touching = make(*arguments)
        s, (_, c) = touching.stencils(), touching.collisions()
        near = in_reach(touching, s)
        kinds += np.bincount(s.kind[near], minlength=3)
        theirs += [len(c.vv_collisions), len(c.ev_collisions), len(c.ee_collisions), len(c.fv_collisions)]
        edges = np.diff(touching.x[s.vertices[near][s.kind[near] == EDGES]].reshape(-1, 2, 2, 3), axis=2)[:, :, 0]
        crossed = np.sum(np.cross(edges[:, 0], edges[:, 1]) ** 2, axis=1)
        mollified += np.sum(crossed < 0.999 * s.mollified[near][s.kind[near] == EDGES])
    assert kinds.min() > 30
    assert theirs.min() > 10
    assert mollified > 20


@pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])
@pytest.mark.parametrize("ratio", [0.3, 0.1, 0.03])
def test_hessian_is_not_below_the_true_one_where_closest_points_are_inside(kind, ratio):
    """Exact along the normal; elsewhere what is left out is of the order of the gap, 1e-5 of the whole."""
    rng, negative = np.random.default_rng(kind), 0.0
    for _ in range(10):
        touching, stencils, n = one_stencil(kind, ratio * D_HAT, rng)
        H, exact = derivatives(touching, stencils)[1], true_hessian(touching, stencils)
        largest = np.linalg.eigvalsh(exact)[-1]
        assert np.linalg.eigvalsh(H - exact)[0] > -2e-5 * largest
        negative = min(negative, np.linalg.eigvalsh(exact)[0] / largest)
        along = np.zeros((2, 12))
        along[0, :3] = n
        curvature = along.ravel() @ H @ along.ravel()
        assert curvature == pytest.approx(KAPPA * barrier(ratio * D_HAT, D_HAT, 0.0)[2], rel=1e-8)
        assert curvature == pytest.approx(along.ravel() @ exact @ along.ravel(), rel=1e-4)
    assert negative < -1e-4, "the true one is not positive"


@pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])
@pytest.mark.parametrize("ratio", [0.9, 0.3, 0.03])
@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_an_unprojected_hessian_is_the_true_one(kind, ratio, zeros):
    rng = np.random.default_rng(kind)
    for _ in range(5):
        touching, stencils, _ = one_stencil(kind, ratio * D_HAT, rng, zeros)
        H, exact = derivatives(touching, stencils, project=False)[1], true_hessian(touching, stencils)
        np.testing.assert_allclose(H, exact, rtol=0, atol=1e-5 * np.abs(exact).max())


@pytest.mark.parametrize("angle", [0.0, 0.003, 0.012, 0.025])
@pytest.mark.parametrize("ratio", [0.9, 0.3, 0.03])
def test_mollified_hessian_is_that_by_distance_and_cross_product(angle, ratio):
    """F = κ m(z²) B(d), z = sin(angle) of two unit edges that cross: motions that change d, z in its direction, and z
    square to it. Of the 2x2 Hessian by d and z what is positive must be there, and 2κ m' B across.
    """
    t = np.array([np.cos(angle), np.sin(angle), 0.0])
    points = np.array([[-0.5, 0, 0], [0.5, 0, 0], -0.5 * t, 0.5 * t])
    q, motions = np.stack([pose(0, 0, 0), pose(0, 0, -ratio * D_HAT)]), np.zeros((3, 2, 12))
    touching, stencils = two_primitives(EDGES, points, q)
    motions[0, 0, 2] = 1.0  # up
    motions[1, 0, 3:].reshape(3, 3)[:, 0] = [0.0, -1.0 / np.cos(angle), 0.0]  # ē₁ = x turns away from ē₂
    motions[2, 0, 3:].reshape(3, 3)[:, 0] = [0.0, 0.0, 1.0]  # ē₁ turns upwards
    H = derivatives(touching, stencils)[1]
    by_motions = motions.reshape(3, 24) @ H @ motions.reshape(3, 24).T

    def F(d, z):
        s = min(z * z / 1e-3, 1.0)
        return KAPPA * s * (2.0 - s) * barrier(d, D_HAT, 0.0)[0]

    step = np.array([1e-3 * ratio * D_HAT, 1e-5])
    at, e = np.array([ratio * D_HAT, np.sin(angle)]), np.diag(step)
    M = [[F(*(at + a + b)) - F(*(at + a - b)) - F(*(at - a + b)) + F(*(at - a - b)) for a in e] for b in e]
    w, V = np.linalg.eigh(M / (4 * np.outer(step, step)))
    expected = V @ np.diag(np.maximum(w, 0.0)) @ V.T
    np.testing.assert_allclose(by_motions[:2, :2], expected, rtol=2e-4, atol=1e-5 * np.abs(expected).max())
    rate = 2.0 * (1.0 - np.sin(angle) ** 2 / 1e-3) / 1e-3
    B, slope, _ = barrier(at[0], D_HAT, 0.0)
    across = 2.0 * rate * KAPPA * B
    if 0.0 < 2.0 * at[1] ** 2 < at[0] ** 2:  # the distance is curved: -∂²d = d bᵀG b, b = (1, 0), G₁₁ = 1/z²
        s = at[1] ** 2 / 1e-3
        across -= KAPPA * s * (2.0 - s) * slope * at[0] / at[1] ** 2
    assert by_motions[2, 2] == pytest.approx(across, rel=1e-6)


@pytest.mark.parametrize("angle", [0.003, 0.012, 0.025])
@pytest.mark.parametrize("ratio", [0.9, 0.3, 0.03])
def test_an_unprojected_mollified_hessian_is_the_true_one(angle, ratio):
    """In any pose; ends of edges are not closest."""
    t, rng = np.array([np.cos(angle), np.sin(angle), 0.0]), np.random.default_rng(1)
    points = np.array([[-0.5, 0, 0], [0.6, 0, 0], -0.4 * t, 0.55 * t])
    q = np.stack([pose(0, 0, 0), pose(0.01, 0, -ratio * D_HAT)])
    touching, stencils = two_primitives(EDGES, points, q)
    size = 1e-3 * min(angle, ratio * D_HAT)

    def gradient(q):
        return derivatives(touching.at(q), stencils, project=False)[0]

    H = derivatives(touching, stencils, project=False)[1]
    assert np.linalg.eigvalsh(H)[0] < 0.0
    for _ in range(20):
        along = rng.normal(size=24)
        change = (gradient(q.ravel() + size * along) - gradient(q.ravel() - size * along)) / (2.0 * size)
        np.testing.assert_allclose(H @ along, change, rtol=0, atol=5e-4 * np.abs(change).max())


def test_energy_goes_to_a_body_that_moves():
    touching = parallel_stack(0)
    stencils = touching.stencils()
    E = energy(touching, stencils)
    below, above, both = (energy(touching, stencils, np.isin(np.arange(3), rows)) for rows in ([0], [2], [0, 2]))
    assert E[2] == 0.0, "the first of a pair has all of it"
    np.testing.assert_allclose([below[0], above[2]], E[:2], rtol=1e-14)
    np.testing.assert_allclose(both, [E[0], 0.0, E[1]], rtol=1e-14)
    np.testing.assert_array_equal([below[1:], above[:2]], 0.0)


@pytest.mark.parametrize("xi", [0.0, 0.0625])
def test_energy_is_infinite_where_surfaces_touch(xi):
    """A vertex over a face, in numbers without rounding."""
    points = np.array([[0.25, 0.25, 0.0], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    q = np.stack([pose(0, 0, xi), pose(0, 0, 0)])
    touching, stencil = two_primitives(VERTEX_OF_FIRST, points, q)
    touching = touching._replace(xi=xi)
    np.testing.assert_array_equal(energy(touching, stencil), [np.inf, 0.0])
    q[0, 2] += 1e-12
    assert np.isfinite(energy(touching.at(q), stencil)).all()
