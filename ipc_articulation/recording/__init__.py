"""Writes and reads the recording of a run."""

from ipc_articulation.recording.contacts import Contacts
from ipc_articulation.recording.environments import environment_of
from ipc_articulation.recording.header import Header
from ipc_articulation.recording.recording import Recording, read_recording
from ipc_articulation.recording.scenery import Scenery, SoftShape, Surface, Visual
from ipc_articulation.recording.writer import RecordingWriter

__all__ = [
    "Contacts",
    "Header",
    "Recording",
    "RecordingWriter",
    "Scenery",
    "SoftShape",
    "Surface",
    "Visual",
    "environment_of",
    "read_recording",
]
