"""A YAML file as plain values, with the place of every key and value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ipc_articulation.errors import IpcArticulationError, SceneFileError

Location = tuple[int | str, ...]  # keys and indices from the top of the file down to a value


@dataclass(frozen=True)
class Problem:
    """Something wrong at a place of the file."""

    location: Location
    message: str
    at_key: bool = False  # the key itself is at fault, not its value


class _Loader(yaml.SafeLoader):
    """YAML 1.1 as everybody reads it, but `1e-3` is a number."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789")
)


class Document:
    """One parsed file.

    Attributes:
        file: The file.
        data: Its content: dicts, tuples (for lists), strings, numbers, booleans.

    Raises:
        SceneFileError: When the file is missing, is no YAML or has a key twice in one mapping.
    """

    def __init__(self, file: str | Path) -> None:
        self.file = Path(file)
        self._doubles: list[tuple[yaml.Mark, str]] = []
        self._loader = _Loader(self._text())
        try:
            self._root = self._loader.get_single_node()
            self.data: Any = None if self._root is None else self._value(self._root)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = (mark.line + 1, mark.column + 1) if mark else (None, None)
            raise SceneFileError(f"not YAML: {error.problem or error.context}", self.file, *where) from error
        if self._doubles:
            mark, key = self._doubles[0]
            raise SceneFileError(f"key '{key}' stands here a second time", self.file, mark.line + 1, mark.column + 1)

    def error(self, problems: Iterable[Problem]) -> SceneFileError:
        """One error for all problems, each on a line of its own with its own place, in the order of the file."""
        placed = sorted((*self._place(problem), problem.message) for problem in problems)
        (line, column, message), *rest = placed
        others = "".join(f"\n{self.file}:{row}:{col}: {text}" for row, col, text in rest)
        return SceneFileError(message + others, self.file, line, column)

    @contextmanager
    def blame(self, *location: int | str) -> Iterator[None]:
        """Give any error of the package raised inside this place of the file."""
        try:
            yield
        except SceneFileError:
            raise
        except IpcArticulationError as error:
            raise self.error([Problem(location, str(error))]) from error

    def _text(self) -> str:
        try:
            return self.file.read_text(encoding="utf-8")
        except OSError as error:
            raise SceneFileError(f"cannot read the scene file: {error.strerror}", self.file) from error
        except UnicodeDecodeError as error:
            raise SceneFileError("the scene file is not UTF-8 text", self.file) from error

    def _value(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.MappingNode):
            self._note_doubles(node)
            self._loader.flatten_mapping(node)
            return {key.value: self._value(value) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return tuple(self._value(child) for child in node.value)
        return self._loader.construct_object(node)

    def _note_doubles(self, node: yaml.MappingNode) -> None:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                self._doubles.append((key.start_mark, key.value))
            seen.add(key.value)

    def _place(self, problem: Problem) -> tuple[int, int]:
        """Line and column, from 1, of the deepest part of the location that the file has."""
        node = at = self._root
        for part in problem.location:
            found = _child(node, part)
            if found is not None:
                at, node = (found[0] if problem.at_key else found[1]), found[1]
        if at is None:
            return 1, 1
        return at.start_mark.line + 1, at.start_mark.column + 1


def _child(node: yaml.Node | None, part: int | str) -> tuple[yaml.Node, yaml.Node] | None:
    """Key node and value node of a part of a location; None for a missing key or a union's tag."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == part), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    return None
