"""Writes the script and the notebook of docs/howto/pick_and_place.md: `python tools/make_examples.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "howto" / "pick_and_place.md"
SCRIPT = ROOT / "scenes" / "pick_and_place.py"
NOTEBOOK = PAGE.with_suffix(".ipynb")

_FENCED = re.compile(r"^```(python|sh)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Write both."""
    SCRIPT.write_text(script(), encoding="utf-8")
    NOTEBOOK.write_text(notebook(), encoding="utf-8")


def script() -> str:
    """The page's Python blocks, under its headings."""
    page = PAGE.read_text(encoding="utf-8")
    title, sections = page.split("\n", 1)[0].removeprefix("# "), page.split("\n## ")[1:]
    text = f'"""{title}: docs/howto/pick_and_place.md explains it, and is what this script is made of."""\n'
    for heading, body in (section.split("\n", 1) for section in sections):
        code = "\n".join(block for language, block in _FENCED.findall(body) if language == "python")
        if code:
            text += f"\n# {heading}\n\n{code}"
    return text


def notebook() -> str:
    """The page as a notebook: its text, its Python, and its commands as Jupyter writes them."""
    parts = [*_FENCED.split(PAGE.read_text(encoding="utf-8")), "", ""]
    cells = []
    for number, (text, language, code) in enumerate(zip(parts[::3], parts[1::3], parts[2::3], strict=True)):
        cells.append({"cell_type": "markdown", "id": f"text-{number}", "metadata": {}, "source": _lines(text)})
        if code:
            source = code if language == "python" else "".join(f"!{line}\n" for line in code.splitlines())
            own = {"execution_count": None, "outputs": [], "source": _lines(source)}
            cells.append({"cell_type": "code", "id": f"code-{number}", "metadata": {}, **own})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _lines(text: str) -> list[str]:
    return text.strip("\n").splitlines(keepends=True)


if __name__ == "__main__":
    main()
