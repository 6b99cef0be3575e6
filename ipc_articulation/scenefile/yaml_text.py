"""YAML text as a tree of values with places.

YAML 1.2's core schema, which editors check by too: `1e-3` is a number, `yes` and `2026-11-21` are texts, `010` is ten;
and YAML 1.1's merge key `<<`. Nothing but texts, numbers, booleans, null, lists and mappings can come out; a key that
stands twice, a key that is no text, a number that is not finite and any tag of one's own are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from yaml.reader import ReaderError

from ipc_articulation.errors import Fault, SceneFileError
from ipc_articulation.scenefile.tree import MAX_DEPTH, MAX_DIGITS, MAX_VALUES, Place, TreeNode, measure

MAX_TEXT = 2_000_000  # characters of one file

_TAG = "tag:yaml.org,2002:"
_SCALARS = {
    "null": r"~|null|Null|NULL|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
    "float": r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
    "merge": r"<<",
}


class _Loader(yaml.SafeLoader):
    """Composes nodes of the core schema, not too deep and not too many."""

    yaml_implicit_resolvers: dict[Any, Any] = {}  # noqa: RUF012

    def __init__(self, text: str) -> None:
        self._depth = self._count = 0
        super().__init__(text)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self._depth += 1
        self._count += 1
        mark = self.peek_event().start_mark
        if self._depth > MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem=f"values are nested more than {MAX_DEPTH} deep", problem_mark=mark)
        if self._count > MAX_VALUES:
            raise yaml.MarkedYAMLError(problem=f"more than {MAX_VALUES} values", problem_mark=mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


for _kind, _form in _SCALARS.items():
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(f"(?:{_form})$"), None)


def parse(text: str, file: Path, setting: str = "") -> TreeNode:
    """The tree of a YAML text.

    Args:
        text: One YAML document.
        file: The file of the text, for places and errors.
        setting: What was written on the command line, where the text is the value of a setting.

    Raises:
        SceneFileError: It is no YAML, or holds what a scene file must not; every such fault is reported.
    """
    reading = _Reading(file, setting)
    if len(text) > MAX_TEXT:
        message = f"a file of {len(text)} characters, more than {MAX_TEXT}; long tables belong in files of their own"
        raise reading.error(message, 1, 1)
    try:
        top = _Loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise reading.error(f"not YAML: {error.problem or error.context}{_advice(text, mark)}", line, column) from error
    except ReaderError as error:
        before = text[: error.position]
        message = f"not YAML: the character U+{ord(text[error.position]):04X} is not allowed"
        raise reading.error(message, before.count("\n") + 1, len(before) - before.rfind("\n")) from error
    root = TreeNode(None, reading.place(1, 1)) if top is None else reading.tree(top)
    if reading.faults:
        raise SceneFileError.of(reading.faults)
    if (size := measure(root)[0]) > MAX_VALUES:
        raise reading.error(f"{size} values with all aliases written out, more than {MAX_VALUES}", 1, 1)
    return root


def _advice(text: str, mark: yaml.Mark | None) -> str:
    """Advice on two mistakes that YAML's own messages do not explain."""
    lines = text.splitlines()
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    column = mark.column if mark else 0
    if line[:column].endswith("$"):
        return '; inside [ ] and { } a reference stands in quotes: "${name}"'
    return "; indent with spaces, not with tabs" if line[column : column + 1] == "\t" else ""


