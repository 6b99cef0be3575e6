"""The run of a scene file, from reading to summary, and how it is gone on with."""

from ipc_articulation.running.loop import run
from ipc_articulation.running.result import Result
from ipc_articulation.running.resuming import resume

__all__ = ["Result", "resume", "run"]
