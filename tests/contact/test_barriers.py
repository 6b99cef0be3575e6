"""Barriers between bodies, stiff and soft ones, beside ipctk's, which works by vertices, and beside differences."""

import ipctk
import numpy as np
import pytest

from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from ipc_articulation.contact.stencils import PLANE
from tests.contact.in_touch import Touching, at_rest, folded, near_pose, one_stencil, parallel_stack, two_primitives
from tests.contact.worlds import D_HAT, DT, boxes, pose
from tests.derivatives import central_difference, relative_error

KAPPA = 1e7 / DT**2  # [Pa], so that energies are of the order of 1
SCENES = {
    **{f"boxes {seed}, {xi}": (near_pose, seed, xi) for seed in range(12) for xi in (0.0, 0.03)},
    **{f"stack {seed}, {xi}": (parallel_stack, seed, xi) for seed in range(3) for xi in (0.0, 0.03)},
    **{f"itself {seed}": (folded, seed) for seed in range(3)},
}
in_scenes = pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)
softly = pytest.mark.parametrize("soft", [0, 1, 2], ids=["stiff", "one soft", "both soft"])
KINDS = pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])


def begun(make, soft=0):
    """A scene, its world, and nodes."""
    touching = make[0](*make[1:])
    soft = len(touching.q) if soft == 2 else min(soft, len(touching.q))
    world, x = touching.world(soft, resistance=KAPPA)
    return touching, world.begin(x), x


def with_stencil(kind, gap, rng, zeros=0, soft=0, d_hat=D_HAT):
    """A world of one stencil, nodes, and the normal."""
    surfaces, n = one_stencil(kind, gap, rng, zeros)
    world, x = Touching(surfaces, at_rest(surfaces), 0.0, False).world(soft, resistance=KAPPA, d_hat=d_hat)
    world.begin(x)
    world.place(x)
    assert world.near().kind.tolist() == [kind]
    return world, x, n


def true_hessian(world, x, step=1e-9):
    """By differences of the gradient, (3N, 3N)."""
    H = central_difference(world.gradient, x.ravel(), step)
    return 0.5 * (H + H.T)


@softly
@in_scenes
def test_energy_and_gradient_are_ipctk_s(make, soft):
    touching, world, x = begun(make, soft)
    y = np.asfortranarray(world.y(x))
    mesh, collisions = touching.collisions(y)
    potential = ipctk.BarrierPotential(D_HAT, KAPPA * DT**2)
    expected = potential(collisions, mesh, y)
    assert expected > 0.0
    assert world.energies(x).sum() == pytest.approx(expected, rel=1e-10)
    g = world.gradient(x).reshape(-1, 3)
    assert relative_error(g, world.W.T @ potential.gradient(collisions, mesh, y).reshape(-1, 3)) < 1e-10


@softly
@in_scenes
def test_gradient_equals_differences_and_hessian_has_no_negative_eigenvalue(make, soft):
    _, world, x = begun(make, soft)
    g, H = world.derivatives(x, project=True)
    difference = central_difference(lambda x: world.energies(x).sum(), x.ravel(), 1e-8)
    assert relative_error(g, difference) < 1e-5
    np.testing.assert_allclose(H, H.T, rtol=0, atol=1e-12 * np.abs(H).max())
    w = np.linalg.eigvalsh(H)
    assert w[0] > -1e-12 * w[-1]


@softly
@pytest.mark.parametrize("make", [make for make in SCENES.values() if make[0] is near_pose and make[1] < 8])
def test_the_exact_hessian_of_a_scene_is_the_true_one(make, soft):
    """Stencils of one pair are summed before they are spread over its nodes."""
    _, world, x = begun(make, soft)
    H, exact = world.derivatives(x)[1], true_hessian(world, x)
    np.testing.assert_allclose(H, exact, rtol=0, atol=1e-4 * np.abs(exact).max())


def test_scenes_have_all_kinds_of_contact():
    """In reach, and of what ipctk makes of it; edges within the mollifier among them."""
    kinds, theirs, mollified = np.zeros(3), np.zeros(4), 0
    for make in SCENES.values():
        touching, world, x = begun(make)
        world.place(x)
        near, (_, c) = world.near(), touching.collisions(world.y(x))
        kinds += np.bincount(near.kind, minlength=3)
        theirs += [len(c.vv_collisions), len(c.ev_collisions), len(c.ee_collisions), len(c.fv_collisions)]
        edges = np.diff(world.y(x)[near.vertices[near.kind == EDGES]].reshape(-1, 2, 2, 3), axis=2)[:, :, 0]
        crossed = np.sum(np.cross(edges[:, 0], edges[:, 1]) ** 2, axis=1)
        mollified += np.sum(crossed < 0.999 * near.mollified[near.kind == EDGES])
    assert kinds.min() > 30
    assert theirs.min() > 10
    assert mollified > 20


