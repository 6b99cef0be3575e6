"""The finished runs of a sweep's folder, and their table as CSV."""

import json
from dataclasses import asdict
from pathlib import Path

import pandas
import pytest

from ipc_articulation import cli
from ipc_articulation.errors import SweepError
from ipc_articulation.sweeps.finished import finished
from ipc_articulation.sweeps.record import Record


def run(number: int, mass: float, friction: float, force: float | None, **others: object) -> Record:
    numbers = {} if force is None else {"steps_taken": 5, "largest_contact_force": force}
    end = ("done", None, None) if force is not None else ("failed", "SolverError", "mass <0>\nat all")
    return Record(
        f"{number:016x}", {"bodies.box.mass": mass, "ground.friction": friction}, *end, 1.5, numbers, **others
    )


def write(folder: Path, records: list[Record]) -> Path:
    """The folder of a sweep with these records."""
    (folder / "runs").mkdir(parents=True)
    (folder / "sweep.json").write_text("{}")
    for record in records:
        (folder / "runs" / f"{record.name}.json").write_text(json.dumps(asdict(record)))
    return folder


def test_rows_are_in_the_order_of_the_settings(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", [run(1, 10.0, 0.1, 4.0), run(2, 2.0, 0.5, 1.0), run(3, 2.0, 0.1, None)])
    found = finished(folder)
    assert found.table["id"].str[-1].tolist() == ["3", "2", "1"]
    assert found.varied == ("bodies.box.mass", "ground.friction")
    assert found.outcomes == ("steps_taken", "largest_contact_force", "wall_time")


def test_what_is_drawn_counts_as_varied(tmp_path: Path) -> None:
    runs = [run(k, 2.0, 0.1, 1.0 * k, draws={"gravity": [0.0, 0.0, -9.0 - k], "dt": 0.1}) for k in range(3)]
    assert finished(write(tmp_path / "s", runs)).varied == ("draw.gravity",)


def test_a_damaged_record_is_left_out_and_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "s", [run(1, 1.0, 0.1, 4.0), run(2, 2.0, 0.1, 4.0)])
    (folder / "runs" / f"{run(2, 2.0, 0.1, 4.0).name}.json").write_text("{")
    found = finished(folder)
    assert len(found.table) == 1
    assert len(found.notes) == 1
    assert found.notes[0].startswith(f"left out: {folder / 'runs' / 'mass=2.0_friction=0.1_0000000000000002.json'} is")


def test_a_sweep_without_a_finished_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match=r"s has no finished run yet"):
        finished(write(tmp_path / "s", []))


def test_the_command_writes_the_table(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    folder = write(tmp_path / "s", [run(1, 10.0, 0.1, 4.0), run(2, 2.0, 0.5, None)])
    assert cli.main(["export", str(folder), "--format", "csv"]) == 0
    assert capsys.readouterr().out == f"{folder / 'results.csv'}: 2 runs\n"
    table = pandas.read_csv(folder / "results.csv")
    assert table["bodies.box.mass"].tolist() == [2.0, 10.0]
    assert table["status"].tolist() == ["failed", "done"]
    assert table["largest_contact_force"].tolist()[1] == 4.0
    assert cli.main(["export", str(folder), "--format", "obj"]) == 2
    assert "s is a sweep: --format csv writes its one table; else give one of its runs" in capsys.readouterr().err
