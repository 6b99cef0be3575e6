"""Soft bodies in what scripts record and show, and in the distances of a scene."""

from pathlib import Path

import numpy as np
import pytest
import uipc
from uipc.constitution import ElasticModuli, StableNeoHookean

from ipc_articulation import Engine, Recorder, View, read_recording
from ipc_articulation.coupling.distance import SceneDistance
from ipc_articulation.viewing.pictures import draw_scene
from ipc_articulation.viewing.soft_strain import SoftStrain
from ipc_articulation.viewing.soft_surfaces import SoftSurface
from ipc_articulation.watching.subject import Subject
from tests.engine.soft.soft_scenes import block_mesh, cloth, moved, particles, rod
from tests.watching.scenes import add_box, config, step

STAR = np.array([[0.5, 0.5, 0.3], [0.6, 0.5, 0.3], [0.5, 0.6, 0.3], [0.5, 0.5, 0.4]])


def star():
    """Three rods that meet at the first vertex."""
    mesh = rod(STAR)
    uipc.view(mesh.edges().topo())[:, :, 0] = [[0, 1], [0, 2], [0, 3]]
    return mesh


def soft_block():
    mesh = block_mesh(1, 0.1)
    StableNeoHookean().apply_to(mesh, ElasticModuli.youngs_poisson(1e5, 0.4), 1000.0)
    return mesh


@pytest.fixture
def scene(tmp_path):
    """A fixed box whose top is at 0.1 m, two soft blocks of one name, cloth, rods and particles over it."""
    made = uipc.Scene(config())
    add_box(made, "box", 0.0, is_fixed=True)
    bodies = {
        "block": moved(soft_block(), 0, 0, 0.155),
        "other": moved(soft_block(), 0.5, 0, 0.2),
        "towel": moved(cloth(2, size=0.2), 0, 0.5, 0.3),
        "star": star(),
        "dust": particles([[0.5, -0.5, 0.3], [0.6, -0.5, 0.3]]),
    }
    for name, mesh in bodies.items():
        made.objects().create("block" if name == "other" else name).geometries().create(mesh)
    engine = Engine("cpu", str(tmp_path / "engine"))
    world = uipc.World(engine)
    world.init(made)
    return made, engine, world


def test_distances_are_between_bodies_and_not_within_one(scene) -> None:
    made, _, world = scene
    distance = SceneDistance(made)
    assert distance.minimum() == pytest.approx(0.005, rel=1e-9)
    step(world)
    height = 0.155 - 0.05 - 9.81e-4
    assert distance.minimum() == pytest.approx(height - 0.1, rel=1e-6)


@pytest.mark.slow
def test_a_recorder_keeps_all_vertices(scene, tmp_path: Path) -> None:
    made, engine, world = scene
    with Recorder(made, tmp_path / "run", engine) as recorder:
        for _ in range(20):
            step(world)
            recorder.append()
    recording = read_recording(tmp_path / "run")
    assert recording.soft_names == ("block (1)", "block (2)", "towel", "star", "dust")
    falling = recording.soft_positions_of("block (2)")[:, :, 2]
    np.testing.assert_allclose(falling[20] - falling[0], -9.81e-4 * 20 * 21 / 2, rtol=1e-6)
    np.testing.assert_allclose(recording.soft_positions_of("star")[0], STAR)
    assert recording.soft_positions_of("dust").shape == (21, 2, 3)
    assert np.nanmin(recording.minimum_distance) < 0.001
    touching = {frozenset(pair) for row in range(21) for pair in recording.contacts(row).bodies}
    assert frozenset({"box", "block (1)"}) in touching
    assert draw_scene(recording, tmp_path / "scene.png") is None
    assert (tmp_path / "scene.png").stat().st_size > 10_000


def test_a_recorder_keeps_what_is_stretched_at_the_start(tmp_path: Path) -> None:
    made = uipc.Scene(config())
    slot, _ = made.objects().create("towel").geometries().create(cloth(2, size=0.2))
    made.objects().create("dust").geometries().create(particles([[0.5, -0.5, 0.3]]))
    uipc.view(slot.geometry().positions())[:] *= 1.25
    engine = Engine("cpu", str(tmp_path / "engine"))
    world = uipc.World(engine)
    world.init(made)
    Recorder(made, tmp_path / "run", engine).close()
    recording = read_recording(tmp_path / "run")
    assert [shape.unstrained is None for shape in recording.scenery.soft] == [False, True]
    np.testing.assert_allclose(SoftStrain(recording).at(0), [0.25] * 9 + [0.0], atol=1e-12)


def test_rods_that_branch_are_a_tube_for_each_segment(scene) -> None:
    made, _, _ = scene
    shapes = {shape.name: shape for shape in Subject(made).scenery.soft}
    surface = SoftSurface(shapes["star"])
    vertices = surface.vertices(STAR[None])[0]
    pieces = vertices.reshape(3, 22, 3)
    np.testing.assert_allclose(pieces[:, 20], [STAR[0]] * 3)
    np.testing.assert_allclose(pieces[:, 21], STAR[1:])
    for piece, along in zip(pieces, STAR[1:] - STAR[0], strict=True):
        for ring, centre in ((piece[:10], piece[20]), (piece[10:20], piece[21])):
            np.testing.assert_allclose(np.linalg.norm(ring - centre, axis=1), 0.005)
            np.testing.assert_allclose((ring - centre) @ along, 0.0, atol=1e-12)
    corners = vertices[surface.faces] - vertices.mean(axis=0)
    assert np.linalg.det(corners).sum() / 6.0 == pytest.approx(
        3 * 0.1 * 0.005**2 * 5 * np.sin(np.radians(36)), rel=1e-6
    )


def test_particles_are_as_high_as_thick(scene) -> None:
    shape = Subject(scene[0]).scenery.soft[-1]
    size = np.ptp(SoftSurface(shape).vertices(shape.vertices).reshape(2, 22, 3), axis=1)
    np.testing.assert_allclose(size, np.full((2, 3), 0.02), rtol=0.05)


def test_a_view_follows_the_vertices(scene) -> None:
    made, engine, world = scene
    with View(made, engine, port=0) as view:
        handles = {node.surface.shape.name: node.plain for node in view._scene._stage._soft}
        before = np.array(handles["block (2)"].vertices)
        for _ in range(5):
            step(world)
        view._show(with_contacts=False)
        view._scene._show()
        fallen = np.array(handles["block (2)"].vertices) - before
    np.testing.assert_allclose(fallen[:, 2], -9.81e-4 * 15, rtol=1e-3)
