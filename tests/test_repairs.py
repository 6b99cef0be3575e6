"""Repairs are warnings that name the place, the fault and the remedy, or errors in strict mode."""

import threading
import warnings
from pathlib import Path

import pytest

from ipc_articulation.cli import entry
from ipc_articulation.errors import MeshError, ModelError
from ipc_articulation.repairs import RepairWarning, caution, collected, repair, strict, summed

GIVEN = ("link 'hand'", "its mass is negative", "taken as zero")
AT = "arm.urdf:3"
TEXT = "arm.urdf:3: link 'hand': its mass is negative; taken as zero"


def test_a_repair_is_a_warning() -> None:
    with pytest.warns(RepairWarning, match=f"^{TEXT}$"):
        repair(*GIVEN, at=AT)


def test_in_strict_mode_a_repair_is_an_error_of_the_given_kind() -> None:
    with strict():
        with pytest.raises(ModelError, match=r"^arm\.urdf:3: link 'hand': its mass is negative$"):
            repair(*GIVEN, at=AT)
        with pytest.raises(MeshError):
            repair(*GIVEN, MeshError, at=AT)
    with pytest.warns(RepairWarning):
        repair(*GIVEN, at=AT)


def test_strict_belongs_to_one_thread_and_ends() -> None:
    found: list[str] = []

    def elsewhere() -> None:
        with collected() as repairs:
            repair(*GIVEN, at=AT)
        found.extend(repairs)

    with strict():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        with pytest.raises(ModelError):
            repair(*GIVEN, at=AT)
    assert found == [TEXT]
    with pytest.warns(RepairWarning):
        repair(*GIVEN, at=AT)


def test_collected_repairs_and_other_warnings_for_users_are_told_once() -> None:
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert sorted(_told()) == ["another", TEXT]


def test_repairs_of_one_kind_are_one_warning_that_names_the_parts() -> None:
    with pytest.warns(RepairWarning) as warned:
        _many()
    assert [str(warning.message) for warning in warned] == [
        "arm.urdf: mesh 'm1' of link 'l': it is open: rough; closed (1 hole); likewise "
        "'m2' (2 holes), 'm3' (3 holes), 'm4' (4 holes), 'm5' (5 holes), 'm6' (6 holes), 'm7' (7 holes) and 2 more",
        "arm.urdf:7: link 'hand': it is heavy; left out; likewise 'foot', 'tail'",
        "leg.urdf:9: link 'tail': it is heavy; left out",
    ]


@summed("arm.urdf")
def _many() -> None:
    for number in range(1, 10):
        holes = f"{number} hole{'s'[: number - 1]}"
        repair(f"mesh 'm{number}' of link 'l'", "it is open", "closed", found="rough", detail=holes)
    repair("link 'hand'", "it is heavy", "left out", at="arm.urdf:7", others=["'foot'"])
    repair("link 'tail'", "it is heavy", "left out", at="arm.urdf:9")
    repair("link 'tail'", "it is heavy", "left out", at="leg.urdf:9")


def test_repairs_of_what_is_given_up_are_not_reported(recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(MeshError):
        summed(given_up=MeshError)(_failing)()
    assert not recwarn.list


def test_repairs_before_another_error_are_reported() -> None:
    with pytest.warns(RepairWarning, match=TEXT), pytest.raises(MeshError):
        summed()(_failing)()


def _failing() -> None:
    repair(*GIVEN, at=AT)
    raise MeshError("open")


def test_in_strict_mode_a_caution_is_an_error_too() -> None:
    with pytest.warns(UserWarning, match=r"^it may fall$"):
        caution("it may fall")
    with strict(), pytest.raises(MeshError, match=r"^it may fall$"):
        caution("it may fall", MeshError)


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
        repair(*GIVEN, at=AT)
        repair(*GIVEN, at=AT)
        warnings.warn("another", stacklevel=1)
        warnings.warn("another", stacklevel=1)
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
    return repairs


def _repairing(*given: object) -> dict[Path, str]:
    repair(*GIVEN, at=AT)
    repair(*GIVEN, at=AT)
    return {Path(str(given[0])): "# a scene"} if given else {}
