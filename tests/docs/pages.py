"""The README and the pages of docs/, and what is in them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = sorted(DOCS.rglob("*.md"))


def name_of(page: Path) -> str:
    """A page's path in the repository."""
    return page.relative_to(ROOT).as_posix()


def code_blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a language, from the top to the bottom."""
    return [text for tongue, text in fenced_blocks(page) if tongue == language]


def fenced_blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of all fenced blocks, from the top to the bottom."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def links_of(page: Path) -> list[tuple[str, str]]:
    """Links to files and the places in them, («page.md», «place»); the file is empty for a place in the page itself."""
    links = re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", page.read_text(encoding="utf-8"))
    return [(file, place) for file, place in links if not file.startswith("http")]


def places_in(page: Path) -> set[str]:
    """What a link may name of a page: its headings, as code hosts write them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}
