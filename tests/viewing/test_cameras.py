"""Named cameras: those of a robot's file and of a scene file, by name, at every moment."""

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import cli, read_recording
from ipc_articulation.errors import SceneFileError, ViewingError
from ipc_articulation.recording.scenery import Camera, Scenery
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.showing import place
from ipc_articulation.viewing.cameras import camera_named, look_at_row, look_through
from ipc_articulation.viewing.drawing import shots_of
from ipc_articulation.viewing.drawing.camera import upward
from tests.viewing.made import recording, save

MODEL = """
<mujoco>
  <worldbody>
    <camera name="still" pos="0 -3 1" xyaxes="1 0 0 0 0 1" fovy="40"/>
    <camera name="aimed" mode="targetbody" target="hand" pos="2 0 1"/>
    <body name="arm" pos="0 0 1">
      <joint name="shoulder" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
      <camera name="rides" pos="0.1 0 0.2" xyaxes="0 -1 0 0 0 1"/>
      <camera name="follows" mode="track" pos="0 -2 0" xyaxes="1 0 0 0 0 1"/>
      <body name="hand" pos="0.4 0 0"><geom size="0.05"/></body>
    </body>
  </worldbody>
</mujoco>
"""
SCENE = """\
adapter: mujoco
dt: 0.002
steps: 1
robot: {model: arm.xml}
cameras:
  - {name: of_hand, eye: [0, -1, 0], on: arm}
  - {name: still, eye: [0, -9, 1], target: [0, 0, 1], angle: 20}
"""


@pytest.mark.parametrize("name", ["still", "rides", "follows", "aimed"])
def test_cameras_of_a_model_are_where_mujoco_has_them(name: str) -> None:
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    robot = MujocoAdapter(model, data).describe()
    data.qpos[0] = 0.7
    mujoco.mj_forward(model, data)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = data.body("arm").xmat.reshape(3, 3), data.body("arm").xpos
    scenery = Scenery((), (), np.array([0.0, 0.0, 1.0]), cameras=robot.cameras)
    look = look_through(camera_named(scenery, name), scenery, {"arm": pose})
    axes = data.cam(name).xmat.reshape(3, 3)
    np.testing.assert_allclose(look.eye, data.cam(name).xpos, atol=1e-12)
    ahead = (look.target - look.eye) / np.linalg.norm(look.target - look.eye)
    np.testing.assert_allclose(ahead, -axes[:, 2], atol=1e-12)
    right = np.cross(ahead, look.up)
    np.testing.assert_allclose(right / np.linalg.norm(right), axes[:, 0], atol=1e-12)
    assert look.angle == {"still": 40.0}.get(name, 45.0)


@pytest.fixture
def scene(tmp_path: Path):
    (tmp_path / "arm.xml").write_text(MODEL)

    def written(text: str = SCENE) -> Path:
        (tmp_path / "scene.yaml").write_text(text)
        return tmp_path / "scene.yaml"

    return written


def test_cameras_of_a_scene_file_go_before_those_of_the_robot(scene) -> None:
    cameras = {camera.name: camera for camera in place(*read_scene(scene())).scenery.cameras}
    assert sorted(cameras) == ["aimed", "follows", "of_hand", "rides", "still"]
    assert cameras["still"] == Camera("still", (0, -9, 1), (0, 0, 1), angle=20.0)
    assert cameras["of_hand"].at == "arm"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("on: arm", "on: ram"), "6:42: unknown body 'ram'; did you mean 'arm'? bodies: arm"),
        (("of_hand", "still"), "7:12: the name 'still' is already used"),
    ],
)
def test_wrong_cameras_of_a_scene_file(scene, change, message) -> None:
    with pytest.raises(SceneFileError) as caught:
        place(*read_scene(scene(SCENE.replace(*change))))
    assert str(caught.value).endswith(message)


def test_a_camera_that_is_not_there_is_an_error_with_those_that_are(scene, tmp_path: Path, capsys) -> None:
    assert cli.main(["show", str(scene()), "--quiet", "--camera", "stil"]) == 2
    known = "did you mean 'still'? cameras: aimed, follows, of_hand, rides, still"
    assert capsys.readouterr().err == f"ipc-articulation: unknown camera 'stil'; {known}\n"
    folder = save(recording(), tmp_path / "run")
    for command in (["render"], ["replay", "--html", str(tmp_path / "a.html")]):
        assert cli.main([command[0], str(folder), *command[1:], "--camera", "side"]) == 2
        assert capsys.readouterr().err == "ipc-articulation: unknown camera 'side'; cameras: none\n"


@pytest.mark.parametrize(
    ("ahead", "up"),
    [((0, 0, -1), (0, 1, 0)), ((0, 0, 2), (0, 1, 0)), ((1, 0, -1), (0, 0, 1)), ((1e-3, 0, -1), (0, 0, 1))],
)
def test_a_camera_that_looks_straight_down_has_the_back_of_the_scene_above(ahead, up) -> None:
    np.testing.assert_allclose(upward(np.array([0, 0, 3.0]), np.array(ahead, dtype=float)), up, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--film", "--out", "a.png"], "ipc-articulation: a.png: a film is a .mp4, .webp or .gif file"),
        (["--out", "a.mp4"], "ipc-articulation: a.mp4: a picture is a .png file; --film makes films"),
        (["--film", "--fps", "1e9"], "argument --fps: '1e9' is no number of pictures per second from 0.1 to 1000"),
    ],
)
def test_formats_and_rates_of_films(options, message, tmp_path: Path, capsys) -> None:
    try:
        status = cli.main(["render", str(save(recording(), tmp_path / "run")), *options])
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert message in capsys.readouterr().err


def test_cameras_are_recorded_and_move_with_their_bodies(tmp_path: Path) -> None:
    made = recording()
    rides = Camera("rides", (0.0, -1.0, 0.0), (0.0, 0.0, 0.0), "a crate", "link", up=(0.0, 0.0, 1.0), angle=50.0)
    made.__dict__["scenery"] = replace(made.scenery, cameras=(rides,))
    read = read_recording(save(made, tmp_path / "run"))
    assert read.scenery.cameras == (rides,)
    first, last = (shot.look for shot in shots_of(read, [0, 10], camera="rides").shots)
    np.testing.assert_allclose(last.eye - first.eye, [0.8, 0, 0], atol=1e-12)
    np.testing.assert_allclose(last.target, [-1, 0, 0.5], atol=1e-12)
    assert look_at_row(read, "rides", 0).put_into(read.scenery).eye == pytest.approx((0, -1, 0.5))
    lost = replace(rides, on="ghost")
    with pytest.raises(ViewingError, match=r"^camera 'rides' is on or at 'ghost', a body that is not there$"):
        look_through(lost, read.scenery, {})
