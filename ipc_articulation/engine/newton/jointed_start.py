"""Start of Newton's method for links whose continued motion does not keep their joints.

A link that continues as a screw (see `extrapolation`) keeps its joints to first order: at an angle φ = ω dt of the step
they part by φ²/2. Where stiff energies hold the joints, equalities most of all, the energy is higher there than at the
beginning, and the links would start from rest: from there every step of Newton's method is a straight line into a
curved and narrow valley, which collision detection and line search cut to pieces as soon as anything is near.

A few steps of Newton's method on the energy without contact, E_free, bring the links back to their joints, with
quadratic convergence:

    q ← q - (∇²E_free)⁻¹ ∇E_free

Then the bodies go from the first start towards q, until the first two meet, where that lowers the energy with contact.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.compiled import compiled
from ipc_articulation.engine import rows
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from ipc_articulation.engine.newton import islands
from ipc_articulation.engine.newton.extrapolation import advance
from ipc_articulation.engine.potential import Potential
from ipc_articulation.errors import SolverError

_STEPS = 2  # of Newton's method: φ²/2 becomes a thousandth of it, then less than its rounding


def find_start(
    potential: Potential, system: LinearSystem, q: Array, moving: Bools, part: Callable[[Array], Array]
) -> tuple[Array, Array | None]:
    """Where Newton's method starts: from q (n, 12) along the bodies' motion, back at the joints.

    Args:
        potential: E, with `begin_step` done.
        system: The Newton system.
        q: Coordinates at the beginning of the step.
        moving: Which bodies move, (n,).
        part: The motion (n, 12) with which they continue in a part (n,) of the step, see `extrapolation.rigid_motion`.

    Returns:
        As of `extrapolation.advance`.
    """
    motion = part(np.ones(len(q)))
    start, energies = advance(potential, q, motion, moving, part)
    if not potential.may_touch:  # then Newton's method finds its way, see `contact_free`
        return start, energies
    left_behind, number = _left_behind(potential.exact, moving, motion, start, q)
    if not number:
        return start, energies
    returning = moving & islands.anyone(potential.labels, left_behind)
    jointed = _jointed(potential, system, np.where(returning[:, None], q + motion, start), returning)
    return (start, energies) if jointed is None else advance(potential, start, jointed - start, moving)


def _jointed(potential: Potential, system: LinearSystem, q: Array, moving: Bools) -> Array | None:
    """Coordinates (n, 12) after steps of Newton's method without contact; None where there is none."""
    for _ in range(_STEPS):
        system.choose(moving)
        try:
            g = potential.assemble_free(q, system)
            q = q + potential.restrain(system.solve(g), system)
        except SolverError:  # Newton's method itself will find it, and say more
            return None
    return q if rows.are_finite(q) else None


@compiled
def _left_behind(exact, moving, motion, start, q):
    """The exact bodies (n,) with a motion (n, 12) that start where they were, and their number."""
    found, number = np.zeros(len(q), dtype=np.bool_), 0
    for b in range(len(q)):
        found[b] = exact[b] and moving[b] and np.any(motion[b] != 0.0) and np.all(start[b] == q[b])
        number += found[b]
    return found, number
