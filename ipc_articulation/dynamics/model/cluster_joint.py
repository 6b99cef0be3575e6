"""A cluster of bodies whose joints are related by one constraint, treated as one joint.

Each of its N bodies has its own joint, whose parent is another body of the cluster or an output body: a body of the
parent cluster, or the world. With twists [ω; v] in body frames, stacked body by body, X_i = Ad(H_i⁻¹) from i's parent
body p to i, S_i the subspace of i's joint, and q̇ = G ẏ, q̈ = G ÿ + g, the motion relative to output bodies is

    S:     X_i S_p + S_i G_i                                                            (6N, m)
    v_J:   X_i v_J,p + S_i q̇_i  =  S ẏ                                                  (6N,)
    c_J:   X_i c_J,p - (S_i q̇_i) × X_i v_J,p + Ṡ_i q̇_i + S_i g_i  =  dS/dt ẏ            (6N,)

where terms in p are zero if p is an output body. In generalized_rbda («Cluster joints») these are X_intra S_span G,
X_intra S_span q̇ and X°_intra S_span q̇ + X_intra S_span g. For a body with the transform X from its output body o,

    v = X v_o + v_J,     a = X a_o + S ÿ + c_J + v × v_J.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints import Joint, RevoluteJoint
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.dynamics.loops.motion import over, times, vector
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.parts import Link
from ipc_articulation.errors import ModelError

Loops = list[tuple[list[str], LoopConstraint]]


@dataclass(frozen=True, eq=False)
class ClusterBody:
    """A body of a cluster, and the joint that moves it."""

    link: Link
    joint: Joint
    origin: ArrayLike = field(default_factory=lambda: np.eye(4))  # (4, 4) joint frame in the parent body
    on: int | None = None  # index of the parent body in the cluster; None: an output body


def hinged(link: Link, axis: ArrayLike, origin: ArrayLike | None = None, on: int | None = None) -> ClusterBody:
    """A body on a hinge.

    Args:
        link: The body.
        axis: Axis of the hinge, (3,), in the joint frame.
        origin: Joint frame in the parent body, (4, 4); None: the identity.
        on: Index of the parent body in the cluster; None: an output body.

    Raises:
        ModelError: The axis has no length.
    """
    return ClusterBody(link, RevoluteJoint(axis), np.eye(4) if origin is None else origin, on)


class ClusterJoint:
    """Bodies in spanning order, each after its parent, and the constraint on their joints.

    Args:
        bodies: The N bodies.
        constraint: The constraint on the coordinates of their joints, in this order.

    Raises:
        ModelError: There is no body, the parent of a body is not before it, or the constraint is on another number of
            coordinates.
    """

    def __init__(self, bodies: Sequence[ClusterBody], constraint: LoopConstraint) -> None:
        self.bodies, self.constraint = tuple(bodies), constraint
        kind, ndof = type(self).__name__, sum(body.joint.ndof for body in bodies)
        for place, body in enumerate(bodies):
            if body.on is not None and not 0 <= body.on < place:
                raise ModelError(
                    f"{kind}: body {place}, '{body.link.name}', is before its parent, body {body.on}; list that first"
                )
        if ndof == 0 or ndof != constraint.size:
            raise ModelError(f"{kind}: the constraint is on {constraint.size} coordinates; the joints have {ndof}")

    @property
    def nx(self) -> int:
        """Length of its position x."""
        return self.constraint.position_size

    @property
    def nv(self) -> int:
        """Number of independent velocities, m."""
        return self.constraint.ndof

    def poses(self, x: ArrayLike) -> Array:
        """Poses of the bodies in their output bodies: (..., nx) -> (..., N, 4, 4).

        Raises:
            StateError: A wrong length.
        """
        poses: list[Array] = []
        for body, q, _ in self._each(self._position(x)):
            H = np.asarray(body.origin, dtype=float) @ body.joint.pose_at(q)
            poses.append(H if body.on is None else poses[body.on] @ H)
        return np.stack(poses, axis=-3)

    def S(self, x: ArrayLike) -> Array:
        """∂v_J/∂ẏ: (..., nx) -> (..., 6N, m).

        Raises:
            StateError: A wrong length, or the loop is singular.
        """
        x = self._position(x)
        G = over(self.constraint.G, x)
        blocks: list[Array] = []
        for body, q, dofs in self._each(x):
            own = body.joint.subspace(q) @ G[..., dofs, :]
            blocks.append(own if body.on is None else _transform(body, q) @ blocks[body.on] + own)
        return np.concatenate(blocks, axis=-2)

    def vJ(self, x: ArrayLike, y_dot: ArrayLike) -> Array:
        """Twists of the bodies relative to their output bodies: (..., nx), (..., m) -> (..., 6N) [rad/s; m/s].

        Raises:
            StateError: A wrong length, or the loop is singular.
        """
        return self._rates(x, y_dot)[0]

    def cJ(self, x: ArrayLike, y_dot: ArrayLike) -> Array:
        """The rate of S times ẏ: (..., nx), (..., m) -> (..., 6N) [rad/s²; m/s²].

        Raises:
            StateError: A wrong length, or the loop is singular.
        """
        return self._rates(x, y_dot)[1]

    def add_to(self, mechanism: Mechanism, name: str, outputs: str | Sequence[str]) -> Loops:
        """Add the links, joints and loop of the cluster to a mechanism.

        Args:
            mechanism: The mechanism; it gets links «name_link», moved by joints «name_link_joint».
            name: The prefix of these names.
            outputs: Parent of the cluster, a link or «world»; or one for each body whose parent is an output body, in
                order.

        Returns:
            Joint names and their constraint, which are also added to `Mechanism.loops`.

        Raises:
            ModelError: A wrong number of outputs.
        """
        names = self._hang(mechanism, name, outputs)
        mechanism.add_loop(names, self.constraint)
        return [(names, self.constraint)]

    def _hang(self, mechanism: Mechanism, name: str, outputs: str | Sequence[str]) -> list[str]:
        """Add the links and joints. Returns: the names of the joints."""
        count = sum(body.on is None for body in self.bodies)
        given = [outputs] * count if isinstance(outputs, str) else list(outputs)
        if len(given) != count:
            raise ModelError(
                f"{name}: {count} bodies of the cluster have parents outside it; {len(given)} outputs are given"
            )
        outside = iter(given)
        links: list[str] = []
        names: list[str] = []
        for body in self.bodies:
            parent = next(outside) if body.on is None else links[body.on]
            links.append(f"{name}_{body.link.name}")
            names.append(f"{links[-1]}_joint")
            mechanism.links.append(replace(body.link, name=links[-1]))
            mechanism.add_joint(names[-1], body.joint, parent, links[-1], origin=body.origin)
        return names

    def _rates(self, x: ArrayLike, y_dot: ArrayLike) -> tuple[Array, Array]:
        """v_J and c_J, (..., 6N) each."""
        x, y_dot = self._position(x), vector(y_dot, self.nv, "velocity")
        q_dot = over(lambda at, rate: self.constraint.G(at) @ rate, x, y_dot)
        g = over(self.constraint.g, x, y_dot)
        v: list[Array] = []
        c: list[Array] = []
        for body, q, dofs in self._each(x):
            S, rate = body.joint.subspace(q), q_dot[..., dofs]
            own, bias = times(S, rate), body.joint.bias(q, rate) + times(S, g[..., dofs])
            if body.on is not None:
                X = _transform(body, q)
                before = times(X, v[body.on])
                bias += times(X, c[body.on]) - times(spatial.cross(own), before)
                own = own + before
            v.append(own)
            c.append(bias)
        return np.concatenate(v, axis=-1), np.concatenate(c, axis=-1)

    def _position(self, x: ArrayLike) -> Array:
        return vector(x, self.nx, "x")

    def _each(self, x: Array) -> Iterator[tuple[ClusterBody, Array, slice]]:
        """Each body with the position of its joint and the range of its velocities among q̇."""
        q, at_q, at_v = over(self.constraint.spanning, x), 0, 0
        for body in self.bodies:
            nq, ndof = body.joint.nq, body.joint.ndof
            yield body, q[..., at_q : at_q + nq], slice(at_v, at_v + ndof)
            at_q, at_v = at_q + nq, at_v + ndof


def _transform(body: ClusterBody, q: Array) -> Array:
    """The transform X of twists from the parent body to the body, (..., 6, 6)."""
    return spatial.adjoint(spatial.inverse(np.asarray(body.origin, dtype=float) @ body.joint.pose_at(q)))
