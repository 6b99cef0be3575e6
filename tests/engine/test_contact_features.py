"""What the contact table and the attributes of bodies say about contact, on the CPU engine."""

import numpy as np
import pytest
from uipc import view
from uipc.constitution import AffineBodyShell
from uipc.geometry import label_surface
from uipc.geometry import trimesh as uipc_trimesh

from ipc_articulation.engine.newton import stages
from tests.engine.parts import begin_at, contact_gradient, core_of, way
from tests.engine.scenes import BoxScene, translation, twist_rate

G = 9.8


def resting(tmp_path, prepare=lambda scene: None, **config):
    """A box dropped on the ground, at rest; `prepare` changes the scene first."""
    scene = BoxScene(tmp_path, **config)
    scene.add_ground()
    scene.add_box(translation(0, 0, 0.12))
    prepare(scene)
    return scene.start().run(100)


def test_d_hat_of_a_mesh_replaces_the_scene_s(tmp_path):
    def thin(scene):
        scene.slots[0].geometry().meta().create("d_hat", 0.002)

    assert 0.002 < resting(tmp_path).minimum_distance() < 0.01
    assert 0.0 < resting(tmp_path, thin).minimum_distance() < 0.002


def test_adaptive_resistance_holds_what_it_must(tmp_path):
    def adaptive(scene):
        scene.scene.contact_tabular().default_model(0.5, -1.0)

    scene = resting(tmp_path, adaptive)
    assert 1e8 <= core_of(scene)._adapted(scene.engine.cpu.state) <= 1e11
    assert 0.0 < scene.minimum_distance() < 0.01
    assert np.abs(scene.qdot).max() < 1e-3
    force = -contact_gradient(core_of(scene.run()))[0, 2] / 0.01**2
    assert force == pytest.approx(8.0 * G, rel=1e-2)


def test_adaptive_resistance_does_not_depend_on_who_moved_last(tmp_path):
    """One island may need more Newton iterations than the others; the next step's resistance is that of all forces."""

    def adaptive(scene):
        scene.scene.contact_tabular().default_model(0.5, -1.0)

    scene = resting(tmp_path, adaptive)
    core, config, resistance = core_of(scene), scene.engine.cpu.model.config, []
    adapted = core._adapted
    core._adapted = lambda state: resistance.append(adapted(state)) or resistance[-1]
    for moving in (core.movable, ~core.movable):
        stages.wake(core.work, moving)
        core.begin_step(scene.engine.cpu.state, 0.01)
    assert resistance[0] == resistance[1]
    assert config.min_resistance < resistance[0] < config.max_resistance, "it follows from the forces"


def test_subscenes_do_not_see_each_other(tmp_path):
    scene = BoxScene(tmp_path, sanity_check__enable=0)
    elements = [scene.scene.subscene_tabular().create(name) for name in ("left", "right")]
    for element in elements:
        slot = scene.add_box(translation(0, 0, 1.0))
        element.apply_to(slot.geometry())
    scene.start().run(5)  # two boxes in one place
    np.testing.assert_allclose(scene.q[0], scene.q[1])
    assert scene.minimum_distance() == np.inf


def test_contact_disabled_between_two_elements(tmp_path):
    scene = BoxScene(tmp_path, gravity=(0, 0, 0))
    tabular = scene.scene.contact_tabular()
    ghost = tabular.create("ghost")
    tabular.insert(ghost, tabular.default_element(), 0.0, 1e9, False)
    scene.add_box(translation(0, 0, 0))
    moving = translation(0.5, 0, 0)
    ghost.apply_to(scene.add_box(moving, velocity=twist_rate(moving, linear=(-2.0, 0, 0))).geometry())
    scene.start().run(50)
    np.testing.assert_allclose(scene.q[1, 0], 0.5 - 2.0 * 0.5, atol=1e-9)  # straight through
    np.testing.assert_allclose(scene.q[0, :3], 0.0, atol=1e-12)


def test_contact_enable_0_leaves_contact_out(tmp_path):
    scene = resting(tmp_path, contact__enable=0)
    assert scene.q[0, 2] < -1.0


def test_friction_enable_0_leaves_friction_out(tmp_path):
    def push(scene):
        slot = scene.slots[0]
        view(slot.geometry().instances().find("velocity"))[0] = twist_rate(np.eye(4), linear=(1.0, 0, 0))

    assert resting(tmp_path, push, contact__friction__enable=0).qdot[0, 0] == pytest.approx(1.0, rel=1e-3)
    assert abs(resting(tmp_path, push).qdot[0, 0]) < 0.05


def test_cfl_cuts_steps_of_vertices_in_contact(tmp_path):
    scene = resting(tmp_path, cfl__enable=1)
    dq = np.zeros_like(scene.q)
    dq[0, 0] = 0.1
    begin_at(core_of(scene), scene.q)
    share, _ = way(core_of(scene), scene.q, dq)
    assert share[0] == pytest.approx(0.5 * 0.01 / 0.1)


def test_thick_shell_rests_its_thickness_above_the_ground(tmp_path):
    scene, radius = BoxScene(tmp_path), 0.02
    scene.add_ground()
    points = np.array([[-0.2, -0.2, 0.0], [0.2, -0.2, 0], [0.2, 0.2, 0], [-0.2, 0.2, 0]])
    shell = uipc_trimesh(points, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32))
    label_surface(shell)
    AffineBodyShell().apply_to(shell, 1e8, 1000.0, radius)
    view(shell.transforms())[0] = translation(0, 0, 0.05)
    scene.slots.append(scene.scene.objects().create("shell").geometries().create(shell)[0])
    scene.start().run(100)
    assert 0.0 < scene.minimum_distance() < 0.01
    assert scene.q[0, 2] == pytest.approx(radius + scene.minimum_distance(), abs=1e-9)


def test_two_thick_shells_keep_both_thicknesses_apart(tmp_path):
    scene, radius = BoxScene(tmp_path), 0.02
    scene.add_ground()
    points = np.array([[-0.2, -0.2, 0.0], [0.2, -0.2, 0], [0.2, 0.2, 0], [-0.2, 0.2, 0]])
    for height in (0.05, 0.15):
        shell = uipc_trimesh(points * (1.0 if height < 0.1 else 0.7), np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32))
        label_surface(shell)
        AffineBodyShell().apply_to(shell, 1e8, 1000.0, radius)
        view(shell.transforms())[0] = translation(0, 0, height)
        scene.slots.append(scene.scene.objects().create("shell").geometries().create(shell)[0])
    scene.start()
    for _ in range(100):
        scene.run()
        assert scene.minimum_distance() > 0.0
    assert 2 * radius < scene.q[1, 2] - scene.q[0, 2] < 2 * radius + 0.01


def test_self_collision_is_possible(tmp_path):
    scene = resting(tmp_path, lambda scene: set_self_collision(scene.slots[0]))
    assert 0.0 < scene.minimum_distance() < 0.01


def set_self_collision(slot):
    view(slot.geometry().meta().find("self_collision"))[:] = 1
