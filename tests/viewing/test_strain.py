"""Strain at vertices against motions whose strain is known, its scale over a recording, and its colours in pictures."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from ipc_articulation.errors import ViewingError
from ipc_articulation.meshing.grids import box_tetrahedra, rectangle_triangles
from ipc_articulation.recording import Recording, Scenery, SoftShape
from ipc_articulation.viewing.soft_strain import SoftStrain
from ipc_articulation.viewing.soft_surfaces import SoftSurface
from ipc_articulation.viewing.strain import VertexStrain
from tests.viewing.made import DT, UP, recording
from tests.viewing.test_pictures import SMALL, drawn
from tests.viewing.test_soft import rod, sheet, solid

TURN = Rotation.from_rotvec([0.3, -1.2, 0.7]).as_matrix()
BRANCHES = SoftShape(
    "branches", np.array([[0, 1], [0, 2], [3, 3]], dtype=np.int32), np.eye(4, 3), 0.05
)  # and a particle
ALL = [solid(), sheet(), rod(), BRANCHES]


def strained(shape: SoftShape, F: np.ndarray) -> np.ndarray:
    """Strain at the vertices after the motion x = R F X + t, whose rotation has no part in it."""
    motion = shape.vertices @ (TURN @ F).T + [1.0, 2.0, 3.0]
    return VertexStrain(shape.cells, shape.vertices).at(motion)


def on_surface(shape: SoftShape) -> np.ndarray:
    return np.isin(np.arange(len(shape.vertices)), SoftSurface(shape).sources)


@pytest.mark.parametrize("shape", ALL, ids=lambda shape: shape.name)
def test_rigid_motion_has_none(shape: SoftShape) -> None:
    assert_allclose(strained(shape, np.eye(3)), 0.0, atol=1e-14)


@pytest.mark.parametrize("factor", [1.25, 0.8])
@pytest.mark.parametrize("shape", ALL, ids=lambda shape: shape.name)
def test_uniform_stretch_is_that_strain_everywhere(shape: SoftShape, factor: float) -> None:
    expected = np.where(on_surface(shape), factor - 1.0, 0.0)
    expected[3:] *= shape is not BRANCHES  # the particle
    assert_allclose(strained(shape, factor * np.eye(3)), expected, atol=1e-14)


def test_stretch_in_one_direction_of_a_sheet() -> None:
    along = np.array([0.6, 0.8, 0.0])
    assert_allclose(strained(sheet(), np.eye(3) + 0.3 * np.outer(along, along)), 0.3, atol=1e-14)
    assert_allclose(strained(sheet(), np.eye(3) - 0.3 * np.outer(along, along)), 0.0, atol=1e-14)  # across it


def test_shear_of_a_sheet() -> None:
    """F = [1 γ; 0 1] has the principal stretches √(1 + γ²/4) ± γ/2."""
    shear = np.eye(3)
    shear[0, 1] = 0.5
    assert_allclose(strained(sheet(), shear), np.sqrt(1.0 + 0.5**2 / 4.0) + 0.5 / 2.0 - 1.0, atol=1e-14)


def test_a_vertex_has_the_mean_by_area_and_by_length() -> None:
    X = np.array(
        [[0.0, 0, 0], [0, 1, 0], [1, 0, 0], [-3, 0, 0]]
    )  # the right triangle is as wide as long, the left 3 wide
    x = X * np.array([[1.0], [1.0], [1.4], [1.0]])
    triangles = np.array([[0, 2, 1], [0, 1, 3]])
    assert_allclose(VertexStrain(triangles, X).at(x), [0.1, 0.1, 0.4, 0.0], atol=1e-14)
    segments = np.array([[2, 0], [0, 3]])
    assert_allclose(VertexStrain(segments, X).at(x), [0.1, 0.0, 0.4, 0.0], atol=1e-14)


@pytest.mark.parametrize("shape", ALL, ids=lambda shape: shape.name)
def test_every_vertex_of_a_surface_is_near_its_source(shape: SoftShape) -> None:
    surface = SoftSurface(shape)
    away = np.linalg.norm(surface.vertices(shape.vertices) - shape.vertices[surface.sources], axis=1)
    assert away.max() < 1.5 * shape.radius + 1e-9  # a particle is as high as thick


def stretched_recording(*factors: float) -> Recording:
    """A sheet that is stretched along x and a solid that is not, in a row for each factor."""
    vertices, cells = rectangle_triangles((1.0, 1.0), (4, 4))
    upright = SoftShape("towel", cells.astype(np.int32), vertices[:, [0, 2, 1]], 0.001)
    vertices, cells = box_tetrahedra((0.4, 0.4, 0.4), (2, 2, 2))
    box = SoftShape("box", cells.astype(np.int32), vertices + np.array([0.0, 2.0, 0.0]), 0.0)
    scenery = Scenery((), (), UP, (0.0, -6.0, 0.0), (0.0, 0.0, 0.0), (box, upright))
    made = Recording("run", DT, len(factors) - 1, (), (), scenery=scenery)
    made.rows = len(factors)
    for row, factor in enumerate(factors):
        made.buffers["soft_positions"][row] = np.concatenate([box.vertices, upright.vertices * [factor, 1.0, 1.0]])
    return made


def test_the_scale_is_that_of_the_whole_recording() -> None:
    strain = SoftStrain(stretched_recording(1.0, 1.25, 1.125))
    assert_allclose(strain.at(2), [0.0] * 27 + [0.125] * 25, atol=1e-14)
    scale = strain.scale()
    assert scale.largest == pytest.approx(0.25)
    assert scale.legend == "strain, at most 0.25: towel at 0.1 s"


def test_nothing_strained_has_a_scale_too() -> None:
    scale = SoftStrain(stretched_recording(0.9, 1.0)).scale()
    assert (scale.largest, scale.legend) == (1e-6, "strain, less than 1e-06")


def test_without_soft_bodies_there_is_no_strain() -> None:
    with pytest.raises(ViewingError, match="recording 'run' has no soft bodies, whose strain colours could show"):
        SoftStrain(recording())


@pytest.mark.slow
def test_pictures_of_what_is_strained_have_other_colours(tmp_path: Path) -> None:
    made = stretched_recording(1.0, 1.25)
    before, after = (drawn(made, [row], tmp_path / f"{row}.png", by="strain", size=SMALL)[0] for row in (0, 1))
    for image, is_purple in ((before, True), (after, False)):
        red, green, blue = image[60:, 80:240, :3].reshape(-1, 3).T  # below the bar
        purple, yellow = (blue > 1.2 * red) & (red > 2.0 * green), (red > 1.5 * blue) & (green > 1.5 * blue)
        shown, other = (purple, yellow) if is_purple else (yellow, purple)
        assert shown.mean() > 0.1
        assert other.mean() < 0.05 * shown.mean()


@pytest.mark.slow
def test_films_change_colours(tmp_path: Path) -> None:
    film = drawn(stretched_recording(1.0, 1.25), [0, 1], tmp_path / "film.mp4", by="strain", size=SMALL, fps=5.0)
    reds = [image[80:110, 140:180, 0].mean() for image in film]
    assert reds[1] > 2.0 * reds[0]
