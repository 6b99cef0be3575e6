"""Scene files that are wrong say what is wrong, where, and what would be right."""

import pickle
from pathlib import Path
from typing import get_args

import pytest

from ipc_articulation.errors import SceneFileError
from ipc_articulation.frontend.joint_kinds import JOINT_KINDS, OWN_UID
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.scenefile.schema import ArticulationScene, JointEntry

SCENES = Path(__file__).parents[2] / "scenes"
SLIDER = (SCENES / "hinge_slider.yaml").read_text()


def write(folder: Path, text: str) -> Path:
    file = folder / "scene.yaml"
    file.write_text(text)
    return file


def error_of(folder: Path, old: str, new: str) -> SceneFileError:
    """The error of hinge_slider.yaml with one thing changed."""
    assert old in SLIDER
    with pytest.raises(SceneFileError) as caught:
        read_scene(write(folder, SLIDER.replace(old, new, 1)))
    return caught.value


def place_of(text: str) -> tuple[int, int]:
    """Line and column, from 1, of a text in hinge_slider.yaml."""
    before = SLIDER[: SLIDER.index(text)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


@pytest.mark.parametrize("file", sorted(SCENES.glob("*.yaml")), ids=lambda file: file.stem)
def test_every_scene_of_the_repository_is_right(file: Path) -> None:
    scene, document = read_scene(file)
    assert scene.steps > 0
    assert document.file == file


def test_values_arrive_as_written() -> None:
    scene, _ = read_scene(SCENES / "hinge_slider.yaml")
    assert isinstance(scene, ArticulationScene)
    assert scene.articulations[0].mass == ((64.0, 8.0), (8.0, 64.0))
    assert scene.bodies[0].fixed
    assert not scene.bodies[1].fixed


@pytest.mark.parametrize(
    ("old", "new", "at", "text"),
    [
        ("gravity:", "gravty:", "gravity:", "unknown key 'gravty'; did you mean 'gravity'? valid keys: adapter, art"),
        ("dt: 0.01", "dt: fast", "0.01", "dt should be a number, got 'fast'"),
        ("dt: 0.01", "dt: -90 deg", "0.01", "got '-90 deg'; degrees are written ${-90 * deg}"),
        ("dt: 0.01", "dt: 45.5°", "0.01", "got '45.5°'; degrees are written ${45.5 * deg}"),
        ("dt: 0.01", "dt: 0", "0.01", "dt should be greater than 0, got 0"),
        ("steps: 100", "steps: 1.5", "100\n", "steps should be a whole number, got 1.5"),
        ("steps: 100\n", "", "adapter: none", "missing key 'steps'"),
        ("fixed: true", "fixed: 1", "true", "bodies[0].fixed should be true or false, got 1"),
        ("type: box", "type: bx", "box, size", "unknown type 'bx'; did you mean 'box'? valid: box, capsule"),
        ("[0.2, 0.2, 0.2]", "[0.2, 0.2]", "[0.2, 0.2", "bodies[0].shape.size ends too early: entry 3 is missing"),
        ("[0.2, 0.2, 0.2]", "[0.2, a, 0.2]", "0.2, 0.2]", "bodies[0].shape.size[1] should be a number, got 'a'"),
        (
            "[0.2, 0.2, 0.2]",
            "[1, 2, 3, 4]",
            "[0.2, 0.2, 0.2",
            "bodies[0].shape.size should have at most 3 items, not 4",
        ),
        ("{d_hat: 0.005}", "0.005", "{d_hat", "contact should be a mapping, got 0.005"),
        ("box, size: [0.2, 0.2, 0.2]", "box", "{type: box", "missing key 'size'"),
        ("type: box", "type: box, sice: 1", "size", "unknown key 'sice'; did you mean 'size'? valid keys: size, type"),
        (
            "parent: arm",
            "parent: amr",
            "arm, child: slider",
            "unknown body 'amr'; did you mean 'arm'? known: arm, post",
        ),
        (
            "[hinge, slide]",
            "[hinge, slid]",
            "slide]",
            "unknown hinge or slider 'slid'; did you mean 'slide'? known: hinge, slide",
        ),
        ("[hinge, slide]", "[hinge, hinge]", "slide]", "joint 'hinge' is in an articulation already"),
        ("name: arm", "name: post", "arm\n", "the name 'post' is already used"),
        ("[8, 64]]", "[9, 64]]", "[[64, 8]", "mass must be symmetric positive definite"),
        ("[8, 64]]", "[8, -64]]", "[[64, 8]", "mass must be symmetric positive definite"),
        ("[8, 64]]", "[8, 64, 1]]", "[[64, 8]", "mass must be 2 rows of 2 numbers, for 2 joints"),
        (", 0.1]  #", "]  #", "[0.5235", "velocity has 1 numbers for 2 joints"),
        ("axis: [0, 0, 1]", "axis: [0, 0, 0]", "[0, 0, 1]", "the axis of joint 'hinge' has no direction"),
    ],
)
def test_a_wrong_file_names_the_fault_and_its_place(tmp_path: Path, old: str, new: str, at: str, text: str) -> None:
    error = error_of(tmp_path, old, new)
    assert text in str(error)
    assert (error.line, error.column) == place_of(at)
    assert str(error).startswith(f"{error.file}:{error.line}:{error.column}: ")


def test_an_unknown_adapter_lists_the_known_ones(tmp_path: Path) -> None:
    error = error_of(tmp_path, "adapter: none", "adapter: mujocko")
    assert (
        "unknown adapter 'mujocko'; did you mean 'mujoco'? known adapters: dart, mujoco, native, none, pinocchio"
        in str(error)
    )
    assert (error.line, error.column) == place_of("none\n")


def test_all_faults_are_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = SLIDER.replace("gravity:", "gravty:").replace("fixed: true", "fixd: true").replace("[[64, 8]", "[[x, 8]")
    with pytest.raises(SceneFileError) as caught:
        read_scene(write(tmp_path, text))
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    for line, words in zip(lines, ["unknown key 'gravty'", "unknown key 'fixd'", "mass[0][0] should be"], strict=True):
        assert words in line
    assert caught.value.line == place_of("gravity:")[0]


def test_a_fault_of_one_block_hides_no_fault_of_another(tmp_path: Path) -> None:
    changes = {
        "adapter: none": "adapter: nine",
        "dt: 0.01": "dt: -1",
        "name: arm": "name: post",  # twice
        "axis: [0, 0, 1]": "axis: [0, 0, 0]",
        "parent: arm": "parent: am",
        "[8, 64]]": "[9, 64]]",
        "steps: 100\n": "",
    }
    text = SLIDER
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(SceneFileError) as caught:
        read_scene(write(tmp_path, text))
    messages = sorted(fault.message.split(" ")[0] + " " + fault.message.split(" ")[1] for fault in caught.value.faults)
    assert messages == [
        "dt should", "mass must", "missing key", "the axis",
        "the name", "unknown adapter", "unknown body", "unknown body",
    ]  # fmt: skip


def test_errors_keep_their_faults_on_the_way_from_another_process(tmp_path: Path) -> None:
    error = error_of(tmp_path, "dt: 0.01", "dt: 0")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.faults, again.line) == (str(error), error.faults, error.line)


