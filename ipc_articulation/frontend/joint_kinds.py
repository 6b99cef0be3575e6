"""The kinds of joints in a libuipc scene: constitutions, attributes, and the place of the joints in a geometry.

libuipc has constitutions for revolute, prismatic, fixed and spherical joints. The other kinds have UIDs of the range
that libuipc leaves to its users, from 2³² on; only the CPU engine knows them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ipc_articulation.articulation.kinds import (
    CYLINDRICAL,
    FIXED,
    FREE,
    HELICAL,
    KINDS,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    UNIVERSAL,
)
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import constitution_uid


class JointKind(NamedTuple):
    """A kind of joint in libuipc's front end."""

    kind: int  # key of `articulation.kinds.KINDS`
    has_axis: bool  # a joint is an edge of a line mesh, its axis; otherwise a vertex, its anchor
    coordinate: str = ""  # attribute with θ + init_<coordinate>; a drive has the target aim_<coordinate>
    load: str = ""  # attribute of a force [N] or torque [N·m] along θ

    @property
    def name(self) -> str:
        """Name of the kind in the table of kinds."""
        return KINDS[self.kind].name

    @property
    def is_angle(self) -> bool:
        """Whether its coordinate is an angle [rad], and its load a torque."""
        return KINDS[self.kind].units == ("rad",)

    def constitution(self, pattern: str = "AffineBody{}Joint") -> Any:
        """libuipc's class for it, from a pattern of names with a placeholder for the kind."""
        from uipc import constitution

        return getattr(constitution, pattern.format(self.name.capitalize()))

    def joints_in(self, geometry: Any) -> Any:
        """The attribute collection of a joint geometry with a row for each joint."""
        return geometry.edges() if self.has_axis else geometry.vertices()


OWN_UID = 2**32

JOINT_KINDS = {
    18: JointKind(REVOLUTE, True, "angle", "external_torque"),
    20: JointKind(PRISMATIC, True, "distance", "external_force"),
    25: JointKind(FIXED, False),
    26: JointKind(SPHERICAL, False),
    **{OWN_UID + kind: JointKind(kind, False) for kind in (FREE, CYLINDRICAL, PLANAR, UNIVERSAL, HELICAL)},
}  # by the UID of their constitution

BY_NAME = {entry.name: entry for entry in JOINT_KINDS.values()}

ARTICULATED = ", ".join(entry.name for entry in JOINT_KINDS.values() if KINDS[entry.kind].freedoms)


def joint_kind(geometry: Any, owner: str) -> JointKind:
    """The kind of the joints in a geometry.

    Raises:
        SceneError: The kind is unknown; the message names the owner, and the kinds that an articulation can have.
    """
    uid = constitution_uid(geometry)
    if uid not in JOINT_KINDS:
        raise not_articulated(f"{owner} has constitution {uid}")
    return JOINT_KINDS[uid]


def not_articulated(what: str) -> SceneError:
    """The error for a joint that no articulation can move."""
    return SceneError(f"{what}: only {ARTICULATED} joints can be part of an articulation")
