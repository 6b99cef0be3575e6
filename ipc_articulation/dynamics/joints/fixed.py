"""The joint without freedom."""

from __future__ import annotations

from ipc_articulation.dynamics.joints.joint import Joint


class FixedJoint(Joint):
    """H = 1, X is 6x0."""