@softly
@KINDS
@pytest.mark.parametrize("ratio", [0.3, 0.1, 0.03])
def test_hessian_is_not_below_the_true_one_where_closest_points_are_inside(kind, ratio, soft):
    """Exact along the normal; elsewhere what is left out is of the order of the gap, 3e-5 of the whole."""
    rng, negative = np.random.default_rng(kind), 0.0
    for _ in range(10):
        world, x, n = with_stencil(kind, ratio * D_HAT, rng, soft=soft)
        H, exact = world.derivatives(x, project=True)[1], true_hessian(world, x)
        largest = np.linalg.eigvalsh(exact)[-1]
        assert np.linalg.eigvalsh(H - exact)[0] > -4e-5 * largest
        negative = min(negative, np.linalg.eigvalsh(exact)[0] / largest)
        along = np.zeros_like(x)
        along[world.W[world.surfaces.body == 0].sum(axis=0) != 0] = n
        if soft < 2:
            along[1:4] = 0.0  # p of the first body
        along = along.ravel()
        curvature = along @ H @ along
        assert curvature == pytest.approx(KAPPA * DT**2 * barrier(ratio * D_HAT, D_HAT, 0.0)[2], rel=1e-8)
        assert curvature == pytest.approx(along @ exact @ along, rel=1e-4)
    assert negative < -1e-4, "the true one is not positive"


@softly
@KINDS
@pytest.mark.parametrize("ratio", [0.9, 0.3, 0.03])
@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_an_unprojected_hessian_is_the_true_one(kind, ratio, zeros, soft):
    rng = np.random.default_rng(kind)
    for _ in range(5):
        world, x, _ = with_stencil(kind, ratio * D_HAT, rng, zeros, soft)
        H, exact = world.derivatives(x)[1], true_hessian(world, x)
        np.testing.assert_allclose(H, exact, rtol=0, atol=1e-5 * np.abs(exact).max())


def crossing(points, gap, soft, aside=0.0):
    """Two edges, of which the second one is lower by a gap: the world, and nodes."""
    lower = points - np.array([aside, 0.0, gap]) * (np.arange(4) > 1)[:, None]
    surfaces = two_primitives(EDGES, lower)
    world, x = Touching(surfaces, at_rest(surfaces), 0.0, False).world(soft, resistance=KAPPA)
    return world.begin(x), x


@pytest.mark.parametrize("angle", [0.0, 0.003, 0.012, 0.025])
@pytest.mark.parametrize("ratio", [0.9, 0.3, 0.03])
@softly
def test_mollified_hessian_is_that_by_distance_and_cross_product(angle, ratio, soft):
    """F = κ m(z²) B(d), z = sin(angle) of two unit edges that cross: motions that change d, z in its direction, and z
    square to it. Of the 2x2 Hessian by d and z what is positive must be there, and 2κ m' B across.
    """
    t = np.array([np.cos(angle), np.sin(angle), 0.0])
    points = np.array([[-0.5, 0, 0], [0.5, 0, 0], -0.5 * t, 0.5 * t])
    world, x = crossing(points, ratio * D_HAT, soft)
    y_motions = np.zeros((3, 4, 3))
    y_motions[0, :2, 2] = 1.0  # up
    y_motions[1, :2, 1] = points[:2, 0] * -1.0 / np.cos(angle)  # ē₁ = x turns away from ē₂
    y_motions[2, :2, 2] = points[:2, 0]  # ē₁ turns upwards
    motions = np.linalg.pinv(world.W) @ y_motions
    np.testing.assert_allclose(world.W @ motions, y_motions, atol=1e-12)
    by_motions = motions.reshape(3, -1) @ world.derivatives(x, project=True)[1] @ motions.reshape(3, -1).T
    kappa = KAPPA * DT**2

    def F(d, z):
        s = min(z * z / 1e-3, 1.0)
        return kappa * s * (2.0 - s) * barrier(d, D_HAT, 0.0)[0]

    step = np.array([1e-3 * ratio * D_HAT, 1e-5])
    at, e = np.array([ratio * D_HAT, np.sin(angle)]), np.diag(step)
    M = [[F(*(at + a + b)) - F(*(at + a - b)) - F(*(at - a + b)) + F(*(at - a - b)) for a in e] for b in e]
    w, V = np.linalg.eigh(M / (4 * np.outer(step, step)))
    expected = V @ np.diag(np.maximum(w, 0.0)) @ V.T
    np.testing.assert_allclose(by_motions[:2, :2], expected, rtol=2e-4, atol=1e-5 * np.abs(expected).max())
    rate = 2.0 * (1.0 - np.sin(angle) ** 2 / 1e-3) / 1e-3
    B, slope, _ = barrier(at[0], D_HAT, 0.0)
    across = 2.0 * rate * kappa * B
    if 0.0 < 2.0 * at[1] ** 2 < at[0] ** 2:  # the distance is curved: -∂²d = d bᵀG b, b = (1, 0), G₁₁ = 1/z²
        s = at[1] ** 2 / 1e-3
        across -= kappa * s * (2.0 - s) * slope * at[0] / at[1] ** 2
    assert by_motions[2, 2] == pytest.approx(across, rel=1e-6)


