"""What the engine reads once says so where it is written later, once by name."""

import logging

import numpy as np
import pytest
import uipc
from uipc import view

from ipc_articulation.frontend import read_once
from tests.engine.scenes import BoxScene, translation

NO_EFFECT = "was written, which has no effect:"
AGAIN = f"{NO_EFFECT} it is read at world.init, or when objects are created or destroyed"
FRICTION = f"{AGAIN}; engine.properties.set_frictions sets friction between steps"
MOVE = f"{NO_EFFECT} the engine has the state of bodies; engine.state_accessor writes it between steps"


@pytest.fixture
def scene(tmp_path, monkeypatch):
    monkeypatch.setattr(read_once, "_RARELY", 0.0)  # else the warning hangs on the time that steps take
    scene = BoxScene(tmp_path)
    scene.ground = scene.add_ground()
    scene.add_box(translation(0, 0, 1))
    return scene


def instances(scene):
    return scene.slots[0].geometry().instances()


def warned(scene, caplog):
    """Warnings of some steps."""
    caplog.clear()
    for _ in range(3):
        scene.run()
    return [record.getMessage().partition(": ")[2] for record in caplog.records if record.levelno >= logging.WARNING]


def write(name, value):
    return lambda scene: view(instances(scene).find(name)).__setitem__(0, value)


WRITTEN = [
    (write("is_fixed", 1), f"'is_fixed' of affine-body geometry 1 {AGAIN}"),
    (write("is_dynamic", 0), f"'is_dynamic' of affine-body geometry 1 {AGAIN}"),
    (write("kappa", 1e5), f"'kappa' of affine-body geometry 1 {AGAIN}"),
    (write("transform", translation(0, 0, 2)), f"'transform' of affine-body geometry 1 {MOVE}"),
    (write("velocity", np.diag([0.0, 0.0, 1.0, 0.0])), f"'velocity' of affine-body geometry 1 {MOVE}"),
    (
        lambda scene: view(scene.scene.config().find("gravity")).__setitem__(0, [[0.0], [0.0], [1.0]]),
        f"'gravity' of the scene's config {AGAIN}",
    ),
    (
        lambda scene: scene.scene.contact_tabular().default_model(0.9, 1e9),
        f"'friction_rate' of the scene's contact table {FRICTION}",
    ),
]


MESH = f"{AGAIN}; for another mesh make another geometry"
WRITTEN += [
    (
        lambda scene: view(scene.slots[0].geometry().vertices().find("position")).__imul__(2.0),
        f"'position' of affine-body geometry 1 {MESH}",
    ),
    (
        lambda scene: view(scene.slots[0].geometry().triangles().topo()).__setitem__(0, [[7], [6], [5]]),
        f"'topo' of the triangles of affine-body geometry 1 {MESH}",
    ),
    (
        lambda scene: view(scene.ground.geometry().instances().find("P")).__setitem__(0, [[0.0], [0.0], [-1.0]]),
        f"'P' of half-plane 0 {AGAIN}",
    ),
]


@pytest.mark.parametrize(("act", "message"), WRITTEN, ids=[message.split()[0] for _, message in WRITTEN])
def test_what_has_no_effect_is_said_once(scene, caplog, act, message):
    scene.start()
    assert warned(scene, caplog) == []
    act(scene)
    assert warned(scene, caplog) == [message]
    assert warned(scene, caplog) == []


def test_callbacks_too(scene, caplog):
    owner = scene.scene.objects().find("box 0")[0]
    scene.scene.animator().insert(owner, lambda info: write("kappa", 1e5)(scene) if info.frame() == 2 else None)
    scene.start()
    assert warned(scene, caplog) == [f"'kappa' of affine-body geometry 1 {AGAIN}"]


def test_what_is_written_before_objects_come_is_read_with_them(scene, caplog):
    scene.start().run()
    write("is_fixed", 1)(scene)
    scene.add_box(translation(1, 0, 1))
    assert warned(scene, caplog) == []
    assert scene.engine.cpu.model.context.bodies.is_fixed.tolist() == [True, False]


def test_dt_is_read_in_each_step(scene, caplog):
    scene.start().run()
    view(scene.scene.config().find("dt"))[0] = 0.005
    assert warned(scene, caplog) == []
    assert scene.engine.statistics.dt == 0.005


def test_a_comparison_takes_little_of_the_time(scene, monkeypatch):
    """A hundredth at most: the next one is a hundred times its duration later."""
    monkeypatch.setattr(read_once, "_RARELY", 100.0)
    clock = iter([10.0, 10.25, 20.0, 35.26])
    monkeypatch.setattr("ipc_articulation.frontend.read_once.perf_counter", lambda: next(clock))
    scene.start()
    once = scene.engine.cpu._once
    write("kappa", 1e5)(scene)
    assert len(once.warnings(None)) == 1  # from 10 to 10.25 s
    write("kappa", 1e6)(scene)
    assert once.warnings(None) == []  # at 20 s


def test_gravity_as_a_flat_list_is_libuipcs_default():
    """Its front end has replaced it before an engine sees the scene."""
    settings = uipc.Scene.default_config()
    settings["gravity"] = [0.0, 0.0, -1.6]
    assert uipc.Scene(settings).config().find("gravity").view().ravel().tolist() == [0.0, -9.8, 0.0]
