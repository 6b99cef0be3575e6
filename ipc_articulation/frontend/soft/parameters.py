"""Material parameters of elements, and checks of them: with a wrong one an energy has no minimum at rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.entries import Entries
from ipc_articulation.frontend.soft.soft_body import SoftBody


def read_stiffness(body: SoftBody, collection: Any, name: str, kind: str) -> Array:
    """An attribute of a collection of the body's geometry, (k,): numbers that are finite and 0 or more.

    Args:
        body: The body.
        collection: `geometry.edges()` and the like.
        name: Name of the attribute.
        kind: What messages call an entry of the collection.

    Raises:
        SceneError: The attribute is missing or of another type, or a value is not finite or negative.
    """
    values = Entries(collection, body.owner, kind).numbers(name)
    bad = ~np.isfinite(values) | (values < 0.0)
    if bad.any():
        e = int(np.argmax(bad))
        raise SceneError(f"{body.owner}: {kind} {e} has the '{name}' {values[e]:g}; it must be finite and 0 or more")
    return values


def read_finite(body: SoftBody, collection: Any, name: str, kind: str) -> Array:
    """Like `read_stiffness`, but negative numbers are allowed."""
    values = Entries(collection, body.owner, kind).numbers(name)
    if not np.isfinite(values).all():
        e = int(np.argmin(np.isfinite(values)))
        raise SceneError(f"{body.owner}: {kind} {e} has the '{name}' {values[e]:g}; it must be finite")
    return values


def refuse_unstable_solid(body: SoftBody, mu: Array, lam: Array) -> None:
    """Refuse parameters (k,) [Pa] of StableNeoHookean that no solid has.

    They are μ = 4μ'/3 and λ = λ' + 5μ'/6 of Lamé's parameters μ', λ', for which a solid has μ' > 0 and 3λ' + 2μ' > 0:
    Poisson's ratio ν = λ'/(2(λ' + μ')) is between -1 and 0.5.

    Raises:
        SceneError: A tetrahedron has others; the message has its ν.
    """
    lame_mu = 0.75 * mu
    lame_lam = lam - 5.0 / 6.0 * lame_mu
    bad = ~((lame_mu > 0.0) & (3.0 * lame_lam + 2.0 * lame_mu > 0.0))
    _refuse(body, bad, "tetrahedron", mu, lam, lame_lam / _nonzero(2.0 * (lame_lam + lame_mu)), "-1 and 0.5")


def refuse_unstable_shell(body: SoftBody, mu: Array, lam: Array) -> None:
    """Refuse parameters (k,) [Pa] of NeoHookeanShell: in plane stress μ > 0 and λ + μ > 0, so -1 < ν = λ/(λ + 2μ) < 1.

    Raises:
        SceneError: A triangle has others; the message has its ν.
    """
    _refuse(body, ~((mu > 0.0) & (lam + mu > 0.0)), "triangle", mu, lam, lam / _nonzero(lam + 2.0 * mu), "-1 and 1")


def _nonzero(values: Array) -> Array:
    return np.where(values == 0.0, np.nan, values)


def _refuse(body: SoftBody, bad: Any, kind: str, mu: Array, lam: Array, nu: Array, limits: str) -> None:
    if bad.any():
        e = int(np.argmax(bad))
        raise SceneError(
            f"{body.owner}: {kind} {e} has 'mu' {mu[e]:g} and 'lambda' {lam[e]:g}, Poisson's ratio {nu[e]:.3g}; no "
            f"material has them: 'mu' must be positive, and Poisson's ratio between {limits}"
        )
