"""The package keeps its floors, has no circles of imports, and README and CONTRIBUTING say what is true."""

import re

import pytest

from tests.house.floors import (
    FLOORS,
    KNOWN_CIRCLES,
    KNOWN_UPWARD,
    PACKAGE,
    ROOT,
    USERS_OF_MUJOCO,
    circles,
    circles_of_folders,
    graph,
    imports,
    part,
)
from tests.house.readme import README, rewritten

LEVEL = {name: level for level, names in enumerate(FLOORS) for name in names}


def short(module: str) -> str:
    return module.removeprefix(f"{PACKAGE}.")


def test_every_part_is_on_a_floor() -> None:
    assert {part(module) for module in graph()} - LEVEL.keys() == set()
    assert LEVEL.keys() - {part(module) for module in graph()} == set()


def test_a_part_imports_from_the_floors_below_it_only() -> None:
    upward = {
        (short(module), short(target))
        for module, targets in graph().items()
        for target in targets & graph().keys()
        if part(target) != part(module) and LEVEL[part(target)] >= LEVEL[part(module)]
    }
    assert upward == KNOWN_UPWARD


def test_no_files_import_each_other_in_a_circle() -> None:
    found = [{short(module) for module in circle} for circle in circles(graph())]
    assert [circle for circle in found if circle not in KNOWN_CIRCLES] == []


def test_no_folders_of_a_room_import_each_other_in_a_circle() -> None:
    found = circles_of_folders(graph())
    assert not found, "move a file to the folder where it belongs; circles, and what makes them:\n" + "\n".join(found)


def users(package: str) -> set[str]:
    """Modules that import a package."""
    return {short(m) for m, targets in graph().items() if package in {target.partition(".")[0] for target in targets}}


def test_mujoco_is_imported_in_few_places() -> None:
    assert {name for name in users("mujoco") if not name.startswith(USERS_OF_MUJOCO)} == set()


@pytest.mark.parametrize("package", ["uipc", "mujoco", "ipctk", "numba", "pyvista", "matplotlib", "viser"])
def test_scene_files_need_no_heavy_package(package: str) -> None:
    assert {name for name in users(package) if name.startswith(("scenefile", "errors", "naming", "patterns"))} == set()


# The search itself

KNOWN = {"a", "a.b", "a.b.c", "a.d", "a.adapters", "a.adapters.x"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a.d", {"a.d"}),
        ("from a import d", {"a.d"}),
        ("from a.d import thing", {"a.d"}),
        ("from . import c", {"a.b.c"}),
        ("from ..d import thing", {"a.d"}),
        ("def f():\n    from a.d import thing", {"a.d"}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a.d", {"typing", "a.d"}),
        ("from importlib import import_module\nimport_module('a.d')", {"importlib", "a.d"}),
        ("import importlib\nimportlib.import_module('a.adapters')", {"importlib", "a.adapters"}),
        ("__import__('a.d')", {"a.d"}),
        ("_HOMES = {'c': ['thing']}\ndef f(n): return import_module(n)", {"a.b.c"}),
        ("x = entry_points(group='a.adapters')\nimport_module(x.module)", {"a.adapters"}),
        ("x = entry_points(group='a.adapters')", set()),
        ("text = 'a.d'", set()),
    ],
)
def test_imports_are_found_however_they_are_written(source: str, expected: set[str]) -> None:
    assert imports(source, "a.b.module", KNOWN) == expected


def test_circles_are_found() -> None:
    edges = {"a": {"b", "numpy"}, "b": {"c"}, "c": {"a"}, "d": {"a", "d2"}, "d2": {"d"}, "e": {"a"}}
    assert sorted(map(sorted, circles(edges))) == [["a", "b", "c"], ["d", "d2"]]


@pytest.mark.parametrize("room", ["a", "a.b"])
def test_circles_of_folders_are_found_in_every_room(room: str) -> None:
    straight = {"x.one": {"y.one"}, "y.one": {"file"}, "file": {"z.one"}, "z.one": {"z.two"}, "z.two": {"file"}}
    assert circles_of_folders(within(room, straight)) == []
    (found,) = circles_of_folders(within(room, straight | {"z.two": {"x.one"}}))
    assert found.splitlines()[0] == f"{room}: file, x, y, z"
    assert "    z -> x: z.two imports x.one" in found.splitlines()
    assert "    file -> z: file imports z.one" in found.splitlines()


def within(room: str, edges: dict[str, set[str]]) -> dict[str, set[str]]:
    return {f"{room}.{module}": {f"{room}.{target}" for target in targets} for module, targets in edges.items()}


# What is said of the parts


def test_readme_lists_every_part_with_what_its_docstring_says() -> None:
    text = README.read_text(encoding="utf-8")
    assert text == rewritten(text), "the list of parts is out of date: python -m tests.house.readme"
    assert all(f"    {name}" in text for name in LEVEL.keys() - {"__init__", "__main__", "adapters"})


def test_contributing_lists_the_floors() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = [set(re.findall(r"`([a-z_]+)`", line)) for line in re.findall(r"^\d+\. (.*)$", text, re.MULTILINE)]
    assert [names & LEVEL.keys() for names in listed] == [set(names) for names in FLOORS[:-1]]
