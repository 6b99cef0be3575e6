"""A page that describes a run."""

from ipc_articulation.viewing.reporting.figures import figures
from ipc_articulation.viewing.reporting.page import write_report

__all__ = ["figures", "write_report"]
