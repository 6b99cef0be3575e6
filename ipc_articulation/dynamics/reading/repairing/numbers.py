"""Texts of numbers: substitutions of xacro with a default, commas, and numbers too many."""

from __future__ import annotations

import re

from ipc_articulation.dynamics.reading.node import XmlNode, numbers_of
from ipc_articulation.dynamics.reading.repairing.known import PRODUCTS, read_elements
from ipc_articulation.dynamics.reading.repairing.robot import Faults, Robot

COUNTS = {
    "origin": {"xyz": 3, "rpy": 3, "quat_xyzw": 4},
    "axis": {"xyz": 3},
    "box": {"size": 3},
    "mesh": {"scale": 3},
    "sphere": {"radius": 1},
    "cylinder": {"radius": 1, "length": 1},
    "capsule": {"radius": 1, "length": 1, "height": 1},
    "mass": {"value": 1},
    "inertia": dict.fromkeys(PRODUCTS, 1),
    "limit": dict.fromkeys(("lower", "upper", "effort", "velocity"), 1),
    "dynamics": dict.fromkeys(("damping", "friction", "stiffness", "rotor_inertia"), 1),
    "mimic": {"multiplier": 1, "offset": 1},
}
INFINITE = ("limit",)  # elements with numbers that may be infinite
_DEFAULT = re.compile(r"\$\(optenv\s+\w+\s+([^()]*)\)")
_STRAY = re.compile(r"(?<=[\d.])[.;fF]+(?=\s|$)")  # after a number, where other readers stop


def rewrite_numbers(robot: Robot) -> None:
    """Rewrite attributes of which the numbers can be recognised; the reader refuses others."""
    faults = Faults()
    for node in read_elements(robot.node):
        infinite = node.tag in INFINITE
        for name, count in COUNTS.get(node.tag, {}).items():
            text = node.element.get(name, "").strip()
            if not text or numbers_of(text, count, infinite) is not None:
                continue
            found = _recognised(3 * f"{text} " if name == "scale" and len(text.split()) == 1 else text, count)
            if found is not None:
                wanted = "a number" if infinite else "a finite number" if count == 1 else f"{count} finite numbers"
                fault = f'<{node.tag}> has {name}="{text}"; give {wanted}'
                faults.add((node.tag, name), node, fault, f'read as "{found}"')
                node.element.set(name, found)
    faults.report()


def add_missing_products(robot: Robot) -> None:
    """Take products of inertia that are left out as zero."""
    faults = Faults()
    for inertia in (node for node in read_elements(robot.node) if node.tag == "inertia"):
        given = [product for product in PRODUCTS if inertia.has(product)]
        if {"ixx", "iyy", "izz"} <= set(given):
            for product in PRODUCTS:
                if product not in given:
                    faults.add(product, inertia, f'<inertia> lacks {product}="…"', "taken as zero")
                    inertia.element.set(product, "0")
    faults.report()


def _recognised(text: str, count: int) -> str | None:
    """The text of `count` numbers that a wrong text means; None if it means nothing."""
    plain = _STRAY.sub("", _DEFAULT.sub(r"\1", text).replace(",", " "))
    given = plain.split()
    numbers = " ".join(given if count == 1 or "," in text else given[:count])  # commas may be decimal marks: 0,5
    return numbers if numbers_of(numbers, count) is not None else None


def number_of(node: XmlNode, attribute: str) -> float | None:
    """An attribute's number, infinite too; None if it is missing or none."""
    found = numbers_of(node.element.get(attribute, ""), 1, infinite=True)
    return None if found is None else float(found[0])
