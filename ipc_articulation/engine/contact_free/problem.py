"""The data of a step without contact, as arrays, made from a model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import config, types
from numba.experimental import structref

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.articulation.joints import JointArrays
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.contact_free.system import make_system
from ipc_articulation.engine.linear_system.block_matrix import Blocks
from ipc_articulation.engine.linear_system.by_fronts.front_pattern import FrontPattern
from ipc_articulation.engine.potential import Potential
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.usual_terms import USUAL, HeldTerms, TermArrays, hold_terms
from ipc_articulation.frontend.config import Config


class BodyArrays(NamedTuple):
    """Arrays of the n bodies."""

    movable: Bools  # (n,)
    labels: Ints  # (n,) islands
    driven: Bools  # (n,) see `Term.drives`
    exact: Bools  # (n,) see `Term.exact`
    remainder: Array  # (n,) see `newton.convergence`
    is_link: Bools  # (n,) of an articulation
    center: Array  # (n, 3) of mass, in the body's frame [m]
    tree: tuple[Ints, Ints]  # see `joint_tree`
    gravity: Array  # (n,) its magnitude [m/s²]
    extent: Array  # (n,) about the origin [m]
    surfaces: tuple[Array, Ints]  # `Surfaces.corners`


class Limits(NamedTuple):
    """Tolerances and limits of Newton's method; see `Config`."""

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
    """The data of a step without contact."""

    order: int  # of the time integrator
    bodies: BodyArrays
    terms: HeldTerms | TermArrays
    H: Blocks  # the Newton system
    pattern: FrontPattern  # of its factor
    U: Array  # scratch for that
    limits: Limits
    joints: tuple[JointArrays, Array]  # whose angles are followed, and where these count from


@structref.register
class _HeldProblemType(types.StructRef):
    """Numba's type of `HeldProblem`."""


class HeldProblem(structref.StructRefProxy):
    """A problem that compiled functions pass by reference: unpacking it would cost 10 µs per call, copying it 1 µs."""


structref.define_proxy(HeldProblem, _HeldProblemType, Problem._fields)


@compiled
def _hold(problem):
    """A reference to the problem; made from Python it would take a second in each process, because it is not cached."""
    return HeldProblem(*problem)


def make_problem(model: EngineModel, potential: Potential, may_touch: bool) -> HeldProblem | Problem | None:
    """The problem of a model; None if its bodies may touch or one of its terms is not supported here."""
    found = {term.name: term for term in potential.terms}
    if may_touch or not found.keys() <= set(USUAL) or model.context.bodies.soft.bodies:
        return None
    problem = _gather(model, potential, found)
    return problem if config.DISABLE_JIT else _hold(problem)


def _gather(model: EngineModel, potential: Potential, found: dict[str, Any]) -> Problem:
    H, pattern, U = make_system(potential.movable, [bodies for term in potential.terms for bodies in term.blocks])
    return Problem(
        order=model.order,
        bodies=_gather_bodies(model, potential),
        terms=hold_terms(found, len(model.context.bodies)),
        H=H,
        pattern=pattern,
        U=U,
        limits=_gather_limits(model.config),
        joints=model.context.coordinates.arrays,
    )


def _gather_bodies(model: EngineModel, potential: Potential) -> BodyArrays:
    return BodyArrays(
        movable=potential.movable,
        labels=potential.labels,
        driven=potential.driven,
        exact=potential.exact,
        remainder=potential.remainder,
        is_link=model.context.bodies.external_kinetic,
        center=np.ascontiguousarray(model.center),
        tree=potential.tree,
        gravity=model.gravity_strength,
        extent=potential.extent,
        surfaces=model.surfaces.corners,
    )


def _gather_limits(settings: Config) -> Limits:
    return Limits(**{name: getattr(settings, name) for name in Limits._fields})
