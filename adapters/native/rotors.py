"""Rotor inertia for joints that move no inertia at the start, with which the mass matrix would be singular.

Links that are points on the axes of their joints, or have no mass between joints with a common axis, leave a motion
without kinetic energy.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.dynamics import mass_matrix
from ipc_articulation.dynamics.model import Mechanism, Model
from ipc_articulation.repairs import repair

NONE = 1e-12  # inertia that counts as none, relative to the largest of a joint
SHARE = 1e-4  # the rotor's, relative to the same


def give_rotors(mechanism: Mechanism, model: Model, q: Array) -> bool:
    """Give rotors to joints of a tree until its mass matrix is regular.

    Args:
        mechanism: The robot; its joints are changed.
        model: The same, built.
        q: Its position at the start, (nq,).

    Returns:
        True if a joint was given a rotor; the model must then be built again.

    Raises:
        ModelError: Repairs are refused.
    """
    independent = model.followers.independent
    M = mass_matrix(model, q)[np.ix_(independent, independent)]
    names = [model.dof_names[dof] for dof in independent]
    joints = {joint.name: joint for joint in mechanism.joints if joint.joint.ndof == 1}
    largest, changed = float(np.diag(M).max(initial=0.0)), False
    for _ in names:
        moments, motions = np.linalg.eigh(M)
        dof = int(np.abs(motions[:, 0]).argmax())
        if moments[0] > NONE * largest or largest == 0.0 or names[dof] not in joints:
            break
        rotor = float(f"{SHARE * largest:.1g}")
        fault = "at the start it moves no inertia that others do not move too"
        repair(f"joint '{names[dof]}'", fault, "it is given a rotor inertia", detail=f"{rotor:g}")
        joints[names[dof]].rotor_inertia = np.asarray(joints[names[dof]].rotor_inertia) + rotor
        M[dof, dof] += rotor
        changed = True
    return changed
