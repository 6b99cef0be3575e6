"""scene.schema.json says what the models say, and accepts all that the language adds."""

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ipc_articulation.scenefile.json_schema import SCHEMA_FILE, json_schema, text
from ipc_articulation.scenefile.tree import plain
from ipc_articulation.scenefile.yaml_text import parse

SCENES = Path(__file__).parents[2] / "scenes"
SLIDER = (SCENES / "hinge_slider.yaml").read_text()
VALIDATOR = jsonschema.Draft7Validator(json_schema())


def as_written(text: str) -> Any:
    """A scene file as an editor sees it: lists for tuples, references not replaced."""

    def lists(value: Any) -> Any:
        if isinstance(value, dict):
            return {str(key): lists(part) for key, part in value.items()}
        return [lists(part) for part in value] if isinstance(value, tuple) else value

    return lists(plain(parse(text, Path("scene.yaml"))))


def test_the_file_and_the_models_agree() -> None:
    written = SCHEMA_FILE.read_text(encoding="utf-8")
    assert written == text(), "run: python -m ipc_articulation.scenefile.json_schema"
    jsonschema.Draft7Validator.check_schema(json_schema())


@pytest.mark.parametrize("file", sorted(SCENES.glob("*.yaml")), ids=lambda file: file.stem)
def test_every_scene_of_the_repository_is_accepted(file: Path) -> None:
    VALIDATOR.validate(as_written(file.read_text()))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dt: 0.01", "variables: {step: 0.01, size: [1, 1, 1]}\ndt: ${step}"),
        ("steps: 100", "steps: ${2 * n}"),
        ("[0.2, 0.2, 0.2]", "'${size}'"),
        ("[0.2, 0.2, 0.2]", "[0.2, '${side / 2}', 0.2]"),
        ("fixed: true", "fixed: ${held}"),
        ("{type: box, size: [0.2, 0.2, 0.2]}", "'${shape}'"),
        ("contact: {d_hat: 0.005}", "contact: ${contact}"),
        ("type: revolute", "type: '${kind}'"),
        ("[[64, 8], [8, 64]]", "[['${m}', 8], '${row}']"),
        ("adapter: none\n", "include: base.yaml\n"),
        ("dt: 0.01", "include: [base.yaml, other.yaml]"),
    ],
)
def test_what_the_language_adds_is_accepted(old: str, new: str) -> None:
    assert old in SLIDER
    VALIDATOR.validate(as_written(SLIDER.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("gravity:", "gravty:"),
        ("dt: 0.01", "dt: fast"),
        ("dt: 0.01", "dt: 0"),
        ("steps: 100\n", ""),
        ("steps: 100", "steps: 1.5"),
        ("type: box", "type: bx"),
        ("[0.2, 0.2, 0.2]", "[0.2, 0.2]"),
        ("[0.2, 0.2, 0.2]", "[0.2, 0.2, 0.2, 0.2]"),
        ("d_hat: 0.005", "dhat: 0.005"),
        ("name: arm", "nme: arm"),
        ("type: revolute", "type: twisted"),
        ("adapter: none", "adapter: mujoco"),  # has no `joints`
        ("dt: 0.01", "variables: {a b: 1}\ndt: 0.01"),
    ],
)
def test_faults_that_a_schema_can_see_are_seen(old: str, new: str) -> None:
    assert old in SLIDER
    assert not VALIDATOR.is_valid(as_written(SLIDER.replace(old, new, 1)))


def test_every_key_of_a_block_is_described() -> None:
    blocks = {"scene": json_schema(), **json_schema()["definitions"]}
    bare = [
        f"{name}.{key}"
        for name, block in blocks.items()
        for key, value in block.get("properties", {}).items()
        if "description" not in value and "const" not in value
    ]
    assert bare == []
