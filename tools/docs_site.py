"""What the site adds to the pages of docs/: mathematics, and the files of the repository that pages link to.

mkdocs calls the functions `on_...` while it builds the site (`mkdocs.yml`). A page may link to any file or folder of
the repository, as a reader on a code host expects. On the site it is a page of its own below `repository/`: Markdown as
it is, other files as code, a folder as the list of its files. `$$...$$` becomes MathML, which browsers draw without
scripts or fonts.
"""

from __future__ import annotations

import html
import posixpath
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
HOME = "repository"  # the folder of the site for files from outside docs/
ALWAYS = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
LANGUAGES = {
    "": "text",
    ".py": "python",
    ".yaml": "yaml",
    ".cff": "yaml",
    ".toml": "toml",
    ".xml": "xml",
    ".urdf": "xml",
}

_LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?(\))")
_FORMULA = re.compile(r'<div class="arithmatex">\\\[(.*?)\\\]</div>', re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the files from outside docs/ that pages link to, and those that these link to."""
    found = list(ALWAYS)
    for file in files.documentation_pages():
        found += _linked(f"docs/{file.src_uri}")
    known: set[str] = set()
    while found:
        path = found.pop()
        if path not in known and not path.startswith("docs/") and _is_shown(path):
            known.add(path)
            files.append(File.generated(config, _on_site(path), content=_page(path)))
            found += _linked(path)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    here = page.file.src_uri
    source = _in_repository(here)

    def on_site(match: re.Match[str]) -> str:
        opening, link, anchor, closing = match.groups()
        path = _resolved(source, link)
        if not (_is_shown(path) or (path.startswith("docs/") and (ROOT / path).is_file())):
            return match.group()  # mkdocs warns of it
        return opening + posixpath.relpath(_on_site(path), posixpath.dirname(here)) + (anchor or "") + closing

    return _LINK.sub(on_site, markdown)


def on_page_content(content: str, **_: Any) -> str:
    """Draw formulas."""
    return _FORMULA.sub(lambda match: _drawn(html.unescape(match.group(1))), content)


def _drawn(formula: str) -> str:
    """A formula as MathML. `aligned`, which code hosts draw, is named `split` by the converter."""
    return str(convert(formula.replace("{aligned}", "{split}"), display="block"))


def _is_shown(path: str) -> bool:
    """Whether a file or folder of the repository can be a page."""
    file = ROOT / path
    return file.is_dir() or (file.is_file() and file.suffix in {".md", *LANGUAGES})


def _page(path: str) -> str:
    """A file or folder as a page."""
    if (ROOT / path).is_dir():
        return f"# {path}\n\n" + "".join(f"- [{name}]({posixpath.basename(path)}/{name})\n" for name in _files(path))
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    return f"# {path}\n\n`````{LANGUAGES.get(Path(path).suffix, '')}\n{text}`````\n"


def _files(folder: str) -> list[str]:
    return sorted(path.name for path in (ROOT / folder).iterdir() if path.is_file() and path.suffix in LANGUAGES)


def _linked(path: str) -> list[str]:
    """Files and folders of the repository that a page links to; of a folder its files."""
    if (ROOT / path).is_dir():
        return [f"{path}/{name}" for name in _files(path)]
    if not path.endswith(".md") or not (ROOT / path).is_file():
        return []
    return [_resolved(path, match.group(2)) for match in _LINK.finditer((ROOT / path).read_text(encoding="utf-8"))]


def _resolved(path: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), link))


def _on_site(path: str) -> str:
    """Where a file of the repository is on the site, as the source of a page."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"{HOME}/{path}" if path.endswith(".md") else f"{HOME}/{path}.md"


def _in_repository(src: str) -> str:
    """The inverse of `_on_site`."""
    if not src.startswith(f"{HOME}/"):
        return f"docs/{src}"
    path = src.removeprefix(f"{HOME}/")
    return path if (ROOT / path).exists() else path.removesuffix(".md")
