"""Repairs of URDF files: one tree of elements that every reader of the file takes.

`repaired` parses a file and applies `table.REPAIRS` in place, so lines stay those of the file. Each repair is reported
by `ipc_articulation.repairs`, as a warning or, in strict mode, as an error. What no repair covers is an error.
"""

from ipc_articulation.dynamics.reading.repairing.table import SURFACES, Surfaces, repaired

__all__ = ["SURFACES", "Surfaces", "repaired"]
