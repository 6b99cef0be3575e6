"""What a run leaves behind, written and read."""

from ipc_articulation.recording.recording import Recording, read_recording
from ipc_articulation.recording.scenery import Scenery, Surface

__all__ = ["Recording", "Scenery", "Surface", "read_recording"]
