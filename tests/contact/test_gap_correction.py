"""The second-order part of a gap, by which a step that turns surfaces closes it."""

import numpy as np
import pytest
from ipc_articulation.contact.gap_correction import add_corrections

from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.closest_points import EDGES, closest_points
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from tests.contact.in_touch import one_stencil

GAP, D_HAT, KAPPA = 1e-5, 1e-3, 7.0  # primitives are of about 1 m


def distance(touching, stencil):
    return np.sqrt(closest_points(stencil.kind[0], touching.x, stencil.vertices[0], np.empty(4), np.empty(3)))


def slope(touching, stencil, step=1e-7):
    """∂d/∂q by differences, (24,)."""
    q = touching.q.ravel()
    return np.array(
        [
            (distance(touching.at(q + e), stencil) - distance(touching.at(q - e), stencil)) / (2.0 * step)
            for e in step * np.eye(24)
        ]
    )


def correction(touching, stencil, dq):
    """The loads (24,) for a step dq (24,), and whether there are any."""
    ahead, loads = touching.at(touching.q.ravel() + dq).x, np.zeros((2, 12))
    arrays = *stencil.columns, touching.surfaces.points, touching.x, ahead
    found = add_corrections(*arrays, np.array([KAPPA]), D_HAT, 0.0, loads)
    return loads.ravel(), found


@pytest.mark.parametrize("kind", [EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND])
def test_a_gap_that_a_step_turns_is_smaller_by_its_second_order_part(kind):
    """Between planes and lines that pass through each other it is what is left of the gap beyond its linear model."""
    rng, closing = np.random.default_rng(kind), 0
    for _ in range(20):
        touching, stencil, _ = one_stencil(kind, GAP, rng, 0)
        J, dq = slope(touching, stencil), 0.01 * rng.normal(size=24)
        dq += (0.02 - J @ dq) * J / (J @ J)  # opens the gap, to first order
        after = distance(touching.at(touching.q.ravel() + dq), stencil)
        loads, found = correction(touching, stencil, dq)
        expected = after - distance(touching, stencil) - 0.02
        assert found == (expected < -GAP)
        if found:
            closing += 1
            curvature = KAPPA * barrier(GAP, D_HAT, 0.0)[2]
            np.testing.assert_allclose(loads / curvature, expected * J, atol=0.2 * abs(expected) * np.abs(J).max())
    assert closing > 4


def test_a_step_that_turns_nothing_has_no_correction():
    touching, stencil, n = one_stencil(VERTEX_OF_FIRST, GAP, np.random.default_rng(0), 0)
    for shift in (n, np.cross(n, [1.0, 0.0, 0.0])):
        loads, found = correction(touching, stencil, np.concatenate([shift, np.zeros(21)]))
        assert not found
        assert not loads.any()
