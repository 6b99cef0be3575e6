"""The content of a scene file as a tree of values, each with its place.

Aliases and variables make one node stand at several places of the tree; it is kept once, so that a small file cannot
become a large tree. Only `plain` writes it out, after `measure` has counted what that will be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ipc_articulation.errors import Fault, SceneFileError

MAX_DEPTH = 50  # of values inside values
MAX_DIGITS = 300  # of one number
MAX_VALUES = 200_000  # of a whole scene, all aliases and variables written out


class Text(str):
    """A text of a scene file, with the folder of its file; paths in the text are relative to that folder."""

    folder: Path


@dataclass(frozen=True)
class Place:
    """A place: line and column, from 1, of a file, or a setting that was put over it."""

    file: Path
    line: int | None = None
    column: int | None = None
    setting: str = ""

    def fault(self, message: str) -> Fault:
        """Something wrong here."""
        return Fault(message, self.file, self.line, self.column, self.setting)


@dataclass(frozen=True, eq=False)
class TreeNode:
    """A value and its place."""

    value: Any  # dict[str, Node], tuple[Node, ...], or a text, a number, a bool, None
    place: Place
    keys: Mapping[str, Place] = field(default_factory=dict)  # place of each key of a mapping
    reference: str = ""  # `${mass}`, where the value came from a variable

    def child(self, part: int | str) -> TreeNode | None:
        """The value below a key or an index; None where there is none."""
        if isinstance(self.value, dict):
            return self.value.get(part)
        if isinstance(self.value, tuple) and isinstance(part, int) and part < len(self.value):
            return self.value[part]
        return None


def plain(node: TreeNode) -> Any:
    """The value alone: dicts, tuples (for lists), texts, numbers, booleans, None."""
    if isinstance(node.value, dict):
        return {key: plain(value) for key, value in node.value.items()}
    if isinstance(node.value, tuple):
        return tuple(plain(value) for value in node.value)
    if isinstance(node.value, str):
        text = Text(node.value)
        text.folder = node.place.file.parent
        return text
    return node.value


def planted(value: Any, place: Place, depth: int = 1) -> TreeNode:
    """The tree of a plain value, all of it at one place; numpy's numbers and arrays are taken too.

    Raises:
        SceneFileError: It is nested too deeply, or within itself, or has a number of too many digits.
    """
    value = value.tolist() if hasattr(value, "tolist") else value
    if depth > MAX_DEPTH:
        raise SceneFileError.of([place.fault(f"values are nested more than {MAX_DEPTH} deep")])
    if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        raise SceneFileError.of([place.fault(f"a number of more than {MAX_DIGITS} digits")])
    if isinstance(value, Mapping):
        children = {str(key): planted(child, place, depth + 1) for key, child in value.items()}
        return TreeNode(children, place, dict.fromkeys(children, place))
    if isinstance(value, list | tuple):
        return TreeNode(tuple(planted(child, place, depth + 1) for child in value), place)
    return TreeNode(value, place)


def merged(below: TreeNode, above: TreeNode) -> TreeNode:
    """Two mappings merged key by key at all levels; the upper one wins, and lists are never merged."""
    if not (isinstance(below.value, dict) and isinstance(above.value, dict)):
        return above
    children = dict(below.value)
    for key, child in above.value.items():
        children[key] = merged(children[key], child) if key in children else child
    return TreeNode(children, above.place, {**below.keys, **above.keys})


def measure(root: TreeNode) -> tuple[int, int]:
    """Number of values and depth of a tree in which nodes with several places are written out at each of them."""
    known: dict[int, tuple[int, int]] = {}

    def measured(node: TreeNode) -> tuple[int, int]:
        if id(node) not in known:
            inside = node.value.values() if isinstance(node.value, dict) else node.value
            below = [measured(child) for child in inside] if isinstance(node.value, dict | tuple) else []
            known[id(node)] = 1 + sum(size for size, _ in below), 1 + max((depth for _, depth in below), default=0)
        return known[id(node)]

    return measured(root)
