"""What is wrong in a task's file is named with line and column."""

from pathlib import Path

import pytest

from ipc_articulation.errors import SceneFileError
from tests.gym.conftest import MakeEnv


def line_of(scene: Path, text: str) -> int:
    return next(number for number, line in enumerate(scene.read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("of: box, relative", "of: bax, relative", "there is no link, body or mark 'bax'; did you mean 'box'?"),
        ("{type: joint_positions}", "{type: joint_positions, joints: slyde}", "'slyde' matches no joint"),
        ("{type: velocity, of: box}", "{type: velocty, of: box}", "unknown type 'velocty'; did you mean 'velocity'?"),
        ("{type: last_action}", "{type: last_action, joint: slide}", "unknown key 'joint'"),
        ("axes: xy}", "axes: xx}", "axes are some of the letters x, y and z, each once; got 'xx'"),
        ("[box, goal], axes: x, weight", "[box, gaol], axes: x, weight", "no link, body or mark 'gaol'"),
        ("joints: slide, scale", "joints: sled, scale", "'sled' matches no joint with an actuator"),
        ("success: {between: [box, goal]", "success: {between: [box, end]", "no link, body or mark 'end'"),
        ("name: nose, on: ram", "name: box, on: ram", "the name 'box' is already used"),
        ("name: nose, on: ram", "name: nose, on: rem", "there is no link or body 'rem'; did you mean 'ram'?"),
        ('"bodies.box.pose.position[0]"', "bodies.box.shape.size", "what an environment draws is no part of what was"),
        ('"bodies.box.pose.position[0]"', "bodies.bax.mass", "nothing is drawn for 'bodies.bax.mass'"),
        ("{type: targets, joints: slide, scale: 0.02}", "{type: move, point: box, joints: slide, scale: 0.1}",
         "'box' is not on a link of the robot"),
        ("    mass: 1.0", "    push: {force: [1, 0, 0]}", "the push on 'box' acts once in a run"),
    ],
)  # fmt: skip
def test_a_wrong_part_is_named_with_its_place(make_env: MakeEnv, scene: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(SceneFileError) as caught:
        make_env((old, new))
    assert message in str(caught.value)
    assert caught.value.line == line_of(scene, new.splitlines()[0])


def test_two_actions_do_not_move_one_joint(make_env: MakeEnv) -> None:
    act = "  - {type: targets, joints: slide, scale: 0.02}\n"
    with pytest.raises(SceneFileError, match="joint 'slide' gets its target from two entries"):
        make_env((act, 2 * act))


def test_missing_sections_are_named(make_env: MakeEnv, scene: Path) -> None:
    begin, end = scene.read_text().index("observe:"), scene.read_text().index("\nact:") + 1
    with pytest.raises(SceneFileError, match="missing `observe`, `reward`: an environment needs them, or a Task"):
        make_env((scene.read_text()[begin:end], ""))


def test_a_scene_without_a_robot_is_refused(make_env: MakeEnv, scene: Path) -> None:
    scene.write_text("adapter: none\ndt: 0.01\nsteps: 3\n")
    with pytest.raises(SceneFileError, match="an environment needs a robot"):
        make_env()


def test_soft_bodies_are_refused(make_env: MakeEnv) -> None:
    soft = "  - {name: foam, shape: {type: box, size: [0.1, 0.1, 0.1]}, resolution: 0.05, pose: {position: [2, 0, 1]}, "
    soft += "youngs_modulus: 1e5, poissons_ratio: 0.3, density: 100}\n"
    with pytest.raises(SceneFileError, match="cannot put soft bodies back"):
        make_env(("ground: {}\n", "ground: {}\nsoft:\n" + soft))
