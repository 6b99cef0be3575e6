"""Figures of each step, as data and in the log."""

import logging
import re

import numpy as np
import pytest

from ipc_articulation.engine.newton.newton_report import NewtonResult
from ipc_articulation.engine.output.step_output import StepOutput
from ipc_articulation.engine.stopwatch import STAGES
from ipc_articulation.errors import EngineError
from tests.engine.scenes import BoxScene, translation, twist_rate


@pytest.fixture
def resting(tmp_path):
    """A box that lies on the ground, and one that falls beside it; gaps 5 mm and 1 m; d̂ is 10 mm."""
    scene = BoxScene(tmp_path)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.105))
    scene.add_box(translation(1, 0, 1.1))
    return scene.start()


def test_figures_of_a_step(resting):
    assert not resting.engine.statistics
    for figure in ("frame", "contacts", "energies"):
        with pytest.raises(EngineError, match=rf"statistics\.{figure}: no step was taken since world\.init or"):
            getattr(resting.engine.statistics, figure)
    resting.run(1)
    statistics = resting.engine.statistics
    assert (statistics.frame, statistics.dt, statistics.result) == (1, 0.01, NewtonResult.CONVERGED)
    assert statistics.newton.iterations >= 1
    assert statistics.newton.ccd_step == 1.0
    assert statistics.collisions == 4  # the corners over the ground
    assert statistics.minimum_distance == resting.minimum_distance()
    assert 0.0 < statistics.minimum_distance < 0.01


def test_collisions_are_those_of_all_bodies(tmp_path):
    """One box lies on the ground and needs few iterations, another one lands on an edge and needs more."""
    scene = BoxScene(tmp_path)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.105))
    falling = translation(2, 0, 0.104)
    scene.add_box(falling, velocity=twist_rate(falling, linear=(1.0, 0, -0.5), angular=(0, 3.0, 0)))
    assert scene.start().run(1).engine.statistics.collisions == 8


def test_energies_are_those_of_the_potential(resting):
    """Besides: the box on the ground balances, so what contact pushes up by is m (z - z̃)."""
    resting.run(1)
    energies = resting.engine.statistics.energies
    assert set(energies) == {"kinetic", "ortho potential", "contact"}
    assert energies["contact"] > 0.0
    rise = resting.q[0, 2] - (0.105 - 9.8 * 0.01**2)
    assert energies["kinetic"] == pytest.approx(0.5 * 8.0 * rise**2, rel=1e-3)
    assert energies == StepOutput(resting.engine.cpu.workspace.core).energies(resting.q)


def test_stages_add_up_to_the_step(resting):
    resting.run(1)
    statistics = resting.engine.statistics
    assert tuple(statistics.stages) == STAGES
    assert all(seconds > 0.0 for seconds in statistics.stages.values())
    assert statistics.seconds == sum(statistics.stages.values())


def test_retrieving_counts_as_writing_back(resting):
    resting.world.advance()
    before = resting.engine.statistics.stages["write back"]
    resting.world.retrieve()
    assert resting.engine.statistics.stages["write back"] > before


def test_what_was_not_measured_in_time_is_refused(resting):
    resting.run(1)
    first, kept = resting.engine.statistics, resting.engine.statistics.as_dict()
    resting.run(1)
    with pytest.raises(
        EngineError, match=r"energies, contacts, collisions and minimum_distance of step 1 can be measured only until"
    ):
        _ = first.energies
    with pytest.raises(EngineError, match=r"keep statistics\.as_dict\(\) of each step"):
        _ = first.minimum_distance
    assert first.newton.iterations == kept["newton_iterations"]
    assert resting.engine.statistics.frame == 2


def test_frame_stats_are_plain_types(resting):
    assert resting.engine.frame_stats() == {}
    stats = resting.run(1).engine.frame_stats()
    assert stats["frame"] == 1
    assert stats["result"] == "converged"
    assert stats["energies"]["contact"] > 0.0
    assert stats["minimum_distance"] < 0.01
    assert list(stats["stages"]) == list(STAGES)


def test_scene_without_contact_has_no_distance(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0)
    scene.add_box(np.eye(4))
    assert scene.start().run(1).engine.statistics.minimum_distance == np.inf
    assert scene.engine.statistics.collisions == 0


def test_log(resting, caplog):
    with caplog.at_level(logging.INFO, logger="ipc_articulation"):
        resting.run(1)
    assert len(caplog.records) == 1
    assert "step 1: converged, " in caplog.text
    assert ", 4 collisions, " in caplog.text
    with caplog.at_level(logging.DEBUG, logger="ipc_articulation"):
        resting.run(1)
    assert "step 2: [ms] animator " in caplog.text
    assert "ortho potential" in caplog.text
    assert re.search(r"minimum distance \S+ m", caplog.text)
