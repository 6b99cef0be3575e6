"""docs/scene_files.md says what the schema says."""

import re
from pathlib import Path

import yaml

from ipc_articulation.scenefile.reading import read_scene
from ipc_articulation.scenefile.reference import BEGIN, END, reference, update

PAGE = Path(__file__).parents[2] / "docs" / "scene_files.md"


def test_the_page_and_the_schema_agree() -> None:
    written = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0].strip()
    assert written == reference().strip(), "run: python -m ipc_articulation.scenefile.reference docs/scene_files.md"


def test_update_keeps_what_is_around(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}outdated{END}\nafter\n")
    update(page)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "| `dt` | number > 0 | required | time step [s] |" in text
    assert "outdated" not in text


def test_every_description_has_a_place() -> None:
    text = PAGE.read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^\w\s-]", "", h).strip().lower().replace(" ", "-")
        for h in re.findall(r"^###? (.+)$", text, re.MULTILINE)
    }
    links = set(re.findall(r"\]\(#([\w-]+)\)", text))
    assert links <= headings


def test_the_example_of_the_page_is_a_right_scene(tmp_path: Path) -> None:
    examples = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    example = next(text for text in examples if text.startswith("adapter:"))  # the others are parts of scenes
    (tmp_path / yaml.safe_load(example)["robot"]["model"]).write_text("<mujoco/>")
    (tmp_path / "example.yaml").write_text(example)
    scene, _ = read_scene(tmp_path / "example.yaml")
    assert scene.steps == 200
