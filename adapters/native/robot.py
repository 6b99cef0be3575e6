"""A robot's file for the native adapter: the mechanism and its surroundings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from ipc_articulation.adapters.around import Around
from ipc_articulation.adapters.native.bases import sets_free, settle_base
from ipc_articulation.adapters.native.drives import JointDrive
from ipc_articulation.adapters.native.ignored import leave_out
from ipc_articulation.adapters.native.segments import add_capsules
from ipc_articulation.adapters.native.static_links import StaticLinks, carried_by_static, take_off_static_shapes

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import ContactRule, CoupledBody, HalfPlane
from ipc_articulation.coupling.robots import FRICTION
from ipc_articulation.coupling.solids import Facets, refuse_bare
from ipc_articulation.dynamics.loops.coordinate_functions import CoordinateFunctions
from ipc_articulation.dynamics.model import Mechanism
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading import read_urdf
from ipc_articulation.dynamics.reading.format import robot_format
from ipc_articulation.dynamics.reading.loops import closes_loops
from ipc_articulation.dynamics.reading.loops import read_robot as read_loops
from ipc_articulation.dynamics.reading.osim import read_osim
from ipc_articulation.dynamics.reading.repairing import Surfaces
from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import caution


@dataclass
class FileContent:
    """The content of a robot's file, from which a scene builds the robot."""

    mechanism: Mechanism  # with its loops; links fixed to the world have no shapes
    static: Callable[[Facets], tuple[CoupledBody, ...]]  # the shapes of those links, and other static bodies
    planes: tuple[HalfPlane, ...] = ()
    untouchable: frozenset[frozenset[str]] = frozenset()
    contact_rules: tuple[ContactRule, ...] = ()  # friction of pairs where it is not the larger of both
    free: Callable[[Facets], tuple[CoupledBody, ...]] = lambda _: ()  # bodies that IPC moves
    drives: dict[str, JointDrive] = field(default_factory=dict)  # the file's own actuators, by joint
    friction: dict[str, float] = field(default_factory=dict)  # Coulomb coefficient by link
    start: dict[str, float] = field(default_factory=dict)  # position coordinates that do not start neutral, by name
    up: Array | None = None  # (3,) direction against the file's own gravity; None: not in the file
    segments: Mapping[str, Array] = field(default_factory=dict)  # of OpenSim's bodies, see `segments`
    unphysical: Literal["refuse", "warn"] = "refuse"  # reaction to physically impossible moments of inertia
    pose: Array = field(default_factory=lambda: np.eye(4))  # of the static bodies' frame in the world, (4, 4)

    @property
    def followers(self) -> frozenset[str]:
        """Joints whose positions are functions of the coordinates of an OpenSim file; a scene cannot name them."""
        return frozenset(
            joint
            for names, constraint in self.mechanism.loops
            if isinstance(constraint, CoordinateFunctions)
            for joint in set(names).difference(constraint.names(names)[0])
        )

    @property
    def _curved(self) -> frozenset[str]:
        """Those of them that nonlinear functions move, such as patellae."""
        return frozenset(
            names[place]
            for names, constraint in self.mechanism.loops
            if isinstance(constraint, CoordinateFunctions)
            for place in set(range(len(names))).difference(constraint.constant_rates())
        )

    def move(self, H: Array) -> None:
        """Move everything by H (4, 4)."""
        for joint in self.mechanism.joints:
            if joint.parent == WORLD:
                joint.origin = H @ np.asarray(joint.origin)
        self.pose = H @ self.pose
        self.planes = tuple(
            replace(plane, point=H[:3, :3] @ plane.point + H[:3, 3], normal=H[:3, :3] @ plane.normal)
            for plane in self.planes
        )

    def stand_up(self, gravity: Array) -> None:
        """Turn everything so that the file's own gravity points along another one, (3,)."""
        wanted = -gravity if np.any(gravity) else np.array([0.0, 0.0, 1.0])
        if self.up is None or not np.any(self.up):
            return
        turn = spatial.rotation_between(self.up, wanted)
        if not np.allclose(turn, np.eye(3), atol=1e-9):
            self.move(spatial.pose(turn))
            caution(
                f"model '{self.mechanism.name}': up is {_direction(self.up)} in its file and {_direction(wanted)} in "
                "the scene; the model is turned upright"
            )

    def add_capsules(self, radius: float) -> None:
        """Give the segments of an OpenSim model capsules of a radius [m].

        Raises:
            ModelError: The file has no segments.
        """
        if not self.segments:
            raise ModelError(f"model '{self.mechanism.name}' has no segments: segment_radius is for OpenSim files")
        self.untouchable |= add_capsules(self.mechanism, self.segments, radius, self._curved)

    def surroundings(self, friction_of: Callable[[float], float], facets: Facets) -> Around:
        """The surroundings of the robot.

        Args:
            friction_of: The friction coefficient in the scene of each one in the file.
            facets: How surfaces become triangles.

        Raises:
            MeshError: Repairs are refused, and a mesh is open or cannot be read.
        """
        return {
            "static": [
                replace(body, pose=self.pose @ body.pose, friction=friction_of(body.friction))
                for body in self.static(facets)
            ],
            "free": [
                replace(
                    body,
                    pose=self.pose @ body.pose,
                    velocity=self.pose @ body.velocity,
                    friction=friction_of(body.friction),
                )
                for body in self.free(facets)
            ],
            "mesh_shape": facets.mesh_shape,
            "sections": facets.sections,
            "planes": [replace(plane, friction=friction_of(plane.friction)) for plane in self.planes],
            "friction": {
                link.name: friction_of(self.friction.get(link.name, FRICTION)) for link in self.mechanism.links
            },
            "untouchable": self.untouchable,
            "contact_rules": [_with_friction_of(friction_of, rule) for rule in self.contact_rules],
        }