def test_files_are_relative_to_the_file_that_names_them(tmp_path: Path) -> None:
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.xml").write_text("<mujoco/>")
    (tmp_path / "robots" / "arm.yaml").write_text("robot: {model: arm.xml}\n")
    file = write(tmp_path, "include: robots/arm.yaml\nadapter: mujoco\ndt: 0.01\nsteps: 1\n")
    scene, document = read_scene(file)
    assert scene.robot.model == tmp_path / "robots" / "arm.xml"
    assert [path.name for path in document.files] == ["scene.yaml", "arm.yaml"]
    with pytest.raises(SceneFileError, match=r"no such file: 'arm\.xml'"):
        read_scene(file, {"robot.model": "arm.xml"})  # as if it stood in the scene file


def test_a_missing_mesh_names_its_path(tmp_path: Path) -> None:
    error = error_of(tmp_path, "{type: box, size: [0.2, 0.2, 0.2]}", "{type: mesh, file: parts/gear.stl}")
    assert f"no such file: 'parts/gear.stl' (looked at {tmp_path / 'parts/gear.stl'})" in str(error)
    line, _ = place_of("{type: box, size: [0.2, 0.2, 0.2]}")
    assert error.line == line


def test_a_missing_robot_package_says_how_to_get_robots(tmp_path: Path) -> None:
    file = write(tmp_path, "adapter: mujoco\ndt: 0.01\nsteps: 1\nrobot:\n  model: package://no-such/arm.urdf\n")
    with pytest.raises(
        SceneFileError, match=r"5:10: no such file: 'package://no-such/arm\.urdf' .*pip install"
    ) as caught:
        read_scene(file)
    assert caught.value.line == 5


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    error = error_of(tmp_path, "steps: 100", "steps: 100\ndt: 0.02")
    assert "key 'dt' is repeated here" in str(error)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1, 2", "not YAML: expected ',' or ']'"),
        ("- 1\n- 2\n", "1:1: a scene file must be a mapping of keys to values"),
        ("", "1:1: a scene file must be a mapping of keys to values"),
    ],
)
def test_what_is_no_scene_file_at_all(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SceneFileError) as caught:
        read_scene(write(tmp_path, text))
    assert message in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match=r"nowhere\.yaml: cannot read the scene file: No such file"):
        read_scene(tmp_path / "nowhere.yaml")


