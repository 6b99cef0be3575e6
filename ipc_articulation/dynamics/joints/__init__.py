"""Ideal joints."""

from ipc_articulation.dynamics.joints.joint import Joint
from ipc_articulation.dynamics.joints.kinds import (
    CylindricalJoint,
    FixedJoint,
    FloatingJoint,
    HelicalJoint,
    PlanarJoint,
    PrismaticJoint,
    RevoluteJoint,
    RxJoint,
    RyJoint,
    RyRxJoint,
    RzJoint,
    RzRxJoint,
    RzRyJoint,
    RzRyRxJoint,
    SphericalJoint,
    TxJoint,
    TxTyTzJoint,
    TyJoint,
    TzJoint,
    UniversalJoint,
)

__all__ = [name for name in dir() if name.endswith("Joint")]
