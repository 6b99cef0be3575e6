"""Groups of arrays by reference, for numba.

A tuple of arrays that is passed to a function, or taken out of another one, counts a reference of each array up and
down, 5 ns each: of the step of a free box that was two thirds of the time. A structref counts one.
"""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import Any

from numba import types
from numba.experimental import structref


class Reference(types.StructRef):
    """A type whose name in machine code is short: numba's tells all fields down to the last, in half of that code."""

    @cached_property
    def mangling_args(self) -> tuple[str, tuple[()]]:
        """The name in machine code, and no parameters of it; see `numba.types.Type`."""
        return f"{type(self).__name__}{sha256(self.name.encode()).hexdigest()[:8]}", ()


def by_reference(fields: Any, module: str, name: str = "") -> tuple[type, Any]:
    """A type for numba and a class with the fields of a NamedTuple, whose name they have without its underscore.

    Both must be names of the module, or machine code that is loaded has other types.
    """
    name = name or fields.__name__.lstrip("_")
    kind = structref.register(type(f"{name}Type", (Reference,), {"__module__": module}))
    made = type(name, (structref.StructRefProxy,), {"__module__": module, "__doc__": fields.__doc__})
    structref.define_proxy(made, kind, fields._fields)
    return kind, made
