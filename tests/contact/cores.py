"""Scenes of the engine as the core reads them, and what is within d̂ there."""

from __future__ import annotations

from typing import Any, NamedTuple

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact import readouts
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.held import Held
from ipc_articulation.contact.stencils import PLANE
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.engine.terms.kinetic import Kinetic
from ipc_articulation.engine.terms.registry import read_terms
from ipc_articulation.frontend.nodes.distances import Distances

DT = 0.01  # [s]


class Begun(NamedTuple):
    """A step that has begun in the core."""

    stencils: Any  # `contact.Stencils`
    some: Any  # `contact.Near`
    y: Array  # (V, 3) [m]
    held: Held
    columns: tuple[Ints, Ints, Array, Array]  # kinds, vertices, κ and μ of what is within d̂
    friction: Array  # (F,) μ λ [N·s²]
    changed: Bools  # (B,)


def read(cpu: Any) -> Core:
    """A core of an engine's scene of its own, where the engine is."""
    model, contact = cpu.model, cpu.workspace.contact
    bodies, context = model.context.bodies, model.context
    kinetic = Kinetic(bodies, model.order, context.numbering)
    distances = Distances(bodies, model.surfaces, contact)
    return Core(model, [kinetic, *read_terms(model.slots, context)], distances)


def begin(cpu: Any, core: Core) -> Begun:
    """Begin a step of the core where the engine is."""
    core.begin_step(cpu.state, DT)
    *parts, pairs, values, columns, friction, changed = _begun(core.work)
    return Begun(*parts, Held(pairs, values), columns, friction, changed)


@compiled
def _begun(work):
    now, law = work.now, work.scene.table.law
    y, stencils, some = readouts.within(work.scene, work.candidates, now.x)
    of, near = now.some.of, now.stencils
    columns = near.kind[of], near.vertices[of], near.kappa[of], near.mu[of]
    return stencils, some, y, law.pairs, law.values, columns, work.friction.force, work.stiffer


def models(begun: Begun) -> dict[Any, tuple[float, float]]:
    """κ and μ of what is within d̂, by primitives."""
    found = {key(k, v): (kappa, mu) for k, v, kappa, mu in zip(*begun.columns, strict=True)}
    assert len(found) == len(begun.columns[0])
    return found


def key(kind: int, vertices: Ints) -> Any:
    """Name of a stencil."""
    if kind == PLANE:
        return tuple(vertices[:2].tolist())
    split = 2 if kind == EDGES else 1
    sides = [tuple(sorted(side)) for side in (vertices[:split].tolist(), vertices[split:].tolist())]
    return tuple(sorted(sides)) if kind == EDGES else tuple(sides)
