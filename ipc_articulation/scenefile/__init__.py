"""Scene files: read, checked, built, run and recorded without a line of Python."""

from ipc_articulation.scenefile.recording import Recording, read_recording
from ipc_articulation.scenefile.running import Result, run

__all__ = ["Recording", "Result", "read_recording", "run"]
