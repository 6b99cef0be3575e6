"""The lists of public names in docs/api.md, made of docstrings: `python -m tests.docs.public` writes them anew."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from types import ModuleType

from tests.docs.pages import DOCS

PAGE = DOCS / "api.md"

# Modules whose `__all__` is promised, in the order of the page.
PUBLIC = (
    "ipc_articulation",
    "ipc_articulation.errors",
    "ipc_articulation.engine",
    "ipc_articulation.coupling",
    "ipc_articulation.coupling.many",
    "ipc_articulation.coupling.adapter",
    "ipc_articulation.coupling.robots",
    "ipc_articulation.coupling.batches",
    "ipc_articulation.adapters.mujoco",
    "ipc_articulation.adapters.native",
    "ipc_articulation.adapters.pinocchio",
    "ipc_articulation.adapters.dart",
    "ipc_articulation.running",
    "ipc_articulation.checking",
    "ipc_articulation.sweeps",
    "ipc_articulation.recording",
    "ipc_articulation.watching",
    "ipc_articulation.gym",
    "ipc_articulation.dynamics",
    "ipc_articulation.dynamics.joints",
    "ipc_articulation.dynamics.loops",
    "ipc_articulation.dynamics.conventions",
    "ipc_articulation.spatial",
)

# Modules with `__all__` that are not promised: parts of the command line, and homes of names that stand above them.
PRIVATE = (
    "ipc_articulation.cli",
    "ipc_articulation.dynamics.reading",
    "ipc_articulation.dynamics.reading.loops",
    "ipc_articulation.dynamics.reading.osim",
    "ipc_articulation.dynamics.reading.repairing",
    "ipc_articulation.showing",
    "ipc_articulation.starting",
    "ipc_articulation.viewing.drawing",
    "ipc_articulation.viewing.exporting",
    "ipc_articulation.viewing.replaying",
    "ipc_articulation.viewing.reporting",
    "ipc_articulation.warming",
)


def names() -> str:
    """A heading for every public module, and a line for every name that no module before it has."""
    seen: dict[str, list[object]] = {}
    sections = []
    for path in PUBLIC:
        module = import_module(path)
        lines, again = [], []
        for name in sorted(module.__all__, key=lambda name: (name.casefold(), name)):
            value = getattr(module, name)
            if any(value is other for other in seen.setdefault(name, [])):
                again.append(f"`{name}`")
            else:
                seen[name].append(value)
                lines.append(f"- `{name}`: {about(module, name)}\n")
        more = f"\nFrom above: {', '.join(again)}.\n" if again else ""
        about_module = _sentence(inspect.getdoc(module) or "")
        sections.append(f"### `{path}`\n\n{about_module}.\n\n{''.join(lines)}{more}")
    return "\n".join(sections)


def about(module: ModuleType, name: str) -> str:
    """The first sentence of what is said of a name: of its docstring, the comment of a constant, or its class."""
    value = getattr(module, name)
    if inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value):
        return _sentence(inspect.getdoc(value) or "")
    homes = [module, *(import_module(home) for home in [getattr(module, "_HOMES", {}).get(name)] if home)]
    for home in homes:
        comment = re.search(rf"^{name}\b.*  # (.*)$", inspect.getsource(home), re.MULTILINE)
        if comment:
            return comment[1]
    return f"a `{type(value).__name__}`" if type(value).__module__.startswith("ipc_articulation") else ""


def _sentence(text: str) -> str:
    """The first sentence, or what stands before the first empty line."""
    return re.split(r"\.(?:\s|$)", " ".join(text.split("\n\n")[0].split()), maxsplit=1)[0]


def formats() -> str:
    """What versions of files this version writes and reads."""
    from ipc_articulation.engine.persistence import dump_file
    from ipc_articulation.recording import layout
    from ipc_articulation.running import job
    from ipc_articulation.sweeps import folder

    dumps = dump_file._VERSION.decode()
    rows = [
        ("recording (`recording.zarr`)", layout.VERSION, f"{layout.READABLE[0]} to {layout.READABLE[-1]}"),
        ("run to resume (`run.json`)", job._VERSION, str(job._VERSION)),
        ("folder of a sweep", folder.VERSION, str(folder.VERSION)),
        ("dump of the CPU engine (`.dump`)", dumps, dumps),
    ]
    table = "".join(f"| {name} | {written} | {read} |\n" for name, written, read in rows)
    return f"| file | written | read |\n|---|---|---|\n{table}"


def commands() -> str:
    """The commands, as the command line lists them."""
    from ipc_articulation.cli.entry import COMMANDS

    texts = {name: import_module(f"ipc_articulation.cli.{name}").HELP for name in COMMANDS}
    return "| command | does |\n|---|---|\n" + "".join(f"| `{name}` | {texts[name]} |\n" for name in COMMANDS)


PARTS = {"names": names, "commands": commands, "formats": formats}


def rewritten(text: str) -> str:
    """The page with its lists as they should be."""
    for part, made in PARTS.items():
        begin, end = f"<!-- {part}: begin -->\n", f"<!-- {part}: end -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{made()}\n{end}{rest.partition(end)[2]}"
    return text


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
