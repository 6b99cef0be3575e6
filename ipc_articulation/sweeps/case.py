"""The runs of a sweep: the product of all lists of values, each run known by what determines its result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from ipc_articulation.errors import SweepError
from ipc_articulation.sweeps.run_name import run_name
from ipc_articulation.sweeps.values import checked_settings

LARGEST = 1_000_000  # runs of one sweep; more is a mistake


@dataclass(frozen=True)
class Basis:
    """What all runs of a sweep have in common.

    Attributes:
        file: The scene file.
        digest: Of the content of that file and of every file it names.
        engine: "auto", "cpu", "cuda" or "none".
        steps: Number of steps, instead of the file's.
        keep: "recordings", or "summaries" for nothing but the numbers of the table.
    """

    file: Path
    digest: str
    engine: str = "auto"
    steps: int | None = None
    keep: str = "recordings"


@dataclass(frozen=True)
class Case:
    """One run of a sweep."""

    id: str  # 16 hexadecimal digits, made from everything that determines the result
    settings: dict[str, Any]  # dotted path of a scene file's key: value

    @property
    def name(self) -> str:
        """Of its files, see `run_name`."""
        return run_name(self.id, self.settings)


def combinations(settings: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Every choice of one value a key; the last key varies fastest.

    Raises:
        SweepError: A key has no values, or one twice; or the choices are more than `LARGEST`.
    """
    lists = checked_settings(settings)
    count = prod(len(values) for values in lists.values())
    if count > LARGEST:
        raise SweepError(f"these settings ask for {count} runs; one sweep has {LARGEST} at the most")
    return [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]


def cases(basis: Basis, choices: Iterable[dict[str, Any]]) -> list[Case]:
    """A run for each choice."""
    return [Case(_identity(basis, choice), choice) for choice in choices]


def _identity(basis: Basis, settings: Mapping[str, Any]) -> str:
    """Hash of the scene, engine, number of steps and settings, in whatever order these are given."""
    determines = {key: value for key, value in asdict(basis).items() if key in ("digest", "engine", "steps")}
    text = json.dumps([determines, settings], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
