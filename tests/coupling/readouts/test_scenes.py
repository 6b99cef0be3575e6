"""In the example scenes Σ Jᵀ w is the force that the multibody engine gets."""

from typing import Any

import numpy as np
import pytest

from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build
from tests.scenes.test_example_scenes import FOLDER

ROUNDING = 2e-5  # [N] of an equality as stiff as the one that holds the Panda's fingers together


@pytest.mark.parametrize(
    ("name", "steps", "settings", "least"),
    [
        ("panda_push", 160, {}, 5.0),
        ("panda_push", 160, {"contact.friction_law": "anchored"}, 5.0),
        ("panda_push", 160, {"adapter": "native"}, 5.0),
        ("four_bar_press", 60, {}, 30.0),
        ("go2_stand", 40, {}, 400.0),
    ],
)
def test_the_force_on_the_joints_is_that_on_the_links(name, steps, settings: dict[str, Any], least, tmp_path):
    scene, document = read_scene(FOLDER / f"{name}.yaml", settings)
    simulation: Any = build(scene, document, "cpu", tmp_path, steps)
    sizes = []
    for index in range(steps):
        simulation.step(index)
        theirs = simulation.coupling.contact_force
        sizes.append(np.abs(theirs).max())
        if sizes[-1] > 0.1:
            ours = simulation.coupling.read_out(simulation.world).contact_force
            np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-6 * sizes[-1] + ROUNDING)
    assert max(sizes) > least
