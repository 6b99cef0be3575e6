"""Files that are written for the user: what the system refuses is an error with the file's name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ipc_articulation.errors import OutputError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Make the missing folders above a file or folder that is written inside the `with`.

    Raises:
        OutputError: The system refuses; with the path and the reason.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise OutputError(f"cannot write '{path}': {error.strerror or error}") from error


def require_writable(file: Path) -> None:
    """Check a file that a library or another process will write.

    Raises:
        OSError: It cannot be opened for writing.
    """
    is_new = not file.exists()
    file.open("ab").close()
    if is_new:
        file.unlink()
