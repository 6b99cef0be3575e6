"""Means of the contact table over the vertices of two primitives, whatever bodies they belong to."""

import numpy as np
import pytest

from ipc_articulation.compiled import compiled
from ipc_articulation.contact import barriers, models
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.materials import Rules
from ipc_articulation.contact.primitive_stencils import VERTEX_OF_FIRST, VERTEX_OF_SECOND
from ipc_articulation.contact.surfaces import join_surfaces
from ipc_articulation.contact.vertex_elements import VertexElements
from tests.contact.worlds import World

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


def world_of(rules: Rules, choose: bool = True) -> World:
    """Six points that are bodies of their own, all soft."""
    none = np.zeros((0, 2), np.int32), np.zeros((0, 3), np.int32), np.zeros(1)
    surfaces = join_surfaces([(np.zeros((1, 3)), *none)] * 6)
    return World(surfaces, 6, resistance=7.0, elements=VertexElements(ELEMENT, rules, choose))


@compiled
def _filled(scene, kind, vertices):
    some = np.zeros(len(kind))
    stencils = barriers.Stencils(vertices[:, 2:], kind, vertices, some, some.copy(), some.copy(), some, some)
    models.fill(scene, stencils, 0, len(kind))
    stays = models.that_touch(scene, kind, vertices, np.arange(len(kind)))
    return stencils.kappa, stencils.mu, stays


@pytest.mark.parametrize("choose", [True, False])
def test_resistance_and_friction_are_means_and_all_pairs_must_be_enabled(rules: Rules, choose: bool) -> None:
    kappa, mu, stays = _filled(world_of(rules, choose).scene, KINDS, VERTICES)
    of_friction, of_resistance = (
        [table[np.ix_(*sides)].mean() for sides in SIDES] for table in (rules.friction, rules.resistance)
    )
    np.testing.assert_allclose(mu, of_friction)
    np.testing.assert_allclose(kappa, of_resistance if choose else 7.0)
    assert stays.tolist() == [1, 3, 4]


def test_stencils_of_which_no_point_moves_are_left_out(rules: Rules) -> None:
    none = np.zeros((0, 2), np.int32), np.zeros((0, 3), np.int32), np.zeros(1)
    surfaces = join_surfaces([(np.zeros((1, 3)), *none)] * 6)
    world = World(surfaces, 6, fixed=(0, 4, 5))
    assert _filled(world.scene, KINDS, VERTICES)[2].tolist() == [0, 1, 2, 3]
