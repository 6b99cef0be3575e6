"""Variables of a scene file: `${name}` is replaced by the value under `variables`.

A value that is one reference becomes the variable's value, whatever its type; `${side / 2}` becomes a number, see
`expressions`; inside a longer text a reference becomes text. Variables may refer to each other. `$${` is a plain `${`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ipc_articulation.errors import Fault, SceneFileError
from ipc_articulation.naming import suggest
from ipc_articulation.scenefile.expressions import CONSTANTS, FUNCTIONS, evaluate
from ipc_articulation.scenefile.tree import MAX_DEPTH, MAX_VALUES, Place, TreeNode, measure

VARIABLES = "variables"
MAX_TEXT = 10_000  # characters of a text with its references written out

_REFERENCE = re.compile(r"\$\$\{|\$\{(?P<inside>[^{}]*)\}|\$\{")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_TAKEN = (*CONSTANTS, *FUNCTIONS)


def resolved(root: TreeNode) -> tuple[TreeNode, list[str]]:
    """The tree with every reference replaced by its value, and the variables that nothing refers to.

    Args:
        root: A mapping.

    Raises:
        SceneFileError: With the place of every reference to nothing, to itself, or to a value that is not valid there.
    """
    variables = root.child(VARIABLES)
    known: Mapping[str, TreeNode] = variables.value if variables and isinstance(variables.value, dict) else {}
    faults = [
        variables.keys[name].fault(
            f"'{name}' is not a valid variable name: letters, digits and _, not beginning with a digit, and none of "
            f"{', '.join(_TAKEN)}"
        )
        for name in known
        if variables and (not _NAME.fullmatch(name) or name in _TAKEN)
    ]
    resolver = _Resolver(known, faults)
    for name, node in known.items():
        resolver.check(name, node.place)
    result = resolver.tree(root, 0)
    if not faults:
        size, depth = measure(result)
        if size > MAX_VALUES or depth > MAX_DEPTH:
            message = (
                f"{size} values, {depth} deep, with all variables written out; at most {MAX_VALUES} and {MAX_DEPTH}"
            )
            faults.append(root.place.fault(message))
    if faults:
        raise SceneFileError.of(faults)
    return result, [name for name in known if name not in resolver.used]


class _ReportedError(ValueError):
    """A reference to a variable whose fault is reported already."""


@dataclass
class _Resolver:
    variables: Mapping[str, TreeNode]
    faults: list[Fault]
    _done: dict[int, TreeNode] = field(default_factory=dict)  # by id of the node as it was written
    _open: list[str] = field(default_factory=list)  # variables that are being resolved, each by the one before
    _faulty: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)  # variables that something refers to

    def check(self, name: str, place: Place) -> None:
        """Resolve a variable by itself, so that its faults are reported at its own place."""
        try:
            self._variable(name, 0)
        except _ReportedError:
            pass
        except ValueError as error:
            self._refuse(place, str(error))

    def tree(self, node: TreeNode, depth: int) -> TreeNode:
        """The node and all below it, with every reference replaced."""
        if id(node) in self._done:
            return self._done[id(node)]
        if depth > 2 * MAX_DEPTH:
            return self._refuse(node.place, f"more than {2 * MAX_DEPTH} values inside values, variables written out")
        result = node
        if isinstance(node.value, dict):
            result = replace(node, value={key: self.tree(child, depth + 1) for key, child in node.value.items()})
        elif isinstance(node.value, tuple):
            result = replace(node, value=tuple(self.tree(child, depth + 1) for child in node.value))
        elif isinstance(node.value, str) and "${" in node.value:
            result = self._text(node, depth)
        self._done[id(node)] = result
        return result

    def _text(self, node: TreeNode, depth: int) -> TreeNode:
        whole = _REFERENCE.fullmatch(node.value)
        try:
            if whole and whole["inside"] is not None:
                found = self._meant(whole["inside"], node.place, depth)
                return replace(found, place=node.place, reference=node.value)
            return replace(node, value=self._filled(node, depth))
        except _ReportedError:
            return TreeNode(None, node.place)
        except ValueError as error:
            return self._refuse(node.place, str(error))

    def _filled(self, node: TreeNode, depth: int) -> str:
        """A text with its references replaced by text."""

        def written(reference: re.Match[str]) -> str:
            if reference.group() == "$${":
                return "${"
            if reference["inside"] is None:
                raise ValueError("`${` without `}`; a plain `${` is written `$${`")
            value = self._meant(reference["inside"], node.place, depth).value
            if isinstance(value, dict | tuple):
                raise ValueError(f"{reference.group()} is a list or a mapping, and cannot be part of a text")
            return value if isinstance(value, str) else json.dumps(value)

        text = _REFERENCE.sub(written, node.value)
        if len(text) > MAX_TEXT:
            raise ValueError(f"a text of {len(text)} characters with its references written out, more than {MAX_TEXT}")
        return text

    def _meant(self, inside: str, place: Place, depth: int) -> TreeNode:
        """The value of a reference; a ValueError says why it has none."""
        name = inside.strip()
        if _NAME.fullmatch(name) and name not in CONSTANTS:
            self.used.add(name)
            return self._variable(name, depth)
        return TreeNode(evaluate(inside, lambda part: self._number(part, depth)), place)

    def _number(self, name: str, depth: int) -> int | float:
        self.used.add(name)
        value = self._variable(name, depth).value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"variable '{name}' is not a number, and cannot be used in an expression")
        return value

    def _variable(self, name: str, depth: int) -> TreeNode:
        if name not in self.variables:
            raise ValueError(f"unknown variable '{name}'{suggest(name, [*self.variables, *CONSTANTS], 'names')}")
        if name in self._faulty:
            raise _ReportedError
        if name in self._open:
            circle = " -> ".join((*self._open[self._open.index(name) :], name))
            raise ValueError(f"variables refer to each other in a circle: {circle}")
        written = self.variables[name]
        if id(written) in self._done:
            return self._done[id(written)]
        self._open.append(name)
        before = len(self.faults)
        value = self.tree(written, depth + 1)
        self._open.pop()
        if len(self.faults) > before:
            self._faulty.add(name)
            raise _ReportedError
        if measure(value)[1] > MAX_DEPTH:
            self._faulty.add(name)
            raise ValueError(f"variable '{name}' is more than {MAX_DEPTH} deep")
        return value

    def _refuse(self, place: Place, message: str) -> TreeNode:
        self.faults.append(place.fault(message))
        return TreeNode(None, place)
