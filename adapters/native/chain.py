"""The links of an articulation: one for every node of a model's tree.

Every node is one degree of freedom, a rotation about or a slide along the z axis of its own frame
(`dynamics/algorithms/tree.py`). Node i moves link i. The last node of a joint carries the body, and its link has the
body's frame. The nodes before it, between the screws of a universal or cylindrical joint, carry no body, and their
links have the node's frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arrays import Array, Ints
from ipc_articulation.dynamics.algorithms.kinematics import frame_poses, frame_velocities
from ipc_articulation.dynamics.algorithms.tree import SCREW
from ipc_articulation.dynamics.model import Model
from ipc_articulation.errors import UnsupportedError

Kind = Literal["revolute", "prismatic"]

_KINDS: dict[tuple[float, float], Kind] = {(1.0, 0.0): "revolute", (0.0, 1.0): "prismatic"}  # by turn and slide


@dataclass(frozen=True)
class LinkChain:
    """m joints and their m links, in the order of the model's degrees of freedom."""

    model: Model
    names: tuple[str, ...]  # of the links
    kinds: tuple[Kind, ...]
    parents: tuple[int, ...]  # parent link of each joint, -1 for the world
    bodies: tuple[int, ...]  # body of each link in the model, -1 for massless links between two screws
    from_link: Array  # (m, 4, 4) each link's frame in its node's frame
    linked: Model  # the model with the links for its frames

    def link_poses(self, q: ArrayLike) -> Array:
        """Poses of the links in the world at a position (m,), (m, 4, 4).

        Raises:
            StateError: A wrong length, a number that is not finite.
        """
        return frame_poses(self.linked, q)

    def link_velocities(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Velocities [ω; ẋ] of the links and their origins in world axes at q and v (m,), (m, 6) [rad/s; m/s]."""
        return frame_velocities(self.linked, q, v)

    def axes(self, link_poses: Array) -> tuple[Array, Array]:
        """A point on each joint's axis, (m, 3) [m], and the axis, (m, 3) unit, in the world."""
        nodes = link_poses @ spatial.inverse(self.from_link)
        return nodes[:, :3, 3], nodes[:, :3, 2]


def make_chain(model: Model) -> LinkChain:
    """The links of a model.

    Raises:
        UnsupportedError: A joint is not made of turns and slides.
    """
    for complaint in _complaints(model):
        raise UnsupportedError(complaint)
    tree = model.tree
    owners = _owners(model)
    bodies = tuple(int(body) for body in tree["body"])
    names = tuple(
        model.bodies[owner].name if body >= 0 else f"{model.bodies[owner].name}/{v - model.body_v[owner]}"
        for body, owner, v in zip(bodies, owners, tree["v"], strict=True)
    )
    from_link = np.array([np.eye(4) if b < 0 else model.frame_pose[model.body_frame[b]] for b in bodies])
    return LinkChain(
        model=model,
        names=names,
        kinds=tuple(_KINDS[float(node["turn"]), float(node["slide"])] for node in tree),
        parents=tuple(int(parent) for parent in tree["parent"]),
        bodies=bodies,
        from_link=from_link,
        linked=replace(
            model,
            frame_names=names,
            frame_body=tree["body"].copy(),
            frame_node=np.arange(len(tree)),
            frame_pose=from_link,
            aliases=MappingProxyType({}),
        ),
    )


def _owners(model: Model) -> Ints:
    """Body whose joint each node belongs to, (nodes,)."""
    return np.searchsorted(model.body_v, model.tree["v"], side="right") - 1


def _complaints(model: Model) -> Iterator[str]:
    for node, owner in zip(model.tree, _owners(model), strict=True):
        if not _is_supported(node):
            body = model.bodies[owner]
            yield (
                f"joint '{body.joint_name}' of body '{body.name}' is a {type(body.joint).__name__}; for now only "
                "revolute and prismatic joints, and joints made of them (universal, cylindrical, planar, Cardan), "
                "can be coupled; use FixedJoint for the base, or let IPC move the body as a free one"
            )


def _is_supported(node: Any) -> bool:
    return node["kind"] == SCREW and (float(node["turn"]), float(node["slide"])) in _KINDS
