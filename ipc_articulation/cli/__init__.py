"""The command `ipc-articulation`, with one file per subcommand. Heavy packages are imported when they are needed."""

from ipc_articulation.cli.entry import main

__all__ = ["main"]
