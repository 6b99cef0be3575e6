"""Bases that float: links with a floating joint on the world, which a scene may place or fix."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from ipc_articulation.adapters.native.static_links import static_poses

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints import FixedJoint, FloatingJoint
from ipc_articulation.dynamics.model import Mechanism, PlacedJoint
from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading.repairing.document import document
from ipc_articulation.errors import AdapterError


def sets_free(file: Path, base: str | None) -> bool:
    """Whether a scene lets the root link of a URDF file float, no link of which floats by a joint of its own.

    Raises:
        ModelError: The file is not well-formed.
    """
    kinds = [joint.element.get("type") for joint in document(file).children("joint")] if base == "free" else []
    return base == "free" and "floating" not in kinds


def settle_base(mechanism: Mechanism, base: str | None, pose: Array | None, file: Path) -> None:
    """Place the floating base, and fix floating bases to the world.

    Args:
        mechanism: The robot; its joints are changed.
        base: «fixed», «free», or None: as in the file.
        pose: Of the only floating base, (4, 4); None: where the file places it.
        file: For messages.

    Raises:
        AdapterError: There is a pose, and not exactly one base floats; or `base` is «free», and none does.
    """
    static = {WORLD: np.eye(4), **static_poses(mechanism)}
    floating = [
        joint for joint in mechanism.joints if isinstance(joint.joint, FloatingJoint) and joint.parent in static
    ]
    if base == "free" and not floating:
        raise AdapterError(
            f"{file}: 'base: free' is for URDF and MJCF files; the joints of this file determine how its base moves"
        )
    if pose is not None:
        if len(floating) != 1:
            raise AdapterError(
                f"{file}: {len(floating) or 'no'} bases float, and 'base_pose' under 'robot' is that of the only one; "
                "'pose' moves the whole content of the file"
            )
        (joint,) = floating
        joint.origin = spatial.inverse(static[joint.parent]) @ pose @ spatial.inverse(np.asarray(joint.child_origin))
    if base == "fixed":
        mechanism.joints = [_fixed(joint) if joint in floating else joint for joint in mechanism.joints]


def _fixed(joint: PlacedJoint) -> PlacedJoint:
    return PlacedJoint(joint.name, FixedJoint(), joint.parent, joint.child, joint.origin, joint.child_origin)
