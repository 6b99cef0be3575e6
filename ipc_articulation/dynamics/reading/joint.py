"""Joints of a URDF file, with RaiSim's `spherical`, `rotor_inertia`, `stiffness` and `spring_mount`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints import (
    FixedJoint,
    FloatingJoint,
    Joint,
    PlanarJoint,
    PrismaticJoint,
    RevoluteJoint,
    SphericalJoint,
)
from ipc_articulation.dynamics.model.coordinates import unit_quaternion
from ipc_articulation.dynamics.model.parts import Mimic, PlacedJoint
from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.origin import origin_of
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest

TYPES: dict[str, Callable[[Array], Joint]] = {
    "continuous": RevoluteJoint,
    "fixed": lambda axis: FixedJoint(),
    "floating": lambda axis: FloatingJoint(),
    "planar": PlanarJoint,
    "prismatic": PrismaticJoint,
    "revolute": RevoluteJoint,
    "spherical": lambda axis: SphericalJoint(),
}


def read_joint(node: XmlNode) -> PlacedJoint:
    """The joint of a `<joint>`. Of a fixed joint only its placement is read.

    Raises:
        ModelError: The element is wrong.
    """
    kind = node.text("type")
    if kind not in TYPES:
        raise node.error(f"unknown type '{kind}'{suggest(kind, TYPES)}")
    joint = _joint(node, kind)
    properties = {**_limits(node, kind), **_dynamics(node, joint), "mimic": _mimic(node)}
    if kind == "fixed":
        properties = {}
    ends = _link(node, "parent"), _link(node, "child")
    return PlacedJoint(node.text("name"), joint, *ends, origin_of(node), **properties)


def _link(node: XmlNode, tag: str) -> str:
    link = node.required(tag)
    return link.text("link")


def _joint(node: XmlNode, kind: str) -> Joint:
    axis = node.child("axis")
    if axis is None:
        return TYPES[kind](np.array([1.0, 0.0, 0.0]))
    direction = axis.numbers("xyz", 3)
    try:
        return TYPES[kind](direction)
    except ModelError as error:
        raise axis.error(str(error)) from error


def has_bounds(node: XmlNode) -> bool:
    """Whether a `<joint>` has limits of position that differ."""
    limit = node.child("limit")
    return limit is not None and len(set(_bounds(limit))) == 2


def _bounds(limit: XmlNode) -> tuple[float, float]:
    return limit.number("lower", 0.0, infinite=True), limit.number("upper", 0.0, infinite=True)


def _limits(node: XmlNode, kind: str) -> dict[str, Any]:
    """Limits of effort, velocity and position; equal position limits, which are zero by default, mean no limits."""
    limit = node.child("limit")
    if limit is None:
        return {}
    lower, upper = _bounds(limit)
    limits = {name: limit.number(name, np.inf, infinite=True) for name in ("effort", "velocity")}
    return limits if kind == "continuous" or lower == upper else {"lower": lower, "upper": upper, **limits}


def _dynamics(node: XmlNode, joint: Joint) -> dict[str, Any]:
    dynamics = node.child("dynamics")
    if dynamics is None:
        return {}
    numbers = ("damping", "friction", "stiffness", "rotor_inertia")
    properties: dict[str, Any] = {name: dynamics.number(name, 0.0) for name in numbers}
    if dynamics.has("spring_mount"):
        properties["spring_mount"] = _spring_mount(dynamics, joint)
    return properties


def _spring_mount(dynamics: XmlNode, joint: Joint) -> Array:
    mount = dynamics.numbers("spring_mount", joint.nq)
    if isinstance(joint, SphericalJoint):
        return unit_quaternion(mount, f"{dynamics.place}: spring_mount")
    return mount


def _mimic(node: XmlNode) -> Mimic | None:
    mimic = node.child("mimic")
    if mimic is None:
        return None
    return Mimic(mimic.text("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
