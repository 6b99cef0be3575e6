"""Contact models of stencils in the core beside those of the engine: resistances, also by load, and friction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.prototypes import contact_scenes as scenes
from tests.prototypes.cores import begin, models, models_of_engine, read

pytestmark = pytest.mark.slow

GIVEN = [scenes.adaptive, scenes.of_parts, scenes.of_elements, scenes.of_many_models]
BY_LOAD = [scenes.by_load, scenes.falling_by_load, scenes.soft_by_load]


def assert_same(cpu: Any, core: Any) -> int:
    """Begin a step by both; the number of stencils within d̂."""
    begun, of_engine = begin(cpu, core), None
    of_core, of_engine = models(begun), models_of_engine(cpu)
    assert of_core.keys() == of_engine.keys()
    for key, expected in of_engine.items():
        assert of_core[key] == pytest.approx(expected, rel=1e-12, abs=0.0)
    held = cpu.workspace.contact.resistance.held
    np.testing.assert_array_equal(begun.held.pairs, held.pairs)
    np.testing.assert_allclose(begun.held.values, held.values, rtol=1e-9)
    return len(of_core)


@pytest.mark.parametrize("make", [*GIVEN, *BY_LOAD])
def test_every_stencil_has_the_model_that_it_has_in_the_engine(make: Any, tmp_path: Path) -> None:
    scene, found = make(tmp_path), []
    core = read(scene.engine.cpu)
    for _ in range(45 if make is scenes.falling_by_load else 12):
        found.append(assert_same(scene.engine.cpu, core))
        scene.run()
    assert max(found) > 10
