"""Compiles ahead what scenes need, in several processes: `ipc-articulation warm`."""

from ipc_articulation.warming.pool import KINDS, Compiled, warm

__all__ = ["KINDS", "Compiled", "warm"]
