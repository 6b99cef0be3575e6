"""The couplings of each scene: a step takes all of them, and no two of them move the same engine's state."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import uipc

from ipc_articulation.coupling.adapter import Adapter, MovesState
from ipc_articulation.errors import AdapterError

_of_scene: WeakKeyDictionary[uipc.Scene, WeakSet[Any]] = WeakKeyDictionary()
_moved: WeakKeyDictionary[uipc.Scene, list[tuple[object, tuple[str, ...]]]] = WeakKeyDictionary()  # states, and joints


def register(coupling: Any) -> None:
    """Add a finished coupling to those of its scene."""
    _of_scene.setdefault(coupling.scene, WeakSet()).add(coupling)
    _moved.setdefault(coupling.scene, []).append((moved_state(coupling.adapter), coupling.joint_names))


def couplings_of(scene: uipc.Scene) -> list[Any]:
    """The couplings of a scene, by the names of their joints."""
    return sorted(_of_scene.get(scene, ()), key=lambda coupling: coupling.joint_names)


def refuse_shared_state(scene: uipc.Scene, adapter: Adapter) -> None:
    """Refuse an adapter that moves the same state as that of another coupling of the scene, which may be freed.

    Raises:
        AdapterError: It does; the message names the joints of the other coupling.
    """
    state = moved_state(adapter)
    for other, joints in _moved.get(scene, ()):
        if other is state:
            raise AdapterError(
                f"couple: the {type(state).__name__} of this {type(adapter).__name__} is already coupled to the scene, "
                f"with joints {', '.join(joints) or '(none)'}; every step would move it twice: use one "
                "coupling for the whole of it, or give the second one a state of its own"
            )


def moved_state(adapter: Adapter) -> object:
    """The object that an adapter moves."""
    return adapter.moved_state if isinstance(adapter, MovesState) else adapter
