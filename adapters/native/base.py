"""What the adapters of our own dynamics share: the model, its drive, and what stands around the robot."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TypedDict

import numpy as np
from ipc_articulation.adapters.native.chain import make_chain
from ipc_articulation.adapters.native.mechanism import Surfaces, describe

from ipc_articulation.arrays import Array
from ipc_articulation.coupling.adapter import CoupledBody, CoupledRobot, HalfPlane
from ipc_articulation.coupling.robots import FRICTION
from ipc_articulation.coupling.solids import MeshShape
from ipc_articulation.dynamics.forces.actuation import within_effort
from ipc_articulation.dynamics.integrators import Drive, Scheme
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import AdapterError


class Around(TypedDict, total=False):
    """What stands around a robot, and how surfaces are made; see `NativeAdapter`."""

    free: Iterable[CoupledBody]
    static: Iterable[CoupledBody]
    planes: Iterable[HalfPlane]
    friction: float | Mapping[str, float]
    untouchable: Collection[frozenset[str]]
    mesh_shape: MeshShape


class ModelAdapter:
    """A model without its state; arguments, attributes and errors as in `NativeAdapter`."""

    def __init__(
        self,
        model: Model,
        dt: float,
        scheme: Scheme,
        *,
        free: Iterable[CoupledBody] = (),
        static: Iterable[CoupledBody] = (),
        planes: Iterable[HalfPlane] = (),
        friction: float | Mapping[str, float] = FRICTION,
        untouchable: Collection[frozenset[str]] = (),
        mesh_shape: MeshShape = "mesh",
    ) -> None:
        if not dt > 0.0:
            raise AdapterError(f"the time step is {dt} s; it must be positive")
        self.model, self.scheme, self.drive = model, scheme, Drive()
        self.free, self.static, self.planes = tuple(free), tuple(static), tuple(planes)
        self._dt, self._untouchable = float(dt), frozenset(untouchable)
        self._chain = make_chain(model)
        self._surfaces = Surfaces.of(model, friction, mesh_shape)

    @property
    def dt(self) -> float:
        """Time step [s]."""
        return self._dt

    @property
    def gravity(self) -> Array:
        """Gravity, (3,) [m/s²]."""
        return self.model.gravity.copy()

    def _describe_at(self, q: Array) -> CoupledRobot:
        """The model at a position of its tree, (m,)."""
        mechanism = describe(self._chain, q, self._surfaces, self.free, self.static, self.planes)
        return replace(mechanism, untouchable=mechanism.untouchable | self._untouchable)

    def _possible_drive(self, q: Array, v: Array) -> Drive:
        """The drive with a constant force where PD control would exceed the effort limit: M̂ has no gains there."""
        if self.drive.pd is None:
            return self.drive
        pd, beyond = self.drive.pd.limited(self.model, q, v)
        return replace(self.drive, tau=within_effort(self.model, self.drive.tau) + beyond, pd=pd)

    def _free_state(self) -> dict[str, Array]:
        """Poses and velocities of the free bodies, (f, 4, 4) each."""
        poses, rates = ([getattr(body, key) for body in self.free] for key in ("pose", "velocity"))
        return {"free_poses": np.reshape(poses, (-1, 4, 4)), "free_velocities": np.reshape(rates, (-1, 4, 4))}

    def _restore_free(self, state: Mapping[str, Array]) -> None:
        self._move_free(state["free_poses"], state["free_velocities"])

    def _move_free(self, poses: Array, velocities: Array) -> None:
        moved = zip(self.free, poses, velocities, strict=True)
        self.free = tuple(replace(body, pose=pose, velocity=rate) for body, pose, rate in moved)


def refuse_equal_names(mechanism: CoupledRobot) -> None:
    """Links, bodies and planes are known by name.

    Raises:
        AdapterError: Two of them have the same.
    """
    bodies = (*mechanism.links, *mechanism.free, *mechanism.static)
    names = [entry.name for entries in (bodies, mechanism.planes) for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise AdapterError(f"two bodies are called '{name}'; give every link, body and plane a name of its own")


def refuse_other_lengths(state: Mapping[str, Array], **present: Array) -> None:
    """A state must have the arrays of the present one.

    Raises:
        AdapterError: One of them is missing, or has another length.
    """
    for name, array in present.items():
        length = len(state[name]) if name in state else 0
        if length != len(array):
            raise AdapterError(f"the state is of another model: {name} has {length} numbers, this model's {len(array)}")
