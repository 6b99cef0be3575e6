"""The page on what is public lists the names of `__all__`, no more and no fewer."""

import ast
import re
from importlib import import_module

import pytest

from tests.docs.public import PAGE, PRIVATE, PUBLIC, about, rewritten
from tests.house.floors import modules

for extra in ("gymnasium", "dartpy", "pinocchio"):
    pytest.importorskip(extra)  # of public modules

TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `(ipc_articulation[\w.]*)`\n(.*?)(?=^###? |\Z|<!--)", TEXT, re.DOTALL | re.MULTILINE))


def listed(section: str) -> list[str]:
    """Names of a section: those with a line of their own, and those that it has from above."""
    (above,) = re.findall(r"^From above: (.*)\.$", section, re.MULTILINE) or [""]
    return re.findall(r"^- `(\w+)`", section, re.MULTILINE) + re.findall(r"`(\w+)`", above)


@pytest.mark.parametrize("path", PUBLIC)
def test_a_module_is_listed_with_its_names(path: str) -> None:
    assert sorted(listed(SECTIONS[path])) == sorted(import_module(path).__all__)


def test_nothing_else_is_listed() -> None:
    assert SECTIONS.keys() == set(PUBLIC)


@pytest.mark.parametrize("path", PUBLIC)
def test_every_name_is_there_and_explained(path: str) -> None:
    module = import_module(path)
    assert [name for name in module.__all__ if not about(module, name)] == []


def test_the_page_is_as_the_docstrings_have_it() -> None:
    assert rewritten(TEXT) == TEXT, "docs/api.md is out of date: python -m tests.docs.public"


def test_every_module_with_a_list_of_names_is_public_or_not() -> None:
    def lists_names(source: str) -> bool:
        targets = [node.targets for node in ast.parse(source).body if isinstance(node, ast.Assign)]
        return any(isinstance(name, ast.Name) and name.id == "__all__" for found in targets for name in found)

    found = {module for module, file in modules().items() if lists_names(file.read_text(encoding="utf-8"))}
    assert found == {*PUBLIC, *PRIVATE}
