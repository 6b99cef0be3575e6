"""Parts attached to links while a scene runs: a stiff fixed joint that comes into the scene, and goes again.

The joint holds the part at the relative pose that both have at that moment (IPC's energy ½ κ ‖r‖² of fixed joints,
`articulation.anchors`). The part keeps its own inertia and gravity, which act on the robot through the joint as a
contact does, and momentum is kept: where part and link have different velocities, the next step gives them a common
one. Contact between the two goes on, so a part that was pressed against its link neither springs back nor is pushed
into it; the joint changes nothing where both are at rest.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import uipc

from ipc_articulation import affine
from ipc_articulation.arrays import Array
from ipc_articulation.coupling.robot_states import BodyMotion, Moves
from ipc_articulation.errors import SceneError
from ipc_articulation.frontend.attributes import object_names, read_meta, require
from ipc_articulation.frontend.bodies import is_affine_body
from ipc_articulation.frontend.joint_geometry import joint_geometry
from ipc_articulation.naming import suggest

STRENGTH = 1e6  # κ = STRENGTH (m_part + m_link) [kg]: at 10 m/s² and dt = 0.01 s a part lags by 1 nm at most


@dataclass(frozen=True)
class Attachment:
    """A part attached to a link."""

    part: str  # names
    link: str
    part_slot: Any  # geometry slots, the first instance of each
    link_slot: Any
    joint: Any  # the object of the joint

    def is_of(self, geo_ids: Collection[int]) -> bool:
        """Whether part or link is among some geometries."""
        return self.part_slot.id() in geo_ids or self.link_slot.id() in geo_ids

    def carried(self, link: BodyMotion) -> BodyMotion:
        """The part's motion with a new motion of its link: H = H_link X, Ḣ = Ḣ_link X, X their present relation."""
        here, there = pose_of(self.link_slot), pose_of(self.part_slot)
        X = np.linalg.solve(here, there)
        q = affine.nearest_rigid(affine.q_from_transform(link.pose @ X))
        return BodyMotion(affine.transform_from_q(q), link.rate @ X)


_of_scene: WeakKeyDictionary[uipc.Scene, dict[int, Attachment]] = WeakKeyDictionary()  # by the part's geometry id


def attachments_of(scene: uipc.Scene) -> Mapping[int, Attachment]:
    """The attached parts of a scene, by geometry id."""
    return _of_scene.setdefault(scene, {})


def attach(scene: uipc.Scene, part: tuple[str, Any], link: tuple[str, Any]) -> None:
    """Join a part to a link, each a name and a geometry slot, from the next step on.

    Raises:
        SceneError: The part is attached already, or to itself; names part and link.
    """
    attached = _of_scene.setdefault(scene, {})
    (name, slot), (link_name, link_slot) = part, link
    if slot.id() in attached:
        raise SceneError(f"attach: part '{name}' is attached to '{attached[slot.id()].link}' already; detach it first")
    geometry = joint_geometry("fixed", np.zeros((1, 3)), [(link_slot, 0)], [(slot, 0)], [STRENGTH])
    uipc.view(geometry.vertices().find("position"))[0, :, 0] = _centre(slot)
    joint = scene.objects().create(f"'{name}' on '{link_name}'")
    joint.geometries().create(geometry)
    attached[slot.id()] = Attachment(name, link_name, slot, link_slot, joint)


def detach(scene: uipc.Scene, part: str | Any) -> None:
    """Free an attached part, given by name or geometry slot; it goes on with its present velocity.

    Raises:
        SceneError: It is not attached; names the parts that are.
    """
    attached = _of_scene.setdefault(scene, {})
    keys = [key for key, held in attached.items() if part == held.part] if isinstance(part, str) else [part.id()]
    if len(keys) != 1 or keys[0] not in attached:
        what = f"{len(keys)} parts called '{part}' are attached; give the geometry slot" if len(keys) > 1 else ""
        name = part if isinstance(part, str) else f"geometry {part.id()}"
        known = suggest(name, [held.part for held in attached.values()], "attached parts")
        raise SceneError(f"detach: {what or f'part {name!r} is not attached{known}'}")
    scene.objects().destroy(attached.pop(keys[0]).joint.id())


def carried_by(scene: uipc.Scene, moves: Moves, released: Collection[int], asker: str) -> Moves:
    """The motions of parts whose links are moved; parts may carry others.

    Args:
        scene: The scene.
        moves: The bodies that are moved.
        released: Geometry ids as for `release`; these parts stay where they are.
        asker: Beginning of messages.

    Raises:
        SceneError: An attached part is moved by itself; names it and its link.
    """
    pending, carried = {key: held for key, held in attachments_of(scene).items() if not held.is_of(released)}, Moves()
    for key, held in pending.items():
        if key in moves:
            raise SceneError(
                f"{asker}: part '{held.part}' is attached to '{held.link}', and moves with it; detach it first"
            )
    while ready := [key for key, held in pending.items() if held.link_slot.id() in moves | carried]:
        for key in ready:
            held = pending.pop(key)
            carried[key] = held.carried((moves | carried)[held.link_slot.id()])
    return carried


def release(scene: uipc.Scene, geo_ids: Collection[int]) -> None:
    """Detach all parts that are among some geometries, or attached to one of them."""
    for held in [held for held in attachments_of(scene).values() if held.is_of(geo_ids)]:
        detach(scene, held.part_slot)


def free_part(name: str, free: Sequence[tuple[str, Any]]) -> tuple[str, Any]:
    """Name and slot of a free body that is given by its name.

    Args:
        name: The name.
        free: Names and geometry slots of the free bodies of all couplings.

    Raises:
        SceneError: There is none of this name, or several.
    """
    found = [entry for entry in free if entry[0] == name]
    if len(found) > 1:
        raise SceneError(f"attach: {len(found)} free bodies are called '{name}'; give the geometry slot of one")
    if not found:
        raise SceneError(f"attach: unknown free body '{name}'{suggest(name, [known for known, _ in free])}")
    return found[0]


def scene_part(scene: uipc.Scene, slot: Any) -> tuple[str, Any]:
    """Name and slot of a body that is given by its geometry slot.

    Raises:
        SceneError: It is no slot of one affine body of the scene.
    """
    known = hasattr(slot, "geometry") and scene.geometries().find(slot.id())[0] is not None
    if not known or not is_affine_body(slot.geometry()) or slot.geometry().instances().size() != 1:
        raise SceneError(
            f"attach: a {type(slot).__name__} is no part; give the name of a free body, or the geometry slot of one "
            "affine body of the scene"
        )
    name = object_names(scene).get(slot.id(), f"geometry {slot.id()}")
    return read_meta(slot.geometry(), "name", name), slot


def pose_of(slot: Any) -> Array:
    """The present transform of a body in the scene, (4, 4)."""
    return require(slot.geometry().instances(), "transform", "body")[0]


def _centre(slot: Any) -> Array:
    """Centre of mass of a body in the world, (3,) [m]."""
    m, s = (require(slot.geometry().meta(), name, "body")[0] for name in ("abd_mass", "abd_mass_x_bar"))
    pose = pose_of(slot)
    return pose[:3, :3] @ (s / m) + pose[:3, 3]