@softly
@pytest.mark.parametrize("angle", [0.003, 0.012, 0.025])
@pytest.mark.parametrize("ratio", [0.9, 0.3, 0.03])
def test_an_unprojected_mollified_hessian_is_the_true_one(angle, ratio, soft):
    """In any pose; ends of edges are not closest."""
    t, rng = np.array([np.cos(angle), np.sin(angle), 0.0]), np.random.default_rng(1)
    points = np.array([[-0.5, 0, 0], [0.6, 0, 0], -0.4 * t, 0.55 * t])
    world, x = crossing(points, ratio * D_HAT, soft, aside=0.01)
    size = 1e-3 * min(angle, ratio * D_HAT)
    H = world.derivatives(x)[1]
    assert np.linalg.eigvalsh(H)[0] < 0.0
    for _ in range(20):
        along = rng.normal(size=x.size)
        ends = (x.ravel() + sign * size * along for sign in (1.0, -1.0))
        there, back = map(world.gradient, ends)
        change = (there - back) / (2.0 * size)
        np.testing.assert_allclose(H @ along, change, rtol=0, atol=5e-4 * np.abs(change).max())


@softly
@pytest.mark.parametrize("ratio", [0.9, 0.3, 0.03])
def test_the_hessian_before_a_half_plane_is_the_true_one(ratio, soft):
    """Corners of a box, tilted a little, above the ground: n·y is linear, and so it is positive as well."""
    world = boxes(1, soft=min(soft, 1), friction=0.0, resistance=KAPPA)
    x = world.nodes(pose(0, 0, 0.1 + ratio * D_HAT, angles=(1e-3 * ratio, 2e-3 * ratio, 0.4))[None])
    world.begin(x)
    H, exact = world.derivatives(x)[1], true_hessian(world, x)
    assert set(world.near().kind.tolist()) == {PLANE}
    np.testing.assert_allclose(H, exact, rtol=0, atol=1e-5 * np.abs(exact).max())
    np.testing.assert_array_equal(world.derivatives(x, project=True)[1], H)
    assert np.linalg.eigvalsh(H)[0] > -1e-12 * np.abs(H).max()


GAP, FAR = 1e-2, 1.0  # [m] a gap of primitives of about 1 m, and d̂


def curvature(world, x):
    """What a projected Hessian has instead of -∂²d: beside B'' ∂d ∂dᵀ, in units of -B'."""
    g, H = world.derivatives(x, project=True)
    _, slope, along = barrier(world.near().distance[0], FAR, 0.0)
    slope, along = KAPPA * DT**2 * slope, KAPPA * DT**2 * along
    return (H - along * np.outer(g, g) / slope**2) / -slope


def second_derivative(world, x, step=1e-5):
    """∂²d by differences of ∂d, (3N, 3N)."""

    def slope(x):
        g = world.gradient(x)
        return g / (KAPPA * DT**2 * barrier(world.near().distance[0], FAR, 0.0)[1])

    H = central_difference(slope, x.ravel(), step)
    return 0.5 * (H + H.T)


