"""The scenes with soft bodies do what they say."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.scenes.test_example_scenes import Played

pytestmark = pytest.mark.slow


class Soft(Played):
    """A scene after some steps, with the vertices of its soft bodies after each of them."""

    def __init__(self, name: str, folder: Path, steps: int | None = None, **settings: Any) -> None:
        self.vertices: list[np.ndarray] = []
        super().__init__(name, folder, steps, **settings)

    def poses(self) -> dict[str, np.ndarray]:
        """By name of body, (4, 4); and keep the vertices."""
        self.vertices.append(self.simulation.measure(is_start=True)["soft_positions"].copy())
        return super().poses()

    def of(self, name: str, moment: int = -1) -> np.ndarray:
        """Vertices of a soft body, (V, 3) [m]."""
        begin = 0
        for shape in self.simulation.soft_shapes:
            if shape.name == name:
                return self.vertices[moment][begin : begin + len(shape.vertices)]
            begin += len(shape.vertices)
        raise KeyError(name)


def test_the_cloth_lies_over_the_arm_and_no_vertex_enters_it(tmp_path: Path) -> None:
    played = Soft("cloth_over_arm", tmp_path, steps=80)
    cloth, poses = played.of("cloth"), played.poses()
    assert cloth[:, 2].max() > 0.15
    assert cloth[:, 2].min() < -0.3
    for body in played.simulation.surfaces:
        pose = poses.get(body.name, body.pose)
        local = np.linalg.solve(pose[:3, :3], (cloth - pose[:3, 3]).T).T
        assert np.abs(local).max(axis=1).min() > 0.2, body.name


def test_the_panda_carries_the_foam_which_its_tips_dent(tmp_path: Path) -> None:
    played = Soft("panda_sponge", tmp_path)
    sponge = played.of("sponge")
    assert sponge[:, 2].min() > 0.14
    moved = sponge.mean(axis=0) - played.of("sponge", 0).mean(axis=0)
    assert moved[1] > 0.2
    start = played.of("sponge", 0)
    left, right = (start[:, 1] == end for end in (start[:, 1].min(), start[:, 1].max()))
    widths = np.linalg.norm(sponge[right] - sponge[left], axis=1)  # of opposite vertices
    assert widths.min() < 0.055, "the foam is not dented"


def test_the_panda_lays_the_towel_over_the_bar_which_holds_it(tmp_path: Path) -> None:
    played = Soft("panda_towel", tmp_path)
    assert played.unconverged == []

    grasped, lifted, let_go, left = 60, 110, 430, 470  # after so many steps
    corner = int(np.argmin(played.of("towel", 0)[:, 0]))
    in_finger = [
        np.linalg.solve(played.path[step - 1]["panda_leftfinger"], [*played.of("towel", step)[corner], 1.0])
        for step in (grasped, lifted, let_go)
    ]
    assert played.of("towel", lifted)[corner, 2] > played.of("towel", grasped)[corner, 2] + 0.1
    assert np.ptp(in_finger, axis=0).max() < 1e-3, "the corner slips"

    bar = next(body.pose[:3, 3] for body in played.simulation.surfaces if body.name == "bar")
    end = played.of("towel")
    beyond = (end - bar) @ [*bar[:2], 0.0] > 0.0
    assert 0.25 < beyond.mean() < 0.75, "it has slid off, or nearly"
    for side in (beyond, ~beyond):
        assert 0.2 < end[side, 2].min() < bar[2] - 0.1
    on_top = end[:, 2] > bar[2] + 0.015
    assert on_top.any()
    assert np.median(np.linalg.norm(end - played.of("towel", left), axis=1)[on_top]) < 2e-3, "the towel slides"
    engine = played.simulation.engine
    names = np.array(engine.cpu.contact_names)[engine.statistics.contacts.bodies]
    assert set(names[(names == "towel").any(axis=1)].ravel()) <= {"towel", "bar"}


def test_the_bead_stops_the_cable_at_the_eye(tmp_path: Path) -> None:
    played = Soft("cable_through_eye", tmp_path)
    assert played.poses()["bead"][0, 3] == pytest.approx(-0.035, abs=5e-3)
    cable = played.of("cable")
    assert np.linalg.norm(np.diff(cable, axis=0), axis=1).sum() > 0.43, "it is not stretched"
    through = cable[np.abs(cable[:, 0]) < 0.015]
    assert len(through)
    assert np.abs(through[:, 1]).max() < 0.01
    assert np.abs(through[:, 2] - 0.3).max() < 0.01


def test_pads_hold_the_glass_and_stay_on_their_fingers(tmp_path: Path) -> None:
    played = Soft("soft_pads_glass", tmp_path)
    assert played.moved("glass")[2] > 0.1
    for pad, finger in (("left_pad", "panda_leftfinger"), ("right_pad", "panda_rightfinger")):
        held = np.isclose(np.abs(played.of(pad, 0)[:, 1]), 0.0385)
        assert held.any()
        before, now = (
            (np.linalg.inv(poses[finger]) @ np.pad(vertices[held], ((0, 0), (0, 1)), constant_values=1.0).T).T
            for poses, vertices in ((played.start, played.of(pad, 0)), (played.poses(), played.of(pad)))
        )
        assert np.abs(now - before).max() < 1e-3
