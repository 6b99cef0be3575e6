"""OpenSim models in scene files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.errors import SceneFileError
from tests.dynamics.reading.osim_documents import (
    axis,
    bodies,
    body,
    constraints,
    coordinate,
    coupler,
    custom,
    document,
    joint,
)
from tests.simulation.scene_texts import simulation

RAJAGOPAL = Path(__file__).parents[2] / "models" / "Rajagopal2015.osim"
PIN = joint("PinJoint", "knee", [coordinate("bend")], at="0 0 0", turned="0 0 0")
IDENTITY = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
SQUARE = "<PolynomialFunction><coefficients>0.2 0.05 0.1</coefficients></PolynomialFunction>"  # 0.2 y² + 0.05 y + 0.1
DOUBLE = "<LinearFunction><coefficients>2 0.1</coefficients></LinearFunction>"
KNEE = custom(
    "knee",
    ["bend"],
    axis("rotation1", "1 0 0", IDENTITY, "bend"),
    axis("translation1", "0 1 0", SQUARE, "bend"),
    at="0 0 0",
    turned="0 0 0",
    child_at="0 0 0",
)
turned_upright = pytest.mark.filterwarnings("ignore:.*turned upright", "ignore:.*principal moments")


def scene(folder: Path, knee: str = PIN, robot: dict[str, Any] | None = None, **keys: Any) -> dict[str, Any]:
    (folder / "leg.osim").write_text(document(bodies(body("shank", knee))))
    chosen = {"model": "leg.osim", "initial": {"bend": 0.3}, "initial_velocity": {"bend": -2.0}}
    return {"adapter": "native", "dt": 0.01, "steps": 10, "robot": chosen if robot is None else robot, **keys}


@turned_upright
def test_an_opensim_model_moves_by_its_coordinates(tmp_path: Path) -> None:
    made = simulation(tmp_path, scene(tmp_path, gravity=[0, 0, 0]))
    assert made.joint_names == ("bend",)
    for step in range(10):
        made.step(step)
    np.testing.assert_allclose(made.measure(is_start=False)["theta"], [0.3 - 2.0 * 0.1], atol=1e-3)


def test_mujoco_refuses_it_by_name(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match="MuJoCo reads no OpenSim files; adapter native does") as caught:
        simulation(tmp_path, scene(tmp_path, adapter="mujoco"))
    assert caught.value.line is not None


@turned_upright
def test_a_coupled_coordinate_follows(tmp_path: Path) -> None:
    """The shank slides by f(y) along the file's y, which is up, z, in the scene."""
    made = simulation(tmp_path, scene(tmp_path, KNEE, {"model": "leg.osim", "initial": {"bend": 1.0}}))
    assert made.joint_names == ("bend",)
    for step in range(10):
        made.step(step)
        (y,), pose = made.coupling.theta, made.coupling.body_poses[-1]
        np.testing.assert_allclose(pose[:3, 3], [0.0, 0.0, 0.2 * y**2 + 0.05 * y + 0.1], atol=1e-8)
    assert abs(y - 1.0) > 1e-3, "it swings"
    assert made.coupling.drift.max() < 1e-8


@turned_upright
@pytest.mark.parametrize(("lock", "keys"), [("true", {}), ("false", {"initial": {"bend": 0.4}})])
def test_a_coordinate_that_is_no_axis_itself_has_its_start_and_lock(tmp_path: Path, lock: str, keys: Any) -> None:
    state = f"<default_value>0.4</default_value><locked>{lock}</locked></Coordinate>"
    knee = custom("knee", ["bend"], axis("rotation1", "1 0 0", SQUARE, "bend")).replace("</Coordinate>", state)
    made = simulation(tmp_path, scene(tmp_path, knee, {"model": "leg.osim", **keys}))
    assert made.joint_names == ("bend",)
    np.testing.assert_allclose(made.coupling.theta, [0.4])
    for step in range(10):
        made.step(step)
    moved = abs(made.coupling.theta[0] - 0.4)
    assert moved < 1e-6 if lock == "true" else moved > 1e-3


@turned_upright
@pytest.mark.parametrize("function", [SQUARE, DOUBLE])
def test_actuators_of_all_joints_are_those_of_the_coordinates(tmp_path: Path, function: str) -> None:
    """What follows other joints, by a straight line too, has no actuator, which would hold them back."""
    knee = custom(
        "knee", ["bend"], axis("rotation1", "1 0 0", function, "bend"), axis("rotation2", "0 1 0", IDENTITY, "bend")
    )
    robot = {"model": "leg.osim", "actuators": [{"joints": ".*", "kp": 10, "kv": 1}]}
    made = simulation(tmp_path, scene(tmp_path, knee, robot))
    assert made.controls._driven.actuated == ["bend"]


@turned_upright
@pytest.mark.parametrize(("function", "surfaces"), [(SQUARE, {"thigh"}), (DOUBLE, {"thigh", "shank"})])
def test_a_last_body_that_follows_by_a_straight_line_has_a_capsule(
    tmp_path: Path, function: str, surfaces: Any
) -> None:
    last = joint("PinJoint", "ankle", [coordinate("turn")], parent="thigh")
    tied = constraints(coupler("turn", "bend", function))
    content = scene(tmp_path) | {"robot": {"model": "foot.osim", "segment_radius": 0.02}}
    (tmp_path / "foot.osim").write_text(document(bodies(body("thigh", PIN), body("shank", last)) + tied))
    assert {surface.name for surface in simulation(tmp_path, content).surfaces} == surfaces


