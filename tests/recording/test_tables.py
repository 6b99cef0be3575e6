"""Recordings as tables of xarray and pandas."""

import sys
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation.errors import MissingPackageError
from ipc_articulation.recording import Recording, read_recording
from ipc_articulation.recording.quantities import QUANTITIES
from tests.recording.made import write


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    write(tmp_path, 6, expected=9).close()
    return read_recording(tmp_path)


def test_xarray_has_names_and_units(recording: Recording) -> None:
    pytest.importorskip("xarray")
    dataset = recording.to_xarray()
    assert dict(dataset.sizes) == {
        "row": 6,
        "joints": 2,
        "bodies": 2,
        "i": 4,
        "j": 4,
        "energy_terms": 2,
        "stages": 1,
    } | {"soft_vertices": 7, "axis": 3}
    np.testing.assert_array_equal(dataset.theta.sel(joints="slide"), recording.theta[:, 1])
    np.testing.assert_array_equal(dataset.energies.sel(energy_terms="contact"), recording.energies[:, 1])
    assert dataset.contact_force.attrs["units"] == "N·m or N"
    heights = dataset.soft_positions.sel(soft_vertices="cable[2]", axis="z")
    np.testing.assert_array_equal(heights, recording.soft_positions[:, 6, 2])


def test_xarray_opens_the_files_themselves(recording: Recording, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    with xarray.open_zarr(tmp_path / "recording.zarr", consolidated=False) as dataset:
        for name in QUANTITIES:
            np.testing.assert_array_equal(dataset[name], getattr(recording, name))
        assert dataset.body_poses.dims == ("row", "bodies", "i", "j")
        assert dataset.theta.attrs["meaning"] == "joint positions"


def test_xarray_opens_contacts_and_scenery(recording: Recording, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    with xarray.open_zarr(tmp_path / "recording.zarr", group="contacts", consolidated=False) as contacts:
        first = slice(0, int(contacts.end[0])), slice(int(contacts.end[0]), int(contacts.end[1]))
        for row, own in enumerate(first):
            np.testing.assert_array_equal(contacts.forces[own], recording.contacts(row).forces)
    with xarray.open_zarr(tmp_path / "recording.zarr", group="scenery", consolidated=False) as scenery:
        np.testing.assert_array_equal(scenery.poses, [surface.pose for surface in recording.scenery.surfaces])


def test_xarray_opens_what_was_not_finished(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    write(tmp_path, 6, expected=9).flush()
    with xarray.open_zarr(tmp_path / "recording.zarr", consolidated=False) as dataset:
        assert dataset.attrs["rows"] == 6
        assert np.isfinite(dataset.theta[:6]).all()
        assert np.isnan(dataset.theta[6:]).all()


def test_pandas_has_a_column_a_number(recording: Recording) -> None:
    pytest.importorskip("pandas")
    table = recording.to_pandas()
    assert table.index.name == "time"
    np.testing.assert_array_equal(table.index, recording.time)
    np.testing.assert_array_equal(table["theta[slide]"], recording.theta[:, 1])
    np.testing.assert_array_equal(table["position[crate].z"], recording.body_poses[:, 1, 2, 3])
    np.testing.assert_array_equal(table["stage_times[solve]"], recording.stage_times[:, 0])
    assert "minimum_distance" in table


def test_quaternions_are_those_of_the_poses() -> None:
    pytest.importorskip("pandas")
    recording = Recording("a", 0.1, 0, (), ("crate",))
    recording.rows = 1
    recording.buffers["body_poses"][0, 0] = np.eye(4)
    recording.buffers["body_poses"][0, 0, :2, :2] = [[0, -1], [1, 0]]
    table = recording.to_pandas()
    for letter, value in zip("wxyz", (np.sqrt(0.5), 0, 0, np.sqrt(0.5)), strict=True):
        np.testing.assert_allclose(table[f"quaternion[crate].{letter}"], value, atol=1e-12)


@pytest.mark.parametrize(("package", "method"), [("xarray", "to_xarray"), ("pandas", "to_pandas")])
def test_a_missing_library_names_the_extra(
    recording: Recording, monkeypatch: pytest.MonkeyPatch, package: str, method: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr("ipc_articulation.extras.find_spec", lambda name: None)
    with pytest.raises(
        MissingPackageError, match=rf"{package} is missing; install it with: pip install 'ipc_art.*\[data\]"
    ):
        getattr(recording, method)()
