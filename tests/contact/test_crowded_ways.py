"""Ways on which bodies pass too much of each other are known before they are searched."""

import numpy as np
import pytest
import trimesh
from ipc_articulation.contact.crowded_ways import crowded

from ipc_articulation.contact.surfaces import join_surfaces
from tests.contact.worlds import as_surface, pose

REACH = 0.005
BALL = as_surface(trimesh.creation.icosphere(subdivisions=4, radius=0.2))
SURFACES = join_surfaces([BALL] * 3)
APART = np.stack([pose(0.0, 0.0, 0.0), pose(0.3, 0.3, 0.3), pose(0.6, 0.6, 0.6)])  # in a row
FAR, NOWHERE = np.array([9.0, 10.0, 11.0]), np.zeros(3)


def passing(*ways, reach=REACH, q=APART):
    """The crowded ones of three balls that go their ways (3,)."""
    ahead = q.copy()
    ahead[:, :3] += ways
    return crowded(np.array([[0, 1], [2, 0]]), SURFACES, q, ahead, reach).tolist()


def test_a_ball_that_flies_through_others_is_on_a_crowded_way_and_so_are_they():
    assert passing(FAR, NOWHERE, NOWHERE) == [True, True, True]
    assert passing(FAR, FAR, NOWHERE) == [True, False, True]


def test_balls_that_move_together_or_away_from_each_other_are_not():
    assert passing(FAR, FAR, FAR) == [False] * 3
    assert passing(-FAR, NOWHERE, FAR) == [False] * 3


def test_a_ball_that_touches_another_at_the_end_of_its_way_is_not():
    assert passing(0.011 * FAR, NOWHERE, NOWHERE) == [False] * 3


def test_no_way_up_to_the_reach_is_crowded():
    """Within a reach larger than the balls all of them are near each other."""
    assert passing(0.1 * FAR, NOWHERE, NOWHERE, reach=1.0) == [True, True, True]
    assert passing(0.05 * FAR, NOWHERE, NOWHERE, reach=1.0) == [False] * 3


def test_turning_counts_as_far_as_both_do_not_turn_together():
    """The balls are in one place: who turns alone passes much of the other."""
    q = np.repeat(pose(0.0, 0.0, 0.0)[None], 3, axis=0)
    ahead = np.repeat(pose(0.0, 0.0, 0.0, angles=(1.0, 2.0, 1.5))[None], 3, axis=0)
    assert passing(*3 * [NOWHERE], q=q) == [False] * 3
    pairs = np.array([[0, 1], [1, 2]])
    assert crowded(pairs, SURFACES, q, ahead, REACH).tolist() == [False] * 3
    ahead[2] = q[2]
    assert crowded(pairs, SURFACES, q, ahead, REACH).tolist() == [False, True, True]


@pytest.mark.parametrize("number", [1e200, np.inf, np.nan])
def test_ways_that_are_no_sensible_numbers_are_answered(number):
    with np.errstate(invalid="ignore"):
        assert len(passing(np.full(3, number), NOWHERE, NOWHERE)) == 3
