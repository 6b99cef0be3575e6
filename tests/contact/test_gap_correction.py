"""The second-order part of gaps: what a turning face adds to the gap of a vertex that slides over it."""

import numpy as np
import pytest

from ipc_articulation.contact import pair_barrier
from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.closest_points import EDGES, closest_points
from ipc_articulation.contact.gap_correction import PRESSED, gap_correction
from ipc_articulation.contact.pair_foresight import PairForesight
from ipc_articulation.contact.stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from tests.contact.in_touch import one_stencil
from tests.contact.worlds import D_HAT

KAPPA = 1e7
at_kinds = pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])


def closest(kind, stencils, x):
    """Distance, weights and vector of the stencil's closest points at x (V, 3)."""
    w, c = np.empty(4), np.empty(3)
    return np.sqrt(closest_points(kind, x, tuple(stencils.vertices[0]), w, c)), w, c


def correction(kind, touching, stencils, dq):
    _, w, c = closest(kind, stencils, touching.x)
    of = kind, tuple(stencils.vertices[0]), w, c, touching.surfaces.points, touching.x
    return gap_correction(*of, dq, 0, 1, np.empty((8, 3)))


def motions(kind, zeros, gap=0.3, size=0.05):
    """Random stencils and steps (2, 12): d, n, w, and the vertices after the step, (4, 3)."""
    rng = np.random.default_rng(10 * kind + zeros)
    for _ in range(200):
        touching, stencils, _ = one_stencil(kind, gap, rng, zeros)
        dq = size * rng.normal(size=(2, 12))
        d, w, c = closest(kind, stencils, touching.x)
        yield touching, stencils, dq, d, c / d, w, touching.at(touching.q + dq).x[stencils.vertices[0]]


@at_kinds
def test_it_makes_the_predicted_gap_that_after_the_step(kind):
    """Inside both features d + n·δc + e is the signed distance after the step; and a positive e is not used."""
    found = []
    for touching, stencils, dq, _, n, w, after in motions(kind, 0):
        then, w_then, c = closest(kind, stencils, touching.at(touching.q + dq).x)
        if np.count_nonzero(w_then) == 4:
            found.append(then * np.sign(c @ n) - n @ (w @ after))
            assert correction(kind, touching, stencils, dq) == pytest.approx(min(found[-1], 0.0), abs=1e-12)
    assert min(found) < -1e-3
    assert max(found) > 1e-3


@at_kinds
def test_one_edge_turns_the_normal_about_itself(kind):
    """A closest point on one edge only: n' is what remains of n square to that edge."""
    found = []
    for touching, stencils, dq, _, n, w, after in motions(kind, 1):
        features = [[0, 1], [2, 3]] if kind == EDGES else [[0], [1, 2, 3]]
        ends = next(ends for feature in features if len(ends := [k for k in feature if w[k] != 0.0]) == 2)
        e = after[ends[1]] - after[ends[0]]
        normal = n - e * (n @ e) / (e @ e)
        found.append((normal / np.linalg.norm(normal) - n) @ (w @ after))
        assert correction(kind, touching, stencils, dq) == pytest.approx(min(found[-1], 0.0), abs=1e-12)
    assert min(found) < -1e-4


@at_kinds
def test_two_points_have_none(kind):
    for touching, stencils, dq, *_ in motions(kind, 2):
        assert correction(kind, touching, stencils, dq) == 0.0


@at_kinds
def test_features_that_turn_too_far_have_none(kind):
    """Both bodies turn by 120 degrees about (1, 1, 1): then the normal may be n, or beyond."""
    R, found = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), 0
    for touching, stencils, dq, *_ in motions(kind, 0, size=0.0):
        dq[:, 3:] += (R - np.eye(3)).ravel()
        _, _, c = closest(kind, stencils, touching.x)
        if abs(c @ R @ c) < 0.49 * (c @ c):
            assert correction(kind, touching, stencils, dq) == 0.0
            found += 1
    assert found > 0


@at_kinds
@pytest.mark.parametrize(("ratio", "is_corrected"), [(0.5 * PRESSED, True), (2.0 * PRESSED, False)])
def test_foreseen_barriers_start_from_the_corrected_gap(kind, ratio, is_corrected):
    """The model's force along n is b'(δ) + b''(δ) (d + e - δ) at the gap δ = d + n·δc + e to which the step leads."""
    used = 0
    for touching, stencils, dq, d, n, w, after in motions(kind, 0, ratio * D_HAT, ratio * D_HAT):
        e = correction(kind, touching, stencils, dq)
        if not (0.4 * d < n @ (w @ after) < 0.7 * d and e < -1e-5 * d):
            continue
        e *= is_corrected
        ahead = n @ (w @ after) + e
        foresight = PairForesight(
            stencils, touching.surfaces.points, touching.x, lambda s: np.full(len(s.bodies), KAPPA), D_HAT, 0.0
        )
        g = np.zeros((2, 12))
        assert foresight.follow(dq, np.ones(len(dq), dtype=bool), g) is not None
        (_, was, _), (_, slope, curvature) = barrier(d, D_HAT, 0.0), barrier(ahead, D_HAT, 0.0)
        mover = 0 if kind != VERTEX_OF_SECOND else 1
        assert g[mover, :3] @ n == pytest.approx(KAPPA * (slope + curvature * (d + e - ahead) - was), rel=1e-8)
        assert foresight.follow(dq, np.ones(len(dq), dtype=bool), g) is None
        used += 1
    assert used > 0


@at_kinds
def test_gaps_change_also_to_first_order(kind):
    """A step that opens a gap, and turns its features so that they close it again, is a change."""
    changes = []
    for touching, stencils, dq, d, n, w, _ in motions(kind, 0):
        then, _, c = closest(kind, stencils, touching.at(touching.q + dq).x)
        dq[0 if kind != VERTEX_OF_SECOND else 1, :3] -= (then - d) * c / then
        ahead, change = touching.at(touching.q + dq).x, np.zeros(2)
        then, w_then, _ = closest(kind, stencils, ahead)
        if np.count_nonzero(w_then) == 4:
            assert then == pytest.approx(d, rel=1e-9)
            changes.append(abs(n @ (w @ ahead[stencils.vertices[0]]) - d) / d)
            pair_barrier.add_gap_changes(*stencils.columns[:4], touching.x, ahead, 1.0, 0.0, np.ones(2, bool), change)
            assert change == pytest.approx([changes[-1]] * 2, rel=1e-9)
    assert max(changes) > 0.01
