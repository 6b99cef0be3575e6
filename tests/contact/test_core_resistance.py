"""Contact models of stencils in the core beside those of the engine: resistances, also by load, and friction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.arrays import Array
from ipc_articulation.engine.newton.core import Core
from tests.contact import contact_scenes as scenes
from tests.contact.cores import begin, models, models_of_engine, read

pytestmark = pytest.mark.slow

GIVEN = [scenes.adaptive, scenes.of_parts, scenes.of_elements, scenes.of_many_models]
BY_LOAD = [scenes.by_load, scenes.falling_by_load, scenes.soft_by_load]


def assert_same(cpu: Any, core: Core, rel: float) -> int:
    """Begin a step by both; the number of stencils within d̂."""
    begun = begin(cpu, core)
    assert_same_models(models(begun), cpu, rel)
    held = cpu.workspace.contact.resistance.held
    np.testing.assert_array_equal(begun.held.pairs, held.pairs)
    np.testing.assert_allclose(begun.held.values, held.values, rtol=1e-9)
    np.testing.assert_array_equal(begun.changed, changed_bodies(cpu))
    np.testing.assert_allclose(np.sort(begun.friction), friction_of_engine(cpu), rtol=max(rel, 1e-9), atol=1e-16)
    return len(begun.columns[0])


def assert_same_models(of_core: dict[Any, tuple[float, float]], cpu: Any, rel: float = 1e-12) -> None:
    of_engine = models_of_engine(cpu)
    assert of_core.keys() == of_engine.keys()
    for key, expected in of_engine.items():
        assert of_core[key] == pytest.approx(expected, rel=rel, abs=0.0)


def changed_bodies(cpu: Any) -> Array:
    """Bodies whose resistance is not that with which the last step ended, (B,)."""
    contact = cpu.workspace.contact
    changed = np.zeros(len(contact.materials.body_pairs), dtype=np.bool_)
    changed[contact.materials.group[cpu.workspace.potential.restiffened]] = True
    return changed


def friction_of_engine(cpu: Any) -> Array:
    """μ λ [N·s²] of all points with friction, sorted; of a step that has begun."""
    world = cpu.workspace.contact
    found = [contact._friction.force for contact in world.body_contacts if contact._friction is not None]
    force = np.concatenate([world.half_planes._step.normal_force, *found])
    return np.sort(force[force > 0.0])


@pytest.mark.parametrize("make", [*GIVEN, *BY_LOAD])
def test_every_stencil_has_the_model_that_it_has_in_the_engine(make: Any, tmp_path: Path) -> None:
    scene, found = make(tmp_path), []
    core = read(scene.engine.cpu)
    rel = 1e-4 if make is scenes.adaptive else 1e-12  # the difference of two gradients that are 10¹⁰ times as large
    for _ in range(45 if make is scenes.falling_by_load else 12):
        found.append(assert_same(scene.engine.cpu, core, rel))
        scene.run()
    assert max(found) > 10


def test_friction_that_is_set_between_steps_is_that_of_stencils(tmp_path: Path) -> None:
    scene = scenes.of_parts(tmp_path).run(3)
    cpu, properties = scene.engine.cpu, scene.engine.properties
    before, (below, above) = models(begin(cpu, read(cpu))), (slot.id() for slot in scene.slots)
    properties.set_frictions({((below, 0, 1), (0, 0)): 0.2, ((below, 0), (above, 0)): 0.7})
    after = models(begin(cpu, read(cpu)))
    assert_same_models(after, cpu)
    assert {mu for _, mu in before.values()}.isdisjoint(mu for _, mu in after.values())
