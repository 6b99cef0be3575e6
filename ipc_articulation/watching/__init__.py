"""A recorder for the steps of scripts, and a view of them in the browser."""

from ipc_articulation.watching.recorder import Recorder
from ipc_articulation.watching.view import View

__all__ = ["Recorder", "View"]
