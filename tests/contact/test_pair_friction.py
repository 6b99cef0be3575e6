"""Friction between bodies beside ipctk's, with the same lagging, and beside differences."""

import ipctk
import numpy as np
import pytest

from ipc_articulation.contact import pair_friction
from ipc_articulation.contact.anchors import NO_ANCHORS
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.forces import friction_forces
from tests.contact.in_touch import folded, near_pose, parallel_stack, two_primitives
from tests.contact.worlds import D_HAT, full_hessian, pose, pull_back
from tests.derivatives import central_difference, relative_error

KAPPA, MU, EPS = 1e7, 0.4, 1e-4  # [J/m⁴], 1, [m]
SCENES = {
    **{f"boxes {seed}, {xi}": (near_pose, seed, xi) for seed in range(8) for xi in (0.0, 0.03)},
    **{f"stack {seed}, {xi}": (parallel_stack, seed, xi) for seed in range(3) for xi in (0.0, 0.03)},
    "itself": (folded, 0),
}
in_scenes = pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)
at_slips = pytest.mark.parametrize("slip", [0.3 * EPS, 10.0 * EPS], ids=["sticking", "slipping"])


def lagged(make, slip):
    """A scene at the beginning of a step, its friction, and coordinates after vertices moved by about `slip` [m]."""
    touching = make[0](*make[1:])
    stencils, where = touching.stencils(), (touching.surfaces.points, touching.x, touching.q)
    mu_kappa = np.full(len(stencils.bodies), MU * KAPPA)
    friction = pair_friction.lag(stencils, *where, mu_kappa, D_HAT, touching.xi, EPS)
    return touching, friction, touching.q + slip * np.random.default_rng(0).uniform(-1, 1, touching.q.shape)


@in_scenes
def test_anchored_friction_is_no_couple(make):
    """Its two forces are on one line; those of lagged friction are a gap apart."""
    touching, lagging, motion = lagged(make, EPS)
    anchored, apart = pair_friction.anchored_to(lagging, NO_ANCHORS, len(touching.q), touching.q)
    if len(touching.q) == 1:  # a place in an affine body does not slip on itself
        np.testing.assert_allclose(derivatives(anchored, motion)[0], 0.0, atol=1e-9 * MU * KAPPA * D_HAT**3)
        return
    couples = []
    for friction in (anchored, lagging):
        g = derivatives(friction, motion)[0].reshape(touching.q.shape)
        assert np.abs(g).max() > 0.0
        np.testing.assert_allclose(g[:, :3].sum(axis=0), 0.0, atol=1e-9 * np.abs(g).max())
        turns = [np.cross(e, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]) for e in np.eye(3)]  # rows: e × basis vectors
        work = [sum(turned(turn, row) @ grad for row, grad in zip(touching.q, g, strict=True)) for turn in turns]
        couples.append(np.abs(work).max() / np.abs(g).max())
    assert couples[0] < 1e-9 < couples[1]
    forces = friction_forces(anchored, touching.q, touching.xi, apart)
    np.testing.assert_allclose(forces.gaps, friction_forces(lagging, touching.q, touching.xi).gaps, rtol=1e-9)


def turned(turn, row):
    """Change (12,) of the coordinates of a body that turns about the origin by a unit angle; `turn` (3, 3)."""
    return np.concatenate([row[:3] @ turn, (turn.T @ row[3:].reshape(3, 3)).ravel()])


def energy(friction, q, moving=None):
    E = np.zeros(len(q))
    pair_friction.add_energy(*friction, np.ones(len(q), dtype=bool) if moving is None else moving, q, E)
    return E


def derivatives(friction, q):
    """Gradient (12n,) and Hessian (12n, 12n), which is exact when the duals have settled."""
    moving, g = np.ones(len(q), dtype=bool), np.zeros_like(q)
    pair_friction.add_derivatives(*friction, moving, q, np.zeros_like(q))
    for _ in range(60):
        pair_friction.follow(*friction, moving, q, q, ~moving)
    bodies, blocks = pair_friction.add_derivatives(*friction, moving, q, g)
    return g.ravel(), full_hessian(len(q), bodies, blocks)


@in_scenes
@at_slips
def test_energy_and_derivatives_are_ipctk_s(make, slip):
    touching, friction, q = lagged(make, slip)
    mesh, collisions = touching.collisions()
    theirs, potential = ipctk.TangentialCollisions(), ipctk.FrictionPotential(EPS)
    theirs.build(mesh, np.asfortranarray(touching.x), collisions, ipctk.BarrierPotential(D_HAT, KAPPA), MU)
    u, J = np.asfortranarray(touching.at(q).x - touching.x), pull_back(touching.surfaces, len(q))
    expected = potential(theirs, mesh, u)
    assert expected > 0.0
    assert energy(friction, q).sum() == pytest.approx(expected, rel=1e-10)
    g, H = derivatives(friction, q)
    assert relative_error(g, J.T @ potential.gradient(theirs, mesh, u)) < 1e-9
    hessian = potential.hessian(theirs, mesh, u, ipctk.PSDProjectionMethod.NONE)
    assert relative_error(H, J.T @ hessian.toarray() @ J) < 1e-9


@in_scenes
@at_slips
def test_derivatives_equal_differences(make, slip):
    _, friction, q = lagged(make, slip)
    g, H = derivatives(friction, q)
    x, step = q.ravel(), 1e-3 * EPS
    assert relative_error(g, central_difference(lambda y: energy(friction, y.reshape(q.shape)).sum(), x, step)) < 1e-5
    exact = central_difference(lambda y: derivatives(friction, y.reshape(q.shape))[0], x, step)
    assert relative_error(H, exact) < 1e-4
    w = np.linalg.eigvalsh(H)
    assert w[0] > -1e-12 * w[-1]


def test_no_slip_no_force():
    touching, friction, _ = lagged((parallel_stack, 0), 0.0)
    g, H = derivatives(friction, touching.q)
    assert not g.any()
    assert H.any()
    at_rest = friction.force.sum() * EPS / 3.0
    assert energy(friction, touching.q).sum() == pytest.approx(at_rest, rel=1e-12)


@pytest.mark.parametrize(("angle", "count"), [(0.0, 0), (0.03, 0), (0.033, 1)])
def test_almost_parallel_edges_have_none(angle, count):
    """Up to a squared sine of 1e-3."""
    t = 0.5 * np.array([np.cos(angle), np.sin(angle), 0.0])
    points = np.array([[-0.5, 0, 0], [0.5, 0, 0], -t, t])
    q = np.stack([pose(0, 0, 0), pose(0, 0, 0.5 * D_HAT)])
    touching, stencil = two_primitives(EDGES, points, q)
    friction = pair_friction.lag(stencil, touching.surfaces.points, touching.x, q, np.array([KAPPA]), D_HAT, 0.0, EPS)
    assert len(friction.bodies) == len(friction.force) == count


def test_energy_goes_to_a_body_that_moves():
    _, friction, q = lagged((parallel_stack, 0), EPS)
    E = energy(friction, q)
    below, above, both = (energy(friction, q, np.isin(np.arange(3), rows)) for rows in ([0], [2], [0, 2]))
    assert E[2] == 0.0, "the first of a pair has all of it"
    np.testing.assert_allclose([below[0], above[2]], E[:2], rtol=1e-14)
    np.testing.assert_allclose(both, [E[0], 0.0, E[1]], rtol=1e-14)
