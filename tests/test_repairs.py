"""Repairs are warnings that name the place, the fault and the remedy, or errors in strict mode."""

import threading
import warnings
from pathlib import Path

import pytest

from ipc_articulation.cli import entry
from ipc_articulation.errors import MeshError, ModelError
from ipc_articulation.repairs import RepairWarning, collected, repair, strict

GIVEN = ("arm.urdf:3: link 'hand'", "its mass is negative", "taken as zero")
TEXT = "arm.urdf:3: link 'hand': its mass is negative; taken as zero"


def test_a_repair_is_a_warning() -> None:
    with pytest.warns(RepairWarning, match=f"^{TEXT}$"):
        repair(*GIVEN)


def test_in_strict_mode_a_repair_is_an_error_of_the_given_kind() -> None:
    with strict():
        with pytest.raises(ModelError, match=r"^arm\.urdf:3: link 'hand': its mass is negative$"):
            repair(*GIVEN)
        with pytest.raises(MeshError):
            repair(*GIVEN, MeshError)
    with pytest.warns(RepairWarning):
        repair(*GIVEN)


def test_strict_belongs_to_one_thread_and_ends() -> None:
    found: list[str] = []

    def elsewhere() -> None:
        with collected() as repairs:
            repair(*GIVEN)
        found.extend(repairs)

    with strict():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        with pytest.raises(ModelError):
            repair(*GIVEN)
    assert found == [TEXT]
    with pytest.warns(RepairWarning):
        repair(*GIVEN)


def test_collected_repairs_are_told_once_and_other_warnings_go_on() -> None:
    with pytest.warns(UserWarning, match="another"):
        assert _told() == [TEXT]


def test_the_command_line_prints_each_repair_once_on_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ipc_articulation.starting.plain_starter", _repairing)
    assert entry.main(["new", str(tmp_path / "scene.yaml")]) == 0
    assert capsys.readouterr().err == f"ipc-articulation: repaired: {TEXT}\n"


def test_the_option_strict_makes_repairs_errors(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("ipc_articulation.starting.plain_starter", _repairing)
    assert entry.main(["new", str(tmp_path / "scene.yaml"), "--strict"]) == entry.WRONG_USE
    assert capsys.readouterr().err == "ipc-articulation: arm.urdf:3: link 'hand': its mass is negative\n"
    assert not (tmp_path / "scene.yaml").exists()


def _told() -> list[str]:
    with collected() as repairs:
        repair(*GIVEN)
        repair(*GIVEN)
        warnings.warn("another", stacklevel=1)
    return repairs


def _repairing(*given: object) -> dict[Path, str]:
    repair(*GIVEN)
    repair(*GIVEN)
    return {Path(str(given[0])): "# a scene"} if given else {}
