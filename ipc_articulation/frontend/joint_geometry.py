"""Creation of joint geometries of every kind: libuipc's own where it has the kind, ours in the same form elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.articulation.kinds import FIXED, KINDS, kind_named
from ipc_articulation.errors import ArticulationError
from ipc_articulation.frontend.attributes import OWN_CONSTITUTION_UID
from ipc_articulation.frontend.joint_kinds import JOINT_KINDS, OWN_UID

AXIS_LENGTH = 0.2  # [m], of the edge that stands for an axis; longer ones condition the joint badly
AXIS, SECOND_AXIS, PITCH = "axis", "second_axis", "pitch"  # attributes of the vertices of our own kinds


def joint_geometry(
    kind: str,
    anchors: ArrayLike,
    left: Sequence[tuple[Any, int]],
    right: Sequence[tuple[Any, int]],
    strength_ratios: ArrayLike,
    *,
    axes: ArrayLike | None = None,
    second_axes: ArrayLike | None = None,
    pitches: ArrayLike | None = None,
) -> Any:
    """Make a geometry with m joints of a kind, for `scene.objects().create(...).geometries().create(...)`.

    The bodies must be in their initial poses. Kinds that libuipc does not have (free, cylindrical, planar, universal,
    helical) are known to the CPU engine only.

    Args:
        kind: «revolute», «prismatic», «fixed», «spherical», «free», «cylindrical», «planar», «universal» or «helical».
        anchors: A point of each joint in the world, (m, 3) [m].
        left: Geometry slot and instance of each joint's left (parent) body, m pairs.
        right: Of each joint's right (child) body, m pairs.
        strength_ratios: Stiffness of the penalty in units of the two bodies' mass, (m,).
        axes: World direction of each axis, (m, 3); of the plane's normal for planar joints. Revolute, prismatic,
            cylindrical, planar, universal and helical joints need it.
        second_axes: World directions, (m, 3): the axis that the right body of a universal joint carries, orthogonal to
            the first; the first axis in the plane of a planar joint.
        pitches: Slide along the axis per angle of helical joints, (m,) [m/rad].

    Returns:
        A `uipc.geometry.SimplicialComplex`.

    Raises:
        ArticulationError: The kind is unknown, an array is missing, or no array of numbers of the right shape, an axis
            has no length, or a body is no pair of a geometry slot and one of its instances.
    """
    number = kind_named(kind, "joint_geometry")
    uid, entry = next((uid, entry) for uid, entry in JOINT_KINDS.items() if entry.kind == number)
    for side, bodies in (("left", left), ("right", right)):
        if not isinstance(bodies, Sequence) or not len(bodies) or len(bodies) != len(left):
            raise ArticulationError(
                f"joint_geometry: {side} must be a list with a pair for each joint, as many on both sides"
            )
    count = len(left)
    given = {"axis": axes, "second_axis": second_axes, "pitch": pitches}
    for name in KINDS[number].needs:
        if given[name] is None:
            raise ArticulationError(f"joint_geometry: joints of the kind '{kind}' need {_ARGUMENTS[name]}")
    points = _rows("anchors", anchors, count, 3)
    columns = [column for side, pairs in (("left", left), ("right", right)) for column in _columns(side, pairs)]
    strength = _rows("strength_ratios", strength_ratios, count)
    if entry.has_axis:
        half = 0.5 * AXIS_LENGTH * _directions("axes", axes, count)
        return entry.constitution()().create_geometry(points - half, points + half, *columns, strength)
    if number == FIXED:  # libuipc has no anchor for them
        return entry.constitution()().create_geometry(*columns, strength)
    if uid < OWN_UID:
        return entry.constitution()().create_geometry(points, *columns, strength)
    geometry = JOINT_KINDS[_LIKE].constitution()().create_geometry(points, *columns, strength)
    geometry.meta().destroy("constitution_uid")
    geometry.meta().create(OWN_CONSTITUTION_UID, uid)
    for name in KINDS[number].needs:
        _write(geometry, name, given[name], count)
    return geometry


_LIKE = 26  # libuipc's spherical joint: our own kinds have its attributes
_ARGUMENTS = {"axis": "axes", "second_axis": "second_axes", "pitch": "pitches"}


def _write(geometry: Any, name: str, values: ArrayLike | None, count: int) -> None:
    from uipc import view

    if name == PITCH:
        view(geometry.vertices().create(name, 0.0))[:] = _rows(_ARGUMENTS[name], values, count)
    else:
        view(geometry.vertices().create(name, np.zeros(3)))[..., 0] = _directions(_ARGUMENTS[name], values, count)


def _columns(side: str, bodies: Sequence[tuple[Any, int]]) -> tuple[list[Any], Any]:
    for k, body in enumerate(bodies):
        fault = _fault_of(body)
        if fault:
            raise ArticulationError(
                f"joint_geometry: {side}, joint {k}: {fault}; give a geometry slot and an instance of it"
            )
    slots, instances = zip(*bodies, strict=True)
    return list(slots), np.array(instances, dtype=np.int32)


def _fault_of(body: Any) -> str:
    """What is wrong with a geometry slot and an instance; empty if nothing is."""
    if not (isinstance(body, tuple | list) and len(body) == 2):
        return "it is no pair"
    slot, instance = body
    if not hasattr(slot, "geometry"):
        return f"a {type(slot).__name__} is no geometry slot"
    if not isinstance(instance, int | np.integer) or isinstance(instance, bool):
        return f"instance {instance!r} is no whole number"
    count = slot.geometry().instances().size()
    return "" if 0 <= instance < count else f"instance {instance} of {count}"


def _rows(name: str, values: ArrayLike | None, *shape: int) -> Any:
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "iuf":
            raise TypeError("no real numbers")
        array = np.ascontiguousarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise ArticulationError(f"joint_geometry: {name} must be numbers ({error})") from error
    if array.shape != shape:
        raise ArticulationError(
            f"joint_geometry: {name} have shape {array.shape}, must be {shape}, a row for each joint"
        )
    return array


def _directions(name: str, values: ArrayLike | None, count: int) -> Any:
    array = _rows(name, values, count, 3)
    lengths = np.linalg.norm(array, axis=1)
    if not np.all((lengths > 0.0) & np.isfinite(lengths)):
        k = int(np.argmin((lengths > 0.0) & np.isfinite(lengths)))
        raise ArticulationError(f"joint_geometry: {name}: row {k} is {array[k].tolist()}; give a direction")
    return array / lengths[:, None]
