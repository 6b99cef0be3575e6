"""Scenes of the engine as the core reads them, and what is within d̂ by both."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.compiled import compiled
from ipc_articulation.contact.closest_points import EDGES
from ipc_articulation.contact.held import Held
from ipc_articulation.contact.planes.pairs import rows_of
from ipc_articulation.contact import readouts
from ipc_articulation.engine.newton.core import Core
from ipc_articulation.contact.stencils import PLANE

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
    """The core of an engine's scene, where the engine is."""
    return Core(cpu.model, cpu.workspace, cpu.state)


def begin(cpu: Any, core: Core) -> Begun:
    """Begin a step by both where the engine is."""
    cpu.workspace.potential.begin_step(cpu.state, DT)
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
