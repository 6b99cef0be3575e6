"""Runs scene files, from reading to summary, and resumes runs."""

from ipc_articulation.running.loop import run
from ipc_articulation.running.result import Result
from ipc_articulation.running.resuming import resume

__all__ = ["Result", "resume", "run"]