@turned_upright
def test_a_motion_in_degrees_is_followed_in_radians(tmp_path: Path) -> None:
    (tmp_path / "walk.mot").write_text("inDegrees=yes\nendheader\ntime bend\n0 90\n1 90\n")
    robot = {"model": "leg.osim", "actuators": [{"joints": "bend", "kp": 10, "kv": 1}]}
    made = simulation(tmp_path, scene(tmp_path, robot=robot, controller={"type": "trajectory", "file": "walk.mot"}))
    np.testing.assert_allclose(made.controls.commands(0)[0], [np.pi / 2])


@pytest.mark.slow
@turned_upright
def test_contact_on_what_follows_reaches_the_coordinate(tmp_path: Path) -> None:
    """At rest on the ground the virtual work of contact and gravity along y is zero, the sliding by f included."""
    robot = {"model": "leg.osim", "initial": {"bend": 0.5}, "segment_radius": 0.02, "damping": 8.0}
    content = scene(tmp_path, KNEE, robot, ground={"height": 0.14}, steps=400, contact={"friction": 0.0})
    made = simulation(tmp_path, content, 400)
    for step in range(400):
        made.step(step)
    coupling = made.coupling
    assert 0.0 < made.minimum_distance() < 1e-3
    assert np.abs(coupling.theta_dot).max() < 1e-3
    (y,), pose = coupling.theta, coupling.body_poses[-1]

    def lift(point: np.ndarray) -> float:
        """Rate of the height of a point (3,) of the shank's frame [m] with y: turning about x, and f'."""
        return float(-point[1] * np.sin(y) - point[2] * np.cos(y) + 0.4 * y + 0.05)

    contacts = made.engine.statistics.contacts
    local = (contacts.points - pose[:3, 3]) @ pose[:3, :3]
    lifted = sum(abs(force[2]) * lift(point) for force, point in zip(contacts.forces, local, strict=True))
    weight = 2.0 * 9.81 * lift(np.array([0.1, 0.2, 0.3]))
    np.testing.assert_allclose(lifted, weight, rtol=1e-2)
    np.testing.assert_allclose(coupling.contact_force, [weight], rtol=1e-2)


def test_the_model_is_turned_upright_with_a_warning(tmp_path: Path) -> None:
    message = "model 'm': up is y in its file and z in the scene; the model is turned upright"
    with pytest.warns(UserWarning, match=message):
        made = simulation(tmp_path, scene(tmp_path, robot={"model": "leg.osim"}))
    # Its own x, y and z: x stays, y is up, and z points to -y.
    np.testing.assert_allclose(made.coupling.body_poses[-1][:3, :3], [[1, 0, 0], [0, 0, -1], [0, 1, 0]], atol=1e-12)


def test_capsules_are_for_opensim_files(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text('<robot name="arm"><link name="base"/></robot>')
    content = scene(tmp_path, robot={"model": "arm.urdf", "segment_radius": 0.1})
    with pytest.raises(SceneFileError, match="model 'arm' has no segments: segment_radius is for OpenSim files"):
        simulation(tmp_path, content)
    with pytest.raises(SceneFileError, match="adapter 'mujoco' knows no segment_radius; `native` does"):
        simulation(tmp_path, content | {"adapter": "mujoco"})


@pytest.mark.skipif(not RAJAGOPAL.exists(), reason="needs models/Rajagopal2015.osim: make fetch-models")
class TestRajagopal:
    """The full-body model as it is published."""

    @staticmethod
    def made(folder: Path, **robot: Any) -> Any:
        keys = {"dt": 0.005, "integrator": "implicit", "ground": {"height": 0.0}}
        return simulation(folder, scene(folder, robot={"model": str(RAJAGOPAL), **robot}, **keys), 60)

    @turned_upright
    def test_it_has_its_coordinates_and_starts_where_the_file_says(self, tmp_path: Path) -> None:
        coupling = self.made(tmp_path).coupling
        assert len(coupling.joint_names) == 37
        assert dict(zip(coupling.joint_names, coupling.theta, strict=True))["pelvis_ty"] == 0.94
        poses = dict(zip(coupling.link_names, coupling.body_poses, strict=True))
        np.testing.assert_allclose(poses["pelvis"][:3, 3], [0.0, 0.0, 0.94], atol=1e-12)
        assert poses["torso"][2, 3] > 0.94, "it stands upright"

    @turned_upright
    def test_actuators_of_all_joints_are_those_of_its_coordinates(self, tmp_path: Path) -> None:
        """What follows other joints has no actuator, which would hold them back."""
        made = self.made(tmp_path, actuators=[{"joints": ".*", "kp": 10, "kv": 1}])
        assert sorted(made.controls._driven.actuated) == sorted(made.joint_names)

    @turned_upright
    def test_falling_it_moves_as_its_own_dynamics_say(self, tmp_path: Path) -> None:
        made = self.made(tmp_path)
        for step in range(3):
            made.step(step)
        coupling = made.coupling
        np.testing.assert_allclose(coupling.delta_theta, coupling.delta_theta_tilde, atol=1e-12)
        assert coupling.drift.max() < 1e-10, "tied joints are where the file's functions put them"

    @pytest.mark.slow
    @turned_upright
    def test_with_capsules_it_lands_on_the_ground(self, tmp_path: Path) -> None:
        made = self.made(tmp_path, segment_radius=0.03, pose={"position": [0, 0, 0.1]})
        shapes = {surface.name for surface in made.surfaces}
        assert {"tibia_r", "calcn_l", "torso", "hand_r"} <= shapes
        assert "patella_r" not in shapes
        assert np.isinf(made.minimum_distance()), "no segments overlap that may touch"
        for step in range(40):
            made.step(step)
            assert made.minimum_distance() > 0.0
        assert np.abs(made.coupling.contact_force).max() > 1.0
