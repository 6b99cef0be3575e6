"""What a robot's file says of its start and its surroundings, for a first scene file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ipc_articulation.arrays import Array


@dataclass(frozen=True)
class ScalarJoint:
    """A joint of one degree of freedom."""

    name: str
    lower: float  # [rad or m]
    upper: float
    position: float  # where the file starts it
    unit: str  # «rad» or «m»
    follows: bool = False  # another joint determines it
    tree: str = ""  # the first moving body of its kinematic tree, where the format has names for bodies


@dataclass(frozen=True)
class FileFacts:
    """A robot's file as far as a scene file repeats it."""

    joints: tuple[ScalarJoint, ...]
    name: str = ""  # the robot's own; empty: the file has none
    keyframe: str = ""  # from which the positions are
    gravity: Array | None = None  # (3,) [m/s²]; None: the file says nothing of it
    integrator: str = ""  # of MuJoCo; empty: the file has none
    dt: float | None = None  # time step [s]; None: the file says nothing of it
    base: Array | None = None  # (7,) position [m] and quaternion of the only floating base at the start
    targets: Mapping[str, float] = field(default_factory=dict)  # of position actuators in the keyframe, by joint
    floating: tuple[str, ...] = ()  # bodies that carry joints and float
    says_base: bool = True  # whether the file can say that its base floats; a URDF file cannot
    driven: frozenset[str] = field(default_factory=frozenset)  # joints with a position actuator
    motors: frozenset[str] = field(default_factory=frozenset)  # joints with a motor and no position actuator
    has_actuators: bool = False
    trees: Mapping[str, str] = field(default_factory=dict)  # by body: the first moving one of its tree; empty: static
