"""Errors and warnings of soft bodies at the start of a scene."""

import re
from pathlib import Path

import pytest
import trimesh

from ipc_articulation import run
from ipc_articulation.checking import Report, check_file
from ipc_articulation.errors import IpcArticulationError, SceneFileError

SCENE = """\
adapter: none
dt: 0.01
steps: 10
contact: {d_hat: 0.002}
ground: {}
bodies:
  - name: box
    shape: {type: box, size: [0.2, 0.2, 0.2]}
    pose: {position: [0, 0, 0.2]}
soft:
  - name: sponge
    shape: {type: sphere, radius: 0.05}
    resolution: 0.02
    pose: {position: [0.3, 0, 0.2]}
    material: foam
cloth:
  - name: towel
    shape: {type: grid, size: [0.4, 0.4], cells: [10, 10]}
    pose: {position: [0, 0, 0.5]}
    material: cotton
"""


def check(folder: Path, *changes: tuple[str, str]) -> Report:
    text = SCENE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "scene.yaml").write_text(text)
    return check_file(folder / "scene.yaml")


def told(faults) -> list[str]:
    return [f"{fault.line}:{fault.column} {fault.message}" for fault in faults]


def test_a_right_scene_has_no_problems(tmp_path: Path) -> None:
    report = check(tmp_path)
    assert (report.errors, report.warnings) == ((), ())


def test_a_cloth_in_a_box_is_an_error(tmp_path: Path) -> None:
    report = check(tmp_path, ("[0, 0, 0.5]", "[0, 0, 0.21]"))
    thick = "'towel' is 0.000318 m thick"
    assert told(report.errors) == [f"9:11 'box' and 'towel' overlap at the start ({thick}); move them apart"]


def test_a_soft_ball_in_the_ground_is_an_error(tmp_path: Path) -> None:
    report = check(tmp_path, ("[0.3, 0, 0.2]", "[0.3, 0, 0.04]"))
    assert told(report.errors) == ["14:11 'sponge' and the ground overlap at the start; move them apart"]


RODS = """\
rods:
  - name: first
    shape: {type: line, length: 0.2, segments: 4}
    pose: {position: [-0.5, 0, 0.5]}
    thickness: 0.004
    youngs_modulus: 1e6
  - name: second
    shape: {type: polyline, points: [[0, -0.1, 0], [0, 0.1, 0]]}
    pose: {position: [-0.47, 0, 0.5]}
    thickness: 0.006
    youngs_modulus: 1e6
"""


def with_rods(*changes: tuple[str, str]) -> tuple[str, str]:
    text = RODS
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return "cloth:", f"{text}cloth:"


SAID = {
    0.5: r"'first' and 'second' intersect at the start \(edge \(2, 3\) of 'first' and edge \(0, 1\) of 'second'\)",
    0.504: r"'first' and 'second' are 0.004 m apart, less than the thickness 0.005 m of their surfaces, at the "
    r"start \(edge \(2, 3\) of 'first' and edge \(0, 1\) of 'second'\)",
}


@pytest.mark.parametrize("height", SAID)
def test_rods_that_cross_or_are_nearer_than_they_are_thick_are_an_error(tmp_path: Path, height: float) -> None:
    report = check(tmp_path, with_rods(("[-0.47, 0, 0.5]", f"[-0.47, 0, {height}]")))
    message = "overlap at the start ('first' is 0.004 m thick and 'second' is 0.006 m thick); move them apart"
    assert told(report.errors) == [f"19:11 'first' and 'second' {message}"]
    with pytest.raises(SceneFileError, match=SAID[height]):
        run(tmp_path / "scene.yaml", engine="cpu", quiet=True, pictures=False, force=True)


def test_rods_beyond_their_thickness_are_no_error(tmp_path: Path) -> None:
    report = check(tmp_path, with_rods(("[-0.47, 0, 0.5]", "[-0.47, 0, 0.5055]")))
    assert report.errors == ()
    (warning,) = told(report.warnings)
    assert warning.startswith("19:11 'first' and 'second' are 0.0005 m apart at the start, less than half of d_hat")
    assert check(tmp_path, with_rods(("[-0.47, 0, 0.5]", "[-0.47, 0, 0.507]"))).warnings == ()


