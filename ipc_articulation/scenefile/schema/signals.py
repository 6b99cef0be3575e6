"""What is observed and rewarded in a scene: `observe` and `reward`, for `ipc_articulation.gym`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from ipc_articulation.scenefile.keys import Block
from ipc_articulation.scenefile.schema.values import JointPattern, refusal

JOINTS = "a regular expression that matches whole joint names, or a list of names"
POINT = "name of a link, a body (the origin of its frame) or a mark"


def _distinct_axes(axes: str) -> str:
    if not axes or len(set(axes)) < len(axes) or not set(axes) <= set("xyz"):
        raise refusal(f"axes are some of the letters x, y and z, each once; got '{axes}'")
    return axes


Axes = Annotated[str, AfterValidator(_distinct_axes)]


class _Observation(Block):
    """Keys of every observation."""

    scale: float = Field(1.0, description="factor of the numbers, to bring them near 1")


class JointPositionsEntry(_Observation):
    """Positions of joints [rad or m]."""

    type: Literal["joint_positions"]
    joints: JointPattern = Field(".*", description=JOINTS)


class JointVelocitiesEntry(_Observation):
    """Velocities of joints [rad/s or m/s]."""

    type: Literal["joint_velocities"]
    joints: JointPattern = Field(".*", description=JOINTS)


class JointForcesEntry(_Observation):
    """Contact forces on joints in the last step [N·m or N]."""

    type: Literal["contact_forces"]
    joints: JointPattern = Field(".*", description=JOINTS)


class PositionEntry(_Observation):
    """Position of a point, or of a point relative to another, in world axes [m]."""

    type: Literal["position"]
    of: str = Field(description=POINT)
    relative_to: str | None = Field(None, description="another point; default: the origin of the world")
    axes: Axes = Field("xyz", description="which coordinates")


class RotationEntry(_Observation):
    """The first two columns of a rotation matrix, six numbers, which change continuously with the rotation."""

    type: Literal["rotation"]
    of: str = Field(description="name of a link, a body or a mark")


class VelocityOfEntry(_Observation):
    """Velocity of a point in world axes [m/s]."""

    type: Literal["velocity"]
    of: str = Field(description=POINT)
    axes: Axes = Field("xyz", description="which components")


class LastActionEntry(_Observation):
    """The last action; zero at the start of an episode."""

    type: Literal["last_action"]


ObserveEntry = Annotated[
    JointPositionsEntry
    | JointVelocitiesEntry
    | JointForcesEntry
    | PositionEntry
    | RotationEntry
    | VelocityOfEntry
    | LastActionEntry,
    Field(discriminator="type"),
]


class _Reward(Block):
    """Keys of every term of the reward."""

    weight: float = Field(description="factor of the term; negative for a cost")


class DistanceRewardEntry(_Reward):
    """Distance of two points after the step [m]."""

    type: Literal["distance"]
    between: tuple[str, str] = Field(description="two points, each a link, a body or a mark")
    axes: Axes = Field("xyz", description="coordinates that count")


class ProgressRewardEntry(_Reward):
    """By how much the distance of two points became smaller in the step [m]."""

    type: Literal["progress"]
    between: tuple[str, str] = Field(description="two points, each a link, a body or a mark")
    axes: Axes = Field("xyz", description="coordinates that count")


class SuccessRewardEntry(_Reward):
    """1 after a step that reaches `episode.success`, else 0."""

    type: Literal["success"]


class ActionRewardEntry(_Reward):
    """Sum of the squares of the action."""

    type: Literal["action"]


class ForceRewardEntry(_Reward):
    """Sum of the sizes of contact forces on joints in the step [N·m or N]."""

    type: Literal["contact_forces"]
    joints: JointPattern = Field(".*", description=JOINTS)


class StepRewardEntry(_Reward):
    """1 in every step."""

    type: Literal["step"]


RewardEntry = Annotated[
    DistanceRewardEntry
    | ProgressRewardEntry
    | SuccessRewardEntry
    | ActionRewardEntry
    | ForceRewardEntry
    | StepRewardEntry,
    Field(discriminator="type"),
]
