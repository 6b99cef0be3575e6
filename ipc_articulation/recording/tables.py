"""Recordings as xarray's and pandas' tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ipc_articulation.arrays import Array
from ipc_articulation.extras import need
from ipc_articulation.recording.header import Header
from ipc_articulation.recording.layout import dimension_names
from ipc_articulation.recording.quantities import QUANTITIES

if TYPE_CHECKING:
    import pandas
    import xarray


def to_xarray(header: Header, arrays: Mapping[str, Array]) -> xarray.Dataset:
    """See `Recording.to_xarray`; `arrays` by quantity."""
    xr = need("xarray")
    variables = {
        name: (dimension_names(name), arrays[name], {"units": q.unit, "long_name": q.meaning})
        for name, q in QUANTITIES.items()
    }
    names = {dimension: list(entries) for dimension, entries in header.dimensions.items()}
    dataset = xr.Dataset(variables, coords=names, attrs={"name": header.name, "dt": header.dt})
    return dataset.set_coords("time")


def to_pandas(header: Header, arrays: Mapping[str, Array]) -> pandas.DataFrame:
    """See `Recording.to_pandas`; `arrays` by quantity."""
    pd = need("pandas")
    return pd.DataFrame(dict(_columns(header, arrays)), index=pd.Index(arrays["time"], name="time"))


def _columns(header: Header, arrays: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    from scipy.spatial.transform import Rotation

    for name, quantity in QUANTITIES.items():
        values = arrays[name]
        match quantity.shape:
            case ():
                if name != "time":
                    yield name, values
            case (str(dimension),):
                for k, entry in enumerate(header.dimensions[dimension]):
                    yield f"{name}[{entry}]", values[:, k]
    for k, body in enumerate(header.body_names):
        poses = arrays["body_poses"][:, k]
        for axis, letter in enumerate("xyz"):
            yield f"position[{body}].{letter}", poses[:, axis, 3]
        quaternions = Rotation.from_matrix(poses[:, :3, :3]).as_quat(scalar_first=True)
        for part, letter in enumerate("wxyz"):
            yield f"quaternion[{body}].{letter}", quaternions[:, part]
