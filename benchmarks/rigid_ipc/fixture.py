"""rigid-ipc's JSON fixtures, with the defaults and conventions of its `read_rb_scene` and `SimState`.

- y is up; lengths in m, masses in kg. A fixture's `rigid_bodies` are in `rigid_body_problem`.
- `dimensions` are the extents that the mesh gets, and override `scale`. `rotation` [degrees] is Rz Ry Rx about the
  mesh's origin, which goes to `position`.
- Velocities are those of the centre of mass; `angular_velocity` and `torque` are in the world's axes and in degrees,
  also the torque: it is multiplied by π/180.
- `is_dof_fixed`: three translations and three rotations, or one value for all. What is wholly fixed is static.
- Static and kinematic bodies do not touch each other, nor do bodies with the same `group_id`, which join the static
  ones if one of those has it.
- `kinematic_poses`: one a step, of the centre of mass and the principal axes; then the velocities go on. After
  `kinematic_max_time` the body stands still.
- Keys that begin with # are comments. `coefficient_restitution` has no effect, in rigid-ipc neither.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.rigid_ipc.mass import Moments, moments
from benchmarks.rigid_ipc.meshes import Mesh, make_mesh, read_mesh
from ipc_articulation.arrays import Array
from ipc_articulation.errors import UnsupportedError

ROOT = Path(__file__).parents[2] / "models" / "rigid_ipc"

STATIC_GROUP = -2  # of all static and kinematic bodies
STEPS_WITHOUT_END = 1000  # of fixtures without max_time and max_iterations
UNTIL_SETTLED = 50  # minimisations at most where a fixture wants friction renewed until it has settled


@dataclass(frozen=True, eq=False)
class Shape:
    """A scaled mesh about its centre of mass, not rotated; equal ones are one object."""

    mesh: Mesh
    moments: Moments  # before the shift: of the scaled mesh


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body."""

    name: str
    shape: Shape
    position: Array  # (3,) of the centre of mass [m]
    rotation: Array  # (3, 3)
    velocity: Array  # (3,) of the centre of mass [m/s]
    spin: Array  # (3,) in the world's axes [rad/s]
    force: Array  # (3,) [N]
    torque: Array  # (3,) in the world's axes [N·m]
    density: float  # [kg/m³], or by area, length or point
    type: str  # "static", "kinematic" or "dynamic"
    fixed: tuple[bool, ...]  # three translations, three rotations
    group: int  # of bodies that do not touch each other; -1: of its own
    poses: Array  # (k, 3) positions of the first k steps [m]
    motion_ends: float  # [s]


@dataclass(frozen=True)
class Fixture:
    """A scene of rigid-ipc."""

    name: str
    bodies: tuple[Body, ...]
    dt: float  # [s]
    steps: int
    gravity: Array  # (3,) [m/s²]
    friction: float
    eps_velocity: float  # [m/s]
    friction_iterations: int  # minimisations of a step, with friction renewed after each
    d_hat: float  # [m]
    separation: float  # least distance of surfaces, beyond which d̂ begins [m]

    @property
    def heaviest(self) -> float:
        """Greatest weight of a dynamic body [N]."""
        masses = (body.density * body.shape.moments.volume for body in self.bodies if body.type == "dynamic")
        return float(max(masses, default=0.0) * np.linalg.norm(self.gravity))


def fixture_files(root: Path = ROOT) -> dict[str, Path]:
    """Fixtures in space by their names below `fixtures/`; those of the paper's figures are links to them."""
    folder = root / "fixtures"
    files = sorted(file for file in (folder / "3D").rglob("*.json"))
    return {str(file.relative_to(folder).with_suffix("")): file for file in files}


def read_fixture(file: Path, root: Path = ROOT) -> Fixture:
    """Read a fixture.

    Raises:
        MeshError: A mesh is missing.
        UnsupportedError: It has something that this reader does not know.
    """
    args = json.loads(file.read_text(encoding="utf-8"))
    problem = args["rigid_body_problem"]
    barrier = args.get("distance_barrier_constraint", {})
    dt = float(args.get("timestep", 0.01))
    friction = problem.get("coefficient_friction", 0.0)
    law = args.get("friction_constraints", {})
    iterations = int(law.get("iterations", 1))
    if iterations == 0:
        friction = 0.0
    return Fixture(
        name=str(file.relative_to(root / "fixtures").with_suffix("")),
        bodies=tuple(_grouped([body for item in problem["rigid_bodies"] for body in _bodies(item, root)])),
        dt=dt,
        steps=_steps(args, dt),
        gravity=_vector(problem.get("gravity", [0, 0, 0])),
        friction=float(friction),
        eps_velocity=float(law.get("static_friction_speed_bound", 1e-3)),
        friction_iterations=UNTIL_SETTLED if iterations < 0 else max(iterations, 1),
        d_hat=float(barrier.get("initial_barrier_activation_distance", 1e-3)),
        separation=float(barrier.get("minimum_separation_distance", 0.0)),
    )


