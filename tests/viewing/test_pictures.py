"""Pictures show what they should: bodies of every role, the ground, shadows, curves."""

import sys
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.errors import ViewingError
from ipc_articulation.recording import Recording
from ipc_articulation.viewing import plotting
from ipc_articulation.viewing.drawing import draw, process, shots_of
from ipc_articulation.viewing.forces import ForceArrows
from ipc_articulation.viewing.palette import colours, joint_colours
from ipc_articulation.viewing.pictures import draw_plot, draw_scene
from tests.viewing.made import box, recording

VIEW = {"eye": (0.0, -6.0, 2.0), "target": (0.0, 0.0, 0.5)}
SMALL = (320, 200)  # pixels


def shares(image: np.ndarray) -> dict[str, float]:
    """Which share of a picture is of a colour, and where orange is, from 0 (left) to 1 (right)."""
    red, green, blue = np.moveaxis(image[..., :3], -1, 0)
    orange = (red > 1.4 * blue) & (red > 0.3) & (green > blue)
    return {
        "orange": orange.mean(),
        "pink": ((red > 2.0 * green) & (blue > 1.2 * green)).mean(),
        "blue": ((blue > 1.6 * red) & (blue > 0.3)).mean(),
        "ground": _is(image, 0xDD, 0xE3, 0xEA).mean(),
        "tiles": _is(image, 0xD2, 0xDA, 0xE3).mean(),
        "shadow": _is(image, 0xB9, 0xC2, 0xCD).mean(),
        "place": np.nonzero(orange)[1].mean() / image.shape[1],
    }


def _is(image: np.ndarray, *colour: int) -> np.ndarray:
    return np.isclose(image[..., :3], np.array(colour) / 255, atol=0.02).all(axis=-1)


def drawn(made: Recording, rows: list[int], file: Path, **looks) -> list[np.ndarray]:
    """Pictures (height, width, 3), 0 to 1, of a picture or film; skips the test where nothing can be drawn."""
    pytest.importorskip("pyvista")
    iio = pytest.importorskip("imageio.v3")
    try:
        draw(shots_of(made, rows, **looks), file)
    except ViewingError as error:
        pytest.skip(str(error))
    read = iio.imread(file) / 255.0
    return list(read) if read.ndim == 4 else [read]


@pytest.mark.slow
def test_the_end_of_a_scene(tmp_path: Path) -> None:
    pytest.importorskip("pyvista")
    image = pytest.importorskip("matplotlib.image")
    note = draw_scene(recording(slide=0.2), tmp_path / "end.png")
    if note:
        pytest.skip(note)
    seen = shares(image.imread(tmp_path / "end.png"))
    assert seen["orange"] > 0.01
    assert seen["ground"] > 0.2
    assert seen["tiles"] > 0.2
    assert seen["shadow"] > 0.005
    assert seen["pink"] == seen["blue"] == 0.0


@pytest.mark.slow
def test_a_film_moves_shows_forces_and_colours_links(tmp_path: Path) -> None:
    made = recording(slide=1.0, **VIEW)
    looks = {"forces": ForceArrows(made), "by": "link", "size": SMALL, "fps": 5.0}
    first, last = drawn(made, [0, 10], tmp_path / "film.mp4", **looks)
    assert first.shape == (200, 320, 3)
    assert shares(first)["pink"] == 0.0  # nothing pushes at the start
    assert shares(last)["pink"] > 0.0005
    assert 0.45 < shares(first)["place"] < 0.55
    assert shares(first)["blue"] > 0.005  # the link
    assert shares(last)["place"] > 0.6  # the crate slid to the right


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["webp", "gif"])
def test_films_that_a_browser_shows_run_in_real_time(tmp_path: Path, suffix: str) -> None:
    film = tmp_path / f"film.{suffix}"
    looks = {"size": SMALL, "fps": 30.0}
    drawn(recording(slide=1.0, **VIEW), [0, 3, 5, 8, 9, 10], film, **looks)
    durations = []
    with pytest.importorskip("PIL.Image").open(film) as opened:
        assert (opened.n_frames, opened.info["loop"]) == (6, 0)
        for number in range(opened.n_frames):
            opened.seek(number)
            last = np.asarray(opened.convert("RGB")) / 255.0
            durations.append(opened.info["duration"])
    assert shares(last)["place"] > 0.6
    assert sum(durations) == 200


