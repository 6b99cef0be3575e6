"""Pictures and films with pyvista, drawn by a process of their own."""

from ipc_articulation.viewing.drawing.process import draw, refuse_other_format
from ipc_articulation.viewing.drawing.shots import shots_of

__all__ = ["draw", "refuse_other_format", "shots_of"]
