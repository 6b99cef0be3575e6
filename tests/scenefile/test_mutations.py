"""Two hundred broken scene files: each ends in a named error with a place, none in a traceback, none runs."""

import copy
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from ipc_articulation.checking import check_file
from ipc_articulation.errors import SceneFileError
from ipc_articulation.packages import find_file
from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.scenefile.tree import plain
from ipc_articulation.scenefile.yaml_text import parse
from ipc_articulation.simulation.building import build
from tests.robot_warnings import OF_ROBOTS
from tests.scenefile.mutations import OF_DATA, OF_TEXT, mutants

SCENES = Path(__file__).parents[2] / "scenes"
COUNT, SEED = 200, 6


def lists(value: Any) -> Any:
    """Plain data as PyYAML writes them, no part of them the same as another."""
    if isinstance(value, dict):
        return {str(key): lists(child) for key, child in value.items()}
    if isinstance(value, tuple):
        return [lists(child) for child in value]
    return str(value) if isinstance(value, str) else copy.copy(value)


@cache
def good_scenes() -> dict[str, dict[str, Any]]:
    scenes = {file.stem: lists(plain(parse(file.read_text(), file))) for file in sorted(SCENES.glob("*.yaml"))}
    return {name: scene for name, scene in scenes.items() if is_here(scene)}


def is_here(scene: dict[str, Any]) -> bool:
    """Whether the robot of a scene is on this machine."""
    try:
        find_file(scene.get("robot", {}).get("model", "panda_push.yaml"), SCENES)
    except FileNotFoundError:
        return False
    return True


@cache
def broken_scenes() -> list[tuple[str, str, str]]:
    """Name, text and words to be told."""
    return list(mutants(good_scenes(), COUNT, SEED))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the scenes, with files that are no robots."""
    folder = tmp_path_factory.mktemp("broken") / "scenes"
    shutil.copytree(SCENES, folder)
    (folder / "broken.urdf").write_text("<robot name='r'>\n  <link name='a'>\n</robot>\n")
    (folder / "broken.xml").write_text("<mujoco>\n  <worldbody>\n    <boddy/>\n  </worldbody>\n</mujoco>\n")
    (folder / "empty.urdf").write_text("")
    return folder


def test_there_are_enough_of_every_kind() -> None:
    kinds = [name.split("-")[1] for name, _, _ in broken_scenes()]
    assert len(kinds) == COUNT
    assert set(kinds) == {mutation.__name__ for mutation in (*OF_DATA, *OF_TEXT)}
    assert len({text for _, text, _ in broken_scenes()}) == COUNT


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(file.stem for file in SCENES.glob("*.yaml")))
def test_the_scenes_are_right_before_they_are_broken(name: str, folder: Path) -> None:
    if name not in good_scenes():
        pytest.skip("its robot is not on this machine")
    (folder / "mutant.yaml").write_text(yaml.safe_dump(good_scenes()[name], sort_keys=False))
    report = check_file(folder / "mutant.yaml")
    assert report.errors == ()
    assert [fault.message for fault in report.warnings if not re.search(OF_ROBOTS, fault.message)] == []


@pytest.mark.parametrize("number", range(COUNT))
def test_a_broken_scene_is_refused_with_a_place(number: int, folder: Path) -> None:
    name, text, words = broken_scenes()[number]
    file = folder / "mutant.yaml"
    file.write_text(text)
    report = check_file(file)
    assert report.errors, f"check finds no fault in {name}"
    for fault in report.errors:
        assert fault.line is not None
        assert 1 <= fault.line <= fault.file.read_text().count("\n") + 1
        assert re.match(rf"{re.escape(str(fault.file))}:\d+:\d+: \S", str(fault))
    assert any(words in fault.message for fault in report.errors), report.errors
    with pytest.raises(SceneFileError) as caught:  # a run ends in the same way, before its engine takes a step
        build(*read_scene(file), "cpu", folder / "out", 2)
    assert caught.value.line is not None
