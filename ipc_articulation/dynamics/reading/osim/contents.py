"""Values in the text of elements: OpenSim uses elements instead of attributes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.reading.node import FLAGS, TEXT, XmlNode, numbers_of, parse
from ipc_articulation.dynamics.reading.readable import Readable


def text_in(node: XmlNode, tag: str, default: str | None = None) -> str:
    """The text of a child, without blanks at its ends.

    Args:
        node: The parent element.
        tag: Tag of the child.
        default: The text if the child is missing or empty; None: the child is required.
    """
    child = node.child(tag) if default is not None else node.required(tag)
    text = ((child.element.text if child else None) or "").strip()
    if text:
        return text
    if default is None:
        raise (child or node).error(f"<{tag}> of <{node.tag}> is empty")
    return default


def numbers_in(
    node: XmlNode, tag: str, count: int | None = None, default: ArrayLike | None = None, infinite: bool = False
) -> Array:
    """The numbers in a child, (count,), or one or more if `count` is None; they are finite unless `infinite` is set."""
    text = text_in(node, tag, None if default is None else "")
    if default is not None and not text:
        return np.array(default, dtype=float)
    x = numbers_of(text, count, infinite)
    if x is None:
        what = "a finite number" if count == 1 else f"{count or 'only'} finite numbers"
        raise node.required(tag).error(f"<{tag}> holds '{text}'; give {what}")
    return x


def number_in(node: XmlNode, tag: str, default: float | None = None) -> float:
    """The finite number in a child."""
    return float(numbers_in(node, tag, 1, None if default is None else [default])[0])


def flag_in(node: XmlNode, tag: str, default: bool) -> bool:
    """The truth value in a child."""
    text = text_in(node, tag, str(default).lower())
    if text not in FLAGS:
        raise node.required(tag).error(f"<{tag}> holds '{text}'; give true or false")
    return FLAGS[text]


def is_on(node: XmlNode, is_version_4: bool) -> bool:
    """Whether a constraint or force is switched on."""
    if is_version_4:
        return flag_in(node, "isEnforced", True) and flag_in(node, "appliesForce", True)
    return not flag_in(node, "isDisabled", False)


def pose_in(node: XmlNode, location: str, orientation: str) -> Array:
    """The pose [Rx(α) Ry(β) Rz(γ), p; 0 1], (4, 4), from the children with p [m] and α, β, γ [rad]."""
    p, angles = (numbers_in(node, tag, 3, np.zeros(3)) for tag in (location, orientation))
    Rx, Ry, Rz = (spatial.rotation_about(axis, angle) for axis, angle in zip(np.eye(3), angles, strict=True))
    return spatial.pose(Rx @ Ry @ Rz, p)


def objects_in(node: XmlNode, tag: str) -> list[XmlNode]:
    """The elements in the `<objects>` of a set, if it exists; `<ConstraintSet file="more.xml"/>` is in another file.

    Raises:
        ModelError: The file is none, or not one that a robot's file may name.
    """
    part = node.child(tag)
    if part and part.has("file"):
        folder = Path() if node.file == TEXT else Path(node.file).parent
        file = folder / part.text("file")
        if not Readable(folder).allows(file, Path(part.text("file")).is_absolute()):
            raise part.error(f"file '{file}' is no file in the model's folder; put it there")
        part = parse(file, f"an OpenSim file with a <{tag}>").required(tag)
    objects = part.child("objects") if part else None
    return objects.children() if objects else []


def parts_in(model: XmlNode, kind: str) -> list[XmlNode]:
    """The bodies, joints, constraints or markers of a model: those of their set, and those among `<components>`.

    Args:
        model: The `<Model>`.
        kind: The end of their tags: `Joint` of `PinJoint`.
    """
    listed = [part for components in model.descendants("components") for part in components.children()]
    return objects_in(model, f"{kind}Set") + [part for part in listed if part.tag.endswith(kind)]
