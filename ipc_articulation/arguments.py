"""Checks of the arguments of public functions, by a table next to each function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from math import isfinite
from numbers import Real
from os import PathLike
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from ipc_articulation.errors import IpcArticulationError
from ipc_articulation.naming import suggest

P = ParamSpec("P")
Result = TypeVar("Result")


class Wanted(NamedTuple):
    """A condition on an argument, and what a message calls the arguments that meet it."""

    what: str
    accepts: Callable[[Any], bool]


def instance(*kinds: type) -> Wanted:
    """An object of one of some classes."""
    return Wanted(" or ".join(f"a {kind.__name__}" for kind in kinds), lambda value: isinstance(value, kinds))


def one_of(*values: str) -> Wanted:
    """One of some texts."""
    return Wanted(f"one of {', '.join(map(repr, values))}", lambda value: isinstance(value, str) and value in values)


def several(*kinds: type) -> Wanted:
    """A list, or another iterable, of objects of some classes; a text is no list of texts."""

    def accepts(value: Any) -> bool:
        if isinstance(value, str) or not isinstance(value, Iterable):
            return False
        return not isinstance(value, Collection) or all(isinstance(entry, kinds) for entry in value)

    return Wanted(f"a list of {' or '.join(kind.__name__ for kind in kinds)}", accepts)


def optional(wanted: Wanted) -> Wanted:
    """None, or what meets another condition."""
    return Wanted(f"{wanted.what}, or None", lambda value: value is None or wanted.accepts(value))


def _is_number(value: Any) -> bool:
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and float(value) is not None
    except OverflowError:  # a whole number beyond all floats
        return False


def _is_finite(value: Any) -> bool:
    return _is_number(value) and isfinite(value)


NUMBER = Wanted("a number", _is_number)
FINITE = Wanted("a finite number", _is_finite)
POSITIVE = Wanted("a positive, finite number", lambda value: _is_finite(value) and value > 0.0)
NOT_NEGATIVE = Wanted("a finite number, zero or more", lambda value: _is_finite(value) and value >= 0.0)
COUNT = Wanted(
    "a whole number, zero or more",
    lambda value: _is_number(value) and isinstance(value, int | np.integer) and bool(value >= 0),
)
AT_LEAST_ONE = Wanted("a whole number, one or more", lambda value: COUNT.accepts(value) and value >= 1)
FUNCTION = Wanted("a function", callable)
FLAG = Wanted("True or False", lambda value: isinstance(value, bool | np.bool_))
TEXT = instance(str)
PATH = Wanted("a path", lambda value: isinstance(value, PathLike) or (isinstance(value, str) and value != ""))
DURATION = Wanted("a number of seconds, zero or more", lambda value: _is_number(value) and value >= 0.0)
PATHS = several(str, PathLike)


def checked(
    error: type[IpcArticulationError], options: Sequence[str] = (), **wanted: Wanted
) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Decorator of a function that is called rarely: refuse unknown keywords, and arguments that do not meet a table.

    Args:
        error: The error to raise.
        options: The keywords that a function with `**options` takes.
        wanted: The conditions, by argument.
    """

    def decorate(function: Callable[P, Result]) -> Callable[P, Result]:
        signature = inspect.signature(function)
        title = function.__qualname__.removesuffix(".__init__")
        named = (p.name for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD and p.name != "self")
        known = [*named, *options]

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> Result:
            for name in kwargs:
                if name not in known:
                    raise error(f"{title} has no argument '{name}'{suggest(name, known)}")
            given = {**signature.bind_partial(*args).arguments, **kwargs}
            for name, condition in wanted.items():
                if name in given:
                    refuse_unwanted(f"{title}: {name}", given[name], condition, error)
            return function(*args, **kwargs)

        return call

    return decorate


def refuse_unwanted(name: str, value: object, wanted: Wanted, error: type[IpcArticulationError]) -> None:
    """Refuse a value that does not meet a condition.

    Raises:
        IpcArticulationError: It does not; the message has the value, and what would be valid.
    """
    if not wanted.accepts(value):
        raise error(f"{name} is {shown(value)}, must be {wanted.what}")


def shown(value: object) -> str:
    """A value as messages show it: one line of at most 80 characters."""
    try:
        return " ".join(repr(value).split())[:80]
    except ValueError:  # a whole number with more digits than Python writes
        return f"a {type(value).__name__}"
