"""Ctrl-C for programs that tests start."""

import signal


def heed_ctrl_c() -> None:
    """A `preexec_fn`: shells make what runs in the background ignore Ctrl-C, and that is inherited."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
