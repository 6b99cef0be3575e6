"""What a step without contact is made of, gathered from a model as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import config, types
from numba.experimental import structref

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation.energy import ArticulationEnergy
from ipc_articulation.articulation.evaluation import Articulations, HeldArticulations
from ipc_articulation.articulation.joints import JointArrays, Joints
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.contact_free.system import make_system
from ipc_articulation.engine.linear_system.block_matrix import Blocks
from ipc_articulation.engine.linear_system.factor_pattern import Pattern
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.scene.model import Model
from ipc_articulation.engine.terms import ortho_potential
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.joint_penalty import JointPenalties, Penalties
from ipc_articulation.engine.terms.kinetic import Inertias, Kinetic
from ipc_articulation.engine.terms.shape import Shapes
from ipc_articulation.frontend.config import Config

_KNOWN = {Kinetic.name, ortho_potential.NAME, JointPenalties.name, Articulation.name}  # the terms that it can have


class Bodies(NamedTuple):
    """The n bodies."""

    movable: Bools  # (n,)
    labels: Ints  # (n,) islands
    driven: Bools  # (n,) see `Term.drives`
    exact: Bools  # (n,) see `Term.exact`
    is_link: Bools  # (n,) of an articulation
    center: Array  # (n, 3) of mass, in the body's frame [m]
    gravity: Array  # (n,) its magnitude [m/s²]
    extent: Array  # (n,) about the origin [m]
    surfaces: tuple[Array, Ints]  # vertices (V, 3), local [m], and where each body's vertices begin, (n + 1,)


class Limits(NamedTuple):
    """Tolerances and limits, see `Config`."""

    velocity_tol: float
    transrate_tol: float
    ccd_tol: float
    max_iter: int
    min_iter: int
    semi_implicit: bool
    semi_implicit_start: int
    semi_implicit_tol: float
    line_search_max_iter: int


class Problem(NamedTuple):
    """What a step without contact is made of; the terms' arrays are those that the model's own terms use."""

    order: int  # of the time integrator
    bodies: Bodies
    inertias: Inertias
    shapes: Shapes
    penalties: Penalties
    articulations: HeldArticulations | Articulations
    owner: Ints  # (F,) the body to which the energy of each freedom of an articulation is added
    H: Blocks  # the Newton system
    pattern: Pattern  # of its factor
    U: Array  # room for that
    limits: Limits
    joints: tuple[JointArrays, Array]  # whose angles are followed, and where these count from


@structref.register
class _HeldType(types.StructRef):
    """Numba's type of `Held`."""


class Held(structref.StructRefProxy):
    """A problem that compiled functions hand on by reference: to unpack it would cost 10 µs a call, to copy it 1 µs."""


structref.define_proxy(Held, _HeldType, Problem._fields)


@compiled
def _hold(problem):
    """The same as a `Held`; to make one from Python takes a second in each process, for that is not kept on disk."""
    return Held(*problem)


def make_problem(model: Model, potential: Potential, may_touch: bool) -> Held | Problem | None:
    """The problem of a model; None where its bodies may touch, or one of its terms is none of those known here."""
    found = {term.name: term for term in potential.terms}
    if may_touch or not found.keys() <= _KNOWN:
        return None
    problem = _gather(model, potential, found)
    return problem if config.DISABLE_JIT else _hold(problem)


def _gather(model: Model, potential: Potential, found: dict[str, Any]) -> Problem:
    n, nothing = len(model.context.bodies), np.zeros((0, 2), dtype=np.int64)
    shape = found.get(ortho_potential.NAME, ortho_potential.make(np.zeros(n)))
    joint = found.get(JointPenalties.name, JointPenalties([], np.zeros(n)))
    articulation = found.get(Articulation.name)
    energy = model.context.articulations.energy or ArticulationEnergy(Joints.concatenate([]), n, ())
    H, pattern, U = make_system(potential.movable, joint.arrays.bodies, energy.arrays)
    return Problem(
        order=model.order,
        bodies=_gather_bodies(model, potential),
        inertias=found[Kinetic.name].arrays,
        shapes=shape.arrays,
        penalties=joint.arrays,
        articulations=energy.held,
        owner=nothing[:, 0] if articulation is None else articulation.owner,
        H=H,
        pattern=pattern,
        U=U,
        limits=_gather_limits(model.config),
        joints=model.context.coordinates.arrays,
    )


def _gather_bodies(model: Model, potential: Potential) -> Bodies:
    return Bodies(
        movable=potential.movable,
        labels=potential.labels,
        driven=potential.driven,
        exact=potential.exact,
        is_link=model.context.bodies.external_kinetic,
        center=np.ascontiguousarray(model.center),
        gravity=model.gravity_strength,
        extent=potential.extent,
        surfaces=(model.surfaces.points, model.surfaces.first),
    )


def _gather_limits(settings: Config) -> Limits:
    return Limits(**{name: getattr(settings, name) for name in Limits._fields})
