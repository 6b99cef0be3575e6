"""What is drawn of bodies with shapes for display."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from ipc_articulation.errors import ViewingError
from ipc_articulation.recording import read_recording
from ipc_articulation.viewing.bodies import bounds
from ipc_articulation.viewing.exporting import export
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.meshes import drawn_meshes, require_show
from ipc_articulation.viewing.replaying.played import Played
from ipc_articulation.viewing.replaying.server import quiet_server
from tests.viewing.made import recording, save, with_looks
from tests.viewing.test_pictures import SMALL, VIEW, drawn

WHITE, RED = "#ffffff", "#e60000"


@pytest.mark.parametrize(
    ("show", "by", "expected"),
    [
        ("visual", "role", [(RED, 1.0), (WHITE, 1.0)]),
        ("visual", "link", [(WHITE, 1.0), (WHITE, 1.0)]),
        ("collision", "role", [(WHITE, 1.0)]),
        ("both", "role", [(WHITE, 0.35), (RED, 1.0), (WHITE, 1.0)]),
    ],
)
def test_the_choice_of_surfaces(show: str, by: str, expected: list) -> None:
    link, crate, _ = with_looks(recording()).scenery.surfaces
    assert [(mesh.colour, mesh.opacity) for mesh in drawn_meshes(link, show, by, WHITE)] == expected
    (only,) = drawn_meshes(crate, show, by, WHITE)  # which has no visual surfaces
    assert only.vertices is crate.vertices


def test_a_wrong_choice() -> None:
    with pytest.raises(ViewingError, match=r"show must be one of visual, collision, both, is 'visuals'; did you mean"):
        require_show("visuals")
    with pytest.raises(ViewingError, match=r"show must be one of visual, collision, both, is array\(\['visual'\]"):
        require_show(np.array(["visual"]))  # type: ignore[arg-type]


def test_the_camera_sees_visual_surfaces() -> None:
    assert bounds(with_looks(recording()))[1][2] == pytest.approx(1.5)  # the end of the rod


@pytest.mark.slow
def test_pictures_have_the_colours_of_files(tmp_path: Path) -> None:
    made = with_looks(recording(**VIEW))
    shares = {}
    for show in ("visual", "collision"):
        (image,) = drawn(made, [0], tmp_path / f"{show}.png", size=SMALL, show=show)
        red, green, blue = np.moveaxis(image[..., :3], -1, 0)
        shares[show] = ((red > 0.2) & (red > 4.0 * green) & (red > 4.0 * blue)).mean()
    assert shares["visual"] > 0.005
    assert shares["collision"] == 0.0


def test_exports_have_a_node_for_each_surface(tmp_path: Path) -> None:
    made = read_recording(save(with_looks(recording()), tmp_path))
    export(made, "gltf", tmp_path / "run.glb", tmp_path, np.array([0, 10]))
    read = trimesh.load(tmp_path / "run.glb")
    assert set(read.geometry) == {"link", "link surface 2", "a crate", "wall"}
    assert read.geometry["link"].visual.material.main_color.tolist() == [202, 0, 0, 255]  # linear, of 230


def test_the_page_switches_between_surfaces() -> None:
    pytest.importorskip("viser")
    made = with_looks(recording())
    with quiet_server(0, "switch") as server:
        stage = Played(server, made, "role", ForceArrows(made), "visual").stage

        def link() -> list[tuple[tuple[int, ...], float | None]]:
            return [(tuple(handle.color), handle.opacity) for _, handle in stage._bodies["link"]._meshes]

        assert stage.has_visuals
        assert link() == [((230, 0, 0), None), ((255, 255, 255), None)]
        stage.show("collision")
        assert link() == [((255, 255, 255), None)]
        stage.show("both")
        assert link() == [((255, 255, 255), 0.35), ((230, 0, 0), None), ((255, 255, 255), None)]
        stage.see_through(True)
        assert [opacity for _, opacity in link()] == [0.35, 0.45, 0.45]
