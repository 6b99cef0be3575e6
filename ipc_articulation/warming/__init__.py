"""Compiles ahead what scenes need, in several processes: `ipc-articulation warm`, and a first run on all cores."""

from ipc_articulation.warming.entrances import KINDS, are_compiled, kinds_of
from ipc_articulation.warming.pool import Compiled, helping, warm

__all__ = ["KINDS", "Compiled", "are_compiled", "helping", "kinds_of", "warm"]
