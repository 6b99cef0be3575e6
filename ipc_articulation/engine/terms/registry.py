"""The table of terms for libuipc's constitutions and constraints, by UID.

A geometry has one constitution (`constitution_uid`) and may have more (`extra_constitution_uids`, `constraint_uids`). A
reader for several UIDs is called once, with all geometries that have any of them. A UID without reader is refused by
name, so nothing in a scene is ever ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from uipc.builtin import ConstitutionUIDCollection

from ipc_articulation.engine.scene.scene_context import SceneContext
from ipc_articulation.engine.terms import (
    arap,
    articulation,
    body_force,
    driving_joint,
    finite_elements,
    joint_force,
    joint_limit,
    joint_penalty,
    ortho_potential,
    soft_position,
    soft_transform,
    stitches,
    vertex_force,
)
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.errors import SceneError, UnsupportedError
from ipc_articulation.frontend.attributes import carried_uids
from ipc_articulation.frontend.bodies import is_affine_body
from ipc_articulation.frontend.joint_kinds import JOINT_KINDS, OWN_UID
from ipc_articulation.frontend.soft.bodies import is_soft_body
from ipc_articulation.frontend.soft.constitutions import READERS
from ipc_articulation.frontend.soft.stitches import UIDS as STITCHES

Reader = Callable[[Sequence[Any], SceneContext], Term]

REGISTRY: dict[int, Reader] = {
    1: ortho_potential.read,
    2: arap.read,
    14: soft_position.read,
    16: soft_transform.read,
    18: joint_penalty.read,
    19: driving_joint.read,
    20: joint_penalty.read,
    21: driving_joint.read,
    23: articulation.read,
    24: articulation.read,
    25: joint_penalty.read,
    26: joint_penalty.read,
    666: body_force.read,
    667: joint_force.read,
    668: joint_force.read,
    669: joint_limit.read,
    670: joint_limit.read,
    671: vertex_force.read,
    **{uid: finite_elements.read for uid in READERS if uid},
    **{uid: stitches.read for uid in STITCHES},
    **{uid: joint_penalty.read for uid in JOINT_KINDS if uid >= OWN_UID},
}


def read_terms(slots: Sequence[Any], context: SceneContext) -> list[Term]:
    """The terms of all constitutions and constraints in a scene, in the order of the registry.

    Raises:
        UnsupportedError: A geometry has a UID without a reader.
        SceneError: A geometry has a constitution for bodies of another kind.
    """
    by_reader: dict[Reader, list[Any]] = {reader: [] for reader in REGISTRY.values()}
    for slot in slots:
        uids = carried_uids(slot.geometry())
        for reader in dict.fromkeys(_reader(uid, slot) for uid in uids):
            by_reader[reader].append(slot)
        _refuse_foreign(uids, slot)
    return [reader(found, context) for reader, found in by_reader.items() if found]


_OF_VERTICES = {14, 671, *READERS}
_OF_BODIES = {1, 2, 16, 666}


def _refuse_foreign(uids: Sequence[int], slot: Any) -> None:
    """Refuse constitutions that act on bodies of another kind than the geometry's."""
    for owners, is_of_kind, kind, example in (
        (_OF_VERTICES, is_soft_body, "soft bodies", "StableNeoHookean"),
        (_OF_BODIES, is_affine_body, "affine bodies", "AffineBodyConstitution"),
    ):
        wrong = [uid for uid in uids if uid in owners]
        if wrong and not is_of_kind(slot.geometry()):
            raise SceneError(
                f"geometry {slot.id()} has constitution {wrong[0]} ({_name(wrong[0])}), which acts on {kind}, but is "
                f"none of them; apply a constitution of {kind} to it, such as {example}"
            )


def _reader(uid: int, slot: Any) -> Reader:
    if uid not in REGISTRY:
        supported = ", ".join(f"{_name(known)} ({known})" for known in REGISTRY if known < OWN_UID)
        raise UnsupportedError(
            f"geometry {slot.id()} has constitution {uid} ({_name(uid)}), which the CPU engine does not support; it "
            f"supports {supported} and half-planes; use Engine('cuda')"
        )
    return REGISTRY[uid]


def _name(uid: int) -> str:
    known = ConstitutionUIDCollection.instance()
    return known.find(uid).name if known.exists(uid) else "unknown"
