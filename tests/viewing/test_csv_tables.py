"""Tables of recordings as CSV: pandas reads back what was recorded; what is damaged is empty, and named."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas
import pytest
from numpy.testing import assert_allclose

from ipc_articulation import cli, read_recording
from ipc_articulation.errors import RecordingError
from ipc_articulation.recording import Recording, environment_of
from ipc_articulation.recording.recording import salvaged
from ipc_articulation.viewing.exporting.tables import TABLES, write_tables
from tests.recording import made as stored
from tests.viewing.made import recording


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recording on disk, of more rows than a chunk has."""
    stored.write(tmp_path / "push", 40).flush()
    return tmp_path / "push"


def test_pandas_reads_back_what_was_recorded(folder: Path, tmp_path: Path) -> None:
    made = read_recording(folder)
    (words,) = write_tables(made, tmp_path, TABLES)
    assert words == f"{tmp_path}: joints.csv, poses.csv, steps.csv, contacts.csv, forces.csv, soft.csv"
    read = {name: pandas.read_csv(tmp_path / f"{name}.csv") for name in TABLES}
    assert_allclose(read["joints"]["time [s]"], made.time, rtol=1e-11)
    assert_allclose(read["joints"]["theta_dot[slide] [rad/s or m/s]"], made.theta_dot[:, 1], rtol=1e-11)
    assert_allclose(read["poses"]["position[crate].y [m]"], made.body_poses[:, 1, 1, 3], rtol=1e-11)
    assert_allclose(read["poses"].filter(like="quaternion[arm]").pow(2).sum(axis=1), 1.0)
    assert_allclose(read["steps"]["energies[contact] [J]"], made.energies[:, 1], rtol=1e-11)
    assert len(read["contacts"]) == sum(len(made.contacts(row)) for row in range(40))
    third = read["contacts"][read["contacts"]["time [s]"] == read["joints"]["time [s]"][3]]
    assert list(third["first"]) == [pair[0] for pair in made.contacts(3).bodies]
    assert_allclose(third.filter(like="force"), made.contacts(3).forces, rtol=1e-11)
    sums = read["forces"][read["forces"]["time [s]"] == read["joints"]["time [s]"][3]]
    assert len(sums) < 3
    assert_allclose(sums.filter(like="force").sum(), made.contacts(3).forces.sum(axis=0), rtol=1e-6)
    assert_allclose(read["soft"].iloc[-1, 3:].astype(float), made.soft_positions[-1, -1], rtol=1e-11)


def test_units_of_joints_where_the_run_knows_them(tmp_path: Path) -> None:
    made = recording()
    made.header.extra["joint_units"] = {"turn": "m"}
    write_tables(made, tmp_path, ["joints"], every=5)
    table = pandas.read_csv(tmp_path / "joints.csv")
    assert {"theta[turn] [m]", "theta_dot[turn] [m/s]", "contact_force[turn] [N]"} < set(table)
    assert_allclose(table["time [s]"], [0.0, 0.5, 1.0])
    assert table["contact_force[turn] [N]"].isna().tolist() == [True, False, False]


def test_what_is_damaged_is_empty_and_named(folder: Path, tmp_path: Path) -> None:
    file = folder / "recording.zarr" / "theta" / "c.0.0"
    file.write_bytes(file.read_bytes()[:-3])
    written = write_tables(salvaged(folder), tmp_path / "out", ["joints"])
    assert len(written) == 2
    assert "theta/c.0.0 is damaged" in written[1]
    assert written[1].endswith(": theta is empty there")
    table = pandas.read_csv(tmp_path / "out" / "joints.csv")
    assert table["theta[turn] [rad or m]"].isna().all()
    assert table["theta_dot[turn] [rad/s or m/s]"].notna().all()


def test_where_nothing_can_be_read_the_error_names_it(folder: Path, tmp_path: Path) -> None:
    for name in ("theta", "theta_dot", "delta_theta", "delta_theta_tilde", "contact_force", "time"):
        (next((folder / "recording.zarr" / name).glob("c.*"))).unlink()
    with pytest.raises(RecordingError, match=r"time/c\.0 is missing"):
        write_tables(salvaged(folder), tmp_path, ["joints"])


def test_a_run_that_did_not_end_is_told(tmp_path: Path) -> None:
    made = recording()
    made.header.extra["planned_steps"] = 30
    assert write_tables(made, tmp_path, ["steps"])[1:] == ["the run took 10 of 30 steps"]


def test_environments_have_a_column(tmp_path: Path) -> None:
    made = many()
    write_tables(made, tmp_path, ["joints", "forces"])
    joints, forces = (pandas.read_csv(tmp_path / f"{name}.csv") for name in ("joints", "forces"))
    assert list(joints)[:3] == ["environment", "time [s]", "theta[turn] [rad or m]"]
    assert joints["environment"].value_counts().to_dict() == {0: 11, 1: 11}
    assert forces["first"].unique().tolist() == ["a crate"]
    assert forces["second"].unique().tolist() == ["ground"]  # that of both has the label of the first
    assert forces["environment"].value_counts().to_dict() == {0: 10, 1: 10}
    write_tables(made, tmp_path, ["joints"], environment=1)
    assert "environment" not in pandas.read_csv(tmp_path / "joints.csv")


def many() -> Recording:
    """Two environments that share their ground, whose name has the label of the first."""
    one = recording()
    labels = ("environment 0: ", "environment 1: ")
    names = {
        key: tuple(label + name for label in labels for name in getattr(one, key))
        for key in ("joint_names", "body_names", "free_names")
    }
    header = replace(one.header, **names, extra={"environments": 2})
    arrays = {
        key: np.concatenate([values, values], axis=1) if key in ("body_poses",) or "theta" in key else values
        for key, values in ((key, getattr(one, key)) for key in one.buffers)
    }
    arrays["contact_force"] = np.tile(one.contact_force, 2)
    ground = labels[0] + "ground"
    contacts = {
        row: replace(
            found,
            points=np.tile(found.points, (2, 1)),
            forces=np.tile(found.forces, (2, 1)),
            bodies=tuple((label + "a crate", ground) for label in labels for _ in found.bodies),
        )
        for row, found in one.contact_rows.items()
    }
    return Recording.part(header, one.rows, arrays, contacts, lambda: one.scenery)


def test_one_environment_has_its_own_contacts_with_the_common_ground() -> None:
    alone = recording().contacts(3)
    for number in (0, 1):
        found = environment_of(many(), number).contacts(3)
        assert found.bodies == (("a crate", "ground"),) * 2
        assert_allclose(found.forces, alone.forces)


def test_the_command_writes_tables(folder: Path, capsys: pytest.CaptureFixture) -> None:
    assert cli.main(["export", str(folder), "--format", "csv", "--table", "steps", "--every", "10"]) == 0
    assert capsys.readouterr().out == f"{folder / 'csv'}: steps.csv\n"
    assert len(pandas.read_csv(folder / "csv" / "steps.csv")) == 4
    assert cli.main(["export", str(folder), "--format", "obj", "--table", "steps"]) == 2
    assert "--table chooses tables of --format csv; obj has none" in capsys.readouterr().err