@pytest.mark.slow
def test_what_comes_near_the_camera_is_drawn_whole(tmp_path: Path) -> None:
    made = recording(slide=2.0, ground=False, eye=(3.2, 0.0, 0.7), target=(0.0, 0.0, 0.5))
    (near,) = drawn(made, [10], tmp_path / "near.png", size=SMALL)
    assert shares(near)["orange"] > 0.2


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("a.avi", (320, 200), "a.avi: a picture is a .png file, a film a .mp4, .webp or .gif file"),
        ("a.mp4", (321, 200), "a.mp4: a film's width and height are even numbers, not (321, 200)"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path: Path, name: str, size: tuple[int, int], message: str) -> None:
    pytest.importorskip("pyvista")
    with pytest.raises(ViewingError) as caught:
        draw(shots_of(recording(), [0], size=size), tmp_path / name)
    assert str(caught.value) == message


def test_a_drawing_process_that_dies_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyvista")
    monkeypatch.setattr(process, "_COMMAND", (sys.executable, "-c", "import sys; sys.exit('no display')"))
    assert draw_scene(recording(), tmp_path / "end.png") == (
        "end.png: off-screen drawing does not work here (is OpenGL, libGL, installed?): no display"
    )


def test_a_drawing_process_that_hangs_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyvista")
    monkeypatch.setattr(process, "_COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(process, "_PATIENCE", 0.2)
    assert draw_scene(recording(), tmp_path / "end.png") == "end.png: drawing took more than 0 s for one picture"


def test_without_the_library_a_note_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ipc_articulation.extras.find_spec", lambda package: None)
    install = "install it with: pip install 'ipc_articulation[view]'"
    assert draw_scene(recording(), tmp_path / "end.png") == f"end.png: pyvista is missing; {install}"
    assert draw_plot(recording(), tmp_path / "motion.png") == f"motion.png: matplotlib is missing; {install}"


def two_joints() -> Recording:
    """The recording with a sliding joint beside the turning one, and an impact on the latter."""
    made = recording(rows=201)
    made.joint_names = ("turn", "slide")
    for name in ("theta", "contact_force"):
        made.buffers[name] = np.repeat(made.buffers[name], 2, axis=1)
    made.buffers["contact_force"][1:] = np.sin(np.arange(200))[:, None]
    made.buffers["contact_force"][100, 0] = 500.0
    made.extra["joint_units"] = {"turn": "rad", "slide": "m"}
    return made


def test_angles_and_lengths_have_axes_of_their_own_and_an_impact_flattens_nothing() -> None:
    pytest.importorskip("matplotlib")
    panels = plotting._motion(two_joints()).axes
    labels = [axes.get_ylabel().replace("\n", " ") for axes in panels]
    assert labels[:2] == ["joint position [rad]", "joint position [m]"]
    assert labels[2:4] == ["contact force on joints [N·m]", "contact force on joints [N]"]
    assert [len(axes.lines) for axes in panels] == [1, 1, 1, 1, 1]
    assert panels[2].get_ylim()[1] == pytest.approx(1.5, abs=0.01)
    assert [text.get_text() for text in panels[2].texts] == ["cut: values up to 500"]
    assert panels[3].get_ylim()[1] < 1.2
    assert not panels[3].texts


def test_twenty_colours_differ() -> None:
    for row in (joint_colours(20), list(colours([box(str(k), "link", 0.0) for k in range(20)], "link").values())):
        assert len(set(row)) == 20
    assert joint_colours(21)[20] == joint_colours(21)[0]


def test_the_plot(tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image")
    assert draw_plot(recording(), tmp_path / "motion.png") is None
    assert image.imread(tmp_path / "motion.png").std() > 0.05
