"""A mechanism as one describes it: links, and the joints that place them. Plain data, to be edited at will.

`Mechanism.build` checks it and makes the `Model` that the dynamics works on. Readers of files make mechanisms. Every
link hangs by exactly one joint on another link or on the world, whose name is «world»: a robot bolted down has a
`FixedJoint` there, one that moves freely a `FloatingJoint`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ipc_articulation.dynamics.joints import Joint
from ipc_articulation.dynamics.model.shapes import Shape

if TYPE_CHECKING:
    from ipc_articulation.dynamics.model.model import Model

Array = NDArray[np.float64]

WORLD = "world"
EARTH = (0.0, 0.0, -9.81)  # [m/s²]


@dataclass
class Link:
    """A rigid body."""

    name: str
    mass: float = 0.0  # [kg]
    centre: ArrayLike = (0.0, 0.0, 0.0)  # (3,) centre of mass in the link's frame [m]
    inertia: ArrayLike = field(default_factory=lambda: np.zeros((3, 3)))  # (3, 3) about the centre [kg·m²], link's axes
    collision: tuple[Shape, ...] = ()
    visual: tuple[Shape, ...] = ()


@dataclass(frozen=True)
class Mimic:
    """A joint's position is `multiplier` times another's plus `offset`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass
class PlacedJoint:
    """A joint between two links.

    The child's pose in the parent is origin · H(q) · child_origin. What is given for each degree of freedom is one
    number for all of them, or (ndof,).
    """

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


@dataclass
class FixedFrame:
    """A frame fixed to a link."""

    name: str
    link: str
    pose: ArrayLike = field(default_factory=lambda: np.eye(4))  # (4, 4) in the link's frame


@dataclass
class Mechanism:
    """Links and joints by name, in the order in which they were added."""

    name: str
    links: list[Link] = field(default_factory=list)
    joints: list[PlacedJoint] = field(default_factory=list)
    frames: list[FixedFrame] = field(default_factory=list)
    file: Path | None = None  # where it was read from, for messages
    gravity: ArrayLike = EARTH  # (3,) [m/s²] in the world

    def add_link(
        self, name: str, mass: float = 0.0, centre: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike = 0.0
    ) -> Link:
        """Add a rigid body.

        Args:
            name: Of its own.
            mass: [kg].
            centre: Centre of mass in the link's frame, (3,) [m].
            inertia: About the centre in the link's axes, (3, 3), or its diagonal (3,), or one number [kg·m²].
        """
        given = np.asarray(inertia, dtype=float)
        tensor = given if given.ndim == 2 else np.diag(np.broadcast_to(given, 3))
        self.links.append(Link(name, mass, centre, tensor))
        return self.links[-1]

    def add_joint(self, name: str, joint: Joint, parent: str, child: str, **properties: object) -> PlacedJoint:
        """Hang a link on another one or on «world»; `properties` are the fields of `PlacedJoint`."""
        self.joints.append(PlacedJoint(name, joint, parent, child, **properties))  # type: ignore[arg-type]
        return self.joints[-1]

    def add_frame(self, name: str, link: str, pose: ArrayLike | None = None) -> FixedFrame:
        """Fix a frame to a link, at a pose (4, 4) in the link's frame."""
        self.frames.append(FixedFrame(name, link, np.eye(4) if pose is None else pose))
        return self.frames[-1]

    def build(
        self, joint_order: Sequence[str] | None = None, unphysical: Literal["refuse", "warn"] = "refuse"
    ) -> Model:
        """Check the mechanism and fix it as a model.

        A link whose moments of inertia no body has is warned of. What counts is the body that it makes together with
        the links joined rigidly to it.

        Args:
            joint_order: Names of all joints that move, each after those it hangs on; None: the order in which they were
                added, with a joint that comes before its parent's put off until after it.
            unphysical: What to do about a moving body whose moments of inertia no body has: some published robots have
                such.

        Raises:
            ModelError: What is wrong, naming the file, link or joint.
        """
        from ipc_articulation.dynamics.model.build import build

        return build(self, joint_order, unphysical)
