"""Exceptions for failures that libuipc only logs, and for steps of the wrong world or couplings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import uipc
from uipc.backend import WorldVisitor

from ipc_articulation.errors import AdapterError, EngineError, SceneError
from ipc_articulation.frontend.sanity_messages import refuse_invalid


def require_valid(world: uipc.World, asker: str = "step") -> None:
    """Refuse a world whose initialisation failed the sanity check; libuipc would only log this.

    Raises:
        EngineError: It is no world.
        SceneError: The world is not valid; the message names intersecting bodies, if they are the reason.
    """
    if not isinstance(world, uipc.World):
        raise EngineError(f"{asker}: world is a {type(world).__name__}, must be a uipc.World")
    refuse_invalid(world)


def require_scene(world: uipc.World, scene: uipc.Scene, joints: Sequence[str]) -> None:
    """Refuse a world that was initialised with another scene than that of the coupling of some joints.

    Raises:
        SceneError: It was; names the joints.
    """
    try:
        world.sanity_checker()
    except uipc.Exception:
        return  # not initialised, or the sanity check is off: libuipc does not say which, and has perhaps no scene
    if not is_of_scene(world, scene):
        raise SceneError(
            f"the world was initialised with another scene than the one with the coupling of joints {_listed(joints)}; "
            "step the world of that scene"
        )


def is_of_scene(world: uipc.World, scene: uipc.Scene) -> bool:
    """Whether a world was initialised with a scene; it must have been with one."""
    return WorldVisitor(world).scene().get().animator() is scene.animator()


def require_couplings(couplings: Any, kind: type[Any], asker: str = "step") -> None:
    """Refuse anything except a list of different couplings.

    Raises:
        EngineError: It is no such list, it is empty, or a coupling comes twice.
    """
    if not isinstance(couplings, Sequence):
        raise EngineError(
            f"{asker}: couplings is a {type(couplings).__name__}, must be a list of what `couple` gave for the scene"
        )
    if not couplings:
        raise EngineError(f"{asker}: no coupling is given; pass all couplings of the scene")
    for index, coupling in enumerate(couplings):
        if not isinstance(coupling, kind):
            name = type(coupling).__name__
            raise EngineError(f"{asker}: couplings[{index}] is a {name}, must be what `couple` gave")
        if coupling in couplings[:index]:
            raise EngineError(f"{asker}: the coupling of joints {_listed(coupling.joint_names)} is given twice")


def require_all(couplings: Sequence[Any], of_scene: Sequence[Any]) -> None:
    """Refuse a list of couplings in which one of the scene is missing.

    Raises:
        EngineError: One is; the message names its joints.
    """
    for coupling in of_scene:
        if coupling not in couplings:
            raise EngineError(
                f"step: the coupling of joints {_listed(coupling.joint_names)} of this scene was left out; pass all "
                "couplings of the scene"
            )


def no_prediction() -> EngineError:
    """The error of a commit without a prediction."""
    return EngineError(
        "no step was predicted since the last commit, because no animator callback has run: call world.advance() once "
        "for each commit; an engine that moves nothing runs none, Engine('cpu') and Engine('cuda') do"
    )


def no_joints_while_running() -> EngineError:
    """The error of a part that is attached while an engine runs that cannot make joints."""
    return EngineError("attach: only the CPU engine makes joints while it runs; use Engine('cpu')")


def not_committed(joints: Sequence[str]) -> EngineError:
    """The error of a step that begins before the last one was committed."""
    return EngineError(
        f"the coupling of joints {_listed(joints)} has a step that was not committed: the world "
        "would move on without it; call coupling.commit() after each world.advance() and world.retrieve(), and "
        "step(world, [first, second]) of ipc_articulation for a scene with several couplings"
    )


def not_kept(joints: Sequence[str]) -> EngineError:
    """The error of a step of a scene whose coupling is freed."""
    return EngineError(
        f"the coupling of joints {_listed(joints)} is freed, and its robot cannot move without it; keep what `couple` "
        "returned as long as the world takes steps"
    )


def within_a_step(asker: str, joints: Sequence[str]) -> EngineError:
    """The error of a part that is attached or detached between the prediction of a step and its commit."""
    return EngineError(
        f"{asker}: the coupling of joints {_listed(joints)} is in the middle of a step; call world.retrieve() and "
        "coupling.commit() first"
    )


def no_step(joints: Sequence[str]) -> EngineError:
    """The error of a read-out without a step."""
    return EngineError(
        f"read_out: the coupling of joints {_listed(joints)} has taken no step since it was made, restored or put into "
        "another state; take one with coupling.step(world) first"
    )


def _listed(joints: Sequence[str]) -> str:
    return ", ".join(joints) or "(none)"


def require_numbers(state: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Check the arrays of a state that is to be restored: finite numbers, some of them of a shape.

    Raises:
        AdapterError: One is not; names it.
    """
    for key, value in state.items():
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            raise AdapterError(f"restore: '{key}' is a {type(value).__name__}, must be an array of numbers") from None
        if key in shapes and array.shape != shapes[key]:
            raise AdapterError(
                f"the state is of another model: its '{key}' has the shape {array.shape}, this model's {shapes[key]}"
            )
        if not np.isfinite(array).all():
            raise AdapterError(f"restore: '{key}' has numbers that are not finite; give what coupling.state() returned")
