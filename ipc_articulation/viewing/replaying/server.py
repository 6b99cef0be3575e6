"""A viser server that prints no messages of its own, on this machine only."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ipc_articulation.arguments import shown
from ipc_articulation.errors import ViewingError
from ipc_articulation.extras import need

LOCAL = "127.0.0.1"
_LAST_PORT = 65535
_TRIED = 100  # ports, from the one that is asked for


@contextmanager
def quiet_server(port: int, label: str, host: str = LOCAL) -> Iterator[Any]:
    """A `viser.ViserServer`, ended with the block; at the next free port where this one is taken.

    Args:
        port: The port; 0: any free one.
        label: Title of the panel and of the browser's tab.
        host: Address of the network interface.

    Raises:
        MissingPackageError: viser is not installed.
        ViewingError: The port is no port, none of the next hundred is free, or this machine has no such interface.
    """
    from rich import get_console

    viser, console = need("viser"), get_console()  # viser prints on it; it captures what one thread prints
    free = free_port(port, host)
    with console.capture():
        server = viser.ViserServer(host=host, port=free, label=label, verbose=False)
    set_tab_title(server, label)
    try:
        yield server
    finally:
        with suppress(RuntimeError):  # it has stopped already
            server.get_event_loop().call_soon_threadsafe(console.begin_capture)  # its thread prints that it has ended
        server.stop()


def free_port(port: int, host: str = LOCAL) -> int:
    """The first port that is free, from this one on; viser itself would wait forever if there is none.

    Raises:
        ViewingError: As in `quiet_server`.
    """
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= _LAST_PORT:
        raise ViewingError(f"a port must be an integer from 0 (any free port) to {_LAST_PORT}, is {shown(port)}")
    if not isinstance(host, str) or not host:
        raise ViewingError(f"a host must be an address or a name of this machine, is {shown(host)}")
    last, reason = min(port + _TRIED - 1, _LAST_PORT), ""
    for candidate in range(port, last + 1):
        try:
            with socket.create_server((host, candidate)) as opened:
                return int(opened.getsockname()[1])
        except (OSError, ValueError) as error:  # ValueError: no host has such a name
            reason = getattr(error, "strerror", None) or str(error)
    raise ViewingError(f"no page can be served at {host}, ports {port} to {last}: {reason}")


def set_tab_title(server: Any, title: str) -> None:
    """Name the browser's tab. viser offers no public way; where its inside is another, the tab is called «Viser»."""
    with suppress(ImportError, AttributeError):
        messages = need("viser._messages")
        script = messages.RunJavascriptMessage(f"document.title = {json.dumps(title)};")
        server.gui._websock_interface.queue_message(script)
