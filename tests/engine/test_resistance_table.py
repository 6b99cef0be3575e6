"""What `Engine` writes into the contact table for engines that know only numbers; "none" is one of libuipc's own."""

import numpy as np
import pytest
import uipc

from benchmarks.box_scenes import box, make_scene, pile
from ipc_articulation import BY_LOAD, Engine


@pytest.mark.parametrize(
    ("in_table", "chosen", "is_filled"),
    [(BY_LOAD, "table", True), (1e9, "load", True), (1e9, "table", False), (2e10, "load", False)],
)
def test_open_entries_get_the_start_of_the_rule(tmp_path, in_table, chosen, is_filled):
    scene = make_scene(box(), pile(2), resistance=in_table)  # two boxes of 8 kg
    world = uipc.World(Engine("none", tmp_path, resistance=chosen))
    world.init(scene)
    d_hat = float(uipc.view(scene.config().find("contact/d_hat"))[0])
    g = np.linalg.norm(uipc.view(scene.config().find("gravity"))[0])
    start = 16.0 * g / ((1.5 * np.log(4.0) + 2.25) * d_hat**3)
    expected = start if is_filled else in_table
    assert scene.contact_tabular().default_model().resistance() == pytest.approx(expected, rel=1e-9)
