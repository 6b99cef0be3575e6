"""Recordings as files that other programs open."""

from ipc_articulation.viewing.exporting.export import FORMATS, export

__all__ = ["FORMATS", "export"]
