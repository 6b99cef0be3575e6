"""The folder of a sweep: what it keeps, and what it refuses."""

import errno
import json
import os
from pathlib import Path

import pytest

from ipc_articulation.errors import SweepError
from ipc_articulation.scenefile.document import Document
from ipc_articulation.sweeps.case import Basis, Case
from ipc_articulation.sweeps.contents import Contents
from ipc_articulation.sweeps.folder import SweepFolder
from ipc_articulation.sweeps.record import Record

CASE = Case("0123456789abcdef", {"seed": 1})
RECORD = Record(CASE.id, CASE.settings, "done", wall_time=0.5, numbers={"minimum_distance": float("inf")})


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    file = tmp_path / "scene.yaml"
    file.write_text("adapter: none\n")
    return file


def open_folder(scene: Path, force: bool = False, engine: str = "cpu", steps: int | None = None):
    contents = Contents(Document(scene), {})
    basis = Basis(scene, contents.digest, engine, steps)
    folder = SweepFolder(scene.parent / "out")
    return folder, folder.opened(basis, contents, force)


def test_records_are_read_back(scene: Path) -> None:
    folder, opened = open_folder(scene)
    with opened:
        assert folder.records([CASE]) == {}
        folder.write(RECORD)
    folder, opened = open_folder(scene)
    with opened:
        assert folder.records([CASE, Case("fedcba9876543210", {})]) == {CASE.id: RECORD}
    assert list(folder.runs.iterdir()) == [folder.runs / f"{CASE.name}.json"]  # no drafts are left


def test_a_changed_scene_is_refused_by_name_unless_forced(scene: Path) -> None:
    folder, opened = open_folder(scene)
    with opened:
        folder.write(RECORD)
    scene.write_text("adapter: none\ndt: 0.1\n")
    _, opened = open_folder(scene)
    with pytest.raises(SweepError, match=r"^scene\.yaml has changed since the runs in .*out; choose another --out, or"):
        opened.__enter__()
    folder, opened = open_folder(scene, force=True)
    with opened:
        assert folder.records([CASE]) == {}


def test_a_scene_that_names_other_files_is_refused(scene: Path) -> None:
    with open_folder(scene)[1]:
        pass
    (scene.parent / "arm.xml").write_text("<mujoco/>")
    scene.write_text("adapter: none\nrobot: {model: arm.xml}\n")
    with pytest.raises(SweepError, match=r"do not both name arm\.xml; choose another --out"):
        open_folder(scene)[1].__enter__()


def test_other_steps_and_another_engine_are_refused(scene: Path) -> None:
    with open_folder(scene, steps=3)[1]:
        pass
    with pytest.raises(SweepError, match=r"the runs in .*out have steps 3, not 4; choose another --out"):
        open_folder(scene, steps=4)[1].__enter__()
    with pytest.raises(SweepError, match=r"the runs in .*out have engine cpu, not none"):
        open_folder(scene, steps=3, engine="none")[1].__enter__()


def test_what_is_no_sweep_is_never_touched(scene: Path) -> None:
    (scene.parent / "out").mkdir()
    (scene.parent / "out" / "thesis.tex").write_text("")
    for force in (False, True):
        with pytest.raises(SweepError, match="out is not the folder of a sweep; choose another --out"):
            open_folder(scene, force)[1].__enter__()
    assert (scene.parent / "out" / "thesis.tex").exists()


def test_two_processes_cannot_sweep_in_one_folder(scene: Path) -> None:
    with open_folder(scene)[1], pytest.raises(SweepError, match=r"another process runs in .*out; wait for it"):
        open_folder(scene)[1].__enter__()


def test_a_damaged_record_is_named(scene: Path) -> None:
    folder, opened = open_folder(scene)
    with opened:
        folder.write(RECORD)
        file = folder.runs / f"{CASE.name}.json"
        file.write_text(file.read_text()[:40])
        with pytest.raises(SweepError, match=rf"{CASE.name}\.json is damaged; remove it to repeat that run"):
            folder.records([CASE])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"sweep\.json is damaged: .*; --force starts again"),
        ("[1]", r"sweep\.json is damaged"),
        (
            json.dumps({"version": 1, "files": {}}),
            r"sweep\.json has format version 1, and this program knows 2; choose another --out",
        ),
    ],
)
def test_a_description_that_cannot_be_read_is_named(scene: Path, text: str, message: str) -> None:
    folder, opened = open_folder(scene)
    with opened:
        pass
    (folder.path / "sweep.json").write_text(text)
    with pytest.raises(SweepError, match=message):
        open_folder(scene)[1].__enter__()


def test_a_full_disk_is_named_and_leaves_the_former_record(scene: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, opened = open_folder(scene)
    with opened:
        folder.write(RECORD)

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr("ipc_articulation.sweeps.record.os.fsync", full)
        with pytest.raises(
            SweepError, match=r"cannot write .*\.json: No space left on device; runs that finished before"
        ):
            folder.write(Record(CASE.id, CASE.settings, "failed"))
        assert folder.records([CASE]) == {CASE.id: RECORD}
