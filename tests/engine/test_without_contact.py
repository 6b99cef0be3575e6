"""Steps of bodies that cannot touch: what they end with, and errors."""

import numpy as np
import pytest
import uipc
from uipc import view

from ipc_articulation.engine import Engine
from ipc_articulation.engine.newton.newton_report import NewtonResult
from ipc_articulation.errors import ArticulationError
from tests.engine.scenes import BoxScene, twist_rate
from tests.hinged_boxes import hinged_boxes


def spinning(folder, **config):
    scene = BoxScene(folder, contact__enable=0, gravity=(0, 0, 0), **config)
    scene.add_box(np.eye(4), velocity=twist_rate(np.eye(4), angular=(0, 0, 90.0)))
    return scene.start()


def test_iterations_that_do_not_suffice_are_told(tmp_path, caplog):
    statistics = spinning(tmp_path, newton__max_iter=1).run().engine.statistics
    assert statistics.result is NewtonResult.MAX_ITERATIONS
    assert statistics.newton.iterations == 1
    assert "step 1: Newton stopped after newton/max_iter = 1 iterations (max iterations): " in caplog.text
    assert "'box 0'" in caplog.text


def test_nothing_to_move(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0)
    scene.add_box(np.eye(4), is_fixed=1)
    assert scene.start().run(2).engine.statistics.newton.iterations == 0
    np.testing.assert_array_equal(scene.engine.cpu.state.q[0], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])


def test_a_body_at_rest_sleeps(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0, gravity=(0, 0, 0))
    scene.add_box(np.eye(4))
    scene.start().run(3)
    before = scene.engine.cpu.state
    assert scene.run().engine.statistics.awake == 0
    np.testing.assert_array_equal(scene.engine.cpu.state.q, before.q)


def test_an_articulation_that_is_refused_keeps_the_state(tmp_path):
    boxes = hinged_boxes()
    boxes.scene.contact_tabular().default_model(0.0, 1e9, False)
    mass = np.eye(2)
    geometry = boxes.slot.geometry()

    def write(info):
        view(geometry["joint_joint"].find("mass"))[:] = mass.ravel()
        view(geometry["joint"].find("delta_theta_tilde"))[:] = 0.01

    boxes.scene.animator().insert(boxes.owner, write)
    engine = Engine("cpu", tmp_path)
    world = uipc.World(engine)
    world.init(boxes.scene)
    world.advance()
    state = engine.cpu.state
    for bad, message in ((-np.eye(2), "must be positive definite"), (np.full((2, 2), np.nan), "must be finite")):
        mass = bad
        with pytest.raises(ArticulationError, match=message):
            world.advance()
        assert engine.cpu.state is state
    mass = np.eye(2)
    world.advance()
    assert world.frame() == 2


def test_an_articulation_made_by_hand_without_a_mass_is_refused(tmp_path):
    boxes = hinged_boxes()
    boxes.scene.contact_tabular().default_model(0.0, 1e9, False)
    world = uipc.World(engine := Engine("cpu", tmp_path))
    world.init(boxes.scene)
    with pytest.raises(ArticulationError, match="it is all zero: does no animator callback write it"):
        world.advance()
    assert engine.cpu.statistics is None
