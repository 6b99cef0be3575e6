"""Masses and friction of bodies that change between steps, in the arrays of the engine: the scene is not read again.

Masses are also written into libuipc's geometries, where whoever reads the scene finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ipc_articulation import affine
from ipc_articulation.arguments import COUNT, POSITIVE, Wanted, instance, refuse_unwanted
from ipc_articulation.arrays import Array, Bools, Ints
from ipc_articulation.contact.materials import FRICTION
from ipc_articulation.contact.part_friction import ALL
from ipc_articulation.engine.scene.model import EngineModel
from ipc_articulation.engine.terms.soft_transform import SoftTransform
from ipc_articulation.engine.workspace import Workspace
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import require, writable
from ipc_articulation.frontend.turns import Turn, changing_in_turn

# (geometry id, instance) of an affine body or a half-plane; of a body's vertices with one contact element that, too
Key = tuple[int, ...]

_IN_RANGE = Wanted("between 1e-30 and 1e30 kg", lambda mass: 1e-30 <= mass <= 1e30)
_PAIR = Wanted(
    "two (geometry id, instance) or (geometry id, instance, contact element)",
    lambda pair: (
        isinstance(pair, tuple)
        and len(pair) == 2
        and all(isinstance(key, tuple) and len(key) in (2, 3) and all(map(COUNT.accepts, key)) for key in pair)
    ),
)
_MASS, _FIRST, _SECOND = "abd_mass", "abd_mass_x_bar", "abd_mass_x_bar_x_bar"


class _Shape(NamedTuple):
    """How the mass of a body is distributed: that with which it was built."""

    mass: float  # m [kg]
    first: Array  # (3,) s [kg·m]
    second: Array  # (3, 3) S [kg·m²]


class PropertyAccessor:
    """Sets masses and friction of bodies between steps; they stay until they are set again.

    Sleeping bodies wake. A dump of a scene with other masses or friction is refused: set them first. Any thread may set
    them; it waits for a step that another one takes.
    """

    def __init__(
        self, turn: Turn, current: Callable[[], tuple[EngineModel, Workspace]], woken: Callable[[Ints], None]
    ) -> None:
        """Access an engine.

        Args:
            turn: Of its scene.
            current: Its present model and workspace, as the scene is now.
            woken: Called after a change, with the rows of bodies whose contact resistances begin anew.
        """
        self.turn, self._current, self._woken = turn, current, woken
        self._shapes: dict[int, _Shape] = {}  # by geometry id, as they were before the first change
        self._frictions: dict[tuple[Key, Key], float] = {}

    @changing_in_turn
    def set_masses(self, masses: Mapping[int, float]) -> None:
        """Give bodies other masses; the distribution of the mass within a body stays, its inertia changes with it.

        Args:
            masses: By id of an affine-body geometry that of each of its instances [kg].

        Raises:
            SceneError: A mass is not a positive number; a geometry is none of free affine bodies, or a joint, stitch or
                SoftTransformConstraint, whose strength follows from the mass, holds it. Nothing has changed then.
        """
        self.set(masses, {})

    @changing_in_turn
    def set_frictions(self, frictions: Mapping[tuple[Key, Key], float]) -> None:
        """Give pairs of bodies, or of a body and a half-plane, other coefficients of friction than the contact table's.

        Args:
            frictions: Coulomb coefficients by two (geometry id, instance) of affine bodies or half-planes; or (geometry
                id, instance, contact element) of those vertices of an affine body that have this element.

        Raises:
            SceneError: A coefficient is not a number from 0 on, there is no such body, part or half-plane, a pair has
                no two different ones of which one is a body, it is named twice, or the scene has no friction. Nothing
                has changed then.
        """
        self.set({}, frictions)

    @changing_in_turn
    def set(self, masses: Mapping[int, float], frictions: Mapping[tuple[Key, Key], float]) -> None:
        """Set both, or neither if one of them is refused; see `set_masses` and `set_frictions`.

        Raises:
            SceneError: As of these.
        """
        model, workspace = self._current()
        _refuse_masses(model, _held(workspace), masses)
        known = _numbers(model)
        pairs = _refuse_frictions(model, known, frictions)
        self._take_masses(model, workspace, {geo_id: float(mass) for geo_id, mass in masses.items()})
        if pairs:
            self._frictions |= pairs
            _put(pairs, known, workspace)
            self._woken(np.zeros(0, dtype=np.int64))

    def _take_masses(self, model: EngineModel, workspace: Workspace, masses: dict[int, float]) -> None:
        """Give bodies masses, but those that have them already."""
        bodies = model.context.bodies
        masses = {geo_id: mass for geo_id, mass in masses.items() if mass != bodies.mass[bodies.rows[geo_id, 0], 0, 0]}
        if not masses:
            return
        for geo_id, mass in masses.items():
            slot = next(slot for slot in bodies.slots if slot.id() == geo_id)
            rows, M = bodies.rows_of(slot), self._write(slot, mass)
            bodies.mass[rows] = M
            workspace.core.set_masses(rows, M)
        workspace.conditioning.is_due = True
        self._woken(np.array([row for (geo_id, _), row in bodies.rows.items() if geo_id in masses], dtype=np.int64))

    def put_into(self, model: EngineModel, workspace: Workspace) -> None:
        """Give friction that was set to a new workspace; masses are in the scene."""
        known = _numbers(model)
        left = {
            pair: mu
            for pair, mu in self._frictions.items()
            if _is_known(pair[0], model, known) and _is_known(pair[1], model, known)
        }
        _put(left, known, workspace)

    def _write(self, slot: Any, mass: float) -> Array:
        """Write a mass into a geometry; returns its matrix, (12, 12)."""
        meta, owner = slot.geometry().meta(), f"affine-body geometry {slot.id()}"
        m, s, S = (require(meta, name, owner)[0] for name in (_MASS, _FIRST, _SECOND))
        shape = self._shapes.setdefault(slot.id(), _Shape(float(m), s.copy(), S.copy()))
        times = mass / shape.mass  # 1 for the mass with which it was built: the same bits again
        first, second = times * shape.first, times * shape.second
        writable(meta.find(_MASS))[0] = mass
        writable(meta.find(_FIRST))[0] = first.reshape(3, 1)
        writable(meta.find(_SECOND))[0] = second
        return affine.mass_matrix(mass, first, second)


def _refuse_masses(model: EngineModel, held: Bools, masses: Any) -> None:
    """Refuse masses that bodies cannot have.

    Raises:
        SceneError: There is one; names the body.
    """
    refuse_unwanted("set_masses: masses", masses, instance(Mapping), SceneError)
    bodies = model.context.bodies
    for geo_id, mass in masses.items():
        refuse_unwanted("set_masses: the id of a geometry", geo_id, COUNT, SceneError)
        first = bodies.index(geo_id, 0, "set_masses")
        for wanted in (POSITIVE, _IN_RANGE):
            refuse_unwanted(f"the mass of '{bodies.names[first]}'", mass, wanted, SceneError)
        for row in bodies.rows_of(bodies.slots[bodies.geometry[first]]):
            _refuse_mass(bodies, held, row)


def _refuse_mass(bodies: Any, held: Bools, row: int) -> None:
    said = f"the mass of '{bodies.names[row]}'"
    if bodies.is_fixed[row]:
        raise SceneError(f"{said} has no effect: the body is fixed")
    if bodies.external_kinetic[row]:
        raise SceneError(f"{said} has no effect: a multibody engine or an aim moves the body")
    if held[row]:
        raise SceneError(
            f"{said} cannot change while a joint, a stitch or a SoftTransformConstraint holds the body: their "
            "strengths follow from it"
        )


def _refuse_frictions(model: EngineModel, known: Mapping[Key, int], frictions: Any) -> dict[tuple[Key, Key], float]:
    """The coefficients by ordered pairs.

    Raises:
        SceneError: A pair is none, or cannot have its coefficient; names both.
    """
    refuse_unwanted("set_frictions: frictions", frictions, instance(Mapping), SceneError)
    if frictions and not model.config.friction_enable:
        raise SceneError("the scene has no friction: its contact/friction/enable is 0")
    found: dict[tuple[Key, Key], float] = {}
    for pair, friction in frictions.items():
        refuse_unwanted("set_frictions: a pair", pair, _PAIR, SceneError)
        for key in pair:
            if key[:2] not in known:
                raise SceneError(
                    f"friction of geometry {key[0]}, instance {key[1]}: it is no affine body or half-plane"
                )
            if not _is_known(key, model, known):
                raise SceneError(f"friction of {_named(model, [key])}: no vertex has the contact element {key[2]}")
        named = f"the friction of {_named(model, pair)}"
        refuse_unwanted(named, friction, FRICTION, SceneError)
        if pair[0][:2] == pair[1][:2] or not any(key[:2] in model.context.bodies.rows for key in pair):
            raise SceneError(f"{named}: a pair is of two bodies, or of a body and a half-plane")
        ordered = min(pair), max(pair)
        if ordered in found:
            raise SceneError(f"{named} is given twice, once in each order; give it once")
        found[ordered] = float(friction)
    return found


def _held(workspace: Workspace) -> Bools:
    """Bodies on which something acts whose strength follows from their masses, (n,)."""
    held = np.zeros(len(workspace.core.distances.numbering.body_of), dtype=np.bool_)
    for term in workspace.core.terms:
        held[term.couples] = True
        if isinstance(term, SoftTransform):
            held[term.drives] = True
    return held


def _numbers(model: EngineModel) -> dict[Key, int]:
    """The number of each affine body, and of each half-plane after all bodies, as in `Materials.friction`."""
    soft = len(model.context.bodies.soft.bodies)
    first = model.context.bodies.affine_count + soft
    numbers: dict[Key, int] = {key: row for key, row in model.context.bodies.rows.items()}
    return numbers | {key: first + p for p, key in enumerate(model.planes.keys)}


def _named(model: EngineModel, pair: Iterable[Key]) -> str:
    names = dict(zip(model.context.bodies.rows, model.context.bodies.names, strict=False))
    names |= dict(zip(model.planes.keys, model.planes.names, strict=True))
    return " and ".join(f"'{names[key[0], key[1]]}'" for key in pair)


def _is_known(key: Key, model: EngineModel, known: Mapping[Key, int]) -> bool:
    """Whether there is such a body, half-plane, or part of a body."""
    if len(key) == 2 or key[:2] not in known:
        return key in known
    bodies = model.context.bodies
    elements = None if key[:2] not in bodies.rows else bodies.surfaces[bodies.geometry[known[key[:2]]]].elements
    return elements is not None and key[2] in elements


def _put(frictions: Mapping[tuple[Key, Key], float], known: Mapping[Key, int], workspace: Workspace) -> None:
    if workspace.contact is not None and frictions:
        pairs = np.array([[known[key[:2]] for key in pair] for pair in frictions])
        elements = np.array([[key[2] if len(key) > 2 else ALL for key in pair] for pair in frictions])
        workspace.contact.set_frictions(pairs, elements, np.array(list(frictions.values()), dtype=float))
        workspace.core.follow_frictions()
