"""From a YAML file to a checked scene: `read_scene`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from ipc_articulation.naming import suggest
from ipc_articulation.scenefile.checks import check
from ipc_articulation.scenefile.document import Document, Location, SceneProblem
from ipc_articulation.scenefile.schema import ArticulationScene, RobotScene

NO_ENGINE = "none"
LEAST, LARGEST = 1e-20, 1e20  # sizes of numbers other than 0
_DEGREES = re.compile(r"([-+]?[0-9.]+) *(?:deg|degrees?|°)")

_WORDS = {
    "a valid integer": "a whole number",
    "a valid boolean": "true or false",
    "a valid number": "a number",
    "a valid string": "a text",
    "a valid dictionary": "a mapping",
    "a valid tuple": "a list",
    "a valid list": "a list",
    " after validation": "",
}

AnyScene = RobotScene | ArticulationScene


def read_scene(file: str | Path, settings: Mapping[str, Any] | None = None) -> tuple[AnyScene, Document]:
    """Read and check a scene file.

    Args:
        file: YAML.
        settings: Values put over the file's before it is checked, by path: `contact.friction`, `bodies.crate.mass`,
            `bodies[0].mass`.

    Returns:
        The scene, and its document, which knows the place of every value.

    Raises:
        SceneFileError: The file or a setting has faults; each is reported with line and column, or with the setting.
    """
    examined = examine(file, settings)
    if examined.problems:
        raise examined.document.error(examined.problems)
    return examined.scene, examined.document


@dataclass(frozen=True)
class Examined:
    """A scene file as far as it is right."""

    scene: AnyScene  # whose blocks under the keys `faulty` are missing, or their defaults
    document: Document
    problems: list[SceneProblem]
    faulty: frozenset[str]  # keys of the scene whose blocks are wrong by themselves


def examine(file: str | Path, settings: Mapping[str, Any] | None = None) -> Examined:
    """Read and check a scene file, and keep the valid parts if others are not valid.

    Raises:
        SceneFileError: The file cannot be read as YAML at all, or the path of a setting does not exist.
    """
    document = Document(file, settings)
    model, problems = _model_of(document)
    problems += _extreme_numbers((), document.data)
    faulty = {str(problem.location[0]) for problem in problems}
    scene: AnyScene
    try:
        scene = model.model_validate(document.data, context=_context(document))
    except ValidationError as error:
        details = [detail for detail in _of_their_own(error) if detail["loc"][0] not in faulty]
        problems += [_problem(detail, document) for detail in details]
        faulty |= {str(detail["loc"][0]) for detail in details}
        scene = _right_part(model, document, faulty)
    return Examined(scene, document, [*problems, *check(scene, faulty)], frozenset(faulty))


def known_adapters() -> list[str]:
    """Valid values of the key `adapter`: `none`, and the entry points of the group `ipc_articulation.adapters`."""
    return sorted({NO_ENGINE, *(entry.name for entry in entry_points(group="ipc_articulation.adapters"))})


def _model_of(document: Document) -> tuple[type[AnyScene], list[SceneProblem]]:
    """The model that the adapter asks for; where there is no such adapter, the likelier one, and the problem."""
    adapter = document.data.get("adapter", "")
    if not isinstance(adapter, str) or adapter not in ("", *known_adapters()):
        message = f"unknown adapter '{adapter}'{suggest(adapter, known_adapters(), 'known adapters')}"
        adapter, problems = "", [SceneProblem(("adapter",), message)]
    else:
        problems = []
    ours = adapter == NO_ENGINE or (not adapter and "robot" not in document.data)
    return (ArticulationScene if ours else RobotScene), problems


def _extreme_numbers(place: Location, value: Any) -> Iterator[SceneProblem]:
    """Numbers whose products could overflow, or become zero."""
    if isinstance(value, dict | tuple):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _extreme_numbers((*place, key), child)
    elif isinstance(value, int | float) and value and not LEAST <= abs(value) <= LARGEST:
        yield SceneProblem(place, f"a number is 0, or from {LEAST:g} to {LARGEST:g} in size; got {_shown(value)}")


def _right_part(model: type[AnyScene], document: Document, faulty: Collection[str]) -> AnyScene:
    """A scene of the keys that are right by themselves; the others are missing, or their defaults."""
    values = {}
    for key, field in model.model_fields.items():
        if key in document.data and key not in faulty:
            adapter: TypeAdapter[Any] = TypeAdapter(Annotated[field.annotation, field])  # type: ignore[arg-type]
            values[key] = adapter.validate_python(document.data[key], strict=True, context=_context(document))
    return model.model_construct(**values)


def _context(document: Document) -> dict[str, Any]:
    """Context of the validators: the folder that the scene's files are relative to."""
    return {"folder": document.file.parent}


def _of_their_own(error: ValidationError) -> list[ErrorDetails]:
    """Pydantic's errors without those about the length of a list with a faulty item, which pydantic does not count."""
    details = error.errors(include_url=False)
    inside = {detail["loc"][:depth] for detail in details for depth in range(len(detail["loc"]))}
    return [detail for detail in details if detail["type"] != "too_short" or detail["loc"] not in inside]


def _problem(detail: ErrorDetails, document: Document) -> SceneProblem:
    """A pydantic error in the words of a scene file."""
    location, kind, context = detail["loc"], detail["type"], detail.get("ctx", {})
    if kind == "missing" and isinstance(location[-1], int):
        return SceneProblem(
            location, f"{document.path(location[:-1])} ends too early: entry {location[-1] + 1} is missing"
        )
    if kind == "missing":
        return SceneProblem(location, f"missing key '{location[-1]}'")
    if kind == "union_tag_not_found":
        return SceneProblem(location, f"missing key {context['discriminator']}")
    if kind == "union_tag_invalid":
        key, tags = context["discriminator"].strip("'"), context["expected_tags"].replace("'", "").split(", ")
        return SceneProblem((*location, key), f"unknown {key} '{context['tag']}'{suggest(context['tag'], tags)}")
    if "reason" in context:
        return SceneProblem(location, context["reason"], at_key="unknown key" in context["reason"])
    message = f"{document.path(location)} {_complaint(detail)}, got {_shown(detail['input'])}"
    angle = _DEGREES.fullmatch(detail["input"]) if isinstance(detail["input"], str) else None
    return SceneProblem(location, f"{message}; degrees are written ${{{angle[1]} * deg}}" if angle else message)


def _complaint(detail: ErrorDetails) -> str:
    """Pydantic's message about a value, in the terms of scene files: whole numbers, lists, mappings."""
    message = detail["msg"].removeprefix("Input ").split(" or instance of ")[0]
    for theirs, ours in _WORDS.items():
        message = message.replace(theirs, ours)
    message = message[0].lower() + message[1:]
    return message.removeprefix("tuple ").removeprefix("list ").removeprefix("string ")


def _shown(value: object) -> str:
    text = repr(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= 60 else text[:57] + "..."
