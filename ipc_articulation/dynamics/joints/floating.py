"""The joint of a body that moves freely."""

from __future__ import annotations

from ipc_articulation.dynamics.joints.elements import Rotation, Translation
from ipc_articulation.dynamics.joints.joint import Joint


class FloatingJoint(Joint):
    """H = [R(quat) p; 0 1], X = [0 Rᵀ; Rᵀ 0].

    q = (p, quaternion), seven numbers; ν = (ṗ, ω), six, both in the parent's axes: RaiSim's convention. So a free body
    whose centre of mass is its origin falls with ν̇ = (g, ·) however it spins.
    """

    elements = (Translation(), Rotation())
