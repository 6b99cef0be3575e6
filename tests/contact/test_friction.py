"""Friction between bodies, stiff and soft ones, beside ipctk's, with the same lagging, and beside differences."""

import ipctk
import numpy as np
import pytest

from ipc_articulation.contact import friction, readouts
from ipc_articulation.contact.anchors import LENGTH
from ipc_articulation.contact.closest_points import EDGES
from tests.contact.in_touch import Touching, at_rest, folded, near_pose, parallel_stack, two_primitives
from tests.contact.worlds import D_HAT, DT, EPS_V, World, boxes, friction_of, near_of, pose, stack
from tests.derivatives import central_difference, relative_error

KAPPA, MU, EPS = 1e7 / DT**2, 0.4, 1e-4  # [Pa], 1, [m]
DELTA = LENGTH * D_HAT
SCENES = {
    **{f"boxes {seed}, {xi}": (near_pose, seed, xi) for seed in range(8) for xi in (0.0, 0.03)},
    **{f"stack {seed}, {xi}": (parallel_stack, seed, xi) for seed in range(3) for xi in (0.0, 0.03)},
    "itself": (folded, 0),
}
in_scenes = pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)
at_slips = pytest.mark.parametrize("slip", [0.3 * EPS, 10.0 * EPS], ids=["sticking", "slipping"])
softly = pytest.mark.parametrize("soft", [0, 1, 2], ids=["stiff", "one soft", "both soft"])


def lagged(make, slip=0.0, soft=0, **options):
    """A scene, its world and nodes at the beginning of a step, and nodes that moved by about `slip` [m]."""
    touching = make[0](*make[1:])
    soft = len(touching.q) if soft == 2 else min(soft, len(touching.q))
    world, x = touching.world(soft, **{"resistance": KAPPA, "friction": MU, "eps": EPS} | options)
    world.begin(x)
    return touching, world, x, x + slip * np.random.default_rng(0).uniform(-1, 1, x.shape)


def energy(world, x, moving=None):
    return world.energies(x, moving, barriers=False)


def derivatives(world, x):
    """Gradient (3N,) and Hessian (3N, 3N), which is exact when the duals have settled."""
    world.settle(x)
    return world.derivatives(x, barriers=False)


@softly
@in_scenes
@at_slips
def test_energy_and_derivatives_are_ipctk_s(make, slip, soft):
    touching, world, x, ahead = lagged(make, slip, soft)
    y = np.asfortranarray(world.y(x))
    mesh, collisions = touching.collisions(y)
    theirs, potential = ipctk.TangentialCollisions(), ipctk.FrictionPotential(EPS)
    theirs.build(mesh, y, collisions, ipctk.BarrierPotential(D_HAT, KAPPA * DT**2), MU)
    u, J = np.asfortranarray(world.y(ahead - x)), np.kron(world.W, np.eye(3))
    expected = potential(theirs, mesh, u)
    assert expected > 0.0
    assert energy(world, ahead).sum() == pytest.approx(expected, rel=1e-10)
    g, H = derivatives(world, ahead)
    assert relative_error(g, J.T @ potential.gradient(theirs, mesh, u)) < 1e-9
    hessian = potential.hessian(theirs, mesh, u, ipctk.PSDProjectionMethod.NONE)
    assert relative_error(H, J.T @ hessian.toarray() @ J) < 1e-9


@softly
@in_scenes
@pytest.mark.parametrize("anchored", [False, True], ids=["lagged", "anchored"])
@pytest.mark.parametrize("share", [0.3, 10.0], ids=["sticking", "slipping"])
def test_derivatives_equal_differences(make, share, anchored, soft):
    length = DELTA if anchored else EPS
    _, world, _, x = lagged(make, share * length, soft, anchored=anchored)
    g, H = derivatives(world, x)
    step = 1e-3 * length
    if not (anchored and make[0] is folded and soft == 0):  # a place in an affine body does not slip on itself
        expected = central_difference(lambda x: energy(world, x).sum(), x.ravel(), step)
        assert relative_error(g, expected) < 1e-5
        exact = central_difference(lambda x: world.gradient(x, barriers=False), x.ravel(), step)
        assert relative_error(H, exact) < 1e-4
    w = np.linalg.eigvalsh(H)
    assert w[0] > -1e-12 * max(w[-1], 1.0)


