"""The ball and socket."""

from __future__ import annotations

from ipc_articulation.dynamics.joints.elements import Rotation
from ipc_articulation.dynamics.joints.joint import Joint


class SphericalJoint(Joint):
    """H = R(quat), X = [Rᵀ; 0].

    q is a unit quaternion (w, x, y, z), child to parent; ν = ω, the angular velocity in the parent's axes: RaiSim's
    convention.
    """

    elements = (Rotation(),)
