"""The command `ipc-articulation`, a file a subcommand. Nothing heavy is imported before it is needed."""

from ipc_articulation.cli.entry import main

__all__ = ["main"]
