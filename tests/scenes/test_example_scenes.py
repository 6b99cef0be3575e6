"""Every scene file of the folder does what it says."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.scenefile.time_series import read_time_series
from ipc_articulation.simulation.building import build
from ipc_articulation.simulation.simulation import Simulation

FOLDER = Path(__file__).parents[2] / "scenes"
SCENES = sorted(FOLDER.glob("*.yaml"))


class Played:
    """A scene after some steps: poses of its bodies at the start, after each step and now, the least distance, and the
    steps in which Newton's method did not converge.
    """

    def __init__(self, name: str, folder: Path, steps: int | None = None, **settings: Any) -> None:
        scene, document = read_scene(FOLDER / f"{name}.yaml", settings)
        steps = scene.steps if steps is None else steps
        self.scene = scene
        self.simulation: Simulation = build(scene, document, "cpu", folder, steps)
        self.start, self.nearest = self.poses(), np.inf
        self.path: list[dict[str, np.ndarray]] = []
        self.unconverged: list[int] = []
        for step in range(steps):
            self.simulation.step(step)
            self.nearest = min(self.nearest, self.simulation.minimum_distance())
            self.path.append(self.poses())
            if not self.simulation.engine.statistics.newton.converged:
                self.unconverged.append(step)

    def poses(self) -> dict[str, np.ndarray]:
        """By name of body, (4, 4)."""
        poses = self.simulation.measure(is_start=True)["body_poses"]
        return dict(zip(self.simulation.body_names, poses, strict=True))

    def moved(self, name: str) -> np.ndarray:
        """How far a body has come, (3,) [m]."""
        return (self.poses()[name] - self.start[name])[:3, 3]


@pytest.mark.slow
@pytest.mark.parametrize("name", [path.stem for path in SCENES])
def test_every_scene_begins(name: str, tmp_path: Path) -> None:
    played = Played(name, tmp_path, steps=3)
    assert played.nearest > 0.0
    assert played.scene.title


def test_boxes_in_three_environments_slide_as_far_as_their_friction_lets_them(tmp_path: Path) -> None:
    played = Played("environments", tmp_path)
    expected = {"smooth": 0.2, "rough": 0.8}
    for name, friction in expected.items():
        assert played.moved(name)[0] == pytest.approx(1.5**2 / (2 * friction * 9.81), rel=0.1)
    slowed = 1.5 - 0.05 * 9.81  # metres a second after one second
    assert played.moved("slippery")[0] == pytest.approx(0.5 * (1.5 + slowed), rel=0.01)


def test_materials_and_pairs_decide_what_slides(tmp_path: Path) -> None:
    played = Played("materials", tmp_path, steps=60)
    moved = {name: float(np.linalg.norm(played.moved(name))) for name in played.start if name != "kerb"}
    g, slope = 9.81, np.deg2rad(20.0)
    for name, friction in {"ice_cube": 0.02, "polished_cube": 0.1}.items():
        assert moved[name] == pytest.approx(0.5 * g * (np.sin(slope) - friction * np.cos(slope)) * 0.6**2, rel=0.05)
    assert moved["wooden_cube"] < 0.01
    assert moved["rubber_cube"] < 0.01


def test_a_python_function_presses_with_the_force_of_its_parameters(tmp_path: Path) -> None:
    played = Played("force_control", tmp_path, steps=80, **{"controller.parameters.force": 55.0})
    assert played.simulation.coupling.contact_force == pytest.approx([55.0], rel=1e-3)  # type: ignore[attr-defined]
    assert played.simulation.ran_code == ("controllers/force.py:press",)


@pytest.mark.slow
def test_a_quadruped_lands_on_its_feet_which_carry_its_weight(tmp_path: Path) -> None:
    pytest.importorskip("cmeel")  # of the extra `robots`
    played = Played("go2_stand", tmp_path)
    assert played.nearest > 0.0
    base = played.poses()["base"]
    assert base[2, 3] == pytest.approx(0.32, abs=0.01)
    assert base[2, 2] > 0.999
    weight = 16.085 * 9.81
    assert played.simulation.coupling.contact_force[2] == pytest.approx(weight, rel=1e-3)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_humanoid_falls_and_lies_on_the_ground_which_carries_its_weight(tmp_path: Path) -> None:
    pytest.importorskip("cmeel")  # of the extra `robots`
    played = Played("g1_fall", tmp_path)
    assert played.nearest > 0.0
    coupling = played.simulation.coupling  # type: ignore[attr-defined]
    poses = np.array(list(played.poses().values()))
    assert np.isfinite(poses).all()
    assert 0.0 < poses[:, 2, 3].min() < poses[:, 2, 3].max() < 0.3
    assert np.abs(coupling.theta_dot).max() < 0.05
    read_out = coupling.read_out(played.simulation.world)  # type: ignore[attr-defined]
    pushes = read_out.link_wrenches()[:, 3:].sum(axis=0)  # what links do to each other is in balance
    weight = 9.81 * sum(link.mass for link in coupling.robot.links)
    np.testing.assert_allclose(pushes, [0.0, 0.0, weight], atol=0.01 * weight)
    assert weight == pytest.approx(327.0, abs=0.5)


@pytest.mark.slow
def test_a_hand_catches_a_ball_and_friction_holds_it(tmp_path: Path) -> None:
    pytest.importorskip("cmeel")  # of the extra `robots`
    played = Played("allegro_ball", tmp_path / "rubber")
    assert played.nearest > 0.0
    held = np.array([poses["ball"][:3, 3] for poses in played.path[-100:]])  # of the last half second
    np.testing.assert_allclose(held[0], [0.06, 0.0, 0.3], atol=0.03)  # in front of the palm
    assert np.ptp(held, axis=0).max() < 0.01
    coupling = played.simulation.coupling  # type: ignore[attr-defined]
    touching = coupling.read_out(played.simulation.world).touching  # type: ignore[attr-defined]
    fingers = {int(re.findall(r"\d+", link)[0]) // 4 for link, bodies in touching.items() if "ball" in bodies}
    assert len(fingers) >= 3
    oiled = Played("allegro_ball", tmp_path / "oil", 200, **{"contact.friction": 0.0})
    assert oiled.poses()["ball"][2, 3] < 0.1


@pytest.mark.slow
def test_a_drone_lands_on_a_slope_and_stays(tmp_path: Path) -> None:
    played = Played("drone_landing", tmp_path)
    assert played.nearest > 0.0
    drone, normal = played.poses()["drone"], np.array([np.sin(0.2), 0.0, np.cos(0.2)])
    np.testing.assert_allclose(drone[:3, 2], normal, atol=0.02)
    assert (drone[:3, 3] - [0, 0, 0.25]) @ normal == pytest.approx(0.025 + 0.098, abs=0.005)
    velocity = played.simulation.measure(is_start=True)["theta_dot"]
    assert np.abs(velocity).max() < 0.05


@pytest.mark.slow
def test_a_wrecking_ball_breaks_the_wall_and_passes_through_nothing(tmp_path: Path) -> None:
    played = Played("wrecking_ball", tmp_path)
    assert played.nearest > 0.0
    moved = {name: float(np.linalg.norm(played.moved(name))) for name in played.start if name.startswith("brick")}
    assert max(moved.values()) > 0.5  # of bricks of 0.2 m
    assert min(moved.values()) < 0.1


def test_joints_follow_the_file(tmp_path: Path) -> None:
    played = Played("recorded_motion", tmp_path, steps=100)
    assert isinstance(played.scene, schema.RobotScene)
    series = read_time_series(FOLDER / "trajectories" / "wave.csv")
    lag = 40 / 400  # of actuators with these gains [s]
    wanted = [np.interp(1.0 - lag, series.times, column) for column in series.values.T]
    np.testing.assert_allclose(played.simulation.measure(is_start=True)["theta"], wanted, atol=0.08)
    assert np.abs(wanted).min() > 0.3


def test_every_seed_is_another_pile(tmp_path: Path) -> None:
    first, again, other = (Played("random_drop", tmp_path / str(i), 20, seed=seed) for i, seed in enumerate((0, 0, 1)))
    assert first.simulation.drawn == again.simulation.drawn
    np.testing.assert_array_equal(first.poses()["upper"], again.poses()["upper"])
    assert np.abs(first.poses()["upper"] - other.poses()["upper"]).max() > 0.01
    assert first.simulation.drawn["bodies.upper.pose.position"] == pytest.approx(first.start["upper"][:3, 3])


@pytest.mark.slow
def test_friction_of_the_fingers_lifts_the_cube(tmp_path: Path) -> None:
    lifted = Played("panda_grasp", tmp_path / "rubber", steps=270)
    assert lifted.nearest > 0.0
    assert lifted.moved("cube")[2] > 0.15
    dropped = Played(
        "panda_grasp", tmp_path / "oil", 220, **{"materials.rubber.friction": 0.0, "contact.friction": 0.0}
    )
    assert dropped.moved("cube")[2] < 0.005


@pytest.mark.slow
def test_two_pandas_pass_a_cube_from_hand_to_hand(tmp_path: Path) -> None:
    """The left one lifts it, both hold it for a moment, the right one takes it away; nothing but friction holds it."""
    lifted = Played("two_pandas_handover", tmp_path / "lifted", steps=270).poses()
    assert lifted["cube"][2, 3] > 0.65
    held = np.linalg.solve(lifted["left_panda_link7"], lifted["cube"])[:3, 3]
    played = Played("two_pandas_handover", tmp_path)
    assert played.nearest > 0.0
    poses = played.poses()
    assert poses["cube"][1, 3] < -0.2  # beside both bases
    assert poses["cube"][2, 3] > 0.15
    taken = np.linalg.solve(poses["right_panda_link7"], poses["cube"])[:3, 3]
    np.testing.assert_allclose(taken, held, atol=0.01)  # as far from the right palm as it was from the left one
