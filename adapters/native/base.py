"""What the adapters of our own dynamics share: the model, its drive, and what stands around the robot."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TypedDict

from ipc_articulation.adapters.native.chain import Array, make_chain
from ipc_articulation.adapters.native.mechanism import FRICTION, Surfaces, describe

from ipc_articulation.coupling.adapter import Body, HalfPlane, Mechanism
from ipc_articulation.coupling.solids import MeshShape
from ipc_articulation.dynamics.forces.actuation import within_effort
from ipc_articulation.dynamics.integrators import Drive, Scheme
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import AdapterError


class Around(TypedDict, total=False):
    """What stands around a robot, and how surfaces are made; see `NativeAdapter`."""

    free: Iterable[Body]
    static: Iterable[Body]
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
        free: Iterable[Body] = (),
        static: Iterable[Body] = (),
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

    def _describe_at(self, q: Array) -> Mechanism:
        """The model at a position of its tree, (m,)."""
        mechanism = describe(self._chain, q, self._surfaces, self.free, self.static, self.planes)
        return replace(mechanism, untouchable=mechanism.untouchable | self._untouchable)

    def _possible_drive(self, q: Array, v: Array) -> Drive:
        """The drive with a constant force where PD control would exceed the effort limit: M̂ has no gains there."""
        if self.drive.pd is None:
            return self.drive
        pd, beyond = self.drive.pd.limited(self.model, q, v)
        return replace(self.drive, tau=within_effort(self.model, self.drive.tau) + beyond, pd=pd)

    def _move_free(self, poses: Array, velocities: Array) -> None:
        moved = zip(self.free, poses, velocities, strict=True)
        self.free = tuple(replace(body, pose=pose, velocity=rate) for body, pose, rate in moved)


def refuse_equal_names(mechanism: Mechanism) -> None:
    """Links, bodies and planes are known by name.

    Raises:
        AdapterError: Two of them have the same.
    """
    bodies = (*mechanism.links, *mechanism.free, *mechanism.static)
    names = [entry.name for entries in (bodies, mechanism.planes) for entry in entries]
    for name in names:
        if names.count(name) > 1:
            raise AdapterError(f"two bodies are called '{name}'; give every link, body and plane a name of its own")
