"""The engine of each world, which libuipc's worlds do not tell, and its access to the state of bodies."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import uipc

ENGINES: WeakKeyDictionary[uipc.World, Any] = WeakKeyDictionary()  # those of this package; worlds keep them alive


def is_on_cpu(world: uipc.World) -> bool:
    """Whether this package's CPU engine moves a world."""
    engine = ENGINES.get(world)
    return engine is not None and engine.cpu is not None


def state_accessor_of(world: uipc.World) -> Any:
    """A `StateAccessor` of a world on the CPU, libuipc's AffineBodyStateAccessorFeature elsewhere; None without."""
    if is_on_cpu(world):
        return ENGINES[world].cpu.state_accessor
    try:
        return world.features().find(uipc.core.AffineBodyStateAccessorFeature)
    except (uipc.Exception, RuntimeError):  # the world has no engine any more
        return None
