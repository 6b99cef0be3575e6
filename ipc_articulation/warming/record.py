"""Writes the list of entrances: `python -m ipc_articulation.warming.record`.

It runs scenes of each kind and looks what Python has called. Functions that a closure made after its module was
imported cannot be found by name, and are left out.
"""

from __future__ import annotations

import subprocess
import sys
from tempfile import TemporaryDirectory

from ipc_articulation.compiled import BY_NAME
from ipc_articulation.warming.entrances import KINDS, LIST, Entrance
from ipc_articulation.warming.signatures import text_of

# Scenes of each kind, with a number of steps and, maybe, another adapter.
SCENES: dict[str, tuple[tuple[str, int, str | None], ...]] = {
    "affine": (
        ("random_drop", 60, None),
        ("panda_push", 180, None),
        ("hinge_slider", 20, None),
        ("wrecking_ball", 60, None),
    ),
    "soft": (("cloth_over_arm", 100, None), ("panda_sponge", 40, None), ("panda_towel", 20, None)),
    "dynamics": (("panda_push", 20, "native"), ("four_bar_press", 20, None)),
}


def record() -> list[Entrance]:
    """The entrances of all kinds of scenes."""
    found: dict[tuple[str, str, str], Entrance] = {}
    for kind in KINDS:
        for line in _output("-m", __spec__.name, kind).splitlines():
            entrance = Entrance(*line.split(" ", 3))
            if entrance.is_known():
                found.setdefault(entrance[1:], entrance)
    return list(found.values())


def run_scenes(kind: str) -> list[Entrance]:
    """Run the scenes of a kind; what Python has called, the largest first."""
    from ipc_articulation.running import run
    from ipc_articulation.scenefile.examples import scene_file

    for name, steps, adapter in SCENES[kind]:
        settings = {} if adapter is None else {"adapter": adapter}
        with TemporaryDirectory() as out:
            run(scene_file(f"example:{name}"), "cpu", steps, out, quiet=True, settings=settings, pictures=False)
    called = [
        Entrance(kind, module, name, text_of(types))
        for (module, name), function in BY_NAME.items()
        for types in function.entrances
    ]
    return sorted(called, key=lambda entrance: (-entrance.size(), entrance))


def _output(*arguments: str) -> str:
    return subprocess.run([sys.executable, *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout


def _lines(found: list[Entrance]) -> str:
    return "".join(f"{' '.join(entrance)}\n" for entrance in found)


if __name__ == "__main__":
    if sys.argv[1:]:
        print(_lines(run_scenes(sys.argv[1])), end="")
    else:
        LIST.write_text(_lines(record()), encoding="utf-8")
