"""Compiled functions with a cache on disk that follows all their source files.

numba stores machine code next to each file and discards it when that file changes. Machine code also contains the
functions that a function calls and the constants that it reads. So here it is discarded when any file changes that its
file imports, directly or not, and those that the functions in its closure come from and import, however deep they are
in closures of closures (see `machine_code`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from inspect import getfile, isfunction
from pathlib import Path
from pickle import dumps
from typing import Any
from weakref import WeakValueDictionary

from numba import njit
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher

from ipc_articulation.linking import LINKS_WHOLE, linked, rebuilt
from ipc_articulation.machine_code import MachineCode

BY_NAME: WeakValueDictionary[tuple[str, str], Any] = WeakValueDictionary()  # compiled functions by module and name

_SOURCES = Path(__file__).parents[1]
_IMPORT = re.compile(r"^from ([\w.]+) import (?:\(([^)]*)\)|(.*))|^import ([\w.]+)", re.MULTILINE)


def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function by numba, without Python objects, and keep the machine code on disk.

    Args:
        function: The function, maybe a closure over compiled functions; None: the result is a decorator.
        options: Options of `numba.njit`.
    """
    if function is None:
        return lambda f: compiled(f, **options)
    if function.__closure__:  # closures of one factory get different names, on disk and as machine code
        function.__qualname__ += f".{_digest(function)}"
    dispatcher = njit(**options | {"no_cpython_wrapper": LINKS_WHOLE, "no_cfunc_wrapper": True})(function)
    if dispatcher is function:  # with NUMBA_DISABLE_JIT
        return function
    code = stamp(*{Path(getfile(f)) for f in _functions(function)}), function.__code__.co_code, _digest(function)
    if LINKS_WHOLE:
        linked(dispatcher, MachineCode(function, dumps(code), rebuilt))
    else:
        dispatcher._cache = MachineCode(function, dumps(code), _rebuilt)
    BY_NAME[function.__module__, function.__qualname__] = dispatcher
    return dispatcher


def _rebuilt(target_context: Any, payload: Any) -> Any:
    target_context.refresh()
    return CompileResult._rebuild(target_context, *payload)


def _values(function: Callable[..., Any]) -> list[Any]:
    """The variables in a function's closure; compiled functions are replaced by their Python functions."""
    return [_plain(cell.cell_contents) for cell in function.__closure__ or ()]


def _plain(value: Any) -> Any:
    """A value, its compiled functions replaced by their Python functions, also in tuples."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.py_func if isinstance(value, Dispatcher) else value


def _functions(value: Any) -> list[Callable[..., Any]]:
    """The functions in a plain value: itself or those in a tuple, and all in their closures, however deep."""
    if isinstance(value, tuple):
        return [f for part in value for f in _functions(part)]
    return [value, *_functions(tuple(_values(value)))] if isfunction(value) else []


def _digest(function: Callable[..., Any]) -> str:
    """Digest of the variables in a function's closure, the same in each process; functions count by their names."""
    return sha256(dumps(_named(tuple(_values(function))))).hexdigest()[:16]


def _named(value: Any) -> Any:
    """A plain value, its functions replaced by their names."""
    if isinstance(value, tuple):
        return [_named(part) for part in value]
    return f"{value.__module__}.{value.__qualname__}" if isfunction(value) else value


@cache
def stamp(*files: Path) -> bytes:
    """Digest of source files and of all files of this package that they import at their top, directly or not."""
    found = set(files)
    new = list(files)
    while new:
        new = [imported for source in new for imported in imports(source) if imported not in found]
        found.update(new)
    return sha256(b"".join(sorted(map(digest, found)))).digest()


@cache
def digest(file: Path) -> bytes:
    """Digest of a file's text."""
    return sha256(file.read_bytes()).digest()


@cache
def imports(file: Path) -> tuple[Path, ...]:
    """Files of this package that a file imports."""
    found: list[Path] = []
    for module, in_brackets, on_line, plain in _IMPORT.findall(file.read_text(encoding="utf-8")):
        if (module or plain).startswith(f"{__package__}."):
            found += _files(module or plain, tuple(re.findall(r"\w+", in_brackets + on_line)))
    return tuple(found)


@cache
def _files(module: str, names: tuple[str, ...]) -> list[Path]:
    """The files of a module from which names are imported: its own or, of a package, also those of the names."""
    package, *parts = module.split(".")
    place = _SOURCES.joinpath(package, *parts)
    if parts and not place.with_suffix(".py").exists() and not place.exists():
        place = _SOURCES.joinpath(*parts)  # of a checkout, whose adapters are beside the package
    own = place.with_suffix(".py")
    if own.exists():
        return [own]
    inside = [place / part for name in names for part in (f"{name}.py", f"{name}/__init__.py")]
    return [path for path in (place / "__init__.py", *inside) if path.exists()]