class _Reading:
    """Makes one tree; faults of single values are collected in `faults`."""

    def __init__(self, file: Path, setting: str) -> None:
        self.faults: list[Fault] = []
        self._file, self._setting = file, setting
        self._done: dict[int, TreeNode] = {}  # by id of the YAML node: an alias is one and the same
        self._open: set[int] = set()

    def tree(self, node: yaml.Node) -> TreeNode:
        """The node and all below it."""
        if id(node) in self._open:
            return self._refuse(node, "an alias is inside its own value")
        if id(node) not in self._done:
            self._open.add(id(node))
            self._done[id(node)] = self._made(node)
            self._open.discard(id(node))
        return self._done[id(node)]

    def place(self, line: int, column: int) -> Place:
        """A place of the text."""
        return Place(self._file, setting=self._setting) if self._setting else Place(self._file, line, column)

    def error(self, message: str, line: int, column: int) -> SceneFileError:
        """Something wrong at a place of the text."""
        return SceneFileError.of([self.place(line, column).fault(message)])

    def _made(self, node: yaml.Node) -> TreeNode:
        kind = node.tag.removeprefix(_TAG)
        if isinstance(node, yaml.MappingNode) and kind == "map":
            return self._mapping(node)
        if isinstance(node, yaml.SequenceNode) and kind == "seq":
            return TreeNode(tuple(self.tree(child) for child in node.value), self._place(node))
        if isinstance(node, yaml.ScalarNode) and kind in (*_SCALARS, "str"):
            return self._scalar(node, kind)
        name = node.tag.replace(_TAG, "!!")
        return self._refuse(node, f"tag '{name}': values are texts, numbers, true or false, null, lists and mappings")

    def _scalar(self, node: yaml.ScalarNode, kind: str) -> TreeNode:
        if kind in ("str", "merge"):
            return TreeNode(node.value, self._place(node))
        if not re.fullmatch(_SCALARS[kind], node.value):  # under a tag such as !!int
            return self._refuse(node, f"'{node.value}' is no YAML {kind}")
        if kind in ("null", "bool"):
            return TreeNode(None if kind == "null" else node.value.lower() == "true", self._place(node))
        if len(node.value) > MAX_DIGITS:
            return self._refuse(node, f"a number of {len(node.value)} digits, more than {MAX_DIGITS}")
        number = _number(node.value)
        if not math.isfinite(number):
            return self._refuse(node, f"a number must be finite, got {node.value}")
        return TreeNode(number, self._place(node))

    def _mapping(self, node: yaml.MappingNode) -> TreeNode:
        own: dict[str, TreeNode] = {}
        keys: dict[str, Place] = {}
        inherited: list[TreeNode] = []
        for key, value in node.value:
            if key.tag == _TAG + "merge" and not inherited:
                inherited += self._taken_over(value)
            elif not isinstance(key, yaml.ScalarNode) or key.tag not in (_TAG + "str", _TAG + "merge"):
                shown = f" '{key.value}'" if isinstance(key, yaml.ScalarNode) else ""
                self._refuse(key, f"a key is a text, and this one{shown} is not; put it in quotes where it is meant so")
            elif key.value in own or key.tag == _TAG + "merge":
                self._refuse(key, f"key '{key.value}' is repeated here")
            else:
                own[key.value], keys[key.value] = self.tree(value), self._place(key)
        for base in inherited:
            own, keys = {**base.value, **own}, {**base.keys, **keys}
        return TreeNode(own, self._place(node), keys)

    def _taken_over(self, value: yaml.Node) -> Iterator[TreeNode]:
        """The mappings under a merge key, in falling order of precedence."""
        for node in value.value if isinstance(value, yaml.SequenceNode) else [value]:
            base = self.tree(node)
            if isinstance(base.value, dict):
                yield base
            else:
                self._refuse(node, "`<<` takes over the keys of a mapping or of a list of mappings")

    def _place(self, node: yaml.Node) -> Place:
        return self.place(node.start_mark.line + 1, node.start_mark.column + 1)

    def _refuse(self, node: yaml.Node, message: str) -> TreeNode:
        place = self._place(node)
        self.faults.append(place.fault(message))
        return TreeNode(None, place)


def _number(text: str) -> int | float:
    """A number of the core schema; infinite or NaN if it is written so or is too large."""
    if re.fullmatch(r"[-+]?[0-9]+", text):
        return int(text)
    if text.startswith(("0o", "0x")):
        return int(text, 0)
    return math.nan if re.search(r"\.(inf|nan)", text, re.IGNORECASE) else float(text)
