"""Forces of barriers, what is within d̂, and the smallest distance, in the core and in the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ipc_articulation.contact.friction_law import NO_FRICTION
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import readouts
from ipc_articulation.contact.forces import ContactForces
from ipc_articulation.engine.newton.work import scene_of
from ipc_articulation.linear_system.system import empty_matrix, with_room
from tests.contact import contact_scenes as scenes
from tests.contact.cores import DT, begin, models, read

pytestmark = pytest.mark.slow

SCENES = [scenes.by_load, scenes.soft_by_load, scenes.of_parts, scenes.of_elements, scenes.of_many_models]


def forces_of_engine(cpu: Any) -> ContactForces:
    """Those of barriers alone [N], as a step begins; a step has begun in the engine."""
    world, state = cpu.workspace.contact, cpu.state
    term = next(term for term in cpu.workspace.potential.terms if term.name == "contact")
    motions = DT * state.qdot, DT * state.qdot_before
    world.begin_step(state.q, DT, NO_FRICTION, term.resistance, state.held_resistances, motions)
    return world.forces(state.q).times(1.0 / DT**2)


def as_rows(forces: ContactForces) -> Array:
    """All columns, in units of their largest value."""
    scale = {"normal_forces": np.abs(forces.normal_forces).max(), "couples": np.abs(forces.couples).max() or 1.0}
    return np.column_stack([column / scale.get(name, 1.0) for name, column in forces._asdict().items()])


def assert_same_forces(left: ContactForces, right: ContactForces) -> None:
    """In any order."""
    assert len(left.gaps) == len(right.gaps)
    apart = cdist(as_rows(left), as_rows(right), "chebyshev")
    assert apart[linear_sum_assignment(apart)].max() < 1e-9


@pytest.mark.parametrize("make", SCENES)
def test_forces_of_barriers_are_those_of_the_engine(make: Any, tmp_path: Path) -> None:
    scene, found, couples = make(tmp_path), [0], [0.0]
    cpu = scene.engine.cpu
    core, world = read(cpu), cpu.workspace.contact
    for _ in range(8):
        begun = begin(cpu, core)
        expected = forces_of_engine(cpu)
        found.append(len(models(begun)))
        assert world.count() == len(models(begun))
        if found[-1]:
            forces = readouts.barrier_forces(scene_of(core.work), begun.stencils, begun.some, begun.y)
            assert_same_forces(forces, expected)
            couples.append(float(np.abs(forces.couples).max()))
        scene.run()
    assert max(found) > 10
    assert max(couples) > 1e-6 or make is not scenes.of_parts


@pytest.mark.parametrize("make", [scenes.by_load, scenes.of_parts, scenes.of_many_models])
def test_the_gradient_of_barriers_is_that_of_the_engine(make: Any, tmp_path: Path) -> None:
    """Also of a body that touches itself."""
    cpu = make(tmp_path).run(4).engine.cpu
    core, world, movable = read(cpu), cpu.workspace.contact, cpu.workspace.potential.movable
    begun = begin(cpu, core)
    forces_of_engine(cpu)
    world.place(cpu.state.q, movable)
    expected = core.nodes(world.derivatives().gradient * movable[:, None]) / DT**2
    found = _gradient(scene_of(core.work), begun.stencils, begun.some, begun.y)
    found[np.repeat(~movable, 4)] = 0.0
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


@compiled
def _gradient(scene, stencils, some, y):
    rows, g = scene.rows, np.zeros((scene.rows.first[-1], 3))
    matrix = with_room(empty_matrix(rows.first), 6 * len(some.of), 16 * 54 * len(some.of))
    nobody, free = scene.points.is_soft, ~rows.is_fixed
    of_node = np.arange(len(g)) // 4
    contact.add_derivatives(scene, 1.0, stencils, some, y, nobody, of_node, free, matrix, g)
    return g


@pytest.mark.parametrize("make", [*SCENES, scenes.falling_by_load])
def test_the_smallest_distance_is_that_of_the_engine(make: Any, tmp_path: Path) -> None:
    scene, found = make(tmp_path), []
    cpu = scene.engine.cpu
    core, count = read(cpu), len(cpu.state.q)
    for height in (0.0, 0.003, 0.02, 0.05):
        q = cpu.state.q.copy()
        q[: (count + 1) // 2, 2] += height * ~cpu.model.context.bodies.is_fixed[: (count + 1) // 2]
        gap, bodies = readouts.closest(scene_of(core.work), core.nodes(q))
        expected = cpu.workspace.contact.closest(q)
        assert gap == pytest.approx(expected[0], rel=1e-9)
        assert bodies == expected[1]
        found.append(gap)
    assert len(set(found)) > 1 or make is scenes.of_elements  # what is fixed lies nearest
