"""Means of the contact table over the vertices of two primitives."""

import numpy as np
import pytest

from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.materials import Rules
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND, Stencils
from ipc_articulation.contact.soft.vertex_elements import VertexElements

ELEMENT = np.array([3, 3, 5, 5, 9, 0])
KINDS = np.array([EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND, VERTEX_OF_FIRST, VERTEX_OF_FIRST])
VERTICES = np.array([[0, 2, 4, 5], [0, 1, 2, 4], [2, 3, 4, 5], [0, 2, 4, 4], [4, 5, 5, 5]])
SIDES = [([3, 5], [9, 0]), ([3], [3, 5, 9]), ([5], [5, 9, 0]), ([3], [5, 9]), ([9], [0])]


@pytest.fixture
def rules() -> Rules:
    rng = np.random.default_rng(4)
    resistance, friction = (np.tril(rng.random((10, 10))) for _ in range(2))
    resistance, friction = (table + table.T for table in (resistance, friction))
    enabled = np.ones((10, 10), dtype=bool)
    enabled[5, 9] = enabled[9, 5] = False
    return Rules(resistance, friction, enabled, np.ones((1, 1), dtype=bool))


def test_resistance_and_friction_are_means_and_all_pairs_must_be_enabled(rules: Rules) -> None:
    elements = VertexElements(ELEMENT, rules)
    count = len(KINDS)
    pairs = np.arange(2 * count).reshape(count, 2)
    stencils = Stencils(pairs, np.arange(count), KINDS, VERTICES, np.zeros(count))
    for got, table in (
        (elements.resistances(stencils), rules.resistance),
        (elements.frictions(stencils), rules.friction),
    ):
        np.testing.assert_allclose(got, [table[np.ix_(*sides)].mean() for sides in SIDES])
    assert elements.are_enabled(KINDS, VERTICES).tolist() == [False, True, False, True, True]
    assert not elements.may_meet(np.array([0, 2]), np.array([4, 5, 1]))
    assert elements.may_meet(np.array([0, 1]), np.array([2, 4, 5]))


def test_stencils_are_of_one_kind_if_their_elements_are_the_same(rules: Rules) -> None:
    elements = VertexElements(np.array([3, 3, 5, 5, 9, 9]), rules)
    vertices = np.array(
        [[0, 2, 4, 5], [3, 1, 5, 4], [0, 2, 4, 2], [0, 2, 4, 4], [1, 3, 5, 5], [1, 3, 2, 5], [0, 2, 4, 5]]
    )
    kinds = np.array([EDGES, EDGES, EDGES, VERTEX_OF_FIRST, VERTEX_OF_SECOND, VERTEX_OF_FIRST, VERTEX_OF_FIRST])
    got = elements.kind_of(kinds, vertices)
    assert got[0] == got[1]
    assert got[3] == got[4]
    assert len(set(got.tolist())) == 5