def _steps(args: dict[str, Any], dt: float) -> int:
    if args.get("max_time", -1) >= 0:
        return int(np.ceil(args["max_time"] / dt))
    steps = args.get("max_iterations", -1)
    return steps if steps > 0 else STEPS_WITHOUT_END


def _bodies(item: dict[str, Any], root: Path) -> Iterator[Body]:
    """The body of an item, or those of its components; none if it is not enabled."""
    if not item.get("enabled", True):
        return
    mesh = _mesh(item, root)
    fixed = _fixed(item)
    kind = "static" if all(fixed) else item.get("type", "dynamic")
    free = 1.0 - np.array(fixed, dtype=float)
    rotation = Rotation.from_euler("xyz", _vector(item.get("rotation", [0, 0, 0])), degrees=True).as_matrix()
    for number, shape in enumerate(_shapes(item, mesh)):
        part = f" part {number}" if item.get("split_components", False) else ""
        yield Body(
            name=Path(item.get("mesh", "") or "body").stem + part,
            shape=shape,
            position=_vector(item.get("position", [0, 0, 0])) + rotation @ shape.moments.centre,
            rotation=rotation,
            velocity=_vector(item.get("linear_velocity", [0, 0, 0])) * free[:3],
            spin=np.radians(_vector(item.get("angular_velocity", [0, 0, 0]))) * free[3:],
            force=_vector(item.get("force", [0, 0, 0])) * free[:3],
            torque=np.radians(_vector(item.get("torque", [0, 0, 0]))) * free[3:],
            density=float(item.get("density", 1000.0)),
            type=kind,
            fixed=fixed,
            group=int(item.get("group_id", -1)),
            poses=_poses(item),
            motion_ends=_motion_ends(item),
        )


def _vector(values: Any) -> Array:
    return np.array(values[:3], dtype=float)


def _fixed(item: dict[str, Any]) -> tuple[bool, ...]:
    fixed = item.get("is_dof_fixed", False)
    return (fixed,) * 6 if isinstance(fixed, bool) else tuple(fixed[:6])


def _poses(item: dict[str, Any]) -> Array:
    poses = item.get("kinematic_poses", [])
    if any(np.any(pose.get("rotation", 0)) for pose in poses):
        raise UnsupportedError("kinematic_poses with rotations, which are about principal axes, are not read")
    return np.array([pose.get("position", [0, 0, 0]) for pose in poses], dtype=float).reshape(-1, 3)


def _motion_ends(item: dict[str, Any]) -> float:
    end = item.get("kinematic_max_time", -1)
    return float(end) if end >= 0 else np.inf


def _mesh(item: dict[str, Any], root: Path) -> Mesh:
    if item.get("mesh", ""):
        return _read_once(root / "meshes" / item["mesh"])
    return make_mesh(item["vertices"], item.get("edges", ()), item.get("faces", ()))


@cache
def _read_once(file: Path) -> Mesh:
    return read_mesh(file)


def _shapes(item: dict[str, Any], mesh: Mesh) -> list[Shape]:
    scale = tuple(float(s) for s in np.broadcast_to(_scale(item, mesh), 3))
    return _shapes_once(mesh, scale, bool(item.get("split_components", False)))


def _scale(item: dict[str, Any], mesh: Mesh) -> Any:
    if "dimensions" in item:
        extents = np.ptp(mesh.points, axis=0)
        return _vector(item["dimensions"]) / np.where(extents == 0.0, 1.0, extents)
    return item.get("scale", 1.0)


@cache
def _shapes_once(mesh: Mesh, scale: tuple[float, ...], split: bool) -> list[Shape]:
    scaled = mesh.placed(np.array(scale), np.zeros(3))
    found = [(part, moments(part)) for part in (scaled.components() if split else [scaled])]
    return [Shape(part.placed(np.ones(3), -m.centre), m) for part, m in found]


def _grouped(bodies: list[Body]) -> Iterator[Body]:
    of_static = {body.group for body in bodies if body.type != "dynamic" and body.group >= 0}
    for body in bodies:
        stands = body.type != "dynamic" or body.group in of_static
        yield replace(body, group=STATIC_GROUP) if stands else body
