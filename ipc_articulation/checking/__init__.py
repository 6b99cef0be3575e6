"""Errors and risks of a scene file, found before it runs and without running anything that it names."""

from ipc_articulation.checking.report import Report, check_file

__all__ = ["Report", "check_file"]
