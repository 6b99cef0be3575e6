"""The files that determine a scene."""

from pathlib import Path

import pytest

from ipc_articulation.errors import SweepError
from ipc_articulation.scenefile.document import Document
from ipc_articulation.sweeps.contents import Contents


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    (tmp_path / "arm.xml").write_text("<mujoco/>")
    (tmp_path / "other.xml").write_text("<mujoco model='other'/>")
    (tmp_path / "act.py").write_text("def act(state): ...")
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "cup.stl").write_text("solid")
    file = tmp_path / "scene.yaml"
    file.write_text(
        "title: arm\nrobot: {model: arm.xml}\nbodies:\n  - {shape: {file: meshes/cup.stl}}\n"
        "controller: {python: 'act.py:act'}\n"
    )
    return file


def test_every_file_that_a_scene_or_a_setting_names_counts(scene: Path) -> None:
    contents = Contents(Document(scene), {"robot.model": ["arm.xml", "other.xml"], "title": ["no file"]})
    assert set(contents.digests) == {"scene.yaml", "arm.xml", "other.xml", "meshes/cup.stl", "act.py"}


def test_included_files_count(scene: Path, tmp_path: Path) -> None:
    (tmp_path / "top.yaml").write_text("include: scene.yaml\n")
    assert {"top.yaml", "scene.yaml", "arm.xml"} <= set(Contents(Document(tmp_path / "top.yaml"), {}).digests)


@pytest.mark.parametrize("name", ["scene.yaml", "arm.xml", "meshes/cup.stl", "act.py"])
def test_a_change_of_any_of_them_is_another_scene(scene: Path, name: str) -> None:
    before = Contents(Document(scene), {})
    before.require_unchanged()
    file = scene.parent / name
    file.write_text(file.read_text() + "\n")
    with pytest.raises(SweepError, match=f"{file} has changed since"):
        before.require_unchanged()
    assert Contents(Document(scene), {}).digest != before.digest


def test_a_file_that_is_gone_has_changed(scene: Path) -> None:
    contents = Contents(Document(scene), {})
    (scene.parent / "arm.xml").unlink()
    with pytest.raises(SweepError, match=r"arm\.xml has changed since"):
        contents.require_unchanged()


def test_another_folder_is_the_same_scene(scene: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    there = tmp_path_factory.mktemp("there") / "copy"
    digest = Contents(Document(scene), {}).digest
    scene.parent.rename(there)
    assert Contents(Document(there / "scene.yaml"), {}).digest == digest
