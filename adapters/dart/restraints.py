"""Joint limits and dry friction of a DART world, in the step that DART has just taken.

DART's constraint solver changes the velocity ṽ that its forward dynamics give into v⁺, so its force on the freedoms is

    f = M̂ (v⁺ - ṽ)/dt.

A hinge or slide that ends at a limit has f - F from it, where F = clip(f, ±μ) is that of dry friction μ. Servos and
joints that follow a velocity or an acceleration have forces of the solver too, and no restraints here.
"""

from __future__ import annotations

import dartpy
import numpy as np
from ipc_articulation.adapters.dart.step import Step
from ipc_articulation.adapters.dart.tree import Link, Tree

from ipc_articulation.arrays import Array, Bools
from ipc_articulation.coupling.adapter import Restraints

_ADDS_FORCES = (dartpy.dynamics.ActuatorType.FORCE, dartpy.dynamics.ActuatorType.PASSIVE)
_TURNS = ("free", "spherical")  # kinds without limits and friction of single freedoms
_AT_END = 1e-9  # [rad or m] from a limit


def restraints(tree: Tree, step: Step, dt: float) -> Restraints | None:
    """The restraints of a step of dt [s]; None if no joint has limits or dry friction."""
    rows = [_of_joint(link) for link in tree.links]
    lower, upper, friction = np.concatenate([np.zeros((3, 0)), *rows], axis=1)
    if not (np.isfinite(lower).any() or np.isfinite(upper).any() or friction.any()):
        return None
    order = [dof for link in tree.links for dof in link.dofs]
    change, force = dt * step.v[order], step.constraint_force[order]
    friction_force = np.clip(force, -friction, friction)
    limit_force = np.where(_pushes(change, lower, upper, force), force - friction_force, 0.0)
    return Restraints(lower, upper, limit_force, friction, friction_force)


def _pushes(change: Array, lower: Array, upper: Array, force: Array) -> Bools:
    """Whether freedoms end at or beyond a limit that pushes them back, (m,)."""
    at_lower, at_upper = change <= lower + _AT_END, change >= upper - _AT_END
    return np.asarray((at_lower & (force > 0.0)) | (at_upper & (force < 0.0)))


def _of_joint(link: Link) -> Array:
    """Displacements to the lower and the upper limit, and dry friction, (3, ndof)."""
    joint, count = link.joint, len(link.dofs)
    found = np.repeat([[-np.inf], [np.inf], [0.0]], count, axis=1)
    if link.kind in _TURNS or joint.getActuatorType() not in _ADDS_FORCES:
        return found
    if joint.areLimitsEnforced():
        q = np.array(joint.getPositions())
        found[0], found[1] = joint.getPositionLowerLimits() - q, joint.getPositionUpperLimits() - q
    found[2] = [joint.getCoulombFriction(dof) for dof in range(count)]
    return found
