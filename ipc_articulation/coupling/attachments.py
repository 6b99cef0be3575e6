"""Parts attached to links while a scene runs: a stiff fixed joint that comes into the scene, and goes again.

The joint holds the part at the relative pose that both have at that moment (IPC's energy ½ κ ‖r‖² of fixed joints,
`articulation.anchors`). The part keeps its own inertia and gravity, which act on the robot through the joint as a
contact does, and momentum is kept: where part and link have different velocities, the next step gives them a common
one. Contact between the two goes on, so a part that was pressed against its link neither springs back nor is pushed
into it; the joint changes nothing where both are at rest.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
_STAYS = 1e-6  # by which the entries of the relation of part and link may change where both are moved

Named = tuple[str, Any]  # name and geometry slot of a body


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
        q = affine.nearest_rigid(affine.q_from_transform(link.pose @ self.relation({})))
        return BodyMotion(affine.transform_from_q(q), link.rate @ self.relation({}))

    def relation(self, moves: Moves) -> Array:
        """X = H_link⁻¹ H_part, (4, 4), where some bodies are moved, and the others are where they are."""
        here, there = (
            moves[slot.id()].pose if slot.id() in moves else pose_of(slot) for slot in (self.link_slot, self.part_slot)
        )
        return np.asarray(np.linalg.solve(here, there), dtype=float)


_of_scene: WeakKeyDictionary[uipc.Scene, list[Attachment]] = WeakKeyDictionary()


def attachments_of(scene: uipc.Scene) -> list[Attachment]:
    """The attached parts of a scene, as often as they are attached."""
    return _of_scene.setdefault(scene, [])


def attach(scene: uipc.Scene, part: Named, link: Named) -> None:
    """Join a part to a link from the next step on.

    Raises:
        SceneError: The part is attached to this link already, or is the link; names both.
    """
    attached = attachments_of(scene)
    (name, slot), (link_name, link_slot) = part, link
    if slot.id() == link_slot.id():
        raise SceneError(f"attach: '{name}' cannot be attached to itself")
    if any((held.part_slot.id(), held.link_slot.id()) == (slot.id(), link_slot.id()) for held in attached):
        raise SceneError(f"attach: part '{name}' is attached to '{link_name}' already; detach it first")
    geometry = joint_geometry("fixed", np.zeros((1, 3)), [(link_slot, 0)], [(slot, 0)], [STRENGTH])
    uipc.view(geometry.vertices().find("position"))[0, :, 0] = _centre(slot)
    joint = scene.objects().create(f"'{name}' on '{link_name}'")
    joint.geometries().create(geometry)
    attached.append(Attachment(name, link_name, slot, link_slot, joint))


def detach(scene: uipc.Scene, part: str | Any, links: Collection[int]) -> None:
    """Free a part, given by name or geometry slot, from links, given by their geometry ids.

    Raises:
        SceneError: It is attached to none of them; names the parts that are.
    """
    of_links = [held for held in attachments_of(scene) if held.link_slot.id() in links]
    is_name = isinstance(part, str)
    found = [held for held in of_links if part == (held.part if is_name else held.part_slot)]
    if len({held.part_slot.id() for held in found}) > 1:
        raise SceneError(f"detach: several parts called '{part}' are attached; give the geometry slot of one")
    if not found:
        name = part if is_name else getattr(part, "id", lambda: part)()
        known = suggest(name, [held.part for held in of_links], "attached parts")
        raise SceneError(f"detach: part {name!r} is not attached here{known}")
    _end(scene, found)


def release(scene: uipc.Scene, geo_ids: Collection[int]) -> None:
    """Detach all parts that are among some geometries, or attached to one of them."""
    _end(scene, [held for held in attachments_of(scene) if held.is_of(geo_ids)])


def _end(scene: uipc.Scene, ended: Sequence[Attachment]) -> None:
    for held in ended:
        scene.objects().destroy(held.joint.id())
        attachments_of(scene).remove(held)


def carried_by(scene: uipc.Scene, moves: Moves, links: Collection[int], released: Collection[int], asker: str) -> Moves:
    """The motions of parts whose links are moved; parts may carry others.

    Args:
        scene: The scene.
        moves: The bodies that are moved.
        links: Geometry ids of all links of the scene, which are not carried.
        released: Geometry ids as for `release`; these parts stay where they are.
        asker: Beginning of messages.

    Raises:
        SceneError: Part and link would not stay in their present relation, because both are moved, or one that is held
            by another; names both.
    """
    holding = [held for held in attachments_of(scene) if not held.is_of(released)]
    carried, grows = Moves(), True
    while grows:
        moved = moves | carried
        new = {
            held.part_slot.id(): held.carried(moved[held.link_slot.id()])
            for held in holding
            if held.link_slot.id() in moved and held.part_slot.id() not in {*moved, *links}
        }
        carried |= new
        grows = bool(new)
    for held in holding:
        if np.abs(held.relation(moves | carried) - held.relation({})).max() > _STAYS:
            raise SceneError(
                f"{asker}: part '{held.part}' is attached to '{held.link}', and moves with it; detach it first"
            )
    return carried


def named(name: str, bodies: Sequence[Named]) -> Named:
    """The body of a name.

    Args:
        name: The name.
        bodies: The free bodies and links of all couplings.

    Raises:
        SceneError: There is none of this name, or several.
    """
    found = [entry for entry in bodies if entry[0] == name]
    if len(found) > 1:
        raise SceneError(f"attach: {len(found)} bodies are called '{name}'; give the geometry slot of one")
    if not found:
        raise SceneError(f"attach: unknown body '{name}'{suggest(name, [known for known, _ in bodies])}")
    return found[0]


def scene_part(scene: uipc.Scene, slot: Any) -> Named:
    """Name and slot of a body that is given by its geometry slot.

    Raises:
        SceneError: It is no slot of one affine body of the scene.
    """
    known = hasattr(slot, "geometry") and scene.geometries().find(slot.id())[0] is not None
    if not known or not is_affine_body(slot.geometry()) or slot.geometry().instances().size() != 1:
        raise SceneError(
            f"attach: a {type(slot).__name__} is no part; give the name of a free body or link, or the geometry slot "
            "of one affine body of the scene"
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
