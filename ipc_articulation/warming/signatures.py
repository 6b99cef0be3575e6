"""Signatures of compiled functions as text, in numba's notation: `float64[:, ::1]`, `(int64, bool)`, `package.Pair(…)`.

A class of named tuples, or of structures that compiled code passes by reference, stands with its module. An array that
cannot be written to is `readonly(…)`, and one of numpy's structured types is `structured(field=…)[::1]`, where
fields that are arrays themselves are `nested(float64, 6, 6)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numba import core
from numba.np.numpy_support import as_dtype, from_dtype

types: Any = core.types  # whose annotations are not complete


def text_of(signature: Sequence[Any]) -> str:
    """The types of a function's arguments as text.

    Raises:
        TypeError: There is no text for a type.
    """
    text = f"({''.join(f'{_text(kind)}, ' for kind in signature)})"
    try:
        if types_of(text) == tuple(signature):
            return text
    except (AttributeError, SyntaxError, ValueError):
        pass
    raise TypeError(f"there is no text for a type of the signature {tuple(signature)}")


def types_of(text: str) -> tuple[Any, ...]:
    """The types that a text names.

    Raises:
        AttributeError, ImportError: A class does not exist any more.
    """
    return tuple(map(_kind, _elements(ast.parse(text, mode="eval").body)))


def _text(kind: Any) -> str:
    if isinstance(kind, types.NestedArray):
        return f"nested({_text(kind.dtype)}, {', '.join(map(str, kind.shape))})"
    if isinstance(kind, types.Array):
        free = [":"] * (kind.ndim - 1)
        axes = {"C": [*free, "::1"], "F": ["::1", *free], "A": [":", *free]}[kind.layout]
        text = f"{_text(kind.dtype)}[{', '.join(axes)}]"
        return text if kind.mutable else f"readonly({text})"
    if isinstance(kind, types.Record):
        return f"structured({_fields((name, field.type) for name, field in kind.fields.items())})"
    if isinstance(kind, types.StructRef):
        return f"{_path(type(kind))}({_fields(kind._fields)})"
    if isinstance(kind, types.BaseTuple):
        inside = "".join(f"{_text(of)}, " for of in kind.types)
        return f"{_path(kind.instance_class)}({inside})" if isinstance(kind, types.BaseNamedTuple) else f"({inside})"
    return str(kind)


def _fields(fields: Iterable[tuple[str, Any]]) -> str:
    return ", ".join(f"{name}={_text(kind)}" for name, kind in fields)


def _path(named: type) -> str:
    return f"{named.__module__}.{named.__qualname__}"


def _kind(node: ast.expr) -> Any:
    match node:
        case ast.Name(name):
            return types.boolean if name == "bool" else getattr(types, name)
        case ast.Subscript(value, axes):
            return _array(_kind(value), axes)
        case ast.Call(ast.Name("readonly"), [array]):
            return _kind(array).copy(readonly=True)
        case ast.Call(ast.Name("structured"), [], fields):
            return from_dtype(np.dtype([(field.arg, as_dtype(_kind(field.value))) for field in fields], align=True))
        case ast.Call(ast.Name("nested"), [of, *shape]):
            return types.NestedArray(_kind(of), tuple(map(ast.literal_eval, shape)))
        case ast.Call(path, [], [*fields]) if fields:
            return _class(ast.unparse(path))(tuple((field.arg, _kind(field.value)) for field in fields))
        case ast.Call(path, kinds):
            named = _class(ast.unparse(path))
            return types.BaseTuple.from_types(tuple(map(_kind, kinds)), named)
    return types.BaseTuple.from_types(tuple(map(_kind, _elements(node))))


def _array(of: Any, axes: ast.expr) -> Any:
    strides = [ast.unparse(axis) for axis in (axes.elts if isinstance(axes, ast.Tuple) else [axes])]
    layout = "C" if strides[-1] == "::1" else "F" if strides[0] == "::1" else "A"
    return types.Array(of, len(strides), layout)


def _elements(node: ast.expr) -> list[ast.expr]:
    assert isinstance(node, ast.Tuple)
    return node.elts


def _class(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)
