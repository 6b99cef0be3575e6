"""The reference of all keys of a scene file, made from the schema.

`python -m ipc_articulation.scenefile.reference docs/scene_files.md` rewrites what stands between two marks of the page;
a test holds the page and the schema together.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.keys import Block

BEGIN, END = "<!-- keys: begin -->", "<!-- keys: end -->"

# Heading, blocks under it, and the block whose keys are not repeated.
_SECTIONS: tuple[tuple[str, tuple[type[Block], ...], type[Block] | None], ...] = (
    ("Every scene", (schema.Scene,), None),
    ("Scenes with `adapter: mujoco` or `native`", (schema.RobotScene,), schema.Scene),
    ("Scenes with `adapter: none`", (schema.ArticulationScene,), schema.Scene),
    ("randomise", (schema.VariationEntry,), None),
    ("materials", (schema.MaterialEntry,), None),
    ("bodies", (schema.BodyEntry,), None),
    ("velocity", (schema.VelocityEntry,), None),
    ("push", (schema.PushEntry,), None),
    (
        "shape",
        (
            schema.BoxEntry,
            schema.SphereEntry,
            schema.EllipsoidEntry,
            schema.CylinderEntry,
            schema.CapsuleEntry,
            schema.MeshEntry,
        ),
        None,
    ),
    ("pose", (schema.PoseEntry,), None),
    ("ground", (schema.GroundEntry,), None),
    ("walls", (schema.WallEntry,), None),
    ("contact", (schema.ContactEntry,), None),
    ("contact.pairs", (schema.ContactPairEntry,), None),
    ("checkpoint", (schema.CheckpointEntry,), None),
    ("view", (schema.ViewEntry,), None),
    ("robot", (schema.RobotEntry,), None),
    ("robot.actuators", (schema.ActuatorsEntry,), None),
    ("robot.loops", (schema.FourBarEntry, schema.GearEntry), None),
    ("robot.pins", (schema.PinEntry,), None),
    (
        "controller",
        (schema.HoldEntry, schema.TrajectoryEntry, schema.SineEntry, schema.TorqueEntry, schema.PythonEntry),
        None,
    ),
    ("waypoints", (schema.WaypointEntry,), None),
    ("joints", (schema.AxisEntry, schema.BallEntry, schema.WeldEntry), None),
    ("joints.drive", (schema.DriveEntry,), None),
    ("articulations", (schema.ArticulationEntry,), None),
)


def reference() -> str:
    """The reference in Markdown: a heading and a table for each kind of block."""
    lines: list[str] = []
    for heading, blocks, known in _SECTIONS:
        lines += [f"### {heading}", ""]
        for block in blocks:
            lines += _block(block, set(known.model_fields) if known else set())
    return "\n".join(lines)


def update(page: Path) -> None:
    """Put the reference between the marks of a page."""
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    page.write_text(f"{before}{BEGIN}\n\n{reference()}\n{END}{after}", encoding="utf-8")


def _block(block: type[Block], skip: set[str]) -> list[str]:
    described = block.model_json_schema(by_alias=False)
    properties: dict[str, Any] = described["properties"]
    required = set(described.get("required", ()))
    kind = properties.get("type", {}).get("const")
    title = [f"`type: {kind}`", ""] if kind else []
    about = [" ".join((block.__doc__ or "").split()), ""] if block.__doc__ else []
    rows = [
        f"| `{key}` | {_type(value)} | {_default(value, key in required)} | {value.get('description', '')} |"
        for key, value in properties.items()
        if key not in skip and "const" not in value
    ]
    table = ["| key | value | default | meaning |", "|---|---|---|---|", *rows, ""] if rows else []
    return [*title, *about, *table]


def _type(value: dict[str, Any]) -> str:
    """A JSON schema in a few words."""
    if "anyOf" in value:
        return " or ".join(_type(option) for option in value["anyOf"] if option.get("type") != "null")
    if "enum" in value:
        return " or ".join(f"`{choice}`" for choice in value["enum"])
    if "$ref" in value or "oneOf" in value:
        return "mapping"
    if value.get("type") == "array":
        return _array(value)
    names = {"number": "number", "integer": "whole number", "string": "text", "boolean": "`true` or `false`"}
    return names.get(value.get("type", ""), "mapping") + _bound(value)


def _array(value: dict[str, Any]) -> str:
    if "prefixItems" in value:
        return f"{len(value['prefixItems'])} {_plural(value['prefixItems'][0])}"
    return f"list of {_plural(value['items'])}"


def _plural(value: dict[str, Any]) -> str:
    if value.get("type") == "array":
        return "rows"
    return {"number": "numbers", "string": "names"}.get(value.get("type", ""), "mappings") + _bound(value)


def _bound(value: dict[str, Any]) -> str:
    if "exclusiveMinimum" in value:
        return f" > {value['exclusiveMinimum']:g}"
    return f" ≥ {value['minimum']:g}" if "minimum" in value else ""


def _default(value: dict[str, Any], required: bool) -> str:
    if required:
        return "required"
    default = value.get("default")
    if isinstance(default, dict | list) and not _is_vector(default):
        return ""
    return "" if default in (None, "") else f"`{_yaml(default)}`"


def _is_vector(default: Any) -> bool:
    return isinstance(default, list) and bool(default) and all(isinstance(x, int | float) for x in default)


def _yaml(default: Any) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, list):
        return f"[{', '.join(_yaml(x) for x in default)}]"
    return f"{default:g}" if isinstance(default, float) else str(default)


def main(arguments: Iterable[str]) -> None:
    """Update the pages named."""
    for page in arguments:
        update(Path(page))


if __name__ == "__main__":
    main(sys.argv[1:])
