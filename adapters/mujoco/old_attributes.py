"""Attributes that MuJoCo refuses: those that older versions knew, and those that none knew."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco

from ipc_articulation.repairs import repair

_TAG = re.compile(r"<(option|compiler)\b[^>]*>")
_REFUSAL = re.compile(r"unrecognized attribute: '([\w.:-]+)'\s*Element '([\w.:-]+)', line (\d+)")
_ATTRIBUTES = {
    "option": ("collision", "apirate", "mpr_iterations", "mpr_tolerance"),
    "compiler": ("convexhull", "exactmeshinertia"),
}


def without_old_attributes(text: str, path: Path) -> str:
    """The text of an MJCF file without such attributes, its lines as they were; each is a repair.

    Raises:
        ModelError: Repairs are refused.
    """

    def cleaned(tag: re.Match[str]) -> str:
        kept = tag[0]
        for name in _ATTRIBUTES[tag[1]]:
            attribute = re.search(rf"\s{name}\s*=\s*([\"'])(.*?)\1", kept, re.DOTALL)
            if attribute:
                line = text.count("\n", 0, tag.start()) + 1
                fault = f'<{tag[1]}> has {name}="{attribute[2]}", which MuJoCo {mujoco.__version__} does not know'
                remedy = "no geoms collide" if _only_pairs(attribute[0]) else "left out"
                repair("", fault, remedy, at=f"{path}:{line}")
                kept = kept.replace(attribute[0], "\n" * attribute[0].count("\n"))
        return kept

    return _TAG.sub(cleaned, text)


def without_refused(text: str, path: Path, message: str) -> str | None:
    """The text of an MJCF file without the attribute that MuJoCo's message is about, its lines as they were.

    Args:
        text: The file's text.
        path: The file.
        message: MuJoCo's.

    Returns:
        The text; None if the message is about something else or about another file.

    Raises:
        ModelError: Repairs are refused.
    """
    refusal = _REFUSAL.search(message)
    if refusal is None:
        return None
    name, tag, line = refusal.groups()
    lines = text.splitlines(keepends=True)
    before = "".join(lines[: int(line) - 1])
    for element in re.finditer(rf"<{re.escape(tag)}\b[^>]*>", text[len(before) :]):
        attribute = re.search(rf"\s{re.escape(name)}\s*=\s*([\"'])(.*?)\1", element[0], re.DOTALL)
        if "\n" in text[len(before) : len(before) + element.start()]:
            return None
        if attribute:
            fault = f'<{tag}> has {name}="{attribute[2]}", which MuJoCo {mujoco.__version__} does not know'
            repair("", fault, "left out", at=f"{path}:{line}")
            start, end = (len(before) + element.start() + place for place in attribute.span())
            return text[:start] + "\n" * attribute[0].count("\n") + text[end:]
    return None


def collide_in_pairs_only(spec: mujoco.MjSpec, text: str) -> None:
    """Obey `collision="predefined"` of an `<option>`: geoms touch in the pairs of `<contact>` only."""
    if any(tag[1] == "option" and _only_pairs(tag[0]) for tag in _TAG.finditer(text)):
        for geom in spec.geoms:
            geom.contype = geom.conaffinity = 0


def _only_pairs(tag: str) -> bool:
    return re.search(r"\scollision\s*=\s*[\"']predefined[\"']", tag) is not None
