"""Soft bodies in a `BodyTable`: rows of their vertices after those of the affine bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ipc_articulation import tetrads
from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Array
from ipc_articulation.frontend.bodies import BodyTable
from ipc_articulation.frontend.soft.soft_body import SoftBody
from ipc_articulation.frontend.soft.soft_rows import soft_rows


def with_soft_bodies(table: BodyTable, bodies: Sequence[SoftBody]) -> BodyTable:
    """A table of affine bodies with the rows of soft bodies after them."""
    if not bodies:
        return table
    rows = soft_rows(bodies)
    members, counts = rows.members, np.diff(rows.first)
    m = rows.column([body.mass for body in bodies], np.nan)
    m = np.where(rows.has, m, np.nanmean(m, axis=1, keepdims=True))

    def each(name: str) -> Array:
        return np.repeat([getattr(body, name) for body in bodies], counts)

    def of_first(name: str) -> Array:
        return np.concatenate([getattr(body, name)[of[:, 0]] for body, of in zip(bodies, members, strict=True)])

    none = np.zeros(sum(counts))
    columns: dict[str, Any] = {
        "geometry": none.astype(np.int64) - 1,
        "instance": np.concatenate([np.arange(count) for count in counts]),
        "q": rows.positions([body.x for body in bodies]),
        "qdot": rows.rates([body.v for body in bodies]),
        "mass": tetrads.mass_matrices(m),
        "volume": none,
        "kappa": none,
        "is_fixed": of_first("is_fixed"),
        "is_dynamic": of_first("is_dynamic"),
        "external_kinetic": none > 0.0,
        "contact_element": np.repeat([body.contact_elements[0] for body in bodies], counts),
        "subscene": each("subscene"),
        "d_hat": each("d_hat"),
        "self_collision": each("self_collision"),
        "own_gravity": of_first("own_gravity"),
    }
    joined: dict[str, Any] = {name: np.concatenate([getattr(table, name), column]) for name, column in columns.items()}
    return replace(table, names=(*table.names, *each("name").tolist()), soft=rows, **joined)


def accelerations(table: BodyTable, gravity: Array) -> Array:
    """Acceleration (n, 12) of the coordinates by gravity (3,) [m/s²], or by that of bodies and vertices themselves."""
    found = np.zeros((len(table), DOF))
    found[:, :3] = table.gravity(gravity)
    if table.soft.bodies:
        own = [np.where(np.isnan(body.own_gravity), gravity, body.own_gravity) for body in table.soft.bodies]
        found[table.affine_count :] = table.soft.rates(own)
    return found
