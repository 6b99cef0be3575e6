"""Every Python block of the pages runs, from the top of a page to its bottom.

A page continues those that introduce its examples (`INTRODUCED_BY`). What it takes for granted, such as a world that
the reader has, stands in `given/`, a script a page. Pages assert what they claim.
"""

from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES, code_blocks, name_of

INTRODUCED_BY = {
    "conventions.md": ["dynamics.md"],
    "loops.md": ["dynamics.md"],
    "constitutions": ["constitutions/README.md", "constitutions/joint_coordinates.md"],
    "joints": ["joints/README.md"],
}
# What `make fetch-models` fetches, and a package that tests do without (tests/gym runs its example where it is).
ABSENT = ("models/", "stable_baselines3")

SLOW = {DOCS / "recordings.md", DOCS / "sweeps.md", DOCS / "howto" / "reinforcement_learning.md"}  # whole runs

APART = {DOCS / "tutorial.md", DOCS / "README.md"}  # test_tutorial and test_readme have them
EXAMPLES = [page for page in PAGES if code_blocks(page, "python") and page not in APART]


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [pytest.param(page, id=name_of(page), marks=[pytest.mark.slow] * (page in SLOW)) for page in EXAMPLES]
)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    path = page.relative_to(DOCS)
    before = INTRODUCED_BY.get(path.as_posix(), INTRODUCED_BY.get(path.parts[0], []))
    given = Path(__file__).parent / "given" / path.with_suffix(".py")
    if given.exists():
        run(given.read_text(encoding="utf-8"), given, names)
    for introduction in dict.fromkeys([*(DOCS / other for other in before), page]):
        for block in code_blocks(introduction, "python"):
            if not any(name in block for name in ABSENT):
                run(block, introduction, names)


def run(code: str, source: Path, names: dict[str, object]) -> None:
    exec(compile(code, name_of(source), "exec"), names)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 40
