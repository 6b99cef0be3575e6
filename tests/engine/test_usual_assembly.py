"""Usual terms summed in groups of parts, as cores share them, against the sum in one call."""

import numpy as np
import pytest

from ipc_articulation import couple_many
from ipc_articulation.engine import usual_assembly
from tests.coupling.robots import by_native
from tests.coupling.worlds import make_scene, make_world

COUNT = 7


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    """Of seven robots, each with a crate, that have moved."""
    scene = make_scene(gravity=(0.0, 0.0, -9.81))
    many = couple_many(scene, [by_native(gravity=(0.0, 0.0, -9.81)) for _ in range(COUNT)])
    world = make_world(scene, tmp_path_factory.mktemp("seven"))
    for _ in range(5):
        many.step(world)
    return many._side._cpu.workspace, many._side._cpu.state.q, many._side.bodies


def assembled(workspace, q, moving, project, worth, monkeypatch):
    """Gradient, blocks of the Hessian by bodies, and what the articulation notes."""
    monkeypatch.setattr(usual_assembly, "_WORTH", worth)
    potential, system = workspace.potential, workspace.system
    system.choose(moving)
    potential.select(moving)
    g = np.zeros_like(q)
    potential._usual.add(q, moving, np.full(len(q), project), g, system.blocks)
    H, bodies = system.blocks.matrix, system.blocks.bodies
    upper = {(bodies[i], bodies[j]): block.copy() for i, j, block in zip(H.rows, H.cols, H.blocks, strict=True)}
    assert len(upper) == len(H.rows), "a block is there twice"
    return g, H.diagonal.copy(), upper, workspace.articulation._at


@pytest.mark.parametrize("project", [True, False])
@pytest.mark.parametrize("resting", [[], [0], [2, 3], [0, 4, 6]])
def test_groups_give_the_same_bits_as_one_call(workspace, resting, project, monkeypatch):
    space, q, bodies = workspace
    moving = space.potential.movable.copy()
    moving[bodies[resting]] = False
    alone = assembled(space, q, moving, project, 1000, monkeypatch)
    groups = assembled(space, q, moving, project, 5, monkeypatch)
    assert len(space.potential._usual._groups(moving)) > 1
    for one, other in zip(alone[:2], groups[:2], strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.any()
    assert alone[2].keys() == groups[2].keys()
    for pair, block in alone[2].items():
        np.testing.assert_array_equal(block, groups[2][pair])
    for one, other in zip(alone[3], groups[3], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_a_scene_that_is_assembled_in_groups_moves_by_the_same_bits(tmp_path, monkeypatch):
    """Steps with contact, whose blocks come after those of the groups, as islands end one after another."""
    found = []
    for worth in (1000, 5):
        monkeypatch.setattr(usual_assembly, "_WORTH", worth)
        scene = make_scene(gravity=(0.0, 0.0, -9.81))
        many = couple_many(scene, [by_native(gravity=(0.0, 0.0, -9.81)) for _ in range(COUNT)])
        world = make_world(scene, tmp_path / str(worth))
        for _ in range(40):
            many.step(world)
        found.append(many.body_poses)
    np.testing.assert_array_equal(*found)
