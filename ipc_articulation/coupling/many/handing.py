"""Whether the input of a step is handed to the engine, so that animator callbacks have nothing to write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Handing:
    """A switch that callbacks and environments have in common."""

    is_on: bool = False

    def unless_handed(self, callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The same callback, which does nothing while input is handed over."""

        def write(info: Any) -> Any:
            return None if self.is_on else callback(info)

        return write
