"""Values that replace a scene file's: `contact.friction=0.3`, `bodies.crate.mass=2`, `robot.actuators[0].kp=100`.

A path goes down by keys, by the `name` of a list's entry, or by its index from 0. A key with a dot or a bracket in it
stands in brackets and quotes: `robot.initial["arm.joint"]`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ipc_articulation.errors import Fault, SceneFileError
from ipc_articulation.naming import suggest
from ipc_articulation.scenefile.includes import INCLUDE
from ipc_articulation.scenefile.tree import MAX_DEPTH, Place, TreeNode, plain, planted
from ipc_articulation.scenefile.variables import VARIABLES
from ipc_articulation.scenefile.yaml_text import parse

_PART = re.compile(r"""\.(?P<name>[^.\[\]"'=\s]+)|\[(?P<index>\d{1,9})\]|\[(?P<quote>["'])(?P<text>.+?)(?P=quote)\]""")
_COMMAND_LINE = Path("command line")
_HOW = "a path is written like `contact.friction`, `bodies.crate.mass` or `bodies[0].mass`"


def parse_setting(text: str) -> tuple[str, Any]:
    """Path and value of a setting as it is written on a command line, `a.b=1e-3`; the value is read as YAML.

    Raises:
        SceneFileError: There is no `=`, the path is none, or the value is no YAML.
    """
    path, equals, value = text.partition("=")
    place = Place(_COMMAND_LINE, setting=text)
    if not equals:
        raise SceneFileError.of([place.fault("a setting is PATH=VALUE, such as contact.friction=0.3")])
    path_parts(path.strip(), place)
    return path.strip(), plain(parse(value, _COMMAND_LINE, setting=text))


def overlaid(root: TreeNode, settings: Mapping[str, Any], file: Path) -> TreeNode:
    """A tree with values put over it.

    Args:
        root: A mapping.
        settings: Values by path.
        file: The scene file, for errors.

    Raises:
        SceneFileError: A path leads nowhere, or to `include`; all such paths are reported. (The
            schema refuses keys that no scene has.)
    """
    faults: list[Fault] = []
    for path, value in settings.items():
        place = Place(file, setting=f"{path}={_shown(value)}")
        try:
            parts = path_parts(path, place)
            if parts[0] == INCLUDE:
                raise SceneFileError.of([place.fault(f"no setting changes `{INCLUDE}`; write it in the scene file")])
            if parts[0] == VARIABLES:
                _require_variable(root, parts, place)
            root = _put(root, parts, planted(value, place), "", place)
        except SceneFileError as error:
            faults += error.faults
    if faults:
        raise SceneFileError.of(faults)
    return root


def path_parts(path: str, place: Place) -> list[str | int]:
    """The parts of a path: keys and names, and indices from 0.

    Raises:
        SceneFileError: It is no path.
    """
    parts: list[str | int] = []
    rest = f".{path}"
    while rest:
        found = _PART.match(rest)
        if found is None:
            raise SceneFileError.of([place.fault(f"'{path}' is no path; {_HOW}")])
        parts.append(int(found["index"]) if found["index"] else found["name"] or found["text"])
        rest = rest[found.end() :]
    if len(parts) > MAX_DEPTH:
        raise SceneFileError.of([place.fault(f"a path of {len(parts)} parts, more than {MAX_DEPTH}")])
    return parts


def _require_variable(root: TreeNode, parts: list[str | int], place: Place) -> None:
    """A variable that the file does not have is nowhere used: most likely its name is misspelt."""
    variables = root.child(VARIABLES)
    known = variables.value if variables and isinstance(variables.value, dict) else {}
    if len(parts) > 1 and parts[1] not in known:
        raise SceneFileError.of([place.fault(f"unknown variable '{parts[1]}'{suggest(parts[1], known, 'variables')}")])


def _put(node: TreeNode | None, parts: list[str | int], value: TreeNode, path: str, place: Place) -> TreeNode:
    """The node with the value at the end of the parts; `path` is what led here."""
    if not parts:
        return value
    part, *rest = parts
    below = f"{path}[{part}]" if isinstance(part, int) else f"{path}.{part}".lstrip(".")
    if node is None or node.value is None:
        node = TreeNode({}, place)
    if isinstance(node.value, tuple):
        index = _index(node, part, path, place)
        child = _put(node.value[index], rest, value, below, place)
        return TreeNode((*node.value[:index], child, *node.value[index + 1 :]), node.place)
    if isinstance(node.value, dict) and isinstance(part, str):
        child = _put(node.value.get(part), rest, value, below, place)
        return TreeNode({**node.value, part: child}, node.place, {**node.keys, part: place})
    what = "is a mapping, and has no entry" if isinstance(node.value, dict) else "is one value, and has no"
    raise SceneFileError.of([place.fault(f"'{path}' {what} '{part}'")])


def _index(node: TreeNode, part: str | int, path: str, place: Place) -> int:
    if isinstance(part, int):
        if part < len(node.value):
            return part
        raise SceneFileError.of(
            [place.fault(f"'{path}' has no entry {part}; it has {len(node.value)}, counted from 0")]
        )
    names = [name.value if (name := entry.child("name")) else None for entry in node.value]
    if part in names:
        return names.index(part)
    known = [name for name in names if isinstance(name, str)]
    hint = suggest(part, known, "names") if known else "; its entries have no names: give an index, [0]"
    raise SceneFileError.of([place.fault(f"'{path}' has no entry '{part}'{hint}")])


def _shown(value: Any) -> str:
    """A value as it would be written on the command line."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value.tolist() if hasattr(value, "tolist") else value)
    except (TypeError, ValueError, RecursionError):  # ValueError: also a number of thousands of digits
        return f"<{type(value).__name__}>" if isinstance(value, int | list | tuple | Mapping) else str(value)
