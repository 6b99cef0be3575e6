"""Values drawn at random."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from ipc_articulation.errors import SceneFileError
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.simulation.variation import with_drawn_values

SCENE: dict[str, Any] = {
    "adapter": "none",
    "dt": 0.01,
    "steps": 5,
    "contact": {"friction": 0.4},
    "bodies": [
        {
            "name": "crate",
            "shape": {"type": "box", "size": [0.1, 0.2, 0.3]},
            "mass": 2.0,
            "pose": {"position": [1, 2, 3]},
        }
    ],
}


def drawn(folder: Path, *variations: dict[str, Any], settings: dict[str, Any] | None = None):
    file = folder / "scene.yaml"
    file.write_text(yaml.safe_dump({**SCENE, "randomise": list(variations)}, sort_keys=False))
    return with_drawn_values(*read_scene(file, settings))


def test_a_list_is_moved_number_by_number_within_the_bounds(tmp_path: Path) -> None:
    scene, _, values = drawn(tmp_path, {"path": "bodies.crate.pose.position", "uniform": [-0.01, 0.01]})
    moved = np.array(scene.bodies[0].pose.position) - [1, 2, 3]
    assert (np.abs(moved) <= 0.01).all()
    assert len(set(moved)) == 3
    assert values == {"bodies.crate.pose.position": list(scene.bodies[0].pose.position)}


def test_values_follow_from_the_seed_as_numpy_draws_them(tmp_path: Path) -> None:
    variations = (
        {"path": "contact.friction", "normal": 0.1, "relative": True},
        {"path": "bodies[0].mass", "uniform": [0, 1]},
    )
    scene, _, _ = drawn(tmp_path, *variations, settings={"seed": 7})
    rng = np.random.Generator(np.random.PCG64(7))
    assert scene.contact.friction == pytest.approx(0.4 * (1 + rng.normal(0, 0.1)))
    assert scene.bodies[0].mass == pytest.approx(2 + rng.uniform(0, 1))
    other, _, _ = drawn(tmp_path, *variations, settings={"seed": 8})
    assert other.contact.friction != scene.contact.friction


def test_a_setting_is_what_the_draw_starts_from(tmp_path: Path) -> None:
    variation = {"path": "bodies.crate.mass", "uniform": [0, 0.001]}
    scene, _, _ = drawn(tmp_path, variation, settings={"bodies.crate.mass": 5.0})
    assert 5.0 < scene.bodies[0].mass < 5.001


def test_without_variations_the_scene_is_the_same(tmp_path: Path) -> None:
    file = tmp_path / "scene.yaml"
    file.write_text(yaml.safe_dump(SCENE))
    scene, document = read_scene(file)
    assert with_drawn_values(scene, document) == (scene, document, {})


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("bodies.crat.mass", r"nothing is drawn for 'bodies.crat.mass': there is no 'crat'; did you mean 'crate'\?"),
        ("bodies.crate.masss", "there is no 'masss'; did you mean 'mass'"),
        ("bodies.crate.density", "its value is None, must be a number or a list of numbers, written in the file"),
        ("bodies.crate.name", "its value is 'crate', must be a number"),
        ("bodies[3].mass", "there is no entry 3"),
        ("steps", "'steps' is the same in all variations"),
        ("bodies..mass", "'bodies..mass' is no path"),
    ],
)
def test_a_path_that_leads_to_no_number_is_told_with_its_place(tmp_path: Path, path: str, message: str) -> None:
    with pytest.raises(SceneFileError, match=message) as caught:
        drawn(tmp_path, {"path": path, "normal": 1})
    assert caught.value.line is not None


def test_a_drawn_value_is_checked_like_any_other(tmp_path: Path) -> None:
    with pytest.raises(
        SceneFileError,
        match=r"yaml:\d+:\d+: a value drawn with seed 0 is not valid: bodies\[0\].mass should be greater than 0",
    ):
        drawn(tmp_path, {"path": "bodies.crate.mass", "uniform": [-3, -2.5]})


def test_how_it_is_drawn_must_be_said_once(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match="either `uniform`, two bounds, or `normal`"):
        drawn(tmp_path, {"path": "bodies.crate.mass"})


def test_a_value_is_drawn_once_between_bounds_in_order(tmp_path: Path) -> None:
    with pytest.raises(SceneFileError, match=r"'contact.friction' is drawn already"):
        drawn(tmp_path, *[{"path": "contact.friction", "normal": 0.1}] * 2)
    with pytest.raises(SceneFileError, match="the first bound must not exceed the second"):
        drawn(tmp_path, {"path": "contact.friction", "uniform": [1, 0]})
