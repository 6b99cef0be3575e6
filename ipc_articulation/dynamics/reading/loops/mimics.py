"""Joints that mimic others, as relations."""

from __future__ import annotations

from collections.abc import Callable

from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.reading.loops.relations import LinearRelation
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest


def take_mimics(mechanism: Mechanism, place: Callable[[str], str]) -> list[LinearRelation]:
    """Relations q_f - multiplier · q_l = offset, which replace the mimic joints of a mechanism.

    Args:
        mechanism: The mechanism; its `mimic`s are set to None.
        place: Returns the place of a named joint, for the beginning of messages.

    Raises:
        ModelError: A joint mimics itself or one without exactly one degree of freedom, or a multiplier is zero.
    """
    single = {joint.name for joint in mechanism.joints if joint.joint.ndof == 1}
    found = []
    for joint in mechanism.joints:
        mimic, joint.mimic = joint.mimic, None
        if mimic is None:
            continue
        where = place(joint.name)
        if joint.name not in single or mimic.joint not in single:
            both = "both must be joints with one degree of freedom"
            raise ModelError(f"{where}: mimics '{mimic.joint}'; {both}{suggest(mimic.joint, single)}")
        if mimic.joint == joint.name:
            raise ModelError(f"{where}: mimics itself")
        found.append(LinearRelation({joint.name: 1.0, mimic.joint: -mimic.multiplier}, mimic.offset, where, joint.name))
    return found
