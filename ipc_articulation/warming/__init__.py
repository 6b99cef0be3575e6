"""Compiles ahead what scenes need, in several processes: `ipc-articulation warm`, and the first run of a scene."""

from ipc_articulation.warming.pool import KINDS, Compiled, prepare, warm

__all__ = ["KINDS", "Compiled", "prepare", "warm"]
