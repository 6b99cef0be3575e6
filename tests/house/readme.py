"""The list of parts in README, made of their docstrings: `python -m tests.house.readme` writes it anew."""

from __future__ import annotations

import ast
import re

from tests.house.floors import FLOORS, ROOT, modules, part

README = ROOT / "README.md"
BEGIN, END = "ipc_articulation/   the package; a part imports only from parts above it in this list\n", "adapters/  "


def listed() -> str:
    """A line for every part, from the ground up: its name and the first sentence of its docstring."""
    files = {part(module): file for module, file in modules().items() if module.count(".") == 1}
    names = [name for floor in FLOORS for name in floor if not name.startswith("__") and name != "adapters"]
    return "".join(
        f"    {name + ('/' if files[name].name == '__init__.py' else '.py'):<20}{_sentence(files[name].read_text())}\n"
        for name in names
    )


def _sentence(source: str) -> str:
    """The first sentence of a module's docstring."""
    text = " ".join((ast.get_docstring(ast.parse(source)) or "").split())
    return re.split(r"\.(?:\s|$)", text, maxsplit=1)[0]


def rewritten(text: str) -> str:
    """README with the list as it should be."""
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + listed() + END + rest.partition(END)[2]


if __name__ == "__main__":
    README.write_text(rewritten(README.read_text(encoding="utf-8")), encoding="utf-8")
