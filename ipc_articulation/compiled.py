"""Compiled functions with a cache on disk that follows all their source files.

numba stores machine code next to each file and discards it when that file changes. Machine code also contains the
functions that a function calls and the constants that it reads. So here it is discarded when any file changes that its
file imports, directly or not, and those that the functions in its closure come from and import, however deep they are
in closures of closures. A process that writes into a cache locks it, because two writers at once would mix their
versions.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from hashlib import sha256
from inspect import getfile, isfunction
from itertools import count
from pathlib import Path
from pickle import dumps
from typing import Any
from weakref import WeakValueDictionary

from filelock import FileLock, Timeout
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.runtime import rtsys

from ipc_articulation.linking import LINKS_WHOLE, Loading, linked

log = logging.getLogger("ipc_articulation")

BY_NAME: WeakValueDictionary[tuple[str, str], Any] = WeakValueDictionary()  # compiled functions by module and name

_SOURCES = Path(__file__).parents[1]
_LONGEST = 60.0  # seconds for which another process that compiles a function is waited for
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
    if LINKS_WHOLE:
        linked(dispatcher, _Cache(function))
    else:
        dispatcher._cache = _Cache(function)
    BY_NAME[function.__module__, function.__qualname__] = dispatcher
    return dispatcher


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


class _Files(IndexDataCacheFile):
    """numba's files of one function; the index names a file only once this is written.

    numba writes the index first. Where a file of this name is left from an older source, another process would run it.
    """

    def _load_index(self) -> dict[Any, str]:
        """The names of files by key; none where the index is cut short, or names a class that no longer exists."""
        return self._read(super()._load_index) or {}

    def load(self, key: Any) -> Any:
        """What is kept under a key; None where that is nothing, or cannot be read."""
        return self._read(lambda: super(_Files, self).load(key))

    def _read(self, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except OSError:
            raise
        except Exception:  # bytes that are no pickle raise errors of all kinds
            return None

    def save(self, key: Any, data: Any) -> None:
        """Keep machine code under a key of the index."""
        names = self._load_index()
        if key not in names:
            taken = set(names.values())
            names[key] = next(name for k in count(1) if (name := self._data_name(k)) not in taken)
        self._save_data(names[key], data)
        self._save_index(names)


class _Cache(FunctionCache):
    """numba's cache of one function, discarded when a source changes, and locked while it is written."""

    _impl_class = Loading if LINKS_WHOLE else CompileResultCacheImpl
    _impl: Any = None

    def __init__(self, function: Callable[..., Any]) -> None:
        self._py_func, self._stamp = function, stamp(*{Path(getfile(f)) for f in _functions(function)})

    def _find(self) -> None:
        """Find the files, at the first call: most functions that are imported are never called."""
        if self._impl is None:
            super().__init__(self._py_func)
            self._cache_file.__class__ = _Files
            self._cache_file._source_stamp = self._stamp

    @property
    def cache_path(self) -> str:
        """Folder of the files."""
        self._find()
        return str(self._cache_path)

    def file(self, sig: Any, codegen: Any) -> Path | None:
        """The file with machine code for a signature; None if there is none."""
        self._find()
        name = self._cache_file._load_index().get(self._index_key(sig, codegen))
        file = Path(self.cache_path) / (name or "")
        return file if file.is_file() else None

    @contextmanager
    def claim(self, seconds: float = _LONGEST) -> Iterator[bool]:
        """Let no other process compile the function during the block, which begins after some seconds at the latest.

        Yields:
            Whether no other process does.
        """
        try:
            self._claim.acquire(timeout=seconds)
        except Timeout:
            yield False
            return
        try:
            yield True
        finally:
            self._claim.release()

    @cached_property
    def _claim(self) -> Any:
        self._find()
        return FileLock(f"{self._cache_file._index_path}.lock")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Machine code from disk; None where there is none."""
        self._find()
        if not LINKS_WHOLE:
            return super().load_overload(sig, target_context)
        rtsys.initialize(target_context)  # all that running needs; the rest of numba is loaded to compile
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code on disk, where that has room."""
        self._find()
        try:
            with FileLock(Path(self.cache_path) / ".numba.lock"):
                super().save_overload(sig, data)
        except OSError as error:
            log.warning("compiled code cannot be kept, so each run compiles: %s: %s", self.cache_path, error.strerror)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        """The entry of a signature; numba's own key has pickled closures, whose bytes differ each time."""
        return sig, codegen.magic_tuple(), sha256(self._py_func.__code__.co_code).digest(), _digest(self._py_func)


@cache
def stamp(*files: Path) -> bytes:
    """Digest of source files and of all files of this package that they import at their top, directly or not."""
    found = set(files)
    new = list(files)
    while new:
        new = [imported for source in new for imported in imports(source) if imported not in found]
        found.update(new)
    return sha256(b"".join(digest(source) for source in sorted(found, key=str))).digest()


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
    place = _SOURCES.joinpath(*module.split("."))
    own = place.with_suffix(".py")
    if own.exists():
        return [own]
    inside = [place / part for name in names for part in (f"{name}.py", f"{name}/__init__.py")]
    return [path for path in (place / "__init__.py", *inside) if path.exists()]
