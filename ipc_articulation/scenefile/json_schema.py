"""The JSON schema of scene files, with which editors complete and check them.

`python -m ipc_articulation.scenefile.json_schema` writes `scene.schema.json` anew from the models; a test holds the two
together. It is draft 7, which every editor knows. What it cannot say is left to `ipc-articulation check`: names, files,
and what comes from included files.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ipc_articulation.scenefile.schema import ArticulationScene, RobotScene, Scene

SCHEMA_FILE = Path(__file__).with_name("scene.schema.json")

Schema = dict[str, Any]

_REFERENCE = {"$ref": "#/definitions/reference"}
_REFERENCE_TEXT = {
    "type": "string",
    "pattern": r"\$\{.+\}",
    "description": "a variable, `${mass}`, or an expression of variables, `${2 * mass}`",
}
_ADAPTERS = {"anyOf": [{"enum": ["mujoco", "native", "pinocchio", "dart", "none"]}, {"type": "string"}]}


def json_schema() -> Schema:
    """The schema: the keys of both kinds of scenes, and which of them go with which adapter."""
    robot, ours = _described(RobotScene), _described(ArticulationScene)
    properties = {**ours["properties"], **robot["properties"]}
    properties["adapter"] = {**_ADAPTERS, "description": properties["adapter"]["description"]}
    properties["variables"] = {**properties["variables"], "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}}
    properties["environments"]["anyOf"].insert(0, {"type": "integer", "exclusiveMinimum": 0})  # short for the count
    definitions = {**ours["definitions"], **robot["definitions"], "reference": _REFERENCE_TEXT}
    definitions["RobotEntry"].pop("required")  # an included file may have said it
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A scene file of ipc-articulation",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "allOf": [*_by_adapter(), *_required()],
        "definitions": dict(sorted(definitions.items())),
    }


def text() -> str:
    """The content of the schema file."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _by_adapter() -> list[Schema]:
    """Keys that an adapter excludes."""
    robot = set(RobotScene.model_fields) - set(Scene.model_fields)
    ours = set(ArticulationScene.model_fields) - set(Scene.model_fields)
    without = {"properties": {"adapter": {"const": "none"}}, "required": ["adapter"]}
    outside = {"properties": {"adapter": {"not": {"const": "none"}}}, "required": ["adapter"]}
    return [
        {"if": without, "then": {"properties": dict.fromkeys(sorted(robot), False)}},
        {"if": outside, "then": {"properties": dict.fromkeys(sorted(ours), False)}},
    ]


def _required() -> list[Schema]:
    """Keys that must be there, unless included files bring them."""
    return [{"if": {"not": {"required": ["include"]}}, "then": {"required": ["adapter", "dt", "steps"]}}]


def _described(model: type[Scene]) -> Schema:
    made: Schema = _adapted(model.model_json_schema(ref_template="#/definitions/{model}"))
    return {"properties": made["properties"], "definitions": made["$defs"]}


def _adapted(value: Any) -> Any:
    """A part of pydantic's schema in draft 7, with references to variables wherever there is a value."""
    if isinstance(value, list):
        return [_adapted(part) for part in value]
    if not isinstance(value, dict):
        return value
    made = {key: _adapted(part) for key, part in value.items() if not _is_pydantics_own(key, part)}
    if "prefixItems" in made:  # of one kind each: vectors
        made["items"] = made.pop("prefixItems")[0]
    if isinstance(made.get("description"), str):
        made["description"] = re.sub(r"\[([^]]+)\]\(#[^)]*\)", r"\1", made["description"])
    for key in ("properties", "$defs"):
        if key in made:
            made[key] = {name: _or_reference(part) if key == "properties" else part for name, part in made[key].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(made.get(key), dict):
            made[key] = _or_reference(made[key])
    return made


def _is_pydantics_own(key: str, part: Any) -> bool:
    """Whether a keyword of the schema was added by pydantic, and is no key of a block with the same name."""
    return (key in ("title", "format") and isinstance(part, str)) or (key == "discriminator" and "mapping" in part)


def _or_reference(value: Schema) -> Schema:
    """A value, or a reference to a variable in its place; a text may be one already, and a union's tag may not."""
    if "const" in value or (value.get("type") == "string" and "enum" not in value):
        return value
    outside: Schema = {key: value.pop(key) for key in ("description", "default") if key in value}
    if "anyOf" in value and len(value) == 1:
        return {**outside, "anyOf": [*value["anyOf"], _REFERENCE]}
    return {**outside, "anyOf": [value, _REFERENCE]}


if __name__ == "__main__":
    SCHEMA_FILE.write_text(text(), encoding="utf-8")
