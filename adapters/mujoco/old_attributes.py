"""Attributes that older versions of MuJoCo knew, and the present one refuses."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco

from ipc_articulation.repairs import repair

_TAG = re.compile(r"<(option|compiler)\b[^>]*>")
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
                remedy = "no geoms collide" if _only_pairs(attribute[0]) else "left out"
                repair("", unknown(tag[1], name, attribute[2]), remedy, at=f"{path}:{line}")
                kept = kept.replace(attribute[0], "\n" * attribute[0].count("\n"))
        return kept

    return _TAG.sub(cleaned, text)


def unknown(tag: str, name: str, value: str) -> str:
    """What is said of an attribute."""
    return f'<{tag}> has {name}="{value}", which MuJoCo {mujoco.__version__} does not know'


def collide_in_pairs_only(spec: mujoco.MjSpec, text: str) -> None:
    """Obey `collision="predefined"` of an `<option>`: geoms touch in the pairs of `<contact>` only."""
    if any(tag[1] == "option" and _only_pairs(tag[0]) for tag in _TAG.finditer(text)):
        for geom in spec.geoms:
            geom.contype = geom.conaffinity = 0


def _only_pairs(tag: str) -> bool:
    return re.search(r"\scollision\s*=\s*[\"']predefined[\"']", tag) is not None
