"""Scene and multibody engine must mean the same time step and the same gravity."""

from __future__ import annotations

import numpy as np
import uipc

from ipc_articulation.coupling.adapter import Adapter
from ipc_articulation.errors import AdapterError

RELATIVE_TOLERANCE = 1e-12


def require_agreement(scene: uipc.Scene, adapter: Adapter) -> None:
    """Compare `dt` and `gravity` of the scene's configuration with the adapter's.

    Raises:
        AdapterError: They differ by more than 1e-12 of themselves; names both values.
    """
    dt = float(scene.config().find("dt").view()[0])
    if not _equal(dt, adapter.dt):
        raise AdapterError(
            f"time steps differ: the scene has dt = {dt!r} s, the model {adapter.dt!r} s; make them equal"
        )
    gravity = np.ravel(scene.config().find("gravity").view())
    if not _equal(gravity, adapter.gravity):
        ours, theirs = gravity.tolist(), np.asarray(adapter.gravity).tolist()
        raise AdapterError(
            f"gravities differ: the scene has {ours} m/s², the model {theirs} m/s²; "
            "make them equal (libuipc's default is along -y)"
        )


def _equal(ours: np.ndarray | float, theirs: np.ndarray | float) -> bool:
    return bool(np.all(np.abs(np.subtract(ours, theirs)) <= RELATIVE_TOLERANCE * np.max(np.abs(theirs))))