def test_a_rod_through_a_box_or_in_the_ground_is_an_error(tmp_path: Path) -> None:
    through = with_rods(("[-0.5, 0, 0.5]", "[0.1, 0, 0.2]"))
    message = "'box' and 'first' overlap at the start ('first' is 0.004 m thick); move them apart"
    assert told(check(tmp_path, through).errors) == [f"9:11 {message}"]
    low = with_rods(("[-0.5, 0, 0.5]", "[-0.5, 0, 0.001]"))
    message = "'first' and the ground overlap at the start ('first' is 0.004 m thick); move them apart"
    assert told(check(tmp_path, low).errors) == [f"19:11 {message}"]


def test_a_rod_that_overlaps_itself_is_an_error(tmp_path: Path) -> None:
    loop = "points: [[0, -0.1, 0], [0, 0.1, 0], [0.1, 0.1, 0], [0.1, 0, 0], [-0.1, 0, 0.004]]"
    change = with_rods(("points: [[0, -0.1, 0], [0, 0.1, 0]]", loop), ("[-0.5, 0, 0.5]", "[-0.8, 0, 0.5]"))
    message = "'second' overlaps itself at the start ('second' is 0.006 m thick); move its parts apart"
    assert told(check(tmp_path, change).errors) == [f"24:11 {message}"]
    with pytest.raises(SceneFileError, match=r"parts of 'second' are 0.002 m apart, less than the thickness 0.006 m"):
        run(tmp_path / "scene.yaml", engine="cpu", quiet=True, pictures=False, force=True)


@pytest.mark.parametrize(
    "end", ["[0, -0.1, 0]", "[0, 0, 0]", "[0.005, -0.1, 0]"], ids=["on its start", "on its segment", "near its start"]
)
def test_a_rod_that_is_folded_back_on_itself_is_an_error(tmp_path: Path, end: str) -> None:
    change = with_rods(("[[0, -0.1, 0], [0, 0.1, 0]]", f"[[0, -0.1, 0], [0, 0.1, 0], {end}]"))
    message = "'second' overlaps itself at the start ('second' is 0.006 m thick); move its parts apart"
    assert told(check(tmp_path, change, ("[-0.47, 0, 0.5]", "[-0.47, 0, 0.6]")).errors) == [f"24:11 {message}"]
    with pytest.raises(SceneFileError, match=r"'second'"):
        run(tmp_path / "scene.yaml", engine="cpu", quiet=True, pictures=False, force=True)


def test_a_rod_with_a_sharp_corner_is_no_error(tmp_path: Path) -> None:
    change = with_rods(("[[0, -0.1, 0], [0, 0.1, 0]]", "[[0, -0.1, 0], [0, 0.1, 0], [0.007, -0.1, 0]]"))
    assert check(tmp_path, change, ("[-0.47, 0, 0.5]", "[-0.47, 0, 0.6]")).errors == ()


UNREADABLE = {
    "too fast": (
        ("material: foam", "material: foam\n    velocity: [0, -1e10, 0]"),
        "11:5 soft body 'sponge' (geometry 2): vertex 0 has a velocity of 1e+10 m/s; at most 1e+09 m/s",
    ),
    "pushed too hard": (
        ("[0, 0, 0.2]}\n", "[0, 0, 0.2]}\n    push: {force: [0, 1e19, 0]}\n"),
        "10:19 the push on 'box' is 1e+19 N, which would bring 8 kg to 1.25e+16 m/s in a step of 0.01 s; at most 1e+09",
    ),
    "rigid and too fast": (
        ("[0, 0, 0.2]}\n", "[0, 0, 0.2]}\n    velocity: {linear: [0, 1e10, 0]}\n"),
        "10:15 body 'box': vertex 0 has a velocity of 1e+10 m/s; at most 1e+09 m/s",
    ),
    "spins too fast": (
        ("[0, 0, 0.2]}\n", "[0, 0, 0.2]}\n    velocity: {angular: [0, 0, 1e11]}\n"),
        "10:15 body 'box': vertex 0 has a velocity of 1e+10 m/s; at most 1e+09 m/s",
    ),
    "rigid and too far": (
        ("[0, 0, 0.2]}\n", "[0, -2e9, 0.2]}\n"),
        "9:11 body 'box': vertex 0 has a position of 2e+09 m; at most 1e+09 m",
    ),
    "too far": (
        ("[0.3, 0, 0.2]", "[2e9, 0, 0.2]"),
        "11:5 soft body 'sponge' (geometry 2): vertex 0 has a position of 2e+09 m; at most 1e+09 m",
    ),
}


