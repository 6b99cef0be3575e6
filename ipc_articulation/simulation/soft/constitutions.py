"""Geometries of soft bodies with libuipc's constitutions.

In libuipc «thickness» is a radius: the distance from a surface or axis at which other surfaces stay. A sheet of the
thickness h has r = h/2, a rod of the diameter D has r = D/2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import uipc
from uipc import constitution, geometry

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.published_materials import Elastic, SoftBody


def soft_geometry(body: SoftBody, values: Elastic, vertices: Array, cells: Ints, fixed: Ints) -> Any:
    """The geometry of a body: mesh, energies, fixed vertices, velocity.

    Args:
        body: Of the scene file.
        values: Its elastic values; all that it needs are known.
        vertices: At the start, which is its rest shape, (V, 3) [m] in the world.
        cells: Its elements, (k, 4), (k, 3) or (k, 2).
        fixed: Numbers of the vertices that never move.
    """
    make = {4: geometry.tetmesh, 3: geometry.trimesh, 2: geometry.linemesh}[cells.shape[1]]
    # pyuipc misreads arrays that are not in C order
    mesh = make(np.ascontiguousarray(vertices), np.ascontiguousarray(cells, dtype=np.int32))
    geometry.label_surface(mesh)
    match body:
        case schema.SoftEntry():
            _solid(mesh, body, values)
        case schema.ClothEntry():
            _cloth(mesh, body, values)
        case schema.RodEntry():
            _rod(mesh, body, values)
    uipc.view(mesh.meta().find("self_collision"))[:] = int(body.self_collision)
    uipc.view(mesh.vertices().find("is_fixed"))[fixed] = 1
    if body.velocity is not None:
        velocities = np.tile(np.array(body.velocity), (len(vertices), 1))
        velocities[fixed] = 0.0
        uipc.view(mesh.vertices().find("velocity"))[:] = velocities[:, :, None]
    mesh.meta().create("name", body.name)
    return mesh


def _solid(mesh: Any, body: schema.SoftEntry, values: Elastic) -> None:
    E, nu = _known(values.youngs_modulus), values.poissons_ratio
    if body.model == "arap":  # Ψ = κ‖F - R‖²: Lamé's μ = κ and λ = 0, so E = 2κ
        constitution.ARAP().apply_to(mesh, 0.5 * E, values.density)
    else:
        moduli = constitution.ElasticModuli.youngs_poisson(E, _known(nu))
        constitution.StableNeoHookean().apply_to(mesh, moduli, values.density)


def _cloth(mesh: Any, body: schema.ClothEntry, values: Elastic) -> None:
    E, nu, radius = _known(values.youngs_modulus), _known(values.poissons_ratio), 0.5 * _known(values.thickness)
    moduli = constitution.ElasticModuli2D.youngs_poisson(E, nu)
    if body.membrane == "strain_limiting":
        constitution.StrainLimitingBaraffWitkinShell().apply_to(
            mesh, moduli=moduli, mass_density=values.density, thickness=radius
        )
    else:
        constitution.NeoHookeanShell().apply_to(mesh, moduli, values.density, radius)
    bending = constitution.DiscreteShellBending()
    if body.bending is None:
        bending.apply_to(mesh, E, nu)
    elif body.bending > 0.0:
        bending.apply_to(mesh, body.bending)


def _rod(mesh: Any, body: schema.RodEntry, values: Elastic) -> None:
    E = _known(values.youngs_modulus)
    constitution.HookeanSpring().apply_to(mesh, E, values.density, 0.5 * body.thickness)
    bending = E if body.bending is None else body.bending
    if bending > 0.0:
        constitution.KirchhoffRodBending().apply_to(mesh, bending)


def element_stiffness(body: SoftBody, values: Elastic, edge: float) -> float:
    """Stiffness of an element with edges of a length l [N/m]: E l of solids, E h of sheets, E π r²/l of rods."""
    E = _known(values.youngs_modulus)
    if isinstance(body, schema.RodEntry):
        return E * np.pi * (0.5 * body.thickness) ** 2 / edge
    return E * (_known(values.thickness) if isinstance(body, schema.ClothEntry) else edge)


def _known(value: float | None) -> float:
    assert value is not None  # the scene's checks refuse bodies without it
    return value
