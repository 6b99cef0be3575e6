"""Parts of a mechanism: links, the joints that place them, and frames on them. They are plain data, and editable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arguments import FINITE, NUMBER, TEXT, Wanted, instance, optional, refuse_unwanted, several, shown
from ipc_articulation.dynamics.arguments import NUMBERS
from ipc_articulation.dynamics.joints import Joint
from ipc_articulation.dynamics.model.shapes import Shape
from ipc_articulation.errors import ModelError

Meeting = tuple[tuple[str, ArrayLike], tuple[str, ArrayLike]]  # two links, each with its point; the points coincide

WORLD = "world"
EARTH = (0.0, 0.0, -9.81)  # [m/s²]


class Part:
    """A part of a mechanism. Its fields are checked when it is made, and again when the mechanism is built."""

    KIND: ClassVar[str]
    FIELDS: ClassVar[Mapping[str, Wanted]]
    name: str

    def __post_init__(self) -> None:
        self.check()

    def check(self, where: str = "") -> None:
        """Refuse fields of wrong types; what numbers are possible is checked when the mechanism is built.

        Args:
            where: Beginning of messages.

        Raises:
            ModelError: There is such a field; the message names the part and the field.
        """
        for name, wanted in self.FIELDS.items():
            refuse_unwanted(f"{where}{self.KIND} {shown(self.name)}: {name}", getattr(self, name), wanted, ModelError)


@dataclass
class Link(Part):
    """A rigid body."""

    KIND = "link"
    FIELDS: ClassVar = {
        "name": TEXT,
        "mass": NUMBER,
        "centre": NUMBERS,
        "inertia": NUMBERS,
        "collision": several(Shape),
        "visual": several(Shape),
        "bare": TEXT,
    }

    name: str
    mass: float = 0.0  # [kg]
    centre: ArrayLike = (0.0, 0.0, 0.0)  # (3,) centre of mass in the link's frame [m]
    inertia: ArrayLike = field(default_factory=lambda: np.zeros((3, 3)))  # (3, 3) about the centre [kg·m²], link's axes
    collision: tuple[Shape, ...] = ()
    visual: tuple[Shape, ...] = ()
    bare: str = ""  # the fault, where a file gives it collision shapes of which none can be read


@dataclass(frozen=True)
class Mimic:
    """A joint whose position is `multiplier` times that of another joint plus `offset`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def is_possible(self) -> bool:
        """Whether it has a name and finite numbers."""
        return TEXT.accepts(self.joint) and FINITE.accepts(self.multiplier) and FINITE.accepts(self.offset)


_POSSIBLE_MIMIC = Wanted(
    "a Mimic with a joint's name and finite numbers", lambda value: isinstance(value, Mimic) and value.is_possible()
)


@dataclass
class PlacedJoint(Part):
    """A joint between two links.

    The child's pose in the parent is origin · H(q) · child_origin. A property of the degrees of freedom is one number
    for all of them, or (ndof,).
    """

    KIND = "joint"
    FIELDS: ClassVar = {
        **dict.fromkeys(("name", "parent", "child"), TEXT),
        "joint": instance(Joint),
        **dict.fromkeys(("origin", "child_origin", "damping", "stiffness", "rotor_inertia", "friction"), NUMBERS),
        **dict.fromkeys(("lower", "upper", "effort", "velocity"), NUMBERS),
        "spring_mount": optional(NUMBERS),
        "mimic": optional(_POSSIBLE_MIMIC),
    }

    name: str
    joint: Joint
    parent: str
    child: str
    origin: ArrayLike = field(default_factory=lambda: np.eye(4))  # (4, 4) joint frame in the parent's frame
    child_origin: ArrayLike = field(default_factory=lambda: np.eye(4))  # (4, 4) child's frame in the moved joint frame
    damping: ArrayLike = 0.0  # [N·m·s/rad or N·s/m]
    stiffness: ArrayLike = 0.0  # [N·m/rad or N/m]
    spring_mount: ArrayLike | None = None  # (nq,) position at rest; None: neutral
    rotor_inertia: ArrayLike = 0.0  # reflected: that of the rotor times gear ratio squared [kg·m² or kg]
    friction: ArrayLike = 0.0  # Coulomb friction [N·m or N]
    lower: ArrayLike = -np.inf  # (ndof,) [rad or m]
    upper: ArrayLike = np.inf
    effort: ArrayLike = np.inf  # largest actuator force [N·m or N]
    velocity: ArrayLike = np.inf  # largest rate [rad/s or m/s]
    mimic: Mimic | None = None

    @property
    def dof_names(self) -> list[str]:
        """Names of the degrees of freedom, as in the model."""
        count = self.joint.ndof
        return [self.name] if count == 1 else [f"{self.name}[{k}]" for k in range(count)]


@dataclass
class FixedFrame(Part):
    """A frame fixed to a link."""

    KIND = "frame"
    FIELDS: ClassVar = {"name": TEXT, "link": TEXT, "pose": NUMBERS}

    name: str
    link: str
    pose: ArrayLike = field(default_factory=lambda: np.eye(4))  # (4, 4) in the link's frame
