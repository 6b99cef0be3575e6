"""The scene files that come with the package, by name: `example:panda_push`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ipc_articulation.errors import SceneFileError
from ipc_articulation.naming import suggest

PREFIX = "example:"


def examples() -> dict[str, Path]:
    """Every example's scene file by its name."""
    spec = find_spec("ipc_articulation.examples")
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    return {file.stem: file for folder in folders for file in sorted(Path(folder).glob("*.yaml"))}


def scene_file(name: str | Path) -> Path:
    """The file that is meant: that of `example:NAME`, or the one at a path.

    Raises:
        SceneFileError: There is no such example; names all that there are.
    """
    if not str(name).startswith(PREFIX):
        return Path(name)
    wanted, known = str(name).removeprefix(PREFIX), examples()
    if wanted not in known:
        raise SceneFileError(f"there is no example '{wanted}'{suggest(wanted, known, 'examples')}", str(name))
    return known[wanted]