def _with_friction_of(friction_of: Callable[[float], float], rule: ContactRule) -> ContactRule:
    return rule if rule.friction is None else replace(rule, friction=friction_of(rule.friction))


def read_robot(
    path: Path,
    package_dirs: Collection[Path],
    base: str | None = None,
    base_pose: Array | None = None,
    ignore: Sequence[str] = (),
    surfaces: Surfaces = "collision",
) -> FileContent:
    """Read a URDF file (.urdf), with its loops, or an OpenSim file (.osim).

    An OpenSim model has no surfaces that touch, and its own direction of gravity.

    Args:
        path: The file.
        package_dirs: Folders that are searched for `package://NAME/...`.
        base: «fixed» fixes floating bases to the world, «free» lets the root link of a URDF file float.
        base_pose: Of a floating base, (4, 4); None: where the file places it.
        ignore: Regular expressions for names of links that are left out.
        surfaces: «visual» makes drawings the surfaces of links of a URDF file that have no `<collision>`.

    Raises:
        AdapterError: An expression matches no link, `base_pose` is not that of one floating base, or no base can be set
            free.
        MeshError: A link has collision shapes in its file, and none can be read.
        ModelError: A URDF or OpenSim file is wrong.
    """
    if robot_format(path) == "osim":
        model = read_osim(path)
        settle_base(model.mechanism, base, base_pose, path)
        leave_out(model.mechanism, ignore)
        joints = {joint.name for joint in model.mechanism.joints}
        start = {name: value for name, value in model.mechanism.defaults.items() if name in joints}
        up = -np.asarray(model.mechanism.gravity, dtype=float)
        return FileContent(
            model.mechanism, lambda _: (), start=start, up=up, segments=model.segments, unphysical="warn"
        )
    read = read_loops if closes_loops(path) else read_urdf  # mimic joints of a tree remain mimic joints
    mechanism = read(path, floating_base=sets_free(path, base), package_dirs=list(package_dirs), surfaces=surfaces)
    refuse_bare(mechanism.links)
    settle_base(mechanism, base, base_pose, path)
    leave_out(mechanism, ignore)
    static = StaticLinks.of(mechanism)
    carried = carried_by_static(mechanism, static.links)
    take_off_static_shapes(mechanism)
    return FileContent(mechanism, static.bodies, untouchable=carried)


def _direction(vector: Array) -> str:
    """A name such as «y» or «-z» for a vector along an axis, else its numbers."""
    unit = vector / np.linalg.norm(vector)
    axis = int(np.argmax(np.abs(unit)))
    if abs(unit[axis]) < 1.0 - 1e-9:
        return f"({', '.join(f'{component:g}' for component in unit)})"
    return f"{'-' if unit[axis] < 0.0 else ''}{'xyz'[axis]}"
