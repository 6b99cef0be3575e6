"""A scene file as plain values, with the place of every key and value: included files, settings and variables in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ipc_articulation.errors import Fault, IpcArticulationError, SceneFileError
from ipc_articulation.scenefile.includes import Sources
from ipc_articulation.scenefile.settings import overlaid
from ipc_articulation.scenefile.tree import plain
from ipc_articulation.scenefile.variables import resolved

Location = tuple[int | str, ...]  # keys and indices from the top of the file down to a value


@dataclass(frozen=True)
class SceneProblem:
    """Something wrong at a place of the file."""

    location: Location
    message: str
    at_key: bool = False  # the key itself is at fault, not its value


class Document:
    """One scene file.

    Args:
        file: The file to read.
        settings: Values put over the file's, by path.

    Attributes:
        file: The file.
        settings: The given settings.
        files: All files that were read, the scene file first, then those it includes.
        unused: Variables that nothing refers to.
        data: Its content: dicts, tuples (for lists), texts, numbers, booleans, None. Every text is a `tree.Text`.

    Raises:
        SceneFileError: A file cannot be read or is not YAML, or a setting's path does not exist; with the place.
    """

    def __init__(self, file: str | Path, settings: Mapping[str, Any] | None = None) -> None:
        self.file, self.settings = Path(file), dict(settings or {})
        sources = Sources()
        self._root, self.unused = resolved(overlaid(sources.tree(self.file), self.settings, self.file))
        self.files = tuple(sources.files)
        self.data: dict[str, Any] = plain(self._root)

    def error(self, problems: Iterable[SceneProblem]) -> SceneFileError:
        """One error for all problems, each on a line of its own with its own place, in the order of the file."""
        return SceneFileError.of(sorted(map(self.fault, problems), key=self._order))

    def fault(self, problem: SceneProblem) -> Fault:
        """A problem with its place: that of the deepest part of its location that the file has."""
        node = at = self._root
        place, missing = node.place, 0
        for part in problem.location:
            child = node.child(part)
            if child is None:  # a key that is missing, or the tag of a union, which is no part of the file
                missing += 1
                continue
            place = node.keys.get(str(part), child.place) if problem.at_key else child.place
            node = at = child
        origin = f" (from {at.reference})" if at.reference and not missing else ""
        return place.fault(problem.message + origin)

    def path(self, location: Location) -> str:
        """`bodies[0].shape.size` of a location, without the tags of unions in it."""
        node, path = self._root, ""
        for position, part in enumerate(location):
            child = node.child(part)
            last = position == len(location) - 1
            if isinstance(part, int):
                path += f"[{part}]"
            elif child is not None or last:
                path += f".{part}" if path else part
            node = child or node
        return path

    @contextmanager
    def blame(self, *location: int | str) -> Iterator[None]:
        """Give any error of the package raised inside this place of the file."""
        try:
            yield
        except SceneFileError:
            raise
        except IpcArticulationError as error:
            raise self.error([SceneProblem(location, str(error))]) from error

    def _order(self, fault: Fault) -> tuple[bool, str, int, int]:
        """The scene file's own faults first, then those of included files."""
        return fault.file != self.file, str(fault.file), fault.line or 0, fault.column or 0
