"""Every number of a scene file may be as small or as large as can be: the answer is an error with its place."""

import copy
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
import yaml

from ipc_articulation.checking import check_file
from tests.running.scenes import write_scene
from tests.scenefile.mutations import at, changed, walk

SHAPES: list[dict[str, Any]] = [
    {"type": "box", "size": [0.2, 0.3, 0.4]},
    {"type": "sphere", "radius": 0.2},
    {"type": "capsule", "radius": 0.1, "length": 0.3},
    {"type": "cylinder", "radius": 0.1, "length": 0.3},
    {"type": "ellipsoid", "radii": [0.1, 0.2, 0.3]},
]
EVERYTHING: dict[str, Any] = {
    "adapter": "none",
    "dt": 0.01,
    "steps": 5,
    "gravity": [0, 0, -9.81],
    "stiffness": 1e8,
    "contact": {"d_hat": 0.001, "friction": 0.5, "resistance": 1e9},
    "materials": {"oak": {"density": 700, "friction": 0.3, "stiffness": 1e8, "resistance": 1e9}},
    "ground": {"height": -5},
    "walls": [{"name": "wall", "point": [9, 0, 0], "normal": [-1, 0, 0]}],
    "bodies": [
        {
            "name": shape["type"],
            "shape": shape,
            "pose": {"position": [k, 0, 0], "rpy": [0, 0, 0.1]},
            **({"mass": 1.0, "material": "oak"} if k % 2 else {"density": 500}),
        }
        for k, shape in enumerate(SHAPES)
    ],
    "joints": [
        {"name": "h", "type": "revolute", "parent": "box", "child": "sphere", "anchor": [0.5, 0, 0], "axis": [0, 0, 1],
         "length": 0.2, "strength_ratio": 100, "limits": [-1, 1], "drive": {"target": 0.5, "duration": 1.0}},
    ],
    "view": {"eye": [9, 9, 9], "target": [0, 0, 0]},
}  # fmt: skip
NUMBERS = [p for p, v in walk(EVERYTHING) if isinstance(v, int | float) and not isinstance(v, bool)]


def write(folder: Path, data: dict[str, Any]) -> Path:
    (folder / "scene.yaml").write_text(yaml.safe_dump(data))
    return folder / "scene.yaml"


def test_the_scene_itself_is_right(tmp_path: Path) -> None:
    assert check_file(write(tmp_path, EVERYTHING)).errors == ()


@pytest.mark.slow
@pytest.mark.parametrize("value", [1e-300, -1e-300, 1e200, -1e200, 10**250, math.inf, math.nan, True])
def test_no_number_may_be_extreme(tmp_path: Path, value: float) -> None:
    for path in NUMBERS:
        report = check_file(write(tmp_path, changed(EVERYTHING, path, value)))
        assert report.errors, path
        assert all(fault.line and fault.column for fault in report.errors), path


@pytest.mark.slow
@pytest.mark.parametrize("value", [1e-19, 1e19, -1e19, 1e-9, 1e9, -0.0, 0, 3e4, 1.5e-5])
def test_other_sizes_are_an_error_or_right(tmp_path: Path, value: float) -> None:
    for path in NUMBERS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            report = check_file(write(tmp_path, changed(EVERYTHING, path, value)))
        assert all(fault.line and fault.column for fault in report.errors), path


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1e-300, "a number is 0, or from 1e-20 to 1e+20 in size; got 1e-300"),
        (1e200, "a number is 0, or from 1e-20 to 1e+20 in size; got 1e+200"),
        (1e-12, "a length of a shape must be from 1e-05 to 100000 m, got 1e-12"),
        (1e12, "a length of a shape must be from 1e-05 to 100000 m, got 1000000000000.0"),
        (0.0, "bodies[1].shape.sphere.radius should be greater than 0, got 0.0"),
    ],
)
def test_the_radius_of_a_sphere(tmp_path: Path, value: float, message: str) -> None:
    (fault,) = check_file(write(tmp_path, changed(EVERYTHING, ("bodies", 1, "shape", "radius"), value))).errors
    assert fault.message.replace(".sphere", "") == message.replace(".sphere", "")
    lines = (tmp_path / "scene.yaml").read_text().splitlines()
    assert fault.line is not None
    assert lines[fault.line - 1].strip().startswith("radius: ")


def test_lengths_of_one_shape_are_not_too_different(tmp_path: Path) -> None:
    data = changed(EVERYTHING, ("bodies", 2, "shape", "radius"), 9e4)
    (fault,) = check_file(write(tmp_path, data)).errors
    assert fault.message == "the lengths of a shape may differ by a factor of at most 100000, got 0.3 and 90000 m"


@pytest.mark.parametrize("factor", [1e-200, 1e-12, 1e12, 1e200])
def test_a_mesh_file_of_extreme_size(tmp_path: Path, factor: float) -> None:
    box = trimesh.creation.box((1, 1, 1))
    lines = [f"v {' '.join(map(repr, (factor * v).tolist()))}" for v in np.asarray(box.vertices)]
    lines += [f"f {' '.join(map(str, (f + 1).tolist()))}" for f in np.asarray(box.faces)]
    (tmp_path / "part.obj").write_text("\n".join(lines))
    data = copy.deepcopy(EVERYTHING)
    at(data, ("bodies", 0))["shape"] = {"type": "mesh", "file": "part.obj"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        (fault, *_) = check_file(write(tmp_path, data)).errors
    assert fault.line


@pytest.mark.slow
def test_numbers_of_a_robot(tmp_path: Path) -> None:
    data = yaml.safe_load(write_scene(tmp_path).read_text())
    for path in [p for p, v in walk(data) if isinstance(v, int | float) and not isinstance(v, bool)]:
        for value in (1e-300, 1e200):
            assert check_file(write(tmp_path, changed(data, path, value))).errors, path
