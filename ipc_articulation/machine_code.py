"""Machine code on disk: a file for each function and signature, named by all that it was made from.

The name has a digest of the sources, of the signature and of the versions of numba and Python, and the kind of
processor. So nothing is compared: a file of that name holds the right code. It comes into being whole, by renaming, and
replaces those that other sources have left.

It is looked for in the folder that numba chooses for the function's file, and in the folder that a wheel brings (see
`tools/build_wheel.py`), whose code is for any processor of its kind.
"""

from __future__ import annotations

import logging
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from hashlib import sha256
from inspect import getfile
from pathlib import Path
from typing import Any
from uuid import uuid4

import numba
from filelock import FileLock, Timeout
from llvmlite.binding import get_host_cpu_features
from numba.core import config
from numba.core.caching import CompileResultCacheImpl
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

log = logging.getLogger("ipc_articulation")

MADE_FOR = f"numba {numba.__version__} and Python {sys.version_info.major}.{sys.version_info.minor}"
OF_WHEEL = Path(__file__).with_name("wheel_code")  # folder that wheels have
KIND = "x86-64-v3"  # of processor, for which the code of wheels is
_HAS = "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"  # what that kind has, in LLVM's words
_LONGEST = 60.0  # seconds for which another process that compiles a function is waited for


class MachineCode:
    """That of one function, for some signatures.

    Args:
        function: The function.
        source: Digest of all that its code is made from, but for signature and processor.
        rebuild: What makes it from numba's context and what was on disk.
    """

    def __init__(self, function: Callable[..., Any], source: bytes, rebuild: Callable[[Any, Any], Any]) -> None:
        self._function, self._source, self._rebuild = function, source, rebuild
        self._name = f"{Path(getfile(function)).stem}.{function.__qualname__}".replace("<", "").replace(">", "")

    @cached_property
    def _kept(self) -> Any:
        """numba's way to keep it; None where no folder can be written."""
        try:
            return CompileResultCacheImpl(self._function)
        except RuntimeError as error:  # it finds no folder
            _tell_unkept(str(error))
            return None

    @property
    def cache_path(self) -> str:
        """Folder to which machine code is written; numba's name for it."""
        return "" if self._kept is None else self._kept.locator.get_cache_path()

    def file(self, sig: Any, codegen: Any) -> Path | None:
        """The file with machine code for a signature; None if there is none."""
        return next((file for file in self._places(sig, codegen) if file.is_file()), None)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Machine code from disk; None where there is none, or what is there cannot be read."""
        for file in self._places(sig, target_context.codegen()):
            with suppress(Exception):  # bytes that are no pickle raise errors of all kinds
                return self._rebuild(target_context, pickle.loads(file.read_bytes()))
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep machine code on disk, where that has room."""
        if self._kept is None or not self._kept.check_cachable(data):
            return
        file = self._own_file(sig, data.codegen)
        try:
            self._kept.locator.ensure_cache_path()
            _write(file, dumps(self._kept.reduce(data)))
            for old in file.parent.glob(f"{file.name.rpartition('-')[0]}-*.nbc"):
                if old != file:
                    old.unlink(missing_ok=True)
        except OSError as error:
            _tell_unkept(f"{self.cache_path}: {error.strerror}")

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
        return FileLock(Path(self.cache_path) / f"{self._name}.lock") if self._kept is not None else _Unlocked()

    def _places(self, sig: Any, codegen: Any) -> list[Path]:
        """Where machine code for a signature may be."""
        own = [] if self._kept is None else [self._own_file(sig, codegen)]
        triple = codegen.magic_tuple()[0]
        return [*own, OF_WHEEL / self.name(sig, (triple, KIND, ""))] if wheel_has_code() else own

    def _own_file(self, sig: Any, codegen: Any) -> Path:
        return Path(self.cache_path) / self.name(sig, codegen.magic_tuple())

    def name(self, sig: Any, processor: tuple[str, ...]) -> str:
        """Name of the file for a signature and a kind of processor, as numba has it (triple, name, features)."""
        types, _ = normalize_signature(sig)
        target = sha256(repr((MADE_FOR, processor, [_full_name(kind) for kind in types])).encode()).hexdigest()[:16]
        return f"{self._name}-{target}-{sha256(self._source).hexdigest()[:16]}.nbc"


class _Unlocked:
    """A lock where none can be made."""

    def acquire(self, timeout: float) -> None:
        """Nobody else is known to compile."""

    def release(self) -> None:
        """Nothing was acquired."""


def _full_name(kind: Any) -> str:
    """numba's name of a type, with the module of a class that it stands for."""
    own = getattr(kind, "instance_class", None)
    return repr(kind) if own is None else f"{own.__module__}.{kind!r}"


def _write(file: Path, data: bytes) -> None:
    """Write a file that nobody sees before it is whole, and that all may read who may read the folder's others."""
    part = file.with_name(f".{uuid4().hex}.part")
    try:
        part.write_bytes(data)
        os.replace(part, file)
    except OSError:
        part.unlink(missing_ok=True)
        raise


@cache
def _tell_unkept(why: str) -> None:
    log.warning("compiled code cannot be kept, so each run compiles: %s", why)


@cache
def wheel_has_code() -> bool:
    """Whether the installed package brings machine code that runs here; says once why it does not run."""
    made_for = OF_WHEEL / "made_for.txt"
    if not made_for.is_file() or config.CPU_NAME is not None or config.CPU_FEATURES is not None:
        return False
    wanted, features = made_for.read_text(encoding="utf-8").strip(), get_host_cpu_features()
    missing = [name for name in _HAS if not features.get(name)]
    reason = f"here is {MADE_FOR}" if wanted != MADE_FOR else f"this processor has no {', '.join(missing)}"
    if wanted == MADE_FOR and not missing:
        return True
    log.warning("the package brings machine code for %s on %s, but %s: it is compiled anew", wanted, KIND, reason)
    return False
