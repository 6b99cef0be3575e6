"""The reference lists every public name."""

import re

import pytest

import ipc_articulation
from ipc_articulation import dynamics
from tests.docs.pages import DOCS

LISTED = {
    path.rpartition(".")[2]
    for page in (DOCS / "api").glob("*.md")
    for path in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
}
ERRORS = {name for name in ipc_articulation.__all__ if name.endswith("Error")}  # the page on errors has their module


@pytest.mark.parametrize(
    ("names", "apart"),
    [(ipc_articulation.__all__, ERRORS | {"__version__"}), (dynamics.__all__, {"joints"})],
    ids=["ipc_articulation", "ipc_articulation.dynamics"],
)
def test_every_public_name_is_listed(names: list[str], apart: set[str]) -> None:
    assert set(names) - apart <= LISTED
    assert "errors" in LISTED
