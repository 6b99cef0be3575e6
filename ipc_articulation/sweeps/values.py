"""Lists of values of a sweep as the command line writes them: `contact.friction=0.1,0.5,1.0`, `seed=range(100)`.

The right side is a list in YAML's notation without its outer brackets, so that a value that is itself a list stands in
brackets: `gravity=[0,0,-9.81],[0,0,-1.62]`. Two functions stand for the values that they give:

    range(b), range(a, b), range(a, b, step)   whole numbers from a (0) up to, not including, b
    linspace(a, b, n)                          n numbers from a to b, both included
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

from ipc_articulation.errors import SceneFileError, SweepError
from ipc_articulation.scenefile.tree import MAX_VALUES, plain
from ipc_articulation.scenefile.yaml_text import parse

_CALL = re.compile(r"\b(range|linspace)\(([^()]*)\)")
_FORM = "a setting is KEY=VALUE,VALUE,..., for instance contact.friction=0.1,0.5 or seed=range(100)"


def parse_settings(texts: Iterable[str]) -> dict[str, list[Any]]:
    """The values of each key, in the order given.

    Args:
        texts: The text of each `--set`.

    Raises:
        SweepError: One of them cannot be read; it is quoted, with what would be valid.
    """
    settings: dict[str, list[Any]] = {}
    for text in texts:
        key, equals, values = text.partition("=")
        key = key.strip()
        if not (key and equals and values.strip()):
            raise SweepError(f"'{text}': {_FORM}")
        if key in settings:
            raise SweepError(f"'{text}': '{key}' is set already; give all its values in one list")
        settings[key] = _values(text, values)
    return settings


def checked_settings(settings: Mapping[str, Iterable[Any]]) -> dict[str, list[Any]]:
    """The settings with every iterable as a list.

    Raises:
        SweepError: A key has no list of values, an empty one, or one with a value twice.
    """
    return {key: _checked(key, values) for key, values in settings.items()}


def _checked(key: str, values: Any) -> list[Any]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise SweepError(f"'{key}' needs a list of values, got {values!r}; for one value: [{values!r}]")
    plain = [_plain(key, value) for value in islice(values, MAX_VALUES + 1)]
    if not plain:
        raise SweepError(f"'{key}' has no values")
    if len(plain) > MAX_VALUES:
        raise SweepError(f"'{key}' has more than {MAX_VALUES} values")
    known = set()
    for value in plain:
        if _hashable(value) in known:
            raise SweepError(f"'{key}' has the value {value!r} twice")
        known.add(_hashable(value))
    return plain


def _hashable(value: Any) -> Any:
    """A value whose hash is that of every equal value."""
    if isinstance(value, dict):
        return frozenset((key, _hashable(part)) for key, part in value.items())
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _plain(key: str, value: Any) -> Any:
    """Plain numbers, texts and lists of what numpy, tuples and the reader of scene files make of them."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(key, part) for part in value]
    if isinstance(value, Mapping):
        return {_plain(key, str(name)): _plain(key, part) for name, part in value.items()}
    if isinstance(value, str | PurePath):
        text = str(value)
        if text != text.encode(errors="replace").decode():
            raise SweepError(f"'{key}' has a text that cannot be written as UTF-8: {text!r}")
        return text
    if value is None or isinstance(value, bool | int | float):
        return value
    raise SweepError(f"a value is a number, a text, a list or a mapping, got {value!r}")


def _values(text: str, values: str) -> list[Any]:
    written_out = f"[{_CALL.sub(lambda call: _expanded(text, call), values)}]"
    try:
        listed = plain(parse(written_out, Path("--set"), text))
    except SceneFileError as error:
        raise SweepError(f"'{text}': the values are no list: {error.faults[0].message}; {_FORM}") from error
    return _checked(text, listed)


def _expanded(text: str, call: re.Match[str]) -> str:
    """The values of a call, with commas between them."""
    name, arguments = call[1], [part.strip() for part in call[2].split(",")]
    try:
        numbers = _bounded(range(*map(int, arguments))) if name == "range" else _linspace(arguments)
    except (TypeError, ValueError) as error:
        forms = "range(b), range(a,b) or range(a,b,step) of whole numbers; linspace(a,b,n)"
        raise SweepError(f"'{text}': {call[0]} cannot be read: {error}; valid: {forms}") from error
    return ",".join(repr(number) for number in numbers)


def _linspace(arguments: list[str]) -> list[float]:
    """Both ends exactly as given."""
    if len(arguments) != 3:
        raise ValueError("linspace needs three numbers: a, b, n")
    a, b, n = float(arguments[0]), float(arguments[1]), int(arguments[2])
    if n < 2:
        raise ValueError("n must be 2 or more")
    return [a + (b - a) * k / (n - 1) for k in _bounded(range(n - 1))] + [b]


def _bounded(numbers: range) -> range:
    if numbers[MAX_VALUES:]:
        raise ValueError(f"a key has {MAX_VALUES} values at most")
    return numbers
