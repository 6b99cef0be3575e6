"""Pictures show what they should: bodies of every role, the ground, shadows, curves."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from ipc_articulation.recording import Recording, Scenery, Surface
from ipc_articulation.viewing.pictures import draw_plot, draw_scene

UP = np.array([0.0, 0.0, 1.0])


def box(name: str, role: str, x: float) -> Surface:
    mesh, pose = trimesh.creation.box((0.5, 0.5, 0.5)), np.eye(4)
    pose[:3, 3] = x, 0.0, 0.5
    return Surface(name, role, mesh.vertices, mesh.faces.astype(np.int32), pose)


def recording(crate_at: float, **camera: tuple[float, float, float]) -> Recording:
    surfaces = (box("link", "link", -1.0), box("crate", "free", 0.0), box("wall", "fixed", 1.0))
    scenery = Scenery(surfaces, ((np.zeros(3), UP),), UP, **camera)
    made = Recording("a", 0.1, 1, ("turn",), ("crate",), ("crate",), {"title": "A title"}, scenery)
    made.rows = 2
    made.buffers["body_poses"][:] = np.eye(4)
    made.buffers["body_poses"][:, 0, :3, 3] = crate_at, 0.0, 0.5
    made.buffers["theta"][:, 0] = 0.0, 1.0
    made.buffers["minimum_distance"][:] = np.inf
    return made


def shares(file: Path) -> dict[str, float]:
    """Which share of a picture is orange, shadow or ground, and where orange is, from 0 (left) to 1 (right)."""
    image = pytest.importorskip("matplotlib.image").imread(file)[..., :3]
    red, _, blue = np.moveaxis(image, -1, 0)
    orange = (red > 1.4 * blue) & (red > 0.3)
    return {
        "orange": orange.mean(),
        "ground": np.isclose(image, np.array([0xDD, 0xE3, 0xEA]) / 255, atol=0.02).all(axis=-1).mean(),
        "shadow": np.isclose(image, np.array([0xB9, 0xC2, 0xCD]) / 255, atol=0.02).all(axis=-1).mean(),
        "place": np.nonzero(orange)[1].mean() / image.shape[1],
    }


@pytest.mark.slow
def test_the_end_of_a_scene(tmp_path: Path) -> None:
    pytest.importorskip("pyvista")
    note = draw_scene(recording(crate_at=0.0), tmp_path / "middle.png")
    if note:
        pytest.skip(note)
    middle = shares(tmp_path / "middle.png")
    assert middle["orange"] > 0.01
    assert middle["ground"] > 0.3
    assert middle["shadow"] > 0.005
    view = {"eye": (0.0, -6.0, 2.0), "target": (0.0, 0.0, 0.5)}
    places = []
    for x in (-0.4, 0.4):
        draw_scene(recording(x, **view), tmp_path / "side.png")
        places.append(shares(tmp_path / "side.png")["place"])
    assert places[0] < 0.5 < places[1]  # the crate is drawn where the recording ends


def test_the_plot(tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image")
    assert draw_plot(recording(crate_at=0.0), tmp_path / "motion.png") is None
    assert image.imread(tmp_path / "motion.png").std() > 0.05
