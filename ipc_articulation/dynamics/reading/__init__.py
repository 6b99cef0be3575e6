"""Readers of files, which make mechanisms."""

from ipc_articulation.dynamics.reading.urdf import read_urdf

__all__ = ["read_urdf"]
