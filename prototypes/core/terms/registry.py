"""The terms of a scene over nodes, made of those that the engine has read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Ints
from ipc_articulation.engine.terms.articulation import Articulation
from ipc_articulation.engine.terms.body_force import BodyForce
from ipc_articulation.engine.terms.contact import Contact
from ipc_articulation.engine.terms.driving_joint import DrivingJoints
from ipc_articulation.engine.terms.finite_elements import FiniteElements as EngineFiniteElements
from ipc_articulation.engine.terms.joint_force import JointForces
from ipc_articulation.engine.terms.joint_limit import JointLimits
from ipc_articulation.engine.terms.joint_penalty import JointPenalties
from ipc_articulation.engine.terms.kinetic import Kinetic as EngineKinetic
from ipc_articulation.engine.terms.shape import ShapeEnergy
from ipc_articulation.engine.terms.soft_position import SoftPosition as EngineSoftPosition
from ipc_articulation.engine.terms.soft_transform import SoftTransform as EngineSoftTransform
from ipc_articulation.engine.terms.stitches import Stitches as EngineStitches
from ipc_articulation.engine.terms.vertex_force import VertexForce
from ipc_articulation.frontend.contact_world import group_of_rows
from prototypes.core.term import Term
from prototypes.core.terms import joints
from prototypes.core.terms.articulations import Articulations
from prototypes.core.terms.coordinates import Numbering
from prototypes.core.terms.elements import FiniteElements, Stitches
from prototypes.core.terms.goals import SoftPosition, SoftTransform
from prototypes.core.terms.inertia import Kinetic
from prototypes.core.terms.loads import BodyLoad, VertexLoad
from prototypes.core.terms.shapes import Shape


class Source(NamedTuple):
    """What terms are made of."""

    model: Any  # `EngineModel`
    numbering: Numbering

    @property
    def first_vertex(self) -> int:
        """The first soft vertex of `Surfaces`."""
        return int(self.model.surfaces.first[self.numbering.affine])

    def nodes(self, vertices: Ints) -> Ints:
        """The nodes of soft vertices of `Surfaces`."""
        return vertices - self.first_vertex + 4 * self.numbering.affine


def read_terms(model: Any, terms: Iterable[Any]) -> list[Term]:
    """The terms of the potential of a CPU engine without contact, in their order.

    Raises:
        NotImplementedError: There is a term of another kind.
    """
    of = Source(model, numbering_of(model))
    return [_made(term, of) for term in terms if not isinstance(term, Contact)]


def numbering_of(model: Any) -> Numbering:
    """Rows of nodes among the engine's coordinates, with the numbers of `layout.read`."""
    bodies, surfaces = model.context.bodies, model.surfaces
    affine, body_of = bodies.affine_count, group_of_rows(bodies)
    soft = np.arange(surfaces.first[affine], len(surfaces.points))
    row = surfaces.body[soft]
    label = np.argmax(np.column_stack([np.full(len(soft), 0.5), surfaces.points[soft]]), axis=1)
    of_rows = np.concatenate([np.arange(affine), row])
    first = np.concatenate([4 * np.arange(affine), 4 * affine + np.arange(len(soft) + 1)])
    return Numbering(first, body_of[of_rows], bodies.is_fixed[of_rows], row, label, body_of)


def _made(term: Any, of: Source) -> Term:
    for kind, make in _MAKERS.items():
        if isinstance(term, kind):
            return make(term, of)
    raise NotImplementedError(f"not part of the core: the term '{term.name}'")


def _kinetic(term: EngineKinetic, of: Source) -> Term:
    return Kinetic(of.model.context.bodies, term.arrays.acceleration, term.arrays.order, of.numbering)


def _shape(term: ShapeEnergy, of: Source) -> Term:
    return Shape(term, of.numbering.affine, int(of.numbering.first[-1]))


def _body_load(term: Any, of: Source) -> Term:
    return BodyLoad(term, of.numbering)


def _vertex_load(term: VertexForce, of: Source) -> Term:
    return VertexLoad(term, of.nodes(term._vertices), of.numbering)


def _elements(term: EngineFiniteElements, of: Source) -> Term:
    return FiniteElements(term, of.numbering, of.first_vertex)


def _soft_position(term: EngineSoftPosition, of: Source) -> Term:
    return SoftPosition(term, of.numbering.rows_of(term._bodies, term._points), of.numbering)


def _of_affine(make: Callable[[Any, int], Term]) -> Callable[[Any, Source], Term]:
    return lambda term, of: make(term, of.numbering.affine)


_JOINTS: dict[type, Callable[[Any, int], Term]] = {
    JointPenalties: joints.JointPenalties,
    DrivingJoints: joints.DrivingJoints,
    JointLimits: joints.joint_limits,
    Articulation: Articulations,
}
_MAKERS: dict[type, Callable[[Any, Source], Term]] = {
    EngineKinetic: _kinetic,
    ShapeEnergy: _shape,
    BodyForce: _body_load,
    JointForces: _body_load,
    VertexForce: _vertex_load,
    EngineFiniteElements: _elements,
    EngineSoftPosition: _soft_position,
    EngineSoftTransform: lambda term, of: SoftTransform(term, term._aim.rows, of.numbering),
    EngineStitches: lambda term, of: Stitches(term, of.numbering),
    **{kind: _of_affine(make) for kind, make in _JOINTS.items()},
}
