"""Shows the start of a scene file before it runs: `ipc-articulation show`."""

from ipc_articulation.showing.placed import Placed, place
from ipc_articulation.showing.text import lines_of

__all__ = ["Placed", "lines_of", "place"]
