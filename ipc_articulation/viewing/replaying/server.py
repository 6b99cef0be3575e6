"""A viser server that prints no messages of its own, on this machine only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

from ipc_articulation.extras import need

LOCAL = "127.0.0.1"


@contextmanager
def quiet_server(port: int, label: str, host: str = LOCAL) -> Iterator[Any]:
    """A `viser.ViserServer`, ended with the block; at the next free port where this one is taken."""
    viser = need("viser")
    with redirect_stdout(StringIO()):
        server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
    try:
        yield server
    finally:
        with redirect_stdout(StringIO()):
            server.stop()
