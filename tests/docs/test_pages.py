"""The pages hang together: links, indexes, the site's navigation, commands."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from ipc_articulation.cli import entry
from tests.docs.pages import DOCS, PAGES, README, ROOT, code_blocks, links_of, name_of, places_in

LINKING = [README, *(ROOT / f"{name}.md" for name in ("CONTRIBUTING", "CHANGELOG", "SECURITY")), *PAGES]


@pytest.mark.parametrize("page", LINKING, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for file, place in links_of(page):
        target = (page.parent / file) if file else page
        assert target.exists(), file
        assert not place or place in places_in(target), f"{file}#{place}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_to_pages_have_titles(page: Path) -> None:
    assert re.findall(r"\[[\w/]+\.md\]\(", page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("folder", sorted({page.parent for page in PAGES}), ids=name_of)
def test_the_index_of_a_folder_lists_its_pages(folder: Path) -> None:
    listed = {(folder / file).resolve() for file, _ in links_of(folder / "README.md") if file}
    pages = {page for page in PAGES if page.parent == folder and page.name != "README.md"}
    below = {page for page in PAGES if page.parent.parent == folder and page.name == "README.md"}
    assert pages | below <= listed


def test_the_site_has_every_page() -> None:
    def leaves(node):
        children = node.values() if isinstance(node, dict) else node
        return [node] if isinstance(node, str) else [leaf for child in children for leaf in leaves(child)]

    in_site = leaves(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    pages = [page.relative_to(DOCS).as_posix() for page in PAGES]
    assert sorted(leaf for leaf in in_site if not leaf.startswith("repository/")) == sorted(pages)


def test_the_page_on_benchmarks_lists_them() -> None:
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    benchmarks = {path.stem for path in (ROOT / "benchmarks").glob("*.py") if "__main__" in path.read_text()}
    assert len(benchmarks) >= 4
    assert {name for name in benchmarks if f"| `{name}` |" not in page} == set()


def commands_of(page: Path) -> list[str]:
    """Lines of a page's unmarked blocks that call our command."""
    lines = "\n".join(code_blocks(page, "") + code_blocks(page, "sh")).replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith("ipc-articulation ")]


CALLS = [(page, command) for page in [README, *PAGES] for command in commands_of(page)]


@pytest.mark.parametrize(("page", "command"), CALLS, ids=[command for _, command in CALLS])
def test_the_command_line_knows_what_is_shown(page: Path, command: str) -> None:
    entry._parser().parse_args(shlex.split(command, comments=True)[1:])


def test_commands_are_found() -> None:
    assert len(CALLS) >= 3


@pytest.mark.parametrize(
    "words", ["video", "wheel", "pick and place", "stable-baselines3", "gripper", "CSV", "notebook"]
)
def test_what_newcomers_search_for_has_a_page(words: str) -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES if page.name != "README.md"]
    assert any(words.lower() in text.lower() for text in texts)
