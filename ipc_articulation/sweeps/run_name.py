"""Names of runs in a sweep's folder: their values, and the id behind them, as in `mass=0.5_friction=0.2_1f0c…`."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

_LONGEST = 80  # characters of all values together
_UNSAFE = re.compile(r"[^A-Za-z0-9.,+-]+")  # for some file system or shell


def run_name(id: str, settings: Mapping[str, Any]) -> str:
    """The name of a run, unique by its id; independent of the order of its settings.

    Args:
        id: Of the run.
        settings: Values by dotted path.
    """
    values = "_".join(f"{_short(key, settings)}={_text(settings[key])}" for key in sorted(settings))
    return f"{values[:_LONGEST]}_{id}" if values else id


def _short(key: str, keys: Collection[str]) -> str:
    """The end of a path that no other path has, as few parts as that takes."""
    parts = key.split(".")
    ends = (".".join(parts[k:]) for k in reversed(range(len(parts))))
    return _safe(next((end for end in ends if sum(f".{other}".endswith(f".{end}") for other in keys) == 1), key))


def _text(value: Any) -> str:
    """A value; of a file's path the file."""
    if isinstance(value, str):
        return _safe(value.rpartition("/")[2])
    return _safe(json.dumps(value, separators=(",", ":")).strip("[]{}"))


def _safe(text: str) -> str:
    return _UNSAFE.sub("-", text)
