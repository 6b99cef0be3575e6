"""The elements of soft bodies by libuipc's constitutions, each with its energy and the constants of its rest shape.

The energies of `ipc_articulation.elasticity` are in joules; the engine minimises dt² times their sum. Constants are
read once, at `world.init`, as libuipc does. Hinges without stiffness are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.elasticity import (
    arap,
    hookean_spring,
    neo_hookean_shell,
    plastic_shell_bending,
    rod_bending,
    shell_bending,
    stable_neo_hookean,
    strain_limiting_shell,
)
from ipc_articulation.errors import MeshError, SceneError
from ipc_articulation.frontend.soft.parameters import (
    read_finite,
    read_stiffness,
    refuse_unstable_shell,
    refuse_unstable_solid,
)
from ipc_articulation.frontend.soft.soft_body import SoftBody
from ipc_articulation.frontend.soft.stencils import corners, find_edges, hinges


class Creases(NamedTuple):
    """What `plastic_shell_bending.yielded` needs to move the rest angles after a step; `threshold` is a state too."""

    threshold: Array  # (k,) θ_y [rad]; not used by the stress-plastic form
    hardening: Array  # (k,) H: a number, or [N·m] for the stress-plastic form
    stress: bool  # whether the form is the stress-plastic one


class Elements(NamedTuple):
    """k elements of one body that have the same energy."""

    name: str  # of the energy, for statistics
    law: ModuleType  # of `ipc_articulation.elasticity`: `energies`, `gradients`, `hessians` of all elements, or of one
    vertices: Ints  # (k, v) vertices of the body
    constants: Array  # (k, m) of `law.rest`
    creases: Creases | None = None  # of plastic laws, whose constants are a state


def read_elements(body: SoftBody, uid: int) -> list[Elements]:
    """The elements that one of a body's constitutions, main or extra, gives it; none of Particle and Empty.

    Args:
        body: The body.
        uid: UID of the constitution, a key of `READERS`.

    Raises:
        SceneError: An attribute is missing, a parameter is wrong, or the mesh has no place for the energy.
    """
    try:
        found = READERS[uid](body)
    except MeshError as error:
        raise SceneError(f"{body.owner}: {error}") from error
    return [elements for elements in found if len(elements.vertices)]


def _no_elements(body: SoftBody) -> list[Elements]:
    return []


def _solid(body: SoftBody) -> list[Elements]:
    tetrahedra = _of_dimension(body, 3, "StableNeoHookean").tetrahedra()
    mu = read_finite(body, tetrahedra, "mu", "tetrahedron")
    lam = read_finite(body, tetrahedra, "lambda", "tetrahedron")
    refuse_unstable_solid(body, mu, lam)
    constants = stable_neo_hookean.rest(body.rest, body.tetrahedra, mu, lam)
    return [Elements("stable neo-Hookean", stable_neo_hookean, body.tetrahedra, constants)]


def _arap(body: SoftBody) -> list[Elements]:
    kappa = read_stiffness(body, _of_dimension(body, 3, "ARAP").tetrahedra(), "kappa", "tetrahedron")
    return [Elements("ARAP of solids", arap, body.tetrahedra, arap.rest(body.rest, body.tetrahedra, kappa))]


def _shell(body: SoftBody) -> list[Elements]:
    triangles = _of_dimension(body, 2, "NeoHookeanShell").triangles()
    mu = read_finite(body, triangles, "mu", "triangle")
    lam = read_finite(body, triangles, "lambda", "triangle")
    refuse_unstable_shell(body, mu, lam)
    radius = body.thickness[body.triangles[:, 0]]
    constants = neo_hookean_shell.rest(body.rest, body.triangles, mu, lam, radius)
    return [Elements("neo-Hookean shell", neo_hookean_shell, body.triangles, constants)]


def _cloth(body: SoftBody) -> list[Elements]:
    triangles = _of_dimension(body, 2, "StrainLimitingBaraffWitkinShell").triangles()
    mu, lam, rate = (read_stiffness(body, triangles, name, "triangle") for name in ("mu", "lambda", "strain_rate"))
    constants = strain_limiting_shell.rest(body.rest, body.triangles, mu, lam, rate)
    return [Elements("strain-limiting shell", strain_limiting_shell, body.triangles, constants)]


def _springs(body: SoftBody) -> list[Elements]:
    kappa = read_stiffness(body, _of_dimension(body, 1, "HookeanSpring").edges(), "kappa", "edge")
    constants = hookean_spring.rest(body.rest, body.edges, kappa, body.thickness[body.edges[:, 0]])
    return [Elements("springs", hookean_spring, body.edges, constants)]


def _rod_bending(body: SoftBody) -> list[Elements]:
    """All pairs of edges at a vertex, whatever the dimension of the geometry: as in libuipc."""
    vertices, stencils = body.slot.geometry().vertices(), corners(body.edges)
    stiffness = read_stiffness(body, vertices, "bending_stiffness", "vertex")[stencils[:, 1]]
    constants = rod_bending.rest(body.rest, stencils, stiffness, body.thickness[stencils[:, 1]])
    return [Elements("rod bending", rod_bending, stencils, constants)]


def _shell_bending(body: SoftBody) -> list[Elements]:
    stencils, edges = _hinges(body)
    kappa = read_stiffness(body, body.slot.geometry().edges(), "bending_stiffness", "edge")[edges]
    bends = kappa > 0.0
    constants = shell_bending.rest(body.rest, stencils[bends], kappa[bends])
    return [Elements("shell bending", shell_bending, stencils[bends], constants)]


def _strain_plastic(body: SoftBody) -> list[Elements]:
    stencils, kappa, threshold, hardening = _plastic_hinges(body, "bending_yield_threshold")
    constants = plastic_shell_bending.rest(body.rest, stencils, kappa)
    creases = Creases(threshold, hardening, stress=False)
    return [Elements("strain-plastic bending", plastic_shell_bending, stencils, constants, creases)]


def _stress_plastic(body: SoftBody) -> list[Elements]:
    stencils, kappa, moment, hardening = _plastic_hinges(body, "bending_yield_stress")
    constants = plastic_shell_bending.rest(body.rest, stencils, kappa, moment)
    creases = Creases(np.zeros(len(stencils)), hardening, stress=True)
    return [Elements("stress-plastic bending", plastic_shell_bending, stencils, constants, creases)]


def _plastic_hinges(body: SoftBody, limit: str) -> tuple[Ints, Array, Array, Array]:
    """Hinges (k, 4), their stiffness, limit and hardening, (k,) each."""
    stencils, edges = _hinges(body)
    collection = body.slot.geometry().edges()
    names = ("bending_stiffness", limit, "bending_hardening_modulus")
    kappa, yields_at, hardening = (read_stiffness(body, collection, name, "edge")[edges] for name in names)
    bends = kappa > 0.0
    return stencils[bends], kappa[bends], yields_at[bends], hardening[bends]


def _hinges(body: SoftBody) -> tuple[Ints, Ints]:
    """Hinges (k, 4) of the body's triangles, and the edges (k,) in their middle.

    Raises:
        SceneError: The geometry lacks an edge of its triangles.
    """
    stencils = hinges(body.triangles)
    found = find_edges(body.edges, stencils[:, 1:3])
    if np.any(found < 0):
        v, w = stencils[int(np.argmin(found)), 1:3]
        raise SceneError(f"{body.owner} has no edge ({v}, {w}), which two of its triangles share")
    return stencils, found


def _of_dimension(body: SoftBody, dimension: int, constitution: str) -> Any:
    """The body's geometry.

    Raises:
        SceneError: It has another dimension.
    """
    if body.dimension != dimension:
        kinds = ("particles", "edges", "triangles", "tetrahedra")
        raise SceneError(f"{body.owner} has {constitution}, which is for {kinds[dimension]}; its mesh has none of them")
    return body.slot.geometry()


READERS: dict[int, Callable[[SoftBody], list[Elements]]] = {
    0: _no_elements,  # Empty
    9: _arap,
    10: _solid,
    11: _shell,
    12: _springs,
    13: _no_elements,  # Particle
    15: _rod_bending,
    17: _shell_bending,
    31: _strain_plastic,
    32: _stress_plastic,
    819: _cloth,
}
