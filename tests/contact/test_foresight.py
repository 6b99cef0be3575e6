"""Forces of barriers that the model of a Newton step foresees."""

import numpy as np
import pytest

from ipc_articulation.compiled import compiled
from ipc_articulation.contact import barriers
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.foresight import chord
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST
from ipc_articulation.contact.stencils import place_points
from ipc_articulation.engine.newton import direction, touching
from tests.contact.in_touch import Touching, at_rest, one_stencil
from tests.contact.worlds import DT, boxes, dense, pose

D_HAT, KAPPA = 1e-3, 1e9  # [m], [Pa]


def slope_at(gap, foreseen, xi=0.0):
    _, slope, curvature = barrier(gap, D_HAT, xi)
    return chord(gap, slope, curvature, foreseen, D_HAT, xi)


def iterations(gap, force, foresees):
    """Of Newton's method for B'(d) = -force, from a gap, until the force is right to 1e-6."""
    beta = np.nan
    for count in range(1, 100):
        slope, h = barrier(gap, D_HAT, 0.0)[1], slope_at(gap, beta)
        if abs(slope + force) < 1e-6 * force:
            return count
        change = (-force - slope) / h
        beta = slope + h * change if foresees else np.nan
        gap = min(max(gap + change, 0.1 * gap), 0.999 * D_HAT)
    return count


@pytest.mark.parametrize("xi", [0.0, 2e-3])
@pytest.mark.parametrize("goal", [1e-9, 1e-5, 2e-4, 8e-4, 0.99e-3])
@pytest.mark.parametrize("gap", [1e-8, 3e-5, 5e-4, 0.9e-3])
def test_a_chord_ends_near_the_gap_with_the_force_that_is_foreseen(gap, goal, xi):
    slope, beta = barrier(gap, D_HAT, xi)[1], barrier(goal, D_HAT, xi)[1]
    reached = gap + (beta - slope) / slope_at(gap, beta, xi)
    assert abs(reached - goal) < 0.03 * max(abs(gap - goal), min(goal, D_HAT - goal))


def test_the_slope_is_that_of_the_barrier_where_nothing_or_the_same_is_foreseen():
    _, slope, curvature = barrier(3e-4, D_HAT, 0.0)
    assert slope_at(3e-4, np.nan) == slope_at(3e-4, slope) == curvature
    assert chord(2e-3, 0.0, 0.0, -1.0, D_HAT, 0.0) == 0.0


def test_the_chord_to_a_gap_that_opens_ends_at_the_edge():
    _, slope, _ = barrier(4e-4, D_HAT, 0.0)
    np.testing.assert_allclose(slope_at(4e-4, 0.0), -slope / (D_HAT - 4e-4), rtol=1e-12)


@pytest.mark.parametrize("gap", [1e-9, 1e-6, 0.5e-3, 0.999e-3])
@pytest.mark.parametrize("goal", [1e-6, 0.5e-3, 0.99e-3])
def test_newtons_method_finds_a_gap_in_few_iterations(gap, goal):
    assert iterations(gap, -barrier(goal, D_HAT, 0.0)[1], foresees=True) <= (6 if gap <= goal else 16)


def test_without_foresight_it_takes_many():
    assert iterations(1e-9, -barrier(0.99e-3, D_HAT, 0.0)[1], foresees=False) > 25


@compiled
def foresee(work, ahead):
    """What a Newton step to nodes `ahead` foresees: that of what is near, (k,)."""
    now, y = work.now, np.empty_like(work.now.y)
    place_points(work.scene.points, work.scene.rows, ahead, 0, len(y), y)
    barriers.foresee(work.scene, now.stencils, now.some, now.y, y)
    return now.stencils.foreseen[now.some.of]


@compiled
def foreseen(work):
    """That of all stencils, and their vertices."""
    return work.now.stencils.foreseen, work.now.stencils.vertices


def hessian(world):
    """Where bodies are, (3N, 3N)."""
    direction.clear(world.work)
    touching.assemble(world.work)
    return dense(world.work)


@pytest.mark.parametrize("soft", [0, 1, 2])
@pytest.mark.parametrize("opening", [-0.3, 0.2, 0.9])
def test_what_a_step_foresees_is_the_slope_of_the_next_iteration(opening, soft):
    """Of soft bodies; between stiff ones the curvature stays."""
    surfaces, n = one_stencil(VERTEX_OF_FIRST, 0.4 * D_HAT, np.random.default_rng(0))
    touch = Touching(surfaces, at_rest(surfaces), 0.0, False)
    world, x = touch.world(soft, resistance=KAPPA, d_hat=D_HAT)
    world.begin(x)
    world.place(x)
    along = np.zeros_like(x)
    along[0] = n
    _, slope, h = barrier(0.4 * D_HAT, D_HAT, 0.0)
    assert along.ravel() @ hessian(world) @ along.ravel() == pytest.approx(KAPPA * DT**2 * h, rel=1e-6)
    found = foresee(world.work, x + opening * D_HAT * along)
    beta = min(slope + h * opening * D_HAT, 0.0) if soft else 0.0
    assert found == pytest.approx([beta], rel=1e-6)
    after = slope_at(0.4 * D_HAT, beta) if soft else h
    assert along.ravel() @ hessian(world) @ along.ravel() == pytest.approx(KAPPA * DT**2 * after, rel=1e-6)


def test_what_is_foreseen_goes_with_its_stencils():
    """When bodies look at another way, on which there are more and fewer of them."""
    world = boxes(3, soft=3, friction=0.0)
    x = world.nodes(np.stack([pose(0, 0, 0.104), pose(0.03, 0.02, 0.309, angles=(0, 0, 0.4)), pose(0.9, 0, 0.3)]))
    world.begin(x)
    world.place(x)
    rng = np.random.default_rng(0)
    foresee(world.work, x + 1e-4 * rng.normal(size=x.shape))
    before = {tuple(v): beta for beta, v in zip(*map(np.ndarray.tolist, foreseen(world.work)), strict=True)}
    assert len({beta for beta in before.values() if beta < 0.0}) > 10
    world.look(x + 0.02 * rng.normal(size=(3, 3))[world.numbering.body])
    after = {tuple(v): beta for beta, v in zip(*map(np.ndarray.tolist, foreseen(world.work)), strict=True)}
    assert after.keys() != before.keys()
    kept = {v: beta for v, beta in before.items() if v in after}
    assert len([beta for beta in kept.values() if beta < 0.0]) > 10
    assert after == {v: before.get(v, 0.0) for v in after}
