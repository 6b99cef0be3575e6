"""Reports that a first run compiles: numba saves compiled code on disk, but the first compilation takes a while."""

from __future__ import annotations

import logging
from pathlib import Path

from ipc_articulation.compiled import compiled

log = logging.getLogger("ipc_articulation")


def tell_first_run() -> None:
    """Warn, once per process, if the engine's functions have not been compiled on this machine before.

    The function below represents all: it is compiled and saved together with them, so it is missing if they are.
    """
    if _is_new(1.0):
        log.warning("first run: compiling the engine takes one to two minutes; later runs find it on disk")


def tell_first_soft_run() -> None:
    """Likewise of the functions for soft bodies, which a machine may not have even where it has the engine's."""
    if _is_new(1):
        log.warning("first run with soft bodies: compiling for them takes about a minute; later runs find it on disk")


def compiled_folder() -> Path | None:
    """Folder of the engine's code that numba has compiled; None if compilation is switched off."""
    stats = getattr(_stand_in, "stats", None)
    return None if stats is None else Path(stats.cache_path)


def _is_new(kind: float) -> bool:
    """Whether the stand-in has just been compiled for a kind of number: float stands for the engine, int for soft."""
    before = _misses()
    _stand_in(kind)
    return _misses() > before


def _misses() -> int:
    """Number of times that numba found no code for the stand-in on disk; 0 if compilation is switched off."""
    stats = getattr(_stand_in, "stats", None)
    return 0 if stats is None else sum(stats.cache_misses.values())


@compiled
def _stand_in(x):
    return x
