"""What the README shows works as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

# An arm over a crate: it reaches it within the script's 300 steps.
ARM = """
<mujoco>
  <option timestep="0.01" integrator="implicitfast"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 0.1"/>
    <body name="post" pos="0 0 0.4">
      <geom type="box" size="0.03 0.03 0.03"/>
      <body name="arm">
        <joint name="turn" type="hinge" axis="0 1 0" damping="0.1"/>
        <geom type="box" pos="0.25 0 0" size="0.2 0.02 0.02"/>
      </body>
    </body>
    <body name="crate" pos="0.4 0 0.105">
      <freejoint/>
      <geom type="box" size="0.1 0.1 0.1"/>
    </body>
  </worldbody>
  <actuator><position joint="turn" kp="40" kv="4"/></actuator>
</mujoco>
"""


def code_blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return [text for tongue, text in fenced if tongue == language]


def test_the_script_runs_as_it_stands(tmp_path: Path) -> None:
    (script,) = code_blocks("python")
    (tmp_path / "arm.xml").write_text(ARM)
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    steps = re.findall(r"^\[\s*(\S+?)\s*\] (\S+)$", done.stdout, re.MULTILINE)
    assert len(steps) == 300
    assert all(float(distance) > 0.0 for _, distance in steps)
    assert float(steps[-1][0]) < -0.1  # the crate holds the arm up, against +y


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def links_of(page: Path) -> list[str]:
    """Links to files, without the place in the file."""
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    return [link for link in links if not link.startswith("http")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in links_of(page) if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", ["dynamics", "conventions", "loops"])
def test_the_code_of_a_page_runs(page: str) -> None:
    """From the top to the bottom, on top of the page on dynamics; but for code that needs a fetched model."""
    names: dict[str, object] = {}
    for source in dict.fromkeys(["dynamics", page]):
        text = (ROOT / "docs" / f"{source}.md").read_text(encoding="utf-8")
        for code in re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            if "models/" not in code:
                exec(code, names)
    assert "step" in names
    assert page != "conventions" or np.shape(names["h_pin"]) == (1,)
    assert page != "loops" or np.shape(names["y_ddot"]) == (1,)


def test_the_index_lists_every_page() -> None:
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert len(pages) > 3
    assert pages <= set(links_of(ROOT / "docs" / "README.md"))


def test_the_commands_are_there() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = set(re.findall(r"^make ([a-z]+)", README, re.MULTILINE))
    assert shown == {"demo", "test"}
    assert shown <= targets
    for scene in re.findall(r"ipc-articulation run (\S+\.yaml)", README):
        assert (ROOT / scene).is_file()


def test_the_map_names_what_there_is() -> None:
    (tree,) = [block for block in code_blocks("") if "adapters/" in block]
    for line in tree.splitlines():
        name = line.split()[0]
        assert (ROOT / name).exists() or (ROOT / "ipc_articulation" / name).exists(), name


def test_ci_calls_check_and_test() -> None:
    assert "make check test" in (ROOT / ".ci" / "run").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