def test_an_exponent_without_a_point_is_a_number(tmp_path: Path) -> None:
    scene, _ = read_scene(write(tmp_path, SLIDER.replace("dt: 0.01", "dt: 1e-2")))
    assert scene.dt == 0.01


@pytest.mark.parametrize("integrator", ["implicit", "momentum"])
@pytest.mark.parametrize("adapter", ["mujoco", "native"])
def test_some_integrators_are_those_of_our_own_dynamics(tmp_path: Path, adapter: str, integrator: str) -> None:
    (tmp_path / "arm.urdf").write_text("<robot/>")
    text = f"adapter: {adapter}\ndt: 0.01\nsteps: 1\nrobot: {{model: arm.urdf}}\nintegrator: {integrator}\n"
    file = write(tmp_path, text)
    if adapter == "native":
        assert read_scene(file)[0].integrator == integrator
        return
    message = f"5:13: integrator '{integrator}' needs adapter native; with adapter mujoco use Euler or implicitfast"
    with pytest.raises(SceneFileError, match=message):
        read_scene(file)


def test_waypoints_must_go_forward_and_quaternions_be_unit(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text("<mujoco/>")
    text = """adapter: mujoco
dt: 0.01
steps: 1
robot: {model: arm.xml, pose: {quaternion: [1, 1, 0, 0]}}
controller:
  type: trajectory
  waypoints:
    - {time: 1, joints: {a: 0}}
    - {time: 1, joints: {a: 0}}
"""
    with pytest.raises(SceneFileError) as caught:
        read_scene(write(tmp_path, text))
    assert "4:44: a quaternion (w, x, y, z) must have length 1; this one has length 1.414" in str(caught.value)
    assert "9:14: the times of waypoints must increase; 1 s follows 1 s" in str(caught.value)


def test_the_schema_knows_every_kind_of_joint_that_libuipc_has() -> None:
    known = {
        kind for entry in get_args(get_args(JointEntry)[0]) for kind in get_args(entry.model_fields["type"].annotation)
    }
    assert known == {entry.name for uid, entry in JOINT_KINDS.items() if uid < OWN_UID}
