"""The functions that Python calls in scenes of each kind, with the types of their arguments: `entrances.txt`.

`record` writes the list. Each line has the kind of scenes, the function's module and name, and its signature; of each
kind the function with the largest machine code is first.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from numba import config

from ipc_articulation.compiled import BY_NAME
from ipc_articulation.warming.signatures import types_of

if TYPE_CHECKING:
    from ipc_articulation.scenefile.reading import AnyScene

LIST = Path(__file__).with_name("entrances.txt")
KINDS = ("affine", "soft", "dynamics")
DONE, FAILED = "compiled ", "failed "  # before the name of a function, in what a worker prints
_DEAREST = 5  # functions of the engine that stand for all


def kinds_of(scene: AnyScene) -> tuple[str, ...]:
    """The kinds whose functions a scene needs."""
    needs = {"soft": bool(scene.soft_bodies), "dynamics": scene.adapter == "native"}
    return tuple(kind for kind in KINDS if needs.get(kind, True))


class Entrance(NamedTuple):
    """A function that Python calls, for one signature.

    Attributes:
        kind: Of scenes that need it, the first of `KINDS`.
        module: The function's.
        name: Its qualified name.
        signature: The types of its arguments, see `signatures`.
    """

    kind: str
    module: str
    name: str
    signature: str

    def is_on_disk(self) -> bool:
        """Whether it has been compiled."""
        return self._file() is not None

    def compile(self) -> bool:
        """Compile it, unless it is on disk or another process does so; whether this one has."""
        function, disk = self._found()
        with disk.claim(0.0) as is_free:
            if not is_free or self.is_on_disk():
                return False
            function.compile(types_of(self.signature))
        return True

    def size(self) -> int:
        """Size of its machine code on disk."""
        file = self._file()
        return 0 if file is None else file.stat().st_size

    def is_known(self) -> bool:
        """Whether the function is there once its module is imported; some are made later."""
        import_module(self.module)
        return (self.module, self.name) in BY_NAME

    def _file(self) -> Path | None:
        function, disk = self._found()
        return disk.file(types_of(self.signature), function.targetctx.codegen())

    def _found(self) -> tuple[Any, Any]:
        """The function and its files."""
        import_module(self.module)
        function = BY_NAME[self.module, self.name]
        return function, getattr(function, "disk", function._cache)


def are_compiled() -> bool:
    """Whether the functions that take longest are on disk; True also where compilation is switched off."""
    if config.DISABLE_JIT:
        return True
    return all(entrance.is_on_disk() for entrance in entrances_of(KINDS[:1])[:_DEAREST])


def entrances_of(kinds: Iterable[str]) -> list[Entrance]:
    """The entrances of some kinds of scenes, in the order of the list."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return [entrance for line in lines if (entrance := Entrance(*line.split(" ", 3))).kind in set(kinds)]
