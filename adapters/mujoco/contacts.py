"""MuJoCo's contact, disabled while it takes a step, for the geoms whose contact is IPC's.

Where no other geom can touch anything, MuJoCo's flag for all contact is quickest. Otherwise contype and conaffinity of
these geoms are zero meanwhile, and the margin of contact pairs, on which they have no effect, is such that no distance
is a contact.
"""

from __future__ import annotations

from types import TracebackType

import mujoco
import numpy as np

from ipc_articulation.arrays import Ints

_OFF = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
_NO_CONTACT = -1e9  # [m] margin at which no distance of two geoms is a contact
_MASKS = ("geom_contype", "geom_conaffinity")


class ContactsOff:
    """Its `with` blocks, which do not nest, disable MuJoCo's contact of some geoms, contact pairs among them.

    Args:
        model: The model, which is as before after the block.
        geoms: The geoms.
    """

    def __init__(self, model: mujoco.MjModel, geoms: list[int]) -> None:
        self._model, self._opt, self._geoms = model, model.opt, np.array(geoms, dtype=np.int64)
        self._others = np.setdiff1d(np.arange(model.ngeom), self._geoms)
        own = np.isin(model.pair_geom1, geoms) | np.isin(model.pair_geom2, geoms)
        self._pairs, self._has_other_pairs = np.flatnonzero(own), not own.all()
        self._flags: int | None = None  # before the block, if it sets the flag
        self._saved: list[tuple[np.ndarray, Ints, np.ndarray]] = []  # arrays, changed entries, and their values before

    def __enter__(self) -> None:
        if self._others_can_touch():
            for name in _MASKS:
                self._set(getattr(self._model, name), self._geoms, 0)
            if len(self._pairs):
                self._set(self._model.pair_margin, self._pairs, _NO_CONTACT)
        else:
            self._flags = self._opt.disableflags
            self._opt.disableflags = self._flags | _OFF

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._flags is not None:
            self._opt.disableflags, self._flags = self._flags, None
        for array, entries, before in self._saved:
            array[entries] = before
        self._saved.clear()

    def _others_can_touch(self) -> bool:
        if self._has_other_pairs:
            return True
        return len(self._others) > 0 and any(getattr(self._model, name)[self._others].any() for name in _MASKS)

    def _set(self, array: np.ndarray, entries: Ints, value: float) -> None:
        self._saved.append((array, entries, array[entries]))
        array[entries] = value
