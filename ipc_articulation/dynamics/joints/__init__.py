"""Ideal joints."""

from ipc_articulation.dynamics.joints.axis_joints import (
    RxJoint,
    RyJoint,
    RzJoint,
    TxJoint,
    TxTyTzJoint,
    TyJoint,
    TzJoint,
)
from ipc_articulation.dynamics.joints.cardan_joints import RyRxJoint, RzRxJoint, RzRyJoint, RzRyRxJoint
from ipc_articulation.dynamics.joints.cylindrical import CylindricalJoint
from ipc_articulation.dynamics.joints.fixed import FixedJoint
from ipc_articulation.dynamics.joints.floating import FloatingJoint
from ipc_articulation.dynamics.joints.helical import HelicalJoint
from ipc_articulation.dynamics.joints.joint import Joint
from ipc_articulation.dynamics.joints.planar import PlanarJoint
from ipc_articulation.dynamics.joints.prismatic import PrismaticJoint
from ipc_articulation.dynamics.joints.revolute import RevoluteJoint
from ipc_articulation.dynamics.joints.spherical import SphericalJoint
from ipc_articulation.dynamics.joints.universal import UniversalJoint

__all__ = [
    "CylindricalJoint",
    "FixedJoint",
    "FloatingJoint",
    "HelicalJoint",
    "Joint",
    "PlanarJoint",
    "PrismaticJoint",
    "RevoluteJoint",
    "RxJoint",
    "RyJoint",
    "RyRxJoint",
    "RzJoint",
    "RzRxJoint",
    "RzRyJoint",
    "RzRyRxJoint",
    "SphericalJoint",
    "TxJoint",
    "TxTyTzJoint",
    "TyJoint",
    "TzJoint",
    "UniversalJoint",
]
