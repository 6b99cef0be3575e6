"""What the CPU engine does not do, it refuses by name at `world.init`; nothing is ignored."""

import re

import numpy as np
import pytest
import trimesh
import uipc
from uipc import World
from uipc.constitution import AffineBodyConstitution
from uipc.geometry import label_surface

from ipc_articulation import Engine, affine
from ipc_articulation.errors import EngineError, SceneError, SolverError, UnsupportedError
from ipc_articulation.frontend.config import read_config
from tests.engine.scenes import BoxScene, translation, twist_rate


@pytest.fixture
def scene(tmp_path):
    return BoxScene(tmp_path)


def test_unknown_constitutions(scene):
    slot = scene.add_box(np.eye(4))
    uipc.view(slot.geometry().meta().find("constitution_uid"))[:] = 28
    with pytest.raises(UnsupportedError, match=r"geometry 0 has constitution 28 \(AffineBodyD6Joint\).*use Engine"):
        scene.start()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("contact__constitution", "al-ipc", "'contact/constitution' is 'al-ipc'"),
    ],
)
def test_config_value(tmp_path, key, value, message):
    scene = BoxScene(tmp_path, **{key: value})
    scene.add_box(np.eye(4))
    with pytest.raises(UnsupportedError, match=message):
        scene.start()


def test_unknown_config_key(scene):
    """libuipc refuses keys that it does not know; keys that it knows and we do not are ours to refuse."""
    scene.scene.config().create("wind/speed", 3.0)
    with pytest.raises(UnsupportedError, match=r"unknown key 'wind/speed'.*known keys: cfl/enable, "):
        read_config(scene.scene.config(), scene_diagonal=1.0)


def test_bodies_that_intersect_at_the_start(tmp_path):
    scene = BoxScene(tmp_path, sanity_check__enable=0)
    scene.add_box(np.eye(4))
    scene.add_box(translation(0.15, 0.05, 0.02))
    with pytest.raises(SceneError, match=r"'box 0' and 'box 1' intersect at the start"):
        scene.start()


SCALES = pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3], ids=["micrometres", "metres", "kilometres"])


@SCALES
@pytest.mark.parametrize("other", ["box", "ground"])
def test_a_gap_that_rounding_may_hide_at_the_start(tmp_path, scale, other):
    """The next gap that floating point knows is refused, a valid one is not."""
    for gap, valid in ((1e-15, False), (1e-11, True)):
        scene = BoxScene(tmp_path, contact__d_hat=0.01 * scale, sanity_check__enable=0)
        if other == "ground":
            scene.add_ground()
        else:
            scene.add_box(translation(0, 0, -0.1 * scale), size=[0.2 * scale] * 3, is_fixed=1)
        scene.add_box(translation(0, 0, (0.1 + gap) * scale), size=[0.2 * scale] * 3)
        if valid:
            scene.start()
            continue
        names = r"'box 0' and half-plane 'ground'" if other == "ground" else r"'box 0' and 'box 1'"
        with pytest.raises(
            SceneError, match=names + r" have a gap of only .*e-\d\d m at the start; move them apart, to "
        ):
            scene.start()


@pytest.mark.parametrize("gap", [0.0, 1e-15])
@pytest.mark.parametrize("other", ["box", "ground"])
def test_the_gap_that_the_message_asks_for_leaves_bodies_at_rest(tmp_path, gap, other):
    def beside(gap):
        scene = BoxScene(tmp_path, (0.0, 0.0, 0.0), contact__d_hat=0.003, sanity_check__enable=0)
        if other == "ground":
            scene.add_ground()
        else:
            scene.add_box(translation(0, 0, -0.1), size=[0.2] * 3, is_fixed=1)
        scene.add_box(translation(0, 0, 0.1 + gap), size=[0.2] * 3)
        return scene

    with pytest.raises(SceneError, match="at the start; move them apart, to a gap of ") as caught:
        beside(gap).start()
    wanted = float(re.search(r"to a gap of (\S+) m", str(caught.value))[1])
    scene = beside(wanted).start()
    before = scene.q
    np.testing.assert_allclose(scene.run().q, before, atol=1e-9)


