"""Scripts, watched: a recorder of what they step, and a view of it in the browser."""

from ipc_articulation.watching.recorder import Recorder

__all__ = ["Recorder"]