@softly
@in_scenes
def test_anchored_friction_is_no_couple(make, soft):
    """Its two forces are on one line; those of lagged friction are a gap apart.

    Between soft sides as far as the edges of all stencils tell how the gap turns.
    """
    couples, is_told = [], True
    for anchored in (True, False):
        touching, world, x, ahead = lagged(make, DELTA, soft, anchored=anchored)
        g = world.gradient(ahead, barriers=False).reshape(-1, 3)
        if anchored and len(touching.q) == 1 and soft == 0:  # a place in an affine body does not slip on itself
            np.testing.assert_allclose(g, 0.0, atol=1e-9 * MU * KAPPA * DT**2 * D_HAT**3)
            return
        assert np.abs(g).max() > 0.0
        of = world.friction()
        is_told &= bool(np.abs(of.lean[of.is_leaning]).max(axis=(1, 2), initial=0.0).all()) or not anchored
        shifts = np.ones(len(x))
        shifts[: 4 * world.affine][np.arange(4 * world.affine) % 4 > 0] = 0.0
        np.testing.assert_allclose(shifts @ g, 0.0, atol=1e-9 * np.abs(g).max())
        couples.append(np.abs(np.cross(x, g).sum(axis=0)).max() / np.abs(g).max())  # nodes turn with their bodies
    assert couples[1] > 1e-9
    assert couples[0] < 1e-9 or not is_told


def test_no_slip_no_force():
    _, world, x, _ = lagged((parallel_stack, 0))
    g, H = derivatives(world, x)
    assert not g.any()
    assert H.any()
    at_rest = world.friction().force.sum() * EPS / 3.0
    assert energy(world, x).sum() == pytest.approx(at_rest, rel=1e-12)


@pytest.mark.parametrize(("angle", "count"), [(0.0, 0), (0.03, 0), (0.033, 1)])
def test_almost_parallel_edges_have_none(angle, count):
    """Up to a squared sine of 1e-3."""
    t = 0.5 * np.array([np.cos(angle), np.sin(angle), 0.0])
    points = np.array([[-0.5, 0, 0.5 * D_HAT], [0.5, 0, 0.5 * D_HAT], -t, t])
    surfaces = two_primitives(EDGES, points)
    world, x = Touching(surfaces, at_rest(surfaces), 0.0, False).world(friction=MU)
    world.begin(x)
    world.place(x)
    assert len(world.near().kind) == 1
    assert len(world.friction().force) == count


@softly
def test_energy_goes_to_a_body_that_moves(soft):
    _, world, _, x = lagged((parallel_stack, 0), EPS, soft)
    E = energy(world, x)
    below, above, both = (energy(world, x, np.isin(np.arange(3), rows)) for rows in ([0], [2], [0, 2]))
    assert E[2] == 0.0, "the first of a pair has all of it"
    np.testing.assert_allclose([below[0], above[2]], E[:2], rtol=1e-14)
    np.testing.assert_allclose(both, [E[0], 0.0, E[1]], rtol=1e-14)


@softly
@pytest.mark.parametrize("anchored", [False, True], ids=["lagged", "anchored"])
def test_before_a_half_plane_derivatives_equal_differences(soft, anchored):
    soft, length = min(soft, 1), DELTA if anchored else EPS_V * DT
    world = boxes(1, soft=soft, anchored=anchored)
    x = world.nodes(pose(0, 0, 0.104, angles=(1e-3, 2e-3, 0.3))[None])
    world.begin(x)
    assert len(world.friction().force) == 4
    at = x + 0.3 * length * np.random.default_rng(3).uniform(-1, 1, x.shape)
    g, H = derivatives(world, at)
    expected = central_difference(lambda x: energy(world, x).sum(), at.ravel(), 1e-3 * length)
    assert relative_error(g, expected) < 1e-5
    exact = central_difference(lambda x: world.gradient(x, barriers=False), at.ravel(), 1e-3 * length)
    assert relative_error(H, exact) < 1e-4


@softly
def test_half_plane_friction_opposes_slip_with_full_force(soft):
    world = boxes(1, soft=min(soft, 1))
    x = world.nodes(pose(0, 0, 0.104)[None])
    world.begin(x)
    ahead = x.copy()
    shifts = np.isin(np.arange(len(x)), range(8) if soft else [0])
    ahead[shifts, 0] += 10 * EPS_V * DT
    g = (world.gradient(ahead).reshape(-1, 3) * shifts[:, None]).sum(axis=0)
    assert g[0] == pytest.approx(-0.5 * g[2], rel=1e-9)
    assert g[0] > 0.0


