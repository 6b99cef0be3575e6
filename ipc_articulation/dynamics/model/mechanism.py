"""The description of a mechanism: links, the joints that place them, and loops. It is plain data that may be edited.

`Mechanism.build` checks it and makes the `Model` that the dynamics works on. Readers of files make mechanisms. Every
link is the child of exactly one joint, whose parent is another link or the world, called «world». A robot that is
bolted down has a `FixedJoint` there, one that moves freely a `FloatingJoint`. All further connections between links are
loops, constraints on the coordinates of joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation.arguments import PATH, TEXT, checked, instance, one_of, optional, several
from ipc_articulation.dynamics.arguments import NUMBERS
from ipc_articulation.dynamics.joints import Joint
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.dynamics.model.build import TreeBuilder, model_of
from ipc_articulation.dynamics.model.model import LOOPS, Model
from ipc_articulation.dynamics.model.order import ordered_joints
from ipc_articulation.dynamics.model.parts import EARTH, FixedFrame, Link, Meeting, Part, PlacedJoint
from ipc_articulation.errors import ModelError


@dataclass
class Mechanism(Part):
    """Links and joints by name, in the order in which they were added."""

    KIND = "mechanism"
    FIELDS: ClassVar = {
        "name": TEXT,
        "links": several(Link),
        "joints": several(PlacedJoint),
        "frames": several(FixedFrame),
        "file": optional(PATH),
        "gravity": NUMBERS,
        "loops": LOOPS,
        "meetings": several(tuple),
        "defaults": instance(dict),
    }

    name: str
    links: list[Link] = field(default_factory=list)
    joints: list[PlacedJoint] = field(default_factory=list)
    frames: list[FixedFrame] = field(default_factory=list)
    file: Path | None = None  # the file that it was read from, for messages
    gravity: ArrayLike = EARTH  # (3,) [m/s²] in the world
    loops: list[tuple[Sequence[str], LoopConstraint]] = field(default_factory=list)  # joints and the constraint on them
    meetings: tuple[Meeting, ...] = ()  # points of two links that loops keep together in all directions
    defaults: dict[str, float] = field(
        default_factory=dict
    )  # of an OpenSim file's coordinates, in its order [rad or m]

    @checked(ModelError, inertia=NUMBERS)
    def add_link(
        self, name: str, mass: float = 0.0, centre: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike = 0.0
    ) -> Link:
        """Add a rigid body.

        Args:
            name: A unique name.
            mass: [kg].
            centre: Centre of mass in the link's frame, (3,) [m].
            inertia: About the centre in the link's axes, (3, 3), or its diagonal (3,), or one number [kg·m²].

        Raises:
            ModelError: An argument is of another type.
        """
        given = np.asarray(inertia, dtype=float)
        tensor = np.diag(np.broadcast_to(given, 3)) if given.shape in ((), (3,)) else given
        self.links.append(Link(name, mass, centre, tensor))
        return self.links[-1]

    def add_joint(self, name: str, joint: Joint, parent: str, child: str, **properties: object) -> PlacedJoint:
        """Connect a link to its parent, a link or «world»; `properties` are the fields of `PlacedJoint`.

        Raises:
            ModelError: An argument is of another type.
        """
        self.joints.append(PlacedJoint(name, joint, parent, child, **properties))  # type: ignore[arg-type]
        return self.joints[-1]

    def add_frame(self, name: str, link: str, pose: ArrayLike | None = None) -> FixedFrame:
        """Fix a frame to a link, at a pose (4, 4) in the link's frame.

        Raises:
            ModelError: An argument is of another type.
        """
        self.frames.append(FixedFrame(name, link, np.eye(4) if pose is None else pose))
        return self.frames[-1]

    @checked(ModelError, joints=several(str), constraint=instance(LoopConstraint))
    def add_loop(self, joints: Sequence[str], constraint: LoopConstraint) -> None:
        """Close a loop by a constraint on the coordinates of joints without quaternions, in this order.

        Raises:
            ModelError: An argument is of another type.
        """
        self.loops.append((tuple(joints), constraint))

    @checked(ModelError, joint_order=optional(several(str)), unphysical=one_of("refuse", "warn"))
    def build(
        self, joint_order: Sequence[str] | None = None, unphysical: Literal["refuse", "warn"] = "refuse"
    ) -> Model:
        """Check the mechanism and make a model of it.

        A link with physically impossible moments of inertia causes a warning only. An error depends on the whole body,
        which the link makes with all links joined rigidly to it.

        Args:
            joint_order: Names of all moving joints, each after its ancestors; None: the order in which they were
                added, where a joint added before its parent's joint comes directly after it.
            unphysical: The reaction to a moving body with impossible moments of inertia, which some published robots
                have.

        Raises:
            ModelError: The mechanism is wrong; the message names the file, link or joint.
        """
        where = str(self.file or f"mechanism '{self.name}'")
        for part in (self, *self.links, *self.joints, *self.frames):
            part.check(f"{where}: ")
        gravity = np.array(self.gravity, dtype=float)
        if gravity.shape != (3,) or not np.isfinite(gravity).all():
            raise ModelError(f"{where}: gravity must be three finite numbers [m/s²]; it is {gravity.tolist()}")
        tree = TreeBuilder(self.links, where)
        for joint in ordered_joints(self.links, self.joints, self.frames, joint_order, where):
            tree.add(joint)
        tree.check_masses()
        tree.check_inertias(unphysical)
        model = model_of(tree, self.name, gravity, self.joints, self.frames)
        model = replace(model, defaults=self.defaults.copy())
        return model.with_loops(self.loops) if self.loops else model
