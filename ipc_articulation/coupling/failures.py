"""Failures that libuipc only logs, as exceptions where the user is."""

from __future__ import annotations

import re
from collections.abc import Sequence

import uipc

from ipc_articulation.errors import EngineError, SceneError

_OBJECT = re.compile(r"Object\[(.*?)\(\d+\)\]")


def require_valid(world: uipc.World) -> None:
    """Refuse a world whose initialisation failed the sanity check: it would only log.

    Raises:
        SceneError: The world is not valid; names the bodies that intersect, if that is why.
    """
    if world.is_valid():
        return
    complaints = [_clause(message.message()) for _, message in sorted(world.sanity_checker().errors().items())]
    reason = "; ".join(dict.fromkeys(complaints)) or "see libuipc's log"
    raise SceneError(f"the world is not valid: {reason}")


def no_prediction() -> EngineError:
    """The error of a commit without a prediction."""
    return EngineError(
        "this engine moves nothing: no step was predicted since the last commit, for no animator callback has run; "
        "use Engine('cpu') or Engine('cuda'), initialise the world, and call world.advance() once for each commit"
    )


def not_committed(joints: Sequence[str]) -> EngineError:
    """The error of a step that begins before the last one was committed."""
    return EngineError(
        f"the coupling of joints {', '.join(joints) or '(none)'} has a step that was not committed: the world "
        "would move on without it; call coupling.commit() after each world.advance() and world.retrieve(), and "
        "step(world, [first, second]) of ipc_articulation for a scene with several couplings"
    )


def _clause(message: str) -> str:
    """«'a' intersects with 'b'» from the first line of a sanity check's message, which names objects and geometries.

    Its other complaint is a distance of zero or less: on or beyond a half-plane, or within another surface's thickness.
    """
    line = message.splitlines()[0]
    names = _OBJECT.findall(line)
    if len(names) != 2:
        return line
    if "intersects" in line:
        return f"'{names[0]}' intersects with '{names[1]}'"
    return f"'{names[0]}' touches or crosses '{names[1]}': leave a gap between them"