def virtual(world, x, rng, turns=1.0):
    """A motion of each body by itself: of the nodes (N, 3), and its shifts and turns (B, 3)."""
    t, omega = rng.normal(size=(2, len(world.movable), 3))
    omega *= turns
    first, body = world.numbering.first, world.numbering.body
    dx = np.zeros_like(x)
    for r, b in enumerate(body):
        nodes = np.arange(first[r], first[r + 1])
        dx[nodes] = np.cross(omega[b], x[nodes])
        dx[nodes[0]] += t[b]
    return dx, t, omega


def work_of(world, forces, t, omega):
    """What contact forces do on a motion of each body, half-planes standing still."""
    t, omega = (np.concatenate([a[world.numbering.body_of], np.zeros((2, 3))]) for a in (t, omega))
    total = 0.0
    for side, points, sign in ((0, forces.points, 1.0), (1, forces.opposite_points, -1.0)):
        rows = forces.bodies[:, side]
        total += sign * np.sum(forces.forces * (t[rows] + np.cross(omega[rows], points)))
        total += sign * np.sum(forces.couples * omega[rows])
    return total


@softly
@in_scenes
def test_forces_of_barriers_are_the_gradient(make, soft):
    """Couples of edges that are almost parallel included."""
    _, world, x, _ = lagged(make, 0.0, soft, friction=0.0)
    g, rng = world.gradient(x).reshape(-1, 3) / DT**2, np.random.default_rng(4)
    forces = readouts.barrier_forces(world.scene, *near_of(world.work))
    assert len(forces.gaps) == len(world.near().kind)
    np.testing.assert_allclose(forces.gaps, world.near().distance - world.table.xi[0], rtol=1e-12)
    for _ in range(5):
        dx, t, omega = virtual(world, x, rng)
        scale = np.abs(forces.forces).sum()
        assert work_of(world, forces, t, omega) == pytest.approx(-np.sum(g * dx), rel=1e-9, abs=1e-9 * scale)


@softly
@pytest.mark.parametrize("make", [*SCENES.values(), None], ids=[*SCENES, "on the ground"])
@pytest.mark.parametrize("anchored", [False, True], ids=["lagged", "anchored"])
def test_forces_of_friction_are_the_gradient(make, soft, anchored):
    """Between soft sides forces without a moment stand for two that are a gap apart: only shifts tell these."""
    if make is None:
        soft = [0, 1, 3][soft]
        world = boxes(3, soft=soft, anchored=anchored)
        x = world.nodes(stack())
        world.begin(x)
        ahead = x + DELTA * np.random.default_rng(0).uniform(-1, 1, x.shape)
    else:
        _, world, x, ahead = lagged(make, DELTA, soft, anchored=anchored)
    g, rng = world.gradient(ahead, barriers=False).reshape(-1, 3), np.random.default_rng(5)
    forces = friction.forces(world.scene, friction_of(world.work), x, ahead)
    assert len(forces.gaps) == len(world.friction().force)
    assert forces.gaps.max() < D_HAT
    assert forces.gaps.min() > 0.0
    for _ in range(5):
        dx, t, omega = virtual(world, ahead, rng, turns=0.0 if soft and anchored else 1.0)
        scale = np.abs(forces.forces).sum()
        assert work_of(world, forces, t, omega) == pytest.approx(-np.sum(g * dx), rel=1e-6, abs=1e-6 * scale)


def test_a_change_of_friction_is_told():
    world = boxes(3, anchored=True)
    x = world.nodes(stack())
    world.begin(x)
    changes = []
    for shift in (1e-3 * DELTA, 10.001 * DELTA):
        ahead = x.copy()
        ahead[0, 0] += shift
        slips = np.zeros(3)
        friction.add_slips(friction_of(world.work), x, x, ahead, world.movable, slips)
        changes.append(slips)
    assert changes[0].max() == pytest.approx(2e-3, rel=1e-2)
    assert changes[1][0] == pytest.approx(1.0)
    unheard = World(world.surfaces, friction=0.5, eps=0.0)
    unheard.begin(x)
    assert not len(unheard.friction().force)
