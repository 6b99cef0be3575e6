"""Sizes in an MJCF model that would take all time or memory, refused before MuJoCo reads them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from ipc_articulation.adapters.mujoco.parts import Part, Parts
from lxml import etree

from ipc_articulation.dynamics.reading.node import XmlNode, numbers_of

MOST = 10_000  # elements, those of replicates, grids and attached models included
PIXELS = 1 << 25  # of a texture
POINTS = 1 << 19  # of a height field

# The largest products of some attributes' numbers, by element.
_LIMITS: Mapping[str, Mapping[tuple[str, ...], int]] = {
    "hfield": {("nrow", "ncol"): POINTS},
    "texture": {("width", "height"): PIXELS},
    "camera": {("resolution",): PIXELS},
    "mesh": {("params",): 1000},
    "user": {("dim",): MOST},
}
_ANYWHERE: Mapping[tuple[str, ...], int] = {("actdim",): MOST, ("nsample",): MOST}  # of any actuator or sensor
_FREE = ("njmax", "nconmax", "nstack")  # of <size>, which the model does not take from its file
_COPIES = {"replicate": 1, "flexcomp": 5, "composite": 5}  # elements with a count, and what each of them makes at least


def check_sizes(parts: Parts) -> None:
    """Refuse a model that is too large.

    Raises:
        ModelError: An element is too large, or there are too many; with the line.
    """
    for part in parts.files.values():
        for element in part.elements:
            check_size(part.node(element))
    _Weights(parts).check()


def check_size(node: XmlNode) -> None:
    """Refuse an element that is too large.

    Raises:
        ModelError: With the line.
    """
    limits: dict[tuple[str, ...], int] = {**_LIMITS.get(str(node.tag), {}), **_ANYWHERE}
    if node.tag == "size":
        limits = {(name,): MOST for name in node.element.attrib if name.startswith("n") and name not in _FREE}
    for names, most in limits.items():
        size = math.prod(max(1.0, _product(node.element, name)) for name in names)
        if not size <= most:
            said = " ".join(f'{name}="{node.element.get(name, ""):.40}"' for name in names)
            raise node.error(f"<{node.tag}> has {said}; the most are {most}")


def _product(element: etree._Element, name: str) -> float:
    """The product of the magnitudes of an attribute's numbers; 1 without numbers, which is MuJoCo's to refuse."""
    numbers = numbers_of(element.get(name, ""), None, infinite=True)
    return 1.0 if numbers is None else float(abs(numbers).prod())


class _Weights:
    """The number of elements that MuJoCo makes of each file."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._known: dict[Path, float] = {}

    def check(self) -> None:
        """Refuse a model of too many elements."""
        self._of(self._parts.own)

    def _of(self, part: Part) -> float:
        """The elements of a file, those of the files that it names included; no file contains itself."""
        weights: dict[etree._Element, float] = {}
        elements = list(part.elements)
        attached = max((self._named(e) for e in elements if e.tag == "model"), default=0.0)
        for element in reversed(elements):  # children before their parents
            weight = 1.0 + sum(weights[child] for child in element.iterchildren(etree.Element))
            weight += self._named(element) + (attached if element.tag == "attach" else 0.0)
            if element.tag in _COPIES:
                weight *= max(1.0, _COPIES[str(element.tag)] * _product(element, "count"))
            if not weight <= MOST:
                raise part.node(element).error(f"<{element.tag}> makes {weight:.0f} elements; the most are {MOST}")
            weights[element] = weight
        return weights[part.root.element]

    def _named(self, element: etree._Element) -> float:
        part = self._parts.of.get(element)
        if part is None:
            return 0.0
        if part.file not in self._known:
            self._known[part.file] = self._of(part)
        return self._known[part.file]
