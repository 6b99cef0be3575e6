"""DART's velocities in the coordinates of the articulation.

DART moves joints by dt v, and the articulation by δθ = dt P v. P is the identity for joints whose positions add up. The
velocities of free and ball joints are made spatial velocities of the body in its own axes by the relative Jacobian J,
and DART integrates these (`FreeJoint::integratePositions`): with V = J v = (ω, u) and R the rotation of the body in the
parent's axes,

    R⁺ = R exp(dt [ω]×),   p⁺ = p + dt R u,    so    P = [R J_u; J_ω] for a free joint, and J_ω for a ball joint.

P depends on the position alone, so the step's potential in dt v, with DART's M̂, is ½ (δθ - δθ̃)ᵀ P⁻ᵀ M̂ P⁻¹ (δθ - δθ̃).
"""

from __future__ import annotations

from typing import Any

import dartpy
import numpy as np
from ipc_articulation.adapters.dart.tree import Link, Tree, pose_of

from ipc_articulation import spatial
from ipc_articulation.arrays import Array


def rates(tree: Tree) -> Array:
    """P at the world's present state, (m, m): rows are freedoms of the articulation, columns those of DART."""
    P, row = np.zeros((tree.ndofs, tree.ndofs)), 0
    for link in tree.links:
        P[row : row + len(link.dofs), link.dofs] = _block(tree, link)
        row += len(link.dofs)
    return P


def positions(tree: Tree) -> Array:
    """θ, (m,): of a free joint the pose in the parent's frame, of a ball joint the turn in the body's axes."""
    found = [np.zeros(0)]
    for link in tree.links:
        joint = link.joint
        if link.kind == "free":
            H = spatial.inverse(tree.base(link)) @ link.pose()
            found.append(np.concatenate([H[:3, 3], _turn(H[:3, :3])]))
        elif link.kind == "spherical":
            C = joint.getTransformFromChildBodyNode().matrix()[:3, :3]
            Q = (
                joint.getTransformFromParentBodyNode().matrix()[:3, :3].T
                @ joint.getRelativeTransform().matrix()[:3, :3]
                @ C
            )
            found.append(C @ _turn(Q))
        else:
            found.append(np.array(joint.getPositions()))
    return np.concatenate(found)


def put(tree: Tree, theta: Array, theta_dot: Array) -> None:
    """Put the world of a tree where θ and θ̇, (m,) each, are what `positions` and P v give."""
    row = 0
    for link in tree.links:  # parents first: a free joint's parent is where it will be
        own = slice(row, row + len(link.dofs))
        row = own.stop
        joint = link.joint
        if link.kind == "free":
            H = spatial.pose(_rotation(theta[own][3:]), theta[own][:3])
            above = link.body.getParentBodyNode()
            parent = np.eye(4) if above is None else pose_of(above)
            joint.setRelativeTransform(isometry(spatial.inverse(parent) @ tree.base(link) @ H))
        elif link.kind == "spherical":
            C = joint.getTransformFromChildBodyNode().matrix()[:3, :3]
            joint.setPositions(C.T @ theta[own])
        else:
            joint.setPositions(theta[own])
    v = np.linalg.solve(rates(tree), theta_dot)
    for link in tree.links:
        link.joint.setVelocities(v[list(link.dofs)])


def limits(tree: Tree) -> Array:
    """Lowest and highest position of each freedom, (m, 2); -inf and inf for free and ball joints."""
    found = [np.zeros((0, 2))]
    for link in tree.links:
        if link.kind in ("free", "spherical"):
            found.append(np.tile([-np.inf, np.inf], (len(link.dofs), 1)))
        else:
            found.append(np.column_stack([link.joint.getPositionLowerLimits(), link.joint.getPositionUpperLimits()]))
    return np.concatenate(found)


def pose_rates(tree: Tree) -> Array:
    """Rates H [ω~ u; 0 0] of the links' poses, (n, 4, 4), with spatial velocities (ω, u) in the links' own axes."""
    V = np.array([link.body.getSpatialVelocity() for link in tree.links]).reshape(-1, 6)
    own = np.zeros((len(V), 4, 4))
    own[:, :3, :3], own[:, :3, 3] = spatial.skew(V[:, :3]), V[:, 3:]
    return tree.poses() @ own


def isometry(pose: Array) -> Any:
    """A pose (4, 4) as DART takes it."""
    H = dartpy.math.Isometry3()
    H.set_rotation(pose[:3, :3])
    H.set_translation(pose[:3, 3])
    return H


def _block(tree: Tree, link: Link) -> Array:
    if link.kind not in ("free", "spherical"):
        return np.eye(len(link.dofs))
    J = np.array(link.joint.getRelativeJacobian())
    if link.kind == "spherical":
        return J[:3]
    R = tree.base(link)[:3, :3].T @ link.pose()[:3, :3]
    return np.concatenate([R @ J[3:], J[:3]])


def _rotation(turn: Array) -> Array:
    return spatial.rotation_from_quaternion(spatial.quaternion_exp(turn))


def _turn(R: Array) -> Array:
    """The rotation vector of a rotation."""
    return spatial.quaternion_log(spatial.quaternion_from_rotation(R))
