"""A recorder for the steps of scripts, and a view of them in the browser."""

from ipc_articulation.watching.recorder import Recorder

__all__ = ["Recorder"]
