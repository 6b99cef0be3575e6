"""Bodies whose geoms differ in friction: their surfaces as parts, each of the geoms with one friction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import mujoco
import numpy as np
from ipc_articulation.adapters.mujoco.pair_friction import sliding_friction, surfaces_of

from ipc_articulation.coupling.adapter import CoupledBody, SurfacePart
from ipc_articulation.dynamics.reading.mujoco.names import name_of
from ipc_articulation.naming import distinct
from ipc_articulation.repairs import caution


def named_surfaces(
    model: mujoco.MjModel, geoms: Mapping[str, list[int]], names: Sequence[str]
) -> dict[str, dict[str, list[int]]]:
    """Geoms of each surface of each body and plane; one that is a whole body is called like it.

    Args:
        model: The model.
        geoms: Geoms of each body and plane that has geoms.
        names: Of all bodies and planes; parts are called `body/geom`, with a number behind it if that is taken.
    """
    found = surfaces_of(model, geoms)
    cut = [(name, own) for name, of in found.items() if len(of) > 1 for own in of]
    free = iter(distinct([f"{name}/{name_of(model, 'geom', own[0])}" for name, own in cut], names))
    return {name: {next(free): own for own in of} if len(of) > 1 else {name: of[0]} for name, of in found.items()}


def friction_of(model: mujoco.MjModel, geoms: Sequence[int]) -> float:
    """The largest sliding friction of some geoms; frictionless ones (condim 1) count as zero."""
    return float(sliding_friction(model)[geoms].max(initial=0.0))


def whole_surfaces(
    model: mujoco.MjModel, surfaces: Mapping[str, Mapping[str, list[int]]]
) -> dict[str, dict[str, list[int]]]:
    """Surfaces that are whole bodies and planes, for what has one friction for each; warns where there were several."""
    for body, own in surfaces.items():
        if len(own) > 1:
            said = ", ".join(f"'{name}' {friction_of(model, geoms):g}" for name, geoms in own.items())
            caution(
                f"the geoms of '{body}' differ in friction, {said}, and the largest is used for all of them; the "
                "adapter 'mujoco' has it by geom"
            )
    return {body: {body: [geom for geoms in own.values() for geom in geoms]} for body, own in surfaces.items()}


def with_parts(
    model: mujoco.MjModel, body: CoupledBody, surfaces: Mapping[str, list[int]], counts: Mapping[int, int]
) -> CoupledBody:
    """A body with the parts of its surface, if it has several.

    Args:
        model: The model.
        body: The body.
        surfaces: Geoms of each of its surfaces.
        counts: Number of vertices of each of its geoms, in the order in which its mesh has them.
    """
    if len(surfaces) < 2:
        return body
    owner = np.repeat(list(counts), list(counts.values()))
    return replace(body, surface_parts=tuple(_parts(model, surfaces, owner)))


def _parts(model: mujoco.MjModel, surfaces: Mapping[str, list[int]], owner: np.ndarray) -> Iterator[SurfacePart]:
    for name, geoms in surfaces.items():
        vertices = np.flatnonzero(np.isin(owner, geoms))
        if len(vertices):
            yield SurfacePart(name, vertices, friction_of(model, geoms))
