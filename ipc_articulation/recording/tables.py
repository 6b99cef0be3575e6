"""Recordings as xarray's and pandas' tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.extras import need
from ipc_articulation.recording.layout import dimension_names
from ipc_articulation.recording.quantities import QUANTITIES

if TYPE_CHECKING:
    import pandas
    import xarray

    from ipc_articulation.recording.recording import Recording

Array = NDArray[np.float64]


def to_xarray(recording: Recording) -> xarray.Dataset:
    """See `Recording.to_xarray`."""
    xr = need("xarray")
    variables = {
        name: (dimension_names(name), getattr(recording, name), {"units": q.unit, "long_name": q.meaning})
        for name, q in QUANTITIES.items()
    }
    names = {dimension: list(entries) for dimension, entries in _names(recording).items()}
    dataset = xr.Dataset(variables, coords=names, attrs={"name": recording.name, "dt": recording.dt})
    return dataset.set_coords("time")


def to_pandas(recording: Recording) -> pandas.DataFrame:
    """See `Recording.to_pandas`."""
    pd = need("pandas")
    columns = dict(_columns(recording))
    return pd.DataFrame(columns, index=pd.Index(recording.time, name="time"))


def _columns(recording: Recording) -> Iterator[tuple[str, Array]]:
    from scipy.spatial.transform import Rotation

    names = _names(recording)
    for name, quantity in QUANTITIES.items():
        values = getattr(recording, name)
        match quantity.shape:
            case ():
                if name != "time":
                    yield name, values
            case (str(dimension),):
                for k, entry in enumerate(names[dimension]):
                    yield f"{name}[{entry}]", values[:, k]
    for k, body in enumerate(recording.body_names):
        poses = recording.body_poses[:, k]
        for axis, letter in enumerate("xyz"):
            yield f"position[{body}].{letter}", poses[:, axis, 3]
        quaternions = Rotation.from_matrix(poses[:, :3, :3]).as_quat(scalar_first=True)
        for part, letter in enumerate("wxyz"):
            yield f"quaternion[{body}].{letter}", quaternions[:, part]


def _names(recording: Recording) -> dict[str, tuple[str, ...]]:
    return {
        "joints": recording.joint_names,
        "bodies": recording.body_names,
        "energy_terms": recording.energy_terms,
        "stages": recording.stages,
    }
