"""Arithmetic in references: `${side / 2 + 0.003}`.

Numbers, names of variables, `+ - * / **`, brackets, `pi`, `deg` = π/180, and the functions below; angles in radians.
Whole numbers stay whole under + - * and **, so that they can count steps. Nothing else can be written, and nothing is
ever run.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "abs": abs,
    "cos": math.cos,
    "degrees": math.degrees,
    "max": max,
    "min": min,
    "radians": math.radians,
    "round": round,
    "sin": math.sin,
    "sqrt": math.sqrt,
    "tan": math.tan,
}
CONSTANTS = {"pi": math.pi, "deg": math.pi / 180.0}
MAX_LENGTH = 200  # characters of one expression
MAX_WHOLE = 2**53  # beyond it a whole number is no longer a float

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: lambda base, exponent: _power(base, exponent),
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
_GRAMMAR = f"numbers, variables, + - * / ** ( ), {', '.join([*CONSTANTS, *FUNCTIONS])}"


def evaluate(text: str, variable: Callable[[str], int | float]) -> int | float:
    """The value of an expression.

    Args:
        text: The expression.
        variable: Gives the number that a name stands for.

    Raises:
        ValueError: The text is no such expression, or has no finite value; the message says why. Errors of
            `variable` are passed on.
    """
    if len(text) > MAX_LENGTH:
        raise ValueError(f"an expression of {len(text)} characters, more than {MAX_LENGTH}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, MemoryError, RecursionError, ValueError):
        raise ValueError(f"'{text}' is no expression of {_GRAMMAR}") from None
    try:
        return _bounded(_value(tree.body, variable))
    except _NoValueError as error:
        raise ValueError(f"'{text}' has no value: {error}") from None


def _value(node: ast.expr, variable: Callable[[str], int | float]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.Name(id=name):
            return variable(name)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return _applied(_UNARY[type(op)], _value(operand, variable))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _applied(_BINARY[type(op)], _value(left, variable), _value(right, variable))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return _applied(FUNCTIONS[name], *(_value(argument, variable) for argument in args))
    raise ValueError(f"`{ast.unparse(node)}` is not valid in an expression; valid are {_GRAMMAR}")


class _NoValueError(Exception):
    """An operation without a finite value."""


def _applied(function: Callable[..., float], *numbers: float) -> float:
    try:
        return function(*numbers)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise _NoValueError(error) from error


def _power(base: float, exponent: float) -> int | float:
    """A power by floats, whose size is bounded; whole where both are whole."""
    result = math.pow(base, exponent)
    whole = isinstance(base, int) and isinstance(exponent, int) and exponent >= 0 and abs(result) < MAX_WHOLE
    return int(result) if whole else result


def _bounded(number: Any) -> int | float:
    if not math.isfinite(number) or (isinstance(number, int) and abs(number) > MAX_WHOLE):
        raise _NoValueError("it is too large, or not a number")
    return number
