"""The kinds of joints: one table, and the only place where compiled code branches on a kind.

A kind is a file of this package with these functions, and an entry of `KINDS`:

- `measured(placement)`: the local vectors, (m, 2, v, 4), through which its coordinates see the two bodies;
- `set_reference`, `delta_theta`, `derivatives` (compiled): δθ of its f freedoms, see below;
- `held(placement)`: the local vectors, (m, 2, h, 4), of the penalty that holds the other directions;
- `second_drive(local)`, where a drive holds a second coordinate at zero: the local vectors of that coordinate;
- `residual`, `residual_slopes` (compiled): that penalty's r, where it is not just the difference of those vectors.

A local vector is homogeneous, (v̄, w): w = 1 for a point of the body, 0 for a direction; in the world it is A v̄ + w p.
M and δθ̃ of an articulation count freedoms, not joints. Of revolute and prismatic joints `set_reference` and
`delta_theta` are inlined, which makes them twice as fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ipc_articulation.arguments import shown
from ipc_articulation.arrays import Array
from ipc_articulation.articulation import (
    anchors,
    cylindrical,
    free,
    helical,
    planar,
    prismatic,
    revolute,
    rotation_vector,
    spherical,
    universal,
)
from ipc_articulation.articulation.frames import Placement
from ipc_articulation.compiled import compiled
from ipc_articulation.errors import ArticulationError

REVOLUTE, PRISMATIC, FIXED, SPHERICAL, FREE, CYLINDRICAL, PLANAR, UNIVERSAL, HELICAL = range(9)


class Kind(NamedTuple):
    """What is known of a kind of joint."""

    name: str
    held: Callable[[Placement], Array]  # vectors of the penalty
    is_linear: bool  # whether the penalty's residual is their difference, linear in q
    units: tuple[str, ...] = ()  # of each freedom that an articulation can move: rad or m
    labels: tuple[str, ...] = ("",)  # of the freedoms, where there are several
    turns_in_space: bool = False  # whether its angles are the components of one rotation vector
    measured: Callable[[Placement], Array] = anchors.nothing
    home: tuple[float, ...] = ()  # the reference (see `set_reference`) from which δθ is θ
    second_drive: Callable[[Array], Array] | None = None  # local vectors of a coordinate that a drive holds at 0 too
    needs: tuple[str, ...] = ()  # of `axis`, `second_axis`, `pitch`: those without which there is no such joint

    @property
    def freedoms(self) -> int:
        """Number of freedoms that an articulation can move."""
        return len(self.units)

    @property
    def turns(self) -> tuple[int, ...]:
        """For each freedom the number of angles, from it on, whose length is below π: 0 (none), 1, or 3."""
        if self.turns_in_space:
            first = self.units.index("rad")
            return tuple(3 if freedom == first else 0 for freedom in range(self.freedoms))
        return tuple(int(unit == "rad") for unit in self.units)


KINDS = {
    REVOLUTE: Kind(
        "revolute",
        revolute.held,
        is_linear=True,
        units=("rad",),
        measured=revolute.measured,
        home=revolute.HOME,
        needs=("axis",),
    ),
    PRISMATIC: Kind(
        "prismatic",
        prismatic.held,
        is_linear=False,
        units=("m",),
        measured=prismatic.measured,
        home=prismatic.HOME,
        second_drive=prismatic.right_axis_reversed,
        needs=("axis",),
    ),
    FIXED: Kind("fixed", anchors.held_with_axes, is_linear=True),
    SPHERICAL: Kind(
        "spherical",
        anchors.held,
        is_linear=True,
        units=("rad",) * 3,
        labels=("rx", "ry", "rz"),
        turns_in_space=True,
        measured=spherical.measured,
        home=rotation_vector.HOME,
    ),
    FREE: Kind(
        "free",
        anchors.nothing,
        is_linear=True,
        units=("m",) * 3 + ("rad",) * 3,
        labels=("x", "y", "z", "rx", "ry", "rz"),
        turns_in_space=True,
        measured=free.measured,
        home=free.HOME,
    ),
    CYLINDRICAL: Kind(
        "cylindrical",
        cylindrical.held,
        is_linear=False,
        units=("rad", "m"),
        labels=("angle", "distance"),
        measured=cylindrical.measured,
        home=cylindrical.HOME,
        needs=("axis",),
    ),
    PLANAR: Kind(
        "planar",
        planar.held,
        is_linear=False,
        units=("m", "m", "rad"),
        labels=("x", "y", "angle"),
        measured=planar.measured,
        home=planar.HOME,
        needs=("axis", "second_axis"),
    ),
    UNIVERSAL: Kind(
        "universal",
        universal.held,
        is_linear=False,
        units=("rad", "rad"),
        labels=("first", "second"),
        measured=universal.measured,
        home=universal.HOME,
        needs=("axis", "second_axis"),
    ),
    HELICAL: Kind(
        "helical",
        helical.held,
        is_linear=False,
        units=("rad",),
        measured=helical.measured,
        home=revolute.HOME,
        needs=("axis", "pitch"),
    ),
}
FREEDOMS = np.array([KINDS[kind].freedoms for kind in range(len(KINDS))])  # for compiled code
MOST_FREEDOMS = int(FREEDOMS.max())
TURNS = np.array([KINDS[k].turns + (0,) * (MOST_FREEDOMS - KINDS[k].freedoms) for k in range(len(KINDS))])
VECTORS = 4  # of a body, the most that a kind measures by
REFERENCE = 12  # numbers of a reference, the most that a kind has
HELD = 5  # vectors of a body, the most that a penalty holds

_UNKNOWN = "unknown kind of joint, see articulation.kinds.KINDS"


def kind_named(name: str, owner: str) -> int:
    """The kind of a name.

    Raises:
        ArticulationError: There is none; names the owner, and what kinds there are.
    """
    for kind, entry in KINDS.items():
        if isinstance(name, str) and entry.name == name:
            return kind
    names = ", ".join(entry.name for entry in KINDS.values())
    raise ArticulationError(f"{owner}: kind {shown(name)} is unknown; kinds of joints: {names}")


@compiled(inline="always")
def set_reference(kind: int, local: Array, q_i: Array, q_j: Array, reference: Array) -> None:
    """Write what δθ must know of the reference pose (q_i, q_j) into `reference` (REFERENCE,).

    Args:
        kind: Of the joint.
        local: Its vectors in both bodies, (2, VECTORS, 4).
        q_i: Coordinates of the left body, (12,).
        q_j: Coordinates of the right body, (12,).
        reference: Receives it.
    """
    if kind in (REVOLUTE, HELICAL):
        revolute.set_reference(local, q_i, q_j, reference)
    elif kind == PRISMATIC:
        prismatic.set_reference(local, q_i, q_j, reference)
    else:
        _set_reference(kind, local, q_i, q_j, reference)


@compiled
def _set_reference(kind: int, local: Array, q_i: Array, q_j: Array, reference: Array) -> None:
    """Do it for kinds with several freedoms."""
    if kind == SPHERICAL:
        rotation_vector.set_reference(local, q_i, q_j, reference)
    elif kind == FREE:
        free.set_reference(local, q_i, q_j, reference)
    elif kind == CYLINDRICAL:
        cylindrical.set_reference(local, q_i, q_j, reference)
    elif kind == PLANAR:
        planar.set_reference(local, q_i, q_j, reference)
    elif kind == UNIVERSAL:
        universal.set_reference(local, q_i, q_j, reference)
    else:
        raise ValueError(_UNKNOWN)


@compiled(inline="always")
def delta_theta(kind: int, local: Array, q_i: Array, q_j: Array, reference: Array, delta: Array) -> None:
    """Write δθ [rad in (-π, π], or m] from a reference to (q_i, q_j) into `delta` (f or more,); see `set_reference`."""
    if kind in (REVOLUTE, HELICAL):
        revolute.delta_theta(local, q_i, q_j, reference, delta)
    elif kind == PRISMATIC:
        prismatic.delta_theta(local, q_i, q_j, reference, delta)
    else:
        _delta_theta(kind, local, q_i, q_j, reference, delta)


@compiled
def _delta_theta(kind: int, local: Array, q_i: Array, q_j: Array, reference: Array, delta: Array) -> None:
    """Do it for kinds with several freedoms."""
    if kind == SPHERICAL:
        rotation_vector.delta_phi(local, q_i, q_j, reference, delta)
    elif kind == FREE:
        free.delta_theta(local, q_i, q_j, reference, delta)
    elif kind == CYLINDRICAL:
        cylindrical.delta_theta(local, q_i, q_j, reference, delta)
    elif kind == PLANAR:
        planar.delta_theta(local, q_i, q_j, reference, delta)
    elif kind == UNIVERSAL:
        universal.delta_theta(local, q_i, q_j, reference, delta)
    else:
        raise ValueError(_UNKNOWN)


@compiled
def derivatives(
    kind: int, local: Array, q_i: Array, q_j: Array, reference: Array, w: Array, project: bool, J: Array, H: Array
) -> None:
    """∂δθ/∂q, and Σ wₖ ∂²δθₖ/∂q²: exact, or positive semidefinite; see `set_reference`.

    Args:
        kind: Of the joint.
        local: Its vectors in both bodies.
        q_i: Coordinates of the left body.
        q_j: Coordinates of the right body.
        reference: From which δθ is measured.
        w: Factors of the second derivatives, in the first f.
        project: Whether to project.
        J: Receives the first derivatives in f rows of 24 numbers: twelve for the left body, then twelve for the right.
        H: Receives the second, (24, 24).
    """
    if kind in (REVOLUTE, HELICAL):
        revolute.derivatives(local, q_i, q_j, w[0], project, J[0], H)
    elif kind == PRISMATIC:
        prismatic.derivatives(local, q_i, q_j, w[0], project, J[0], H)
    elif kind == SPHERICAL:
        rotation_vector.derivatives(local, q_i, q_j, reference, w, project, J, H)
    elif kind == FREE:
        free.derivatives(local, q_i, q_j, reference, w, project, J, H)
    elif kind == CYLINDRICAL:
        cylindrical.derivatives(local, q_i, q_j, w, project, J, H)
    elif kind == PLANAR:
        planar.derivatives(local, q_i, q_j, w, project, J, H)
    elif kind == UNIVERSAL:
        universal.derivatives(local, q_i, q_j, w, project, J, H)
    else:
        raise ValueError(_UNKNOWN)


@compiled
def slopes(kind: int, local: Array, q_i: Array, q_j: Array, reference: Array, zeros: Array, J: Array, H: Array) -> None:
    """∂δθ/∂q alone, with room for H and zeros in place of w; see `derivatives`."""
    if kind in (REVOLUTE, HELICAL):
        revolute.slopes(local, q_i, q_j, J[0])
    else:
        derivatives(kind, local, q_i, q_j, reference, zeros, False, J, H)


@compiled
def residual(kind: int, x: Array, y: Array, r: Array) -> None:
    """Write the penalty's residual of a kind that is not linear into r (3 HELD,).

    Args:
        kind: Of the joint.
        x: World vectors of the left body, (HELD, 3).
        y: World vectors of the right body, (HELD, 3).
        r: Receives it.
    """
    if kind == PRISMATIC:
        prismatic.residual(x, y, r)
    elif kind == CYLINDRICAL:
        cylindrical.residual(x, y, r)
    elif kind == PLANAR:
        planar.residual(x, y, r)
    elif kind == UNIVERSAL:
        universal.residual(x, y, r)
    elif kind == HELICAL:
        helical.residual(x, y, r)
    else:
        raise ValueError(_UNKNOWN)


@compiled
def residual_slopes(kind: int, x: Array, y: Array, D: Array) -> None:
    """Write ∂r by the world vectors of the two bodies into D (3 HELD, 2, HELD, 3); see `residual`."""
    if kind == PRISMATIC:
        prismatic.residual_slopes(x, y, D)
    elif kind == CYLINDRICAL:
        cylindrical.residual_slopes(x, y, D)
    elif kind == PLANAR:
        planar.residual_slopes(x, y, D)
    elif kind == UNIVERSAL:
        universal.residual_slopes(x, y, D)
    elif kind == HELICAL:
        helical.residual_slopes(x, y, D)
    else:
        raise ValueError(_UNKNOWN)
