"""The start of a scene is drawn and listed before it runs, also of scenes that cannot start."""

import threading
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation import cli
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.showing import Placed, browser, lines_of, place
from ipc_articulation.viewing.drawing.names import heights

SCENES = Path(__file__).parents[2] / "scenes"
SCENE = """\
adapter: mujoco
dt: 0.01
steps: 10
contact: {d_hat: 0.002}
robot:
  model: pendulum.xml
  initial: {shoulder: -1.0}
  actuators:
    - {joints: shoulder, kp: 100, kv: 10}
controller: {type: sine, joints: shoulder, amplitude: 0.5, frequency: 0.5}
ground: {height: 0}
bodies:
  - name: box
    shape: {type: box, size: [0.2, 0.2, 0.2]}
    pose: {position: [0.3, 0, 0.09]}
    mass: 3
"""


@pytest.fixture
def write(tmp_path: Path):
    (tmp_path / "pendulum.xml").write_text((SCENES / "pendulum.xml").read_text())

    def written(*changes: tuple[str, str]) -> Path:
        text = SCENE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        (tmp_path / "scene.yaml").write_text(text)
        return tmp_path / "scene.yaml"

    return written


def placed(file: Path) -> Placed:
    return place(*read_scene(file))


def test_the_list(write) -> None:
    assert list(lines_of(placed(write()))) == [
        "bodies: 5",
        "  upper   link   at (0, 0, 1.3) m          1.244 kg",
        "  lower   link   at (-0.4628, 0, 1.003) m  5.042 kg",
        "  box     free   at (0.3, 0, 0.09) m       3 kg",
        "  beam    fixed  at (0, 0, 1.3) m",
        "  ground  plane  at (0, 0, 0) m",
        "joints: 2",
        "  shoulder  revolute  axis (0, -1, 0)  no limits  starts at -1 rad",
        "  elbow     revolute  axis (0, -1, 0)  no limits  starts at 0 rad",
        "overlaps: 1",
        "  box and ground  10 mm deep; box is out by (0, 0, 0.01) m",
    ]


def test_an_overlap_of_bodies_has_a_depth_and_a_way_out(write) -> None:
    (overlap,) = placed(write(("[0.3, 0, 0.09]", "[0.1, 0, 1.24]"))).overlaps
    assert (overlap.first, overlap.second) == ("box", "beam")
    np.testing.assert_allclose(overlap.way, [0.05, 0, 0], atol=1e-9)
    assert (np.abs(overlap.point - [0.025, 0, 1.27]) < 0.05).all()


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        (("joints: shoulder, kp", "joints: knee, kp"), "'knee' matches no joint"),
        (("{shoulder: -1.0}", "{shoulder: -1.0, knee: 0.3}"), "unknown joint 'knee'"),
        (("{d_hat: 0.002}", "{d_hat: 0.002, pairs: [{between: [foot, box], friction: 1}]}"), "'foot'"),
        (("  model: pend", "  untouchable: [[foot, box]]\n  model: pend"), "'foot'"),
    ],
)
def test_what_does_not_start_is_placed_without_what_is_refused(write, change, refused) -> None:
    start = placed(write(change))
    assert refused in start.refused
    assert len(start.overlaps) == 1
    assert [joint.freedoms[0].start for joint in start.joints] == [-1.0, 0.0]


def test_two_refused_keys_are_left_out_together(write) -> None:
    pairs = "{d_hat: 0.002, pairs: [{between: [foot, box], friction: 1}]}"
    start = placed(write(("joints: shoulder, kp", "joints: knee, kp"), ("{d_hat: 0.002}", pairs)))
    assert "'knee' matches no joint" in start.refused
    assert len(start.overlaps) == 1


def test_what_no_engine_would_take_is_drawn_and_printed(write, tmp_path: Path, monkeypatch, capsys) -> None:
    file, drawn = write(("joints: shoulder, kp", "joints: knee, kp")), {}
    monkeypatch.setattr("ipc_articulation.viewing.drawing.draw", lambda shots, file: drawn.update({file: shots}))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["show", str(file)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[-2].startswith(f"refused, and left out: {file}:9:16: 'knee' matches no joint")
    assert told[-1] == "out/scene/start.png"
    marks = drawn[Path("out/scene/start.png")].marks
    assert [(name.text, name.kind) for name in marks.names] == [
        *((name, "body") for name in ("upper", "lower", "box", "beam")),
        ("shoulder", "joint"),
        ("elbow", "joint"),
        ("box in ground: 10 mm", "overlap"),
    ]
    assert drawn[Path("out/scene/start.png")].meshes["box"][0].colour == "#d02020"
    along = marks.axes[0, 1] - marks.axes[0, 0]
    np.testing.assert_allclose(along / np.linalg.norm(along), [0, -1, 0], atol=1e-12)


def test_wrong_keys_are_the_usual_errors(write, capsys) -> None:
    assert cli.main(["show", str(write(("steps: 10", "step: 10")))]) == 2
    assert "3:1: unknown key 'step'; did you mean 'steps'?" in capsys.readouterr().err


def test_an_environment_that_is_not_there(write, capsys) -> None:
    assert cli.main(["show", str(write()), "--environment", "2"]) == 2
    assert capsys.readouterr().err == "ipc-articulation: the scene has no environments: it is of a single robot\n"
    file = write(("bodies:", "environments: 2\nbodies:"))
    assert cli.main(["show", str(file), "--environment", "2"]) == 2
    assert capsys.readouterr().err == "ipc-articulation: the scene has no environment 2; valid: 0 to 1\n"


def test_without_the_library_the_error_names_the_extra(write, monkeypatch, capsys) -> None:
    monkeypatch.setattr("ipc_articulation.extras.find_spec", lambda package: None)
    assert cli.main(["show", str(write()), "--quiet"]) == 2
    assert capsys.readouterr().err == (
        "ipc-articulation: pyvista is missing; install it with: pip install 'ipc_articulation[view]'\n"
    )


def test_names_in_a_column_do_not_cover_each_other() -> None:
    np.testing.assert_allclose(heights(np.array([10.0, 50.0, 52.0, 90.0]), 10.0, 0.0, 100.0), [10, 46, 56, 90])
    np.testing.assert_allclose(heights(np.array([-50.0, 1.0]), 10.0, 5.0, 100.0), [5, 15])
    np.testing.assert_allclose(heights(np.array([99.0, 99.0]), 10.0, 5.0, 95.0), [85, 95])


@pytest.mark.slow
def test_the_picture(write, tmp_path: Path, monkeypatch, capsys) -> None:
    pytest.importorskip("pyvista")
    image = pytest.importorskip("matplotlib.image")
    status = cli.main(["show", str(write()), "--size", "800x500", "-o", str(tmp_path / "a.png")])
    if status and "off-screen drawing does not work here" in capsys.readouterr().err:
        pytest.skip("no OpenGL")
    red, green, blue = np.moveaxis(image.imread(tmp_path / "a.png")[..., :3], -1, 0)
    assert ((red > 1.6 * green) & (red > 1.6 * blue)).mean() > 0.005  # the box, and what is written of it
    is_blue = (blue > 1.8 * red) & (blue > 0.5)
    assert is_blue[:, 700:].mean() > 0.001  # names of joints


def test_in_the_browser_until_it_is_stopped(write) -> None:
    pytest.importorskip("viser")
    stop, told = threading.Event(), []

    def ready(address: str) -> None:
        told.append(address)
        stop.set()

    browser.serve(placed(write()), "start", 8600, ready=ready, stop=stop)
    assert told[0].startswith("http://127.0.0.1:86")
