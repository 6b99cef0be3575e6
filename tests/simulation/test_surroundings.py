"""What a scene file says of bodies and contact, as it is in the mechanism that becomes a libuipc scene."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.coupling.adapter import CoupledRobot
from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.building import build
from tests.simulation.scene_texts import BOX, ROBOT, free_scene, read, robot_scene, simulation

BODIES = [
    {"name": "a", "shape": BOX, "pose": {"position": [1, 0, 0]}},
    {"name": "b", "shape": BOX, "pose": {"position": [2, 0, 0]}},
]
ADAPTERS = pytest.mark.parametrize("adapter", ["mujoco", "native"])


def mechanism(folder: Path, **keys: Any) -> CoupledRobot:
    described: CoupledRobot = simulation(folder, robot_scene(**{"bodies": BODIES} | keys)).coupling.robot
    return described


def by_name(mechanism: CoupledRobot) -> dict[str, Any]:
    everything = (*mechanism.links, *mechanism.free, *mechanism.static, *mechanism.planes)
    return {entry.name: entry for entry in everything}


@ADAPTERS
def test_friction_is_the_scene_s_wherever_nothing_else_is_said(tmp_path: Path, adapter: str) -> None:
    found = by_name(mechanism(tmp_path, adapter=adapter, contact={"friction": 0.1}, ground={"height": -4}))
    assert {name: found[name].friction for name in ("a", "b", "upper", "base", "ground")} == {
        "a": 0.1,
        "b": 0.1,
        "upper": 0.1,
        "base": 0.1,
        "ground": 0.1,
    }
    assert found["lower"].friction == pytest.approx(0.9), "the robot's file says it"
    assert found["world/floor"].friction == pytest.approx(0.7)


@ADAPTERS
def test_a_material_is_what_a_thing_does_not_say_itself(tmp_path: Path, adapter: str) -> None:
    rubber = {"friction": 0.8, "density": 500, "stiffness": 2e6, "resistance": 3e8}
    bodies = [BODIES[0] | {"material": "rubber"}, BODIES[1] | {"material": "rubber", "friction": 0.3, "stiffness": 4e7}]
    robot = {"material": "rubber"}
    found = by_name(mechanism(tmp_path, adapter=adapter, materials={"rubber": rubber}, bodies=bodies, robot=robot))
    a, b, upper = found["a"], found["b"], found["upper"]
    assert (a.friction, a.kappa, a.resistance) == (0.8, 2e6, 3e8)
    assert a.mass == pytest.approx(500 * 0.2**3)
    assert (b.friction, b.kappa, b.resistance) == (0.3, 4e7, 3e8)
    assert (upper.friction, upper.kappa, upper.resistance) == (0.8, 2e6, 3e8)


def test_pairs_name_materials_bodies_and_expressions(tmp_path: Path) -> None:
    pairs = [
        {"between": ["rubber", "ground"], "friction": 0.9},
        {"between": ["upper|lower", "b"], "enabled": False},
    ]
    bodies = [BODIES[0] | {"material": "rubber"}, BODIES[1]]
    keys = {"materials": {"rubber": {}}, "bodies": bodies, "ground": {"height": -4}, "contact": {"pairs": pairs}}
    first, second = mechanism(tmp_path, **keys).contact_rules
    assert (first.first, first.second, first.friction) == ({"a"}, {"ground"}, 0.9)
    assert (second.first, second.second, second.enabled) == ({"upper", "lower"}, {"b"}, False)


def test_a_pair_that_names_nothing_is_told_with_its_place(tmp_path: Path) -> None:
    content = robot_scene(bodies=BODIES, contact={"pairs": [{"between": ["a", "uper"], "enabled": False}]})
    with pytest.raises(SceneFileError, match=r"'uper' matches no material, body, link or wall; did you mean 'upper'"):
        simulation(tmp_path, content)


def test_what_is_untouchable_passes_through(tmp_path: Path) -> None:
    content = robot_scene(bodies=BODIES, robot={"untouchable": [["upper", "a|b"]]})
    untouchable = simulation(tmp_path, content).coupling.robot.untouchable
    assert {frozenset({"upper", "a"}), frozenset({"upper", "b"})} <= untouchable


@ADAPTERS
def test_bodies_begin_with_their_velocity(tmp_path: Path, adapter: str) -> None:
    velocity = {"linear": [1, 2, 0], "angular": [0, 0, 3]}
    bodies = [BODIES[0] | {"velocity": velocity, "pose": {"position": [1, 0, 0], "rpy": [0, 0, np.pi / 2]}}]
    made = simulation(tmp_path, robot_scene(bodies=bodies, adapter=adapter))
    for step in range(10):
        made.step(step)
    pose = made.measure(is_start=False)["body_poses"][-1]
    np.testing.assert_allclose(pose[:3, 3], [1.1, 0.2, 0.0], atol=1e-6)
    turned = np.arctan2(pose[1, 0], pose[0, 0]) - np.pi / 2
    assert turned == pytest.approx(0.3, rel=2e-2)


@pytest.mark.parametrize("make", [free_scene, robot_scene])
def test_walls_stop_bodies(tmp_path: Path, make: Any) -> None:
    walls = [{"name": "wall", "point": [1.3, 0, 0], "normal": [-2, 0, 0]}]
    bodies = [BODIES[0] | {"velocity": {"linear": [4, 0, 0]}}]
    made = simulation(tmp_path, make(bodies=bodies, walls=walls, gravity=[0, 0, 0]))
    for step in range(10):
        made.step(step)
    assert 1.15 < made.measure(is_start=False)["body_poses"][-1][0, 3] < 1.2


@pytest.mark.parametrize("make", [free_scene, robot_scene])
@pytest.mark.parametrize(("environments", "touch"), [(("x", "y"), False), (("x", "x"), True), (("x", ""), True)])
def test_bodies_of_different_environments_pass_through_each_other(
    tmp_path: Path, make: Any, environments: tuple[str, str], touch: bool
) -> None:
    bodies = [body | {"environment": name} for body, name in zip(BODIES, environments, strict=True)]
    bodies[0] |= {"velocity": {"linear": [12, 0, 0]}}
    made = simulation(tmp_path, make(bodies=bodies, gravity=[0, 0, 0]))
    for step in range(10):
        made.step(step)
    a, b = made.measure(is_start=False)["body_poses"][-2:, 0, 3]
    assert (b > 2.01) == touch
    assert (a < b) == touch


def test_the_robot_is_in_its_environment_with_its_base(tmp_path: Path) -> None:
    content = robot_scene(bodies=[BODIES[0] | {"environment": "x"}], robot={"environment": "y"})
    found = by_name(simulation(tmp_path, content).coupling.robot)
    assert {name: found[name].environment for name in ("upper", "base", "a")} == {"upper": "y", "base": "y", "a": "x"}


@pytest.mark.parametrize(
    "keys",
    [
        {"walls": [{"name": "upper", "point": [0, 0, -6], "normal": [0, 0, 1]}]},
        {"walls": [{"name": "world/floor", "point": [0, 0, -6], "normal": [0, 0, 1]}]},
        {"bodies": [BODIES[0] | {"name": "world/floor", "fixed": True}]},
        {"bodies": [BODIES[0] | {"name": "lower"}]},
    ],
)
def test_names_of_the_robot_are_not_given_again(tmp_path: Path, keys: dict[str, Any]) -> None:
    with pytest.raises(SceneFileError, match=r"the robot's file has a body or plane '.*' already") as caught:
        simulation(tmp_path, robot_scene(**keys))
    assert caught.value.line is not None


def test_a_ground_of_the_robot_s_file_and_one_of_the_scene_are_one_too_many(tmp_path: Path) -> None:
    content = robot_scene(ground={"height": -4})
    read(tmp_path, content)
    (tmp_path / "robot.xml").write_text(ROBOT.replace('name="floor"', 'name="ground"'))
    message = "the robot's file has a body or plane 'world/ground' already"
    with pytest.raises(SceneFileError, match=message) as caught:
        build(*read_scene(tmp_path / "scene.yaml"), "cpu", tmp_path / "workspace", 1)
    assert caught.value.line is not None


@pytest.mark.parametrize("make", [free_scene, robot_scene])
def test_what_never_moves_does_not_touch_itself(tmp_path: Path, make: Any) -> None:
    fixed = [body | {"fixed": True, "pose": {"position": [1, 0, 0]}} for body in BODIES]
    walls = [{"name": "wall", "point": [1, 0, 0], "normal": [0, 0, 1]}]
    made = simulation(tmp_path, make(bodies=fixed, walls=walls, ground={"height": -4.0}))
    made.step(0)
    assert np.isinf(made.minimum_distance())


FAULTS = [
    (
        {"bodies": [BODIES[0] | {"material": "ruber"}], "materials": {"rubber": {}}},
        "unknown material 'ruber'; did you mean 'rubber'",
    ),
    ({"walls": [{"name": "w", "point": [0, 0, 0], "normal": [0, 0, 0]}]}, "the normal of wall 'w' has no direction"),
    (
        {"bodies": BODIES, "walls": [{"name": "a", "point": [0, 0, 0], "normal": [0, 0, 1]}]},
        "the name 'a' is already used",
    ),
    ({"bodies": [BODIES[0] | {"fixed": True, "velocity": {}}]}, "body 'a' is fixed, so it has no initial velocity"),
    (
        {"bodies": [BODIES[0] | {"pose": {"rpy": [0, 0, 0], "quaternion": [1, 0, 0, 0]}}]},
        "a quaternion or rpy, not both",
    ),
    ({"ground": {}, "bodies": [BODIES[0] | {"name": "ground"}]}, "the name 'ground' is already used, by the ground"),
    ({"contact": {"friction": True}}, "contact.friction"),
    ({"contact": {"friction": -0.1}}, "contact.friction"),
    ({"materials": {"rubber": {"frictoin": 1}}}, "unknown key 'frictoin'; did you mean 'friction'"),
]


@pytest.mark.parametrize(("keys", "message"), FAULTS)
def test_faults_are_told_with_their_place(tmp_path: Path, keys: dict[str, Any], message: str) -> None:
    with pytest.raises(SceneFileError, match=message) as caught:
        read(tmp_path, free_scene(**keys))
    assert caught.value.line is not None
