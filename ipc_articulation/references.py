"""Groups of arrays by reference, for numba.

A tuple of arrays that is passed to a function, or taken out of another one, counts a reference of each array up and
down, 5 ns each: of the step of a free box that was two thirds of the time. A structref counts one.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.experimental import structref


def by_reference(fields: Any, module: str, name: str = "") -> tuple[type, Any]:
    """A type for numba and a class with the fields of a NamedTuple, whose name they have without its underscore.

    Both must be names of the module, or machine code that is loaded has other types.
    """
    name = name or fields.__name__.lstrip("_")
    kind = structref.register(type(f"{name}Type", (types.StructRef,), {"__module__": module}))
    made = type(name, (structref.StructRefProxy,), {"__module__": module, "__doc__": fields.__doc__})
    structref.define_proxy(made, kind, fields._fields)
    return kind, made
