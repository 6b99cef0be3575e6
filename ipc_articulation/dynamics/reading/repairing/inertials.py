"""Masses and inertias that no rigid body has."""

from __future__ import annotations

import numpy as np
from lxml import etree

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.model.inertia import Inertia, unphysical
from ipc_articulation.dynamics.model.physical_inertia import physical_inertia
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.repairing.known import PRODUCTS
from ipc_articulation.dynamics.reading.repairing.numbers import number_of
from ipc_articulation.dynamics.reading.repairing.robot import Faults, Robot, remove
from ipc_articulation.dynamics.reading.repairing.solid import ball

SMALLEST = 1e-9  # [kg] in place of zero: no body has inertia without mass


def repair_inertials(robot: Robot) -> None:
    """Replace masses and inertias that no body has by the nearest that one can have; others stay bit for bit."""
    faults = Faults()
    for link in robot.links:
        inertial = link.child("inertial")
        if inertial is not None:
            _complete(inertial, faults)
            _repair(inertial, faults)
    faults.report()


def tensor_of(inertial: XmlNode) -> Array | None:
    """The inertia in the axes of an `<inertial>`, (3, 3); None if numbers are missing or none."""
    inertia = inertial.child("inertia")
    numbers = [None] if inertia is None else [number_of(inertia, product) for product in PRODUCTS]
    if None in numbers or not np.isfinite(np.array(numbers, dtype=float)).all():
        return None
    xx, xy, xz, yy, yz, zz = numbers
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)


def mass_of(inertial: XmlNode | None) -> float:
    """The mass of an `<inertial>`; zero if it is missing, infinite if it is not a finite number."""
    mass = None if inertial is None else inertial.child("mass")
    if mass is None:
        return 0.0
    number = number_of(mass, "value")
    return np.inf if number is None else number


def write_inertial(inertial: XmlNode, mass: float, tensor: Array) -> None:
    """Write mass and inertia into an `<inertial>`."""
    for tag in ("mass", "inertia"):
        if inertial.child(tag) is None:
            etree.SubElement(inertial.element, tag).sourceline = inertial.line
    inertial.required("mass").element.set("value", repr(float(mass)))
    for product, (i, j) in zip(PRODUCTS, zip(*np.triu_indices(3), strict=True), strict=True):
        inertial.required("inertia").element.set(product, repr(float(tensor[i, j])))


def _complete(inertial: XmlNode, faults: Faults) -> None:
    """Add the inertia that is missing, or leave out an `<inertial>` without mass."""
    if inertial.child("mass") is None:
        faults.add("mass", inertial, "<inertial> lacks <mass>", "<inertial> is left out, the link has no mass")
        remove(inertial)
    elif inertial.child("inertia") is None and 0.0 < mass_of(inertial) < np.inf:
        fault = "<inertial> lacks <inertia>"
        faults.add("inertia", inertial, fault, "the inertia of a ball of this mass and 1000 kg/m³ is used")
        write_inertial(inertial, *ball(mass_of(inertial)))
    elif inertial.child("inertia") is None:
        write_inertial(inertial, mass_of(inertial), np.zeros((3, 3)))


def _repair(inertial: XmlNode, faults: Faults) -> None:
    tensor, mass = tensor_of(inertial), mass_of(inertial)
    if tensor is None or not np.isfinite(mass) or inertial.child("mass") is None:
        return  # the reader refuses it
    if mass < 0.0 or (mass == 0.0 and tensor.any()):
        used = SMALLEST if tensor.any() else 0.0
        fault = f"mass {mass:g} kg; it must be positive, or zero with no inertia at all"
        faults.add("mass", inertial.required("mass"), fault, f"{used:g} kg is used")
        inertial.required("mass").element.set("value", repr(used))
    complaint = unphysical(Inertia(mass, np.zeros(3), tensor))
    if complaint:
        nearest = physical_inertia(tensor)
        moments = ", ".join(f"{moment:.6g}" for moment in np.linalg.eigvalsh(nearest))
        faults.add("moments", inertial, complaint, f"the nearest possible are used, {moments}")
        write_inertial(inertial, inertial.required("mass").number("value"), nearest)
