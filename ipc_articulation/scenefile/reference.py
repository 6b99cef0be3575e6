"""The reference of all keys of a scene file, made from the schema.

`python -m ipc_articulation.scenefile.reference docs/scene_files.md` rewrites what stands between two marks of the page;
a test holds the page and the schema together.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.published_materials import PUBLISHED

BEGIN, END = "<!-- keys: begin -->", "<!-- keys: end -->"
_LINK = re.compile(r"see \[([^]]+)\]")


def reference() -> str:
    """The reference in Markdown: a heading and a table for each kind of block."""
    common = set(schema.Scene.model_fields)
    lines = [
        *_section("Every scene", [schema.Scene]),
        *_section("Scenes with `adapter: mujoco` or `native`", [schema.RobotScene], common),
        *_section("Scenes with `adapter: none`", [schema.ArticulationScene], common),
    ]
    for heading, blocks in _below(schema.RobotScene) | _below(schema.ArticulationScene):
        lines += _section(heading, blocks)
    return "\n".join([*lines, *_published()])


def _published() -> list[str]:
    """The table of published materials."""
    rows = [
        f"| `{name}` | {m.youngs_modulus:.3g} | {m.poissons_ratio:g} | {m.density:g} | "
        f"{'' if m.thickness is None else f'{1e3 * m.thickness:g}'} | {m.source} |"
        for name, m in PUBLISHED.items()
    ]
    return [
        "### published materials",
        "",
        "Values of `material` for soft bodies, cloth and rods, unless the file has a material of this name with its "
        "own. Elastomers are nearly incompressible; their Poisson's ratio is 0.49 here, because linear elements of a "
        "higher one are far too stiff.",
        "",
        "| name | Young's modulus [Pa] | Poisson's ratio | density [kg/m³] | thickness [mm] | source |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
    ]


def _section(heading: str, blocks: Iterable[type[Block]], skip: Collection[str] = ()) -> list[str]:
    return [f"### {heading}", "", *(line for block in blocks for line in _block(block, skip))]


def _below(block: type[Block]) -> dict[tuple[str, tuple[type[Block], ...]], None]:
    """Heading and blocks of every key below a block that takes blocks: the heading to which its description links."""
    found: dict[tuple[str, tuple[type[Block], ...]], None] = {}
    for field in block.model_fields.values():
        blocks = tuple(_blocks_in(field.annotation))
        link = _LINK.search(field.description or "")
        if blocks and link:
            found[link[1], blocks] = None
        for child in blocks:
            found |= _below(child)
    return found


def _blocks_in(annotation: Any) -> Iterator[type[Block]]:
    """The kinds of blocks that a value of some type contains."""
    if isinstance(annotation, type) and issubclass(annotation, Block):
        yield annotation
    for part in get_args(annotation):
        yield from _blocks_in(part)


def update(page: Path) -> None:
    """Put the reference between the marks of a page."""
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    page.write_text(f"{before}{BEGIN}\n\n{reference()}\n{END}{after}", encoding="utf-8")


def _block(block: type[Block], skip: Collection[str]) -> list[str]:
    described = block.model_json_schema(by_alias=False)
    properties: dict[str, Any] = described["properties"]
    required = set(described.get("required", ()))
    kind = properties.get("type", {}).get("const")
    title = [f"`type: {kind}`", ""] if kind else []
    about = [" ".join((block.__doc__ or "").split()), ""] if block.__doc__ else []
    rows = [
        f"| `{key}` | {_type(value)} | {_default(value, key in required)} | {value.get('description', '')} |"
        for key, value in sorted(properties.items(), key=lambda item: item[0] not in required)
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
    return {"number": "numbers", "integer": "whole numbers", "string": "names"}.get(
        value.get("type", ""), "mappings"
    ) + _bound(value)


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
