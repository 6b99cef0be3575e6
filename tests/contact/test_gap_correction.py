"""The second-order part of a gap, by which a step that turns surfaces closes it."""

import numpy as np
import pytest

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.closest_points import EDGES, closest_points
from ipc_articulation.contact.corrections import add_corrections
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from ipc_articulation.contact.stencils import place_points
from tests.contact.in_touch import Touching, at_rest, one_stencil
from tests.contact.worlds import DT
from tests.derivatives import central_difference

GAP, D_HAT, KAPPA = 1e-5, 1e-3, 7.0 / DT**2  # primitives are of about 1 m


def with_stencil(kind, rng, soft=0):
    """A world of one stencil, and nodes."""
    surfaces, n = one_stencil(kind, GAP, rng, 0)
    world, x = Touching(surfaces, at_rest(surfaces), 0.0, False).world(soft, resistance=KAPPA, d_hat=D_HAT)
    world.begin(x)
    world.place(x)
    return world, x, n


def distance(world, x):
    """Of the primitives, whether within d̂ or not."""
    kind, vertices = world.near().kind[0], world.near().vertices[0]
    return np.sqrt(closest_points(kind, world.y(x), vertices, np.empty(4), np.empty(3)))


@compiled
def corrections(work, ahead):
    """The loads (N, 3) for a step to nodes `ahead`, and whether there are any."""
    now, loads, y = work.now, np.zeros_like(ahead), np.empty_like(work.now.y)
    place_points(work.scene.points, work.scene.rows, ahead, 0, len(y), y)
    found = add_corrections(work.scene, work.limits.square, now.stencils, now.some, now.y, y, loads)
    return loads, found


@pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])
def test_a_gap_that_a_step_turns_is_smaller_by_its_second_order_part(kind):
    """Between planes and lines that pass through each other it is what is left of the gap beyond its linear model."""
    rng, closing = np.random.default_rng(kind), 0
    for _ in range(20):
        world, x, _ = with_stencil(kind, rng)
        J = central_difference(lambda x, world=world: distance(world, x), x.ravel(), 1e-7)
        dx = 0.01 * rng.normal(size=x.size)
        dx += (0.02 - J @ dx) * J / (J @ J)  # opens the gap, to first order
        expected = distance(world, x + dx.reshape(x.shape)) - GAP - 0.02
        loads, found = corrections(world.work, x + dx.reshape(x.shape))
        assert found == (expected < -GAP)
        if found:
            closing += 1
            curvature = KAPPA * DT**2 * barrier(GAP, D_HAT, 0.0)[2]
            np.testing.assert_allclose(
                loads.ravel() / curvature, expected * J, atol=0.2 * abs(expected) * np.abs(J).max()
            )
    assert closing > 4


def test_a_step_that_turns_nothing_has_no_correction():
    world, x, n = with_stencil(VERTEX_OF_FIRST, np.random.default_rng(0))
    for shift in (n, np.cross(n, [1.0, 0.0, 0.0])):
        ahead = x.copy()
        ahead[0] += shift
        loads, found = corrections(world.work, ahead)
        assert not found
        assert not loads.any()


@pytest.mark.parametrize("soft", [1, 2])
def test_soft_bodies_have_none(soft):
    """Their slopes follow what is foreseen."""
    rng = np.random.default_rng(1)
    world, x, _ = with_stencil(EDGES, rng, soft)
    for _ in range(10):
        assert not corrections(world.work, x + 0.01 * rng.normal(size=x.shape))[1]
