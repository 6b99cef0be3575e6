"""The options of the backends of vector environments, and what their values are."""

from __future__ import annotations

from collections.abc import Mapping
from multiprocessing import get_all_start_methods
from typing import Any

from gymnasium import Space
from gymnasium.vector import AutoresetMode

from ipc_articulation.arguments import (
    AT_LEAST_ONE,
    FLAG,
    FUNCTION,
    POSITIVE,
    TEXT,
    Wanted,
    one_of,
    optional,
    refuse_unwanted,
)
from ipc_articulation.errors import TaskError
from ipc_articulation.gym.checks import refuse_unknown_options

_BATCHED = one_of("same", "different")
_MODES = one_of(*(mode.value for mode in AutoresetMode))


def _are_spaces(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(space, Space) for space in value)


_OF_GYMNASIUM = {
    "copy": FLAG,
    "observation_mode": Wanted(
        f"{_BATCHED.what}, or a tuple of two spaces", lambda value: _BATCHED.accepts(value) or _are_spaces(value)
    ),
    "autoreset_mode": Wanted(
        f"an AutoresetMode, or {_MODES.what}",
        lambda value: isinstance(value, AutoresetMode) or _MODES.accepts(value),
    ),
}
_OPTIONS: dict[str, dict[str, Wanted]] = {
    "processes": {
        **_OF_GYMNASIUM,
        "shared_memory": FLAG,
        "context": optional(one_of(*get_all_start_methods())),
        "daemon": FLAG,
        "worker": optional(FUNCTION),
        "max_concurrency": optional(AT_LEAST_ONE),
    },
    "ray": {"actors": optional(AT_LEAST_ONE), "address": TEXT, "time_limit": POSITIVE},
    "scene": _OF_GYMNASIUM,
    "here": _OF_GYMNASIUM,
}


def refuse_backend_options(backend: str, options: Mapping[str, Any]) -> None:
    """Refuse options of a backend that are unknown, or have no such value.

    Raises:
        TaskError: One is; names the valid ones.
    """
    where = f"make_vec: backend_options of '{backend}'"
    refuse_unknown_options(where, options, _OPTIONS[backend])
    for name, value in options.items():
        refuse_unwanted(f"{where}: {name}", value, _OPTIONS[backend][name], TaskError)
