"""The run of a scene file, from reading to summary."""

from ipc_articulation.running.loop import Result, run

__all__ = ["Result", "run"]
