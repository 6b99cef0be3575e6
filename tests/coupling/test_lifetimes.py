"""How long scenes and couplings live: a scene does not keep its coupling, which keeps the scene."""

import ctypes
import gc
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.coupling import couple
from ipc_articulation.coupling.constraint import ExternalArticulationConstraint
from ipc_articulation.errors import EngineError, SceneError
from ipc_articulation.frontend.worlds import ENGINES
from tests.coupling.robots import BOTH, by_mujoco
from tests.coupling.worlds import Turntable, make_scene, make_world
from tests.hinged_boxes import hinged_boxes
from tests.simulation.scene_texts import free_scene, robot_scene, simulation


def stepped(folder, adapter, joints="own"):
    """Weak references to scene, coupling and adapter after two steps, all of which nobody holds any more."""
    scene = make_scene()
    coupling = couple(scene, adapter, joints=joints)
    world = make_world(scene, folder)
    for _ in range(2):
        coupling.step(world)
    if "hand" in coupling.link_names:
        coupling.attach("crate", "hand")
    assert coupling.minimum_distance > 0.0
    return [weakref.ref(one) for one in (scene, coupling, adapter, ENGINES[world])]


@pytest.mark.parametrize("make", [*BOTH, Turntable])
@pytest.mark.parametrize("joints", ["own", "chains"])
def test_a_coupled_scene_is_freed(tmp_path, make, joints):
    references = stepped(tmp_path, make(), joints)
    gc.collect()
    assert [reference() for reference in references] == [None] * 4


def resident():
    """Memory [MiB] of this process that is in use: the C library first returns what it keeps in reserve."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_two_hundred_coupled_scenes_leave_nothing_behind(tmp_path):
    for _ in range(20):
        stepped(tmp_path, by_mujoco())
    before = resident()
    for _ in range(200):
        stepped(tmp_path, by_mujoco())
    assert resident() - before < 3.0


def test_a_step_without_the_coupling_says_to_keep_it(tmp_path):
    scene = make_scene()
    couple(scene, Turntable())
    gc.collect()
    world = make_world(scene, tmp_path)
    with pytest.raises(EngineError, match=r"coupling of joints hinge is freed, .*keep what `couple` returned"):
        world.advance()


def driven_boxes():
    """Boxes whose scene has the callback of an articulation, and the articulation's constraint."""
    boxes = hinged_boxes(np.zeros(12))
    constraint = ExternalArticulationConstraint.from_geometry(boxes.articulation, boxes.scene)
    boxes.scene.animator().insert(boxes.owner, constraint.animate(lambda info: (64.0 * np.eye(2), [0.01, 0.002])))
    return boxes, constraint


def test_the_scene_of_a_constraint_is_freed(tmp_path):
    boxes, constraint = driven_boxes()
    make_world(boxes.scene, tmp_path).advance()
    scene, constraint = weakref.ref(boxes.scene), weakref.ref(constraint)
    del boxes
    gc.collect()
    assert (scene(), constraint()) == (None, None)


def test_a_world_steps_though_nobody_holds_scene_and_constraint(tmp_path):
    boxes, constraint = driven_boxes()
    world = make_world(boxes.scene, tmp_path)
    slot = boxes.slot
    del boxes, constraint
    gc.collect()
    world.advance()
    world.retrieve()
    np.testing.assert_allclose(slot.geometry()["joint"].find("delta_theta").view(), [0.01, 0.002], atol=1e-6)


def test_a_constraint_outlives_its_scene():
    boxes, constraint = driven_boxes()
    q = constraint.coordinates().copy()
    del boxes
    gc.collect()
    np.testing.assert_array_equal(constraint.coordinates(), q)
    with pytest.raises(SceneError, match="the scene of these bodies is freed; keep it"):
        constraint.animate(lambda info: (np.eye(2), [0.0, 0.0]))


@pytest.mark.parametrize("make", [free_scene, robot_scene])
def test_a_scene_file_that_ran_is_freed(tmp_path, make):
    made = simulation(tmp_path, make())
    made.step(0)
    references = weakref.ref(made._uipc_scene), weakref.ref(made.engine)
    del made
    gc.collect()
    assert [reference() for reference in references] == [None, None]