@KINDS
@pytest.mark.parametrize("zeros", [0, 1], ids=["inside", "at an end"])
@softly
def test_curvature_is_not_below_the_negative_second_derivative(kind, zeros, soft):
    """Up to terms of the order of the gap."""
    rng = np.random.default_rng(kind)
    for _ in range(5):
        world, x, _ = with_stencil(kind, GAP, rng, zeros, soft, d_hat=FAR)
        H, minus = curvature(world, x), -second_derivative(world, x)
        assert np.linalg.eigvalsh(H)[0] > -1e-9
        assert np.linalg.eigvalsh(minus)[-1] > 0.3, "there is something to hold"
        assert np.linalg.eigvalsh(H - minus)[0] > -5.0 * GAP
        assert np.linalg.eigvalsh(H)[-1] < 6.0 * np.linalg.eigvalsh(minus)[-1], "and not much more than that is added"


def test_curvature_of_two_corners_is_nothing():
    world, x, _ = with_stencil(EDGES, GAP, np.random.default_rng(0), zeros=2, d_hat=FAR)
    assert np.abs(curvature(world, x)).max() < 1e-12


@pytest.mark.parametrize("angle", [0.3, 0.04])
def test_curvature_of_distant_edges_that_are_almost_parallel(angle):
    """Exact in turns of the edges, where a slip δw = -G Eᵀδc is small beside that of a turn, d G b."""
    t, gap = np.array([np.cos(angle), np.sin(angle), 0.0]), 0.5
    points = np.array([[-0.5, 0, 0], [0.5, 0, 0], -0.5 * t, 0.5 * t])
    surfaces = two_primitives(EDGES, points - gap * np.outer(np.arange(4) > 1, [0, 0, 1]))
    world, x = Touching(surfaces, at_rest(surfaces), 0.0, False).world(2, resistance=KAPPA, d_hat=FAR)
    world.begin(x)
    H, exact = curvature(world, x), -second_derivative(world, x, 1e-4 * angle)
    for turns in ([1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, -1.0]):
        motion = np.zeros((4, 3))
        motion[:, 2] = np.repeat(turns, 2) * [-0.5, 0.5, -0.5, 0.5]  # upwards
        motion = motion.ravel()
        assert motion @ H @ motion == pytest.approx(motion @ exact @ motion, rel=1e-2)


@softly
def test_energy_goes_to_a_body_that_moves(soft):
    _, world, x = begun((parallel_stack, 0), soft)
    E = world.energies(x)
    below, above, both = (world.energies(x, np.isin(np.arange(3), rows)) for rows in ([0], [2], [0, 2]))
    assert E[2] == 0.0, "the first of a pair has all of it"
    np.testing.assert_allclose([below[0], above[2]], E[:2], rtol=1e-14)
    np.testing.assert_allclose(both, [E[0], 0.0, E[1]], rtol=1e-14)
    np.testing.assert_array_equal([below[1:], above[:2]], 0.0)


@pytest.mark.parametrize("xi", [0.0, 0.0625])
def test_energy_is_infinite_where_surfaces_touch(xi):
    """A vertex over a face, in numbers without rounding."""
    points = np.array([[0.25, 0.25, xi + 0.5 * D_HAT], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    surfaces = two_primitives(VERTEX_OF_FIRST, points)
    world, x = Touching(surfaces, at_rest(surfaces), xi, False).world(resistance=KAPPA)
    world.begin(x)
    for depth, expected in ((0.0, np.inf), (-1e-12, 0.0)):
        x[0, 2] = xi - points[0, 2] - depth
        E = world.energies(x)
        assert E[0] == expected or (depth and np.isfinite(E[0]))
        assert E[1] == 0.0


def test_barrier_is_ipctk_s():
    for d in (1e-6, 1e-3, 0.5 * D_HAT, 0.999 * D_HAT, D_HAT, 2 * D_HAT):
        B, slope, curvature = barrier(d, D_HAT, 0.0)
        D, D_hat = d * d, D_HAT**2
        B_D, B_DD = ipctk.barrier_first_derivative(D, D_hat), ipctk.barrier_second_derivative(D, D_hat)
        assert ipctk.barrier(D, D_hat) == pytest.approx(B, rel=1e-12)
        assert 2 * d * B_D == pytest.approx(slope, rel=1e-12)
        assert pytest.approx(curvature, rel=1e-10) == 4 * D * B_DD + 2 * B_D
