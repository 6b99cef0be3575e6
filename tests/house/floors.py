"""The floors of the package: which of its parts may import which, and how imports are found.

An import counts wherever it stands: within a function, under TYPE_CHECKING, by `import_module`, through a table of
names that are imported when they are asked for, and through entry points.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = "ipc_articulation"
PLACES = {PACKAGE: ROOT / "ipc_articulation", f"{PACKAGE}.adapters": ROOT / "adapters"}
ADAPTERS = f"{PACKAGE}.adapters"  # also the group of entry points

# From the ground up. A part imports from lower floors and from itself only. README and CONTRIBUTING follow this.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("errors", "arrays", "linking", "machine_code"),
    ("compiled", "cores", "references", "signals", "patterns", "progress"),
    ("naming", "extras", "affine", "packages", "repairs", "spatial"),
    ("arguments", "tetrads", "linear_system"),
    ("articulation", "contact", "dynamics", "elasticity", "meshing"),
    ("frontend", "scenefile", "recording"),
    ("engine", "coupling", "viewing"),
    ("adapters", "watching"),
    ("simulation", "inspection", "doctor"),
    ("checking", "running"),
    ("showing", "starting", "sweeps", "warming"),
    ("gym",),
    ("cli",),
    ("__init__", "__main__"),
)

# Where MuJoCo may be imported; `dynamics` does so when it reads MJCF.
USERS_OF_MUJOCO = (
    "adapters.mujoco",
    "adapters.native.mjcf",
    "adapters.native.mjcf_actuators",
    "dynamics.reading.mujoco",
)

# Dependencies on files above that are still there, and circles of files; both are to become empty.
KNOWN_UPWARD: set[tuple[str, str]] = set()
KNOWN_CIRCLES: list[set[str]] = []

DYNAMIC = ("import_module", "__import__", "find_spec")


def modules() -> dict[str, Path]:
    """Every module of the package by its full name."""
    found = {}
    for package, place in PLACES.items():
        for file in place.rglob("*.py"):
            parts = [package, *file.relative_to(place).with_suffix("").parts]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def part(module: str, room: str = PACKAGE) -> str:
    """The part of the package, or of another room, that a module is in: `engine` of `ipc_articulation.engine.step`."""
    return [*module.split("."), "__init__"][room.count(".") + 1]


def imports(source: str, module: str, known: Iterable[str], is_package: bool = False) -> set[str]:
    """Names of all modules, also of other packages, that a module imports.

    Args:
        source: Its code.
        module: Its full name.
        known: All modules of the package.
        is_package: Whether the module is an `__init__`.
    """
    known, own = set(known), module if is_package else module.rpartition(".")[0]
    found: set[str] = set()
    names: set[str] = set()
    texts: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                found |= {alias.name for alias in node.names}
            case ast.ImportFrom():
                base = _base(node, own)
                full = {f"{base}.{alias.name}" for alias in node.names}
                found |= {name if name in known else base for name in full}
            case ast.Name(name) | ast.Attribute(attr=name):
                names.add(name)
            case ast.Constant(str(text)):
                texts.add(text)
    if names & set(DYNAMIC):
        found |= {name for text in texts for name in (text, f"{own}.{text}") if name in known and "." in name}
    return found - {module}


def _base(node: ast.ImportFrom, own: str) -> str:
    parents = own.split(".")[: len(own.split(".")) - node.level + 1] if node.level else []
    return ".".join([*parents, *filter(None, [node.module])])


@cache
def graph() -> dict[str, set[str]]:
    """What each module imports, of this package and of others."""
    known = modules()
    return {
        module: imports(file.read_text(encoding="utf-8"), module, known, file.name == "__init__.py")
        for module, file in known.items()
    }


def circles(edges: dict[str, set[str]]) -> list[set[str]]:
    """Sets of modules that import each other: strongly connected components of more than one (R. Tarjan, 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(module: str) -> None:
        order[module] = low[module] = len(order)
        stack.append(module)
        for target in sorted(edges[module] & edges.keys()):
            if target not in order:
                visit(target)
                low[module] = min(low[module], low[target])
            elif target in stack:
                low[module] = min(low[module], order[target])
        if low[module] == order[module]:
            at = stack.index(module)
            if len(stack) - at > 1:
                found.append(set(stack[at:]))
            del stack[at:]

    for module in edges:
        if module not in order:
            visit(module)
    return found


def circles_of_folders(edges: dict[str, set[str]]) -> list[str]:
    """Folders side by side that import each other in a circle, in any room of the package: each circle in words.

    A file beside folders is a part of their room as they are, and may close a circle between them. With one folder
    alone it makes none: the folder holds what the file is made of, and may share what stands beside it.
    """
    rooms = {module.rpartition(".")[0] for module in edges}
    found: list[str] = []
    for room in sorted(rooms):
        made = _imports_between_parts(room, edges)
        for circle in circles({a: {b for start, b in made if start == a} for a, _ in made}):
            if len({f"{room}.{name}" for name in circle} & rooms) > 1:
                lines = [f"{a} -> {b}: {', '.join(made[a, b])}" for a, b in made if {a, b} <= circle]
                found.append("\n    ".join([f"{room}: {', '.join(sorted(circle))}", *sorted(lines, key=len)]))
    return found


def _imports_between_parts(room: str, edges: dict[str, set[str]]) -> dict[tuple[str, str], list[str]]:
    """Which modules of a part of a room import which of another part, by the two parts."""
    found: dict[tuple[str, str], list[str]] = {}
    inside = {module for module in edges if f"{module}.".startswith(f"{room}.")}
    for module in sorted(inside):
        for target in sorted(edges[module] & inside):
            ends = part(module, room), part(target, room)
            if ends[0] != ends[1]:
                made = " imports ".join(name.removeprefix(f"{room}.") for name in (module, target))
                found.setdefault(ends, []).append(made)
    return found