@pytest.mark.parametrize("gap", [1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("other", ["box", "ground"])
def test_a_step_from_a_tiny_gap_pushes_bodies_apart(tmp_path, gap, other):
    """Newton's first steps double the gap, far below all tolerances; the result does not depend on where they began."""
    scene = BoxScene(tmp_path, newton__semi_implicit__enable=0)
    if other == "ground":
        scene.add_ground()
    else:
        scene.add_box(translation(0, 0, -0.1), is_fixed=1)
    scene.add_box(translation(0, 0, 0.1 + gap))
    scene.start().run()
    assert scene.engine.statistics.result.value == "converged"
    pushed_to = {"ground": 0.00906, "box": 0.00981}[other]
    np.testing.assert_allclose(scene.engine.statistics.minimum_distance, pushed_to, atol=1e-5)


def test_body_behind_the_ground_at_the_start(tmp_path):
    scene = BoxScene(tmp_path, sanity_check__enable=0)
    scene.add_ground()
    scene.add_box(np.eye(4))
    with pytest.raises(SceneError, match=r"'box 0' and half-plane 'ground' intersect at the start"):
        scene.start()


def test_velocity_that_is_not_finite(scene):
    scene.add_box(np.eye(4), velocity=np.full((4, 4), np.nan))
    with pytest.raises(SceneError, match=r"body 'box 0'.* has a velocity that is not finite"):
        scene.start()


def test_unknown_backend(tmp_path):
    with pytest.raises(EngineError, match=r"unknown engine 'gpu'; valid: cpu, cuda, none, auto"):
        Engine("gpu", tmp_path)


def test_newton_that_may_not_iterate_warns_and_is_an_error_in_strict_mode(tmp_path, caplog):
    for strict in (0, 1):
        scene = BoxScene(tmp_path, newton__max_iter=1, extras__strict_mode__enable=strict)
        scene.add_box(np.eye(4), velocity=twist_rate(np.eye(4), angular=(0, 0, 20.0)))
        scene.start()
        if strict:
            with pytest.raises(SolverError, match=r"step 1: Newton stopped after newton/max_iter = 1 iterations"):
                scene.run(1)
        else:
            scene.run(1)
            assert "Newton stopped after newton/max_iter = 1" in caplog.text


def test_none_initialises_and_moves_nothing(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 1))
    scene.start("none").run(5)
    assert scene.q[0, 2] == 1.0


@pytest.mark.gpu
def test_cuda_runs_the_same_scene(tmp_path):
    from ipc_articulation.engine.engine import has_gpu

    if not has_gpu():
        pytest.skip("no NVIDIA GPU")
    heights = []
    for backend in ("cpu", "cuda"):
        scene = BoxScene(tmp_path / backend)
        scene.add_ground()
        scene.add_box(translation(0, 0, 0.3))
        heights.append(scene.start(backend).run(100).q[0, 2])
    assert all(0.1 < height < 0.11 for height in heights), "on the ground, within d̂"


@pytest.mark.parametrize(
    ("scale", "position"), [(1e200, r"1e\+199"), (1e40, r"1e\+39"), (1e11, r"1e\+10"), (np.nan, "nan")]
)
def test_vertices_beyond_computation(scene, scale, position):
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    mesh = uipc.geometry.trimesh(scale * box.vertices, box.faces.astype(np.int32))
    label_surface(mesh)
    M = affine.mass_matrix_from_inertia(1.0, np.zeros(3), np.eye(3))
    AffineBodyConstitution().apply_to(mesh, 1e8, M, 1.0)
    scene.scene.objects().create("huge").geometries().create(mesh)
    with pytest.raises(SceneError, match=rf"body 'huge': vertex 0 has a position of {position} m; at most 1e\+09 m"):
        scene.start()


@pytest.mark.parametrize("method", ["advance", "retrieve", "dump", "recover"])
def test_a_world_without_a_scene(tmp_path, method):
    world = World(Engine("cpu", tmp_path))
    with pytest.raises(EngineError, match=rf"world\.{method}\(\) was called before world\.init\(scene\)"):
        getattr(world, method)()


@pytest.mark.parametrize("frame", ["4", True, None, 1.5, -1, 2**64])
def test_what_is_no_frame_or_scene_is_named(scene, frame):
    scene.add_box(np.eye(4))
    scene.start()
    with pytest.raises(EngineError, match=rf"recover: dst_frame is {frame!r}, must be a whole number, zero or more"):
        scene.world.recover(frame)
    with pytest.raises(EngineError, match=rf"world\.init: scene is {frame!r}, must be a Scene"):
        scene.world.init(frame)


@pytest.mark.parametrize("reason", ["forgotten", "contact disabled", "no contact of its element", "no shape"])
def test_a_mesh_without_label_is_warned_of(tmp_path, caplog, reason):
    """Only where contact is on, and the body could touch something."""
    scene = BoxScene(tmp_path, **({"contact__enable": 0} if reason == "contact disabled" else {}))
    scene.add_ground()
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    mesh = uipc.geometry.trimesh(box.vertices.copy(), box.faces.astype(np.int32))
    AffineBodyConstitution().apply_to(mesh, 1e8, 1000.0)
    if reason == "no shape":
        mesh = AffineBodyConstitution().create_proxy(1e8, 1.0, np.zeros(3), np.eye(3), 0.01)
    if reason == "no contact of its element":
        element = scene.scene.contact_tabular().create("free")
        scene.scene.contact_tabular().insert(element, scene.scene.contact_tabular().default_element(), 0.0, 0.0, False)
        scene.scene.contact_tabular().insert(element, element, 0.0, 0.0, False)
        element.apply_to(mesh)
    scene.scene.objects().create("plate").geometries().create(mesh)
    scene.start()
    warned = "'plate' will touch nothing: none of its edges and faces is labelled as surface" in caplog.text
    assert warned == (reason == "forgotten")


@pytest.mark.parametrize(("unlabelled", "warned"), [("vertices", True), ("edges", False), ("", False)])
def test_vertices_that_lack_the_label_of_their_faces_are_warned_of(tmp_path, caplog, unlabelled, warned):
    scene = BoxScene(tmp_path)
    scene.add_ground()
    box = scene.add_box(translation(0, 0, 1)).geometry()
    box.instances().resize(2)
    uipc.view(box.transforms())[1] = translation(1, 0, 1)
    if unlabelled:
        uipc.view(getattr(box, unlabelled)().find("is_surf"))[:3] = 0
    scene.start()
    message = "3 vertices of 'box 0 instance 0' touch half-planes and faces although they have no label is_surf"
    assert caplog.text.count(message) == caplog.text.count("is_surf") == int(warned)
