"""What a run tells a machine: one JSON object on standard output."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ipc_articulation.running import Result


def tell(result: Result, as_json: bool) -> None:
    """Print the summary as JSON, or nothing: the run itself has told it in words."""
    from ipc_articulation.running.summary import summary_object

    if as_json:
        print(json.dumps(summary_object(result), ensure_ascii=False))
