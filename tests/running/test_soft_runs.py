"""Runs of scene files with soft bodies: recordings, resumption, what is held and what holds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ipc_articulation
from ipc_articulation.errors import TimeLimitError
from ipc_articulation.running import resume
from ipc_articulation.running.summary import summary_object
from tests.running.scenes import ARM, assert_same_bits

SCENE = """
adapter: mujoco
dt: 0.01
steps: 24
contact: {d_hat: 0.002}
robot:
  model: arm.xml
  actuators: [{joints: turn, kp: 60, kv: 3}]
ground: {height: 0.0}
soft:
  - name: sponge
    shape: {type: sphere, radius: 0.05}
    resolution: 0.03
    pose: {position: [0.35, 0, 0.055]}
    velocity: [0, 0, -1]
    material: soft_silicone
cloth:
  - name: towel
    shape: {type: grid, size: [0.2, 0.2], cells: [4, 4]}
    pose: {position: [0.3, 0, 0.55]}
    material: cotton
rods:
  - name: cable
    shape: {type: line, length: 0.3, segments: 6}
    thickness: 0.008
    material: rubber
    pose: {position: [0.66, 0, 0.5]}
    attach: [{to: link, side: start}]
checkpoint: {every: 6}
"""


def run(folder: Path, text: str = SCENE, **options: Any) -> Any:
    (folder / "arm.xml").write_text(ARM)
    (folder / "soft.yaml").write_text(text)
    options = {"engine": "cpu", "quiet": True, "pictures": False, "out": folder / "out", **options}
    return ipc_articulation.run(folder / "soft.yaml", **options)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return run(tmp_path_factory.mktemp("soft"))


@pytest.mark.slow
def test_every_row_has_all_vertices(result: Any) -> None:
    recording = result.recording
    assert recording.soft_names == ("sponge", "towel", "cable")
    assert np.isfinite(recording.soft_positions).all()
    for shape in recording.scenery.soft:
        np.testing.assert_array_equal(recording.soft_positions_of(shape.name)[0], shape.vertices)


def test_the_ball_is_flattened_by_the_ground_and_nothing_enters_it(result: Any) -> None:
    heights = result.recording.soft_positions_of("sponge")[:, :, 2]
    assert heights.min() > 0.0
    assert np.ptp(heights, axis=1).min() < 0.95 * np.ptp(heights[0])


def test_the_cloth_lies_on_the_link(result: Any) -> None:
    heights = result.recording.soft_positions_of("towel")[:, :, 2]
    assert heights[-1].min() < heights[-1].max() - 0.05
    assert heights[-1].max() > 0.49  # it fell freely by 0.28 m otherwise


def test_the_rod_hangs_at_the_link(result: Any) -> None:
    """Its held end keeps its place in the link's frame."""
    recording = result.recording
    poses = recording.body_poses[:, recording.body_names.index("link")]
    held = recording.soft_positions_of("cable")[:, 0]
    local = np.einsum("rji,rj->ri", poses[:, :3, :3], held - poses[:, :3, 3])
    assert np.abs(local - local[0]).max() < 1e-3
    assert recording.soft_positions_of("cable")[-1, -1, 2] < 0.4


@pytest.mark.slow
def test_its_weight_turns_the_joint_as_a_load_does(tmp_path: Path) -> None:
    """On average the contact force on the joint is the torque of the rod's weight, as long as it swings little."""
    text = SCENE[: SCENE.index("soft:")] + SCENE[SCENE.index("rods:") :]
    text = text.replace("{height: 0.0}", "{height: -5.0}").replace("steps: 24", "steps: 600")
    recording = run(tmp_path, text.replace("    attach:", "    density: 20000\n    attach:")).recording
    x = recording.soft_positions_of("cable")[-300:, :, 0]
    weights = np.array([0.5, 1, 1, 1, 1, 1, 0.5]) / 6 * (20000 * np.pi * 0.004**2 * 0.3) * 9.81
    assert recording.contact_force[-300:, 0].mean() == pytest.approx((x @ weights).mean(), rel=0.02)


@pytest.mark.slow
def test_a_run_that_was_stopped_ends_as_one_that_was_not(result: Any, tmp_path: Path) -> None:
    with pytest.raises(TimeLimitError):
        run(tmp_path, time_limit=1e-9)
    assert_same_bits(resume(tmp_path / "out" / "soft", quiet=True, pictures=False).recording, result.recording)


def test_the_summary_says_how_far_soft_bodies_moved(result: Any) -> None:
    moved = summary_object(result)["moved"]
    positions = result.recording.soft_positions_of("towel").mean(axis=1)
    assert moved["towel"] == pytest.approx(np.linalg.norm(positions[-1] - positions[0]))