@pytest.mark.parametrize(("change", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_the_engine_refuses_to_read_is_an_error(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    (said,) = told(check(tmp_path, change).errors)
    assert said.startswith(message)
    with pytest.raises(
        IpcArticulationError, match=re.escape(message.partition("which")[2] or message.partition(" ")[2])
    ):
        run(tmp_path / "scene.yaml", engine="cpu", quiet=True, pictures=False, force=True)


def test_what_is_attached_may_overlap(tmp_path: Path) -> None:
    hold = "material: cotton\n    attach: [{to: box, box: [[-0.05, -0.05, 0], [0.05, 0.05, 0]]}]"
    report = check(tmp_path, ("[0, 0, 0.5]", "[0, 0, 0.21]"), ("material: cotton", hold))
    assert report.errors == ()


def test_a_ball_inside_another_surface_is_told_and_one_over_a_cloth_is_not(tmp_path: Path) -> None:
    report = check(tmp_path, ("[0.3, 0, 0.2]", "[0, 0, 0.2]"))
    assert told(report.warnings) == ["14:11 'sponge' is inside 'box' and can never leave it"]
    assert check(tmp_path, ("[0.3, 0, 0.2]", "[0, 0, 0.56]")).warnings == ()


def test_what_is_in_an_open_bag_can_leave_it(tmp_path: Path) -> None:
    bag = trimesh.creation.icosphere(3, 0.15)
    bag.update_faces(bag.triangles_center[:, 2] < 0.13)
    bag.export(tmp_path / "bag.obj")
    cloth = ("{type: grid, size: [0.4, 0.4], cells: [10, 10]}", "{type: mesh, file: bag.obj}")
    report = check(tmp_path, cloth, ("[0, 0, 0.5]", "[0.3, 0, 0.2]"), ("[0, 0, 0.2]", "[-1, 0, 0.2]"))
    assert (report.errors, report.warnings) == ((), ())


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            "material: foam",
            "material: foam\n    youngs_modulus: 100",
            "11:11 Young's modulus of 'sponge' 100 Pa is outside",
        ),
        (
            "material: cotton",
            "material: nylon\n    thickness: 0.001\n    youngs_modulus: 2e11",
            "17:11 Young's modulus of",
        ),
        (
            "material: foam",
            "material: foam\n    poissons_ratio: 0.499",
            "11:11 Poisson's ratio 0.499 of 'sponge' is above",
        ),
        (
            "material: foam",
            "material: foam\n    density: 0.1",
            "11:11 the density of 'sponge' 0.1 kg/m³ is outside 1 to",
        ),
        (
            "cells: [10, 10]",
            "cells: [200, 200]",
            "17:11 'towel' has edges of 0.002 m, shorter than d_hat 0.002 m and the thickness 0.000318 m: its",
        ),
        ("cells: [10, 10]", "cells: [200, 200]", "10:1 soft bodies have 40,"),
    ],
)
def test_risks_are_told(tmp_path: Path, old: str, new: str, text: str) -> None:
    report = check(tmp_path, (old, new))
    assert report.errors == ()
    assert any(line.startswith(text) for line in told(report.warnings)), told(report.warnings)


def test_small_elements_are_no_risk_where_a_body_does_not_touch_itself(tmp_path: Path) -> None:
    change = ("cells: [10, 10]}", "cells: [130, 130]}\n    self_collision: false")
    assert not any("edges" in line for line in told(check(tmp_path, change).warnings))
