"""A recording played in the browser with viser: from a small server, or as one file that needs none."""

from ipc_articulation.viewing.replaying.page import write_page
from ipc_articulation.viewing.replaying.replay import replay

__all__ = ["replay", "write_page"]
