"""Scenes of the engine as the core reads them, and what is within d̂ by both."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.held import Held
from ipc_articulation.contact.planes.pairs import rows_of
from prototypes.core import layout, newton, readouts, resistance
from prototypes.core.models import fill
from prototypes.core.search import nothing
from prototypes.core.stencils import PLANE

DT = 0.01  # [s]


class Begun(NamedTuple):
    """A step that has begun in the core."""

    stencils: Any  # `contact.Stencils`
    some: Any  # `contact.Near`
    y: Array  # (V, 3) [m]
    held: Held
    columns: tuple[Ints, Ints, Array, Array]  # kinds, vertices, κ and μ of what is within d̂
    of_friction: Array  # κ with which friction is
    changed: Bools  # (B,)


def read(cpu: Any) -> Any:
    """The scene of an engine, as a structref."""
    return read_both(cpu)[1]


def read_both(cpu: Any) -> tuple[layout.Scene, Any]:
    """The same with the tuples of arrays of which it is made."""
    *given, x, _ = layout.read(cpu, DT)
    return given[0], _scene_of(newton.hold(*given, x))


def nodes(cpu: Any, q: Array) -> Array:
    """Nodes (N, 3) from coordinates (n, 12)."""
    bodies, surfaces = cpu.model.context.bodies, cpu.model.surfaces
    affine = len(bodies.q) - int(bodies.soft.first[-1])
    soft = np.arange(int(surfaces.first[affine]), len(surfaces.points))
    label = np.argmax(np.column_stack([np.full(len(soft), 0.5), surfaces.points[soft]]), axis=1)
    return layout._nodes(q, affine, surfaces.body[soft], label)


def begin(cpu: Any, scene: Any) -> Begun:
    """Begin a step by both where the engine is."""
    state = cpu.state
    cpu.workspace.potential.begin_step(state, DT)
    term = next(term for term in cpu.workspace.potential.terms if term.name == "contact")
    given = (nodes(cpu, q) for q in (state.q, state.qdot, state.qdot_before))
    *parts, pairs, values, columns, of_friction, changed = _begin(
        scene, (*state.held_resistances,), term.resistance, *given
    )
    return Begun(*parts, Held(pairs, values), columns, of_friction, changed)


@compiled
def _scene_of(held):
    return held.scene


@compiled
def _begin(scene, held, adaptive, x, v, v_before):
    law, known = scene.table.law, nothing()
    resistance.begin_step(law, scene, known.stencils, held, DT, adaptive, v)
    y, stencils, some = readouts.within(scene, known, x)
    met = resistance.adopt(law, scene, stencils, some, y, (x - DT * v, x - DT * v_before))
    of_friction = stencils.kappa[some.of]
    changed = resistance.follow(law, scene, stencils, stencils, np.arange(len(stencils.kind)), met)
    pairs, values = _held(law)
    return stencils, some, y, pairs, values, _columns(stencils, some), of_friction, changed


@compiled
def _held(law):
    if law is None:
        return np.empty(0, dtype=np.int64), np.empty(0)
    return law.pairs, law.values


def refreshed(scene: Any, begun: Begun) -> Begun:
    """The same step with the models that the tables have now."""
    return begun._replace(columns=_filled(scene, begun.stencils, begun.some))


@compiled
def _filled(scene, stencils, some):
    fill(scene, stencils, 0, len(stencils.kind))
    return _columns(stencils, some)


@compiled
def _columns(stencils, some):
    of = some.of
    return stencils.kind[of], stencils.vertices[of], stencils.kappa[of], stencils.mu[of]


def models(begun: Begun) -> dict[Any, tuple[float, float]]:
    """κ and μ of what is within d̂ in the core, by primitives."""
    found = {_key(k, v): (kappa, mu) for k, v, kappa, mu in zip(*begun.columns, strict=True)}
    assert len(found) == len(begun.columns[0])
    return found


def models_of_engine(cpu: Any) -> dict[Any, tuple[float, float]]:
    """The same of a step that has begun in the engine."""
    world, found = cpu.workspace.contact, {}
    for of, near in zip(world.body_contacts, world.touching(), strict=True):
        kappa, parts = of._stiffness(near)[near.pair] / DT**2, getattr(of, "_parts", None)
        elements = getattr(of, "_elements", None)
        if elements is not None and len(near):
            mu = elements.frictions(near)[near.pair]
        else:
            mu = world.materials.frictions(near.bodies)[near.pair] if parts is None else parts.frictions(near)
        found |= {_key(*s): pair for *s, pair in zip(near.kind, near.vertices, np.stack([kappa, mu], 1), strict=True)}
    planes = world.half_planes
    pair, vertex = rows_of(planes._pairs)
    near = np.flatnonzero(planes._gaps(world._now.at.x) < planes.d_hat[pair])
    kappa = planes._resistance.of(planes.bodies)
    mu = planes._friction[pair] * (1.0 if planes._parts is None else planes._of_rows)
    for row in near:
        found[int(vertex[row]), int(planes._plane[pair[row]])] = (kappa[pair[row]], mu[row])
    return found


def _key(kind: int, vertices: Ints) -> Any:
    if kind == PLANE:
        return tuple(vertices[:2].tolist())
    split = 2 if kind == EDGES else 1
    sides = [tuple(sorted(side)) for side in (vertices[:split].tolist(), vertices[split:].tolist())]
    return tuple(sorted(sides)) if kind == EDGES else tuple(sides)
