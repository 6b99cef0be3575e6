"""The kinds of cluster joints, with the names of generalized_rbda («Cluster joints»); FourBarJoint is its FourBar.

| kind | bodies, in spanning order | ẏ |
|---|---|---|
| Free | base | as of a `FloatingJoint` |
| Revolute | link | of the link |
| RevolutePair | link 1, link 2 on it | of the links |
| RevoluteWithRotor | link, rotor | of the link |
| RevolutePairWithRotor | link 1, rotor 1, rotor 2, link 2 on link 1 | of the links |
| RevoluteTripleWithRotor | links 1 to 3, each on the one before; rotors 1 to 3 | of the links |
| TelloHip, TelloKneeAnkle | rotor 1, rotor 2, link 1, link 2 on it | of the rotors after their gears |
| FourBarJoint | driver, support, output on the driver | of the chosen one |
| Generic | any | the constraint's |

All other bodies have output bodies as parents. Rotor k turns by N_k Σ_{j≤k} B_kj y_j relative to its parent, with the
gear ratio N_k, which may be negative, and the ratio of the belts B_kj = b_k1 ⋯ b_kj (`transmission`).

For `Free`, ẏ is (ṗ, ω) in the output body's axes, so S = [0 Rᵀ; Rᵀ 0]; in generalized_rbda it is the body's twist, and
S = 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ipc_articulation import spatial
from ipc_articulation.arrays import Array
from ipc_articulation.dynamics.joints import FloatingJoint
from ipc_articulation.dynamics.loops import four_bar, tello
from ipc_articulation.dynamics.loops.constraint import LoopConstraint
from ipc_articulation.dynamics.loops.explicit import Static, checked_ratio
from ipc_articulation.dynamics.model.cluster_joint import ClusterBody, ClusterJoint, Loops, hinged
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.parts import Link
from ipc_articulation.errors import ModelError

Z = (0.0, 0.0, 1.0)


class Generic(ClusterJoint):
    """Any bodies, each with any joint, and any constraint."""


class FreeMotion(LoopConstraint):
    """No constraint: seven position coordinates and six velocities of a `FloatingJoint`."""

    size, ndof, position_size = 6, 6, 7

    def spanning(self, x: Array) -> Array:
        return x

    def phi(self, q: Array) -> Array:
        return np.zeros(0)

    def K(self, q: Array) -> Array:
        return np.zeros((0, 6))

    def k(self, q: Array, q_dot: Array) -> Array:
        return np.zeros(0)

    def G(self, x: Array) -> Array:
        return np.eye(6)

    def g(self, x: Array, y_dot: Array) -> Array:
        return np.zeros(6)

    def integrate(self, x: Array, y_dot: Array, dt: float) -> Array:
        return FloatingJoint().integrate(x, y_dot, dt)

    def difference(self, x: Array, x_end: Array) -> Array:
        return FloatingJoint().difference(x, x_end)

    def rate(self, x: Array, y_dot: Array) -> Array:
        return FloatingJoint().rate(x, y_dot)

    def closed(self, x: Array) -> Array:
        return x

    def position(self, q: Array) -> Array:
        return q

    def random(self, rng: np.random.Generator) -> Array:
        return FloatingJoint().integrate(FloatingJoint().neutral(), rng.normal(size=6))

    def names(self, joints: Sequence[str]) -> tuple[list[str], list[str]]:
        return [f"{joints[0]}[{k}]" for k in range(7)], [f"{joints[0]}[{k}]" for k in range(6)]


class Free(ClusterJoint):
    """A body that moves freely."""

    def __init__(self, base: Link) -> None:
        super().__init__([ClusterBody(base, FloatingJoint())], FreeMotion())

    def add_to(self, mechanism: Mechanism, name: str, outputs: str | Sequence[str] = "world") -> Loops:
        """Add the body and its joint; there is no loop, so the returned list is empty."""
        self._hang(mechanism, name, outputs)
        return []


class Revolute(ClusterJoint):
    """One hinge."""

    def __init__(self, link: ClusterBody) -> None:
        super().__init__([link], Static([[1.0]]))


class RevolutePair(ClusterJoint):
    """Two hinges in series, in one cluster."""

    def __init__(self, link1: ClusterBody, link2: ClusterBody) -> None:
        super().__init__([link1, _on(link2, 0)], Static(np.eye(2)))


class RevoluteWithRotor(ClusterJoint):
    """A link and its geared rotor: G = [1; N], K = [N, -1].

    Raises:
        ModelError: The ratio is zero or not finite.
    """

    def __init__(self, link: ClusterBody, rotor: ClusterBody, ratio: float) -> None:
        N = checked_ratio(ratio)
        super().__init__([link, rotor], Static([[1.0], [N]], [[N, -1.0]]))


class RevolutePairWithRotor(ClusterJoint):
    """Two links in series, moved by two rotors through gears and belts.

    Args:
        links: The two links; the first is the parent of the second.
        rotors: The two rotors.
        ratios: N₁, N₂.
        belts: b₁ = (b₁₁), b₂ = (b₂₁, b₂₂).

    Raises:
        ModelError: A wrong number, or one that is zero or not finite.
    """

    def __init__(
        self,
        links: Sequence[ClusterBody],
        rotors: Sequence[ClusterBody],
        ratios: Sequence[float],
        belts: Sequence[Sequence[float]],
    ) -> None:
        link1, link2 = _counted(links, 2, "links")
        rotor1, rotor2 = _counted(rotors, 2, "rotors")
        (a, _), (b, c) = transmission(_counted(ratios, 2, "gear ratios"), belts)
        G = [[1.0, 0.0], [a, 0.0], [b, c], [0.0, 1.0]]
        K = [[a, -1.0, 0.0, 0.0], [b, 0.0, -1.0, c]]
        super().__init__([link1, rotor1, rotor2, _on(link2, 0)], Static(G, K))


class RevoluteTripleWithRotor(ClusterJoint):
    """Three links in series, moved by three rotors through gears and belts: G = [1; D B], K = [-D B, 1].

    Args:
        links: The three links; each is the parent of the next.
        rotors: The three rotors.
        ratios: N₁, N₂, N₃.
        belts: b₁, b₂, b₃, with 1, 2 and 3 numbers.

    Raises:
        ModelError: A wrong number, or one that is zero or not finite.
    """

    def __init__(
        self,
        links: Sequence[ClusterBody],
        rotors: Sequence[ClusterBody],
        ratios: Sequence[float],
        belts: Sequence[Sequence[float]],
    ) -> None:
        link1, link2, link3 = _counted(links, 3, "links")
        DB = transmission(_counted(ratios, 3, "gear ratios"), belts)
        bodies = [link1, _on(link2, 0), _on(link3, 1), *_counted(rotors, 3, "rotors")]
        super().__init__(bodies, Static(np.vstack([np.eye(3), DB]), np.hstack([-DB, np.eye(3)])))


class TelloJoint(ClusterJoint):
    """Two rotors that move two links in series through rods; the first link is the parent of the second."""

    def __init__(
        self, rotors: Sequence[ClusterBody], links: Sequence[ClusterBody], constraint: tello.TelloDifferential
    ) -> None:
        link1, link2 = _counted(links, 2, "links")
        super().__init__([*_counted(rotors, 2, "rotors"), link1, _on(link2, 2)], constraint)


class TelloHip(TelloJoint):
    """The Tello humanoid's hip: rotors about z; gimbal about x and thigh about y."""

    def __init__(self, rotors: Sequence[ClusterBody], links: Sequence[ClusterBody], ratio: float = 6.0) -> None:
        super().__init__(rotors, links, tello.tello_hip(ratio))


class TelloKneeAnkle(TelloJoint):
    """The Tello humanoid's knee and ankle: rotors about z; shin and foot about y."""

    def __init__(self, rotors: Sequence[ClusterBody], links: Sequence[ClusterBody], ratio: float = 6.0) -> None:
        super().__init__(rotors, links, tello.tello_knee_ankle(ratio))


class FourBarJoint(ClusterJoint):
    """A planar four-bar linkage; all hinges are about z, and every bar is along x of its own frame.

    Args:
        driver: First bar of the path of two.
        support: The bar of the other path.
        output: Second bar of the path of two.
        lengths: l₁ of the driver, l₂ of the output, l₃ of the support [m].
        offset: Vector from the driver's pivot to the support's, (2,) [m].
        independent: Index of the independent angle: 0 the driver's, 1 the support's, 2 the output's.
        origin: The driver's pivot and the axes of the plane in the output body, (4, 4); None: that body's frame.
    """

    def __init__(
        self,
        driver: Link,
        support: Link,
        output: Link,
        lengths: Sequence[float],
        offset: Sequence[float],
        independent: int = 0,
        origin: ArrayLike | None = None,
    ) -> None:
        self.lengths, H = tuple(lengths), np.eye(4) if origin is None else np.asarray(origin, dtype=float)
        bodies = [
            hinged(driver, Z, H),
            hinged(support, Z, H @ spatial.pose(p=[*offset, 0.0])),
            hinged(output, Z, spatial.pose(p=[lengths[0], 0.0, 0.0]), 0),
        ]
        super().__init__(bodies, four_bar.FourBar(lengths, offset, independent))


def transmission(ratios: Sequence[float], belts: Sequence[Sequence[float]]) -> Array:
    """The matrix D B of gears and belts, B_kj = b_k1 ⋯ b_kj for j ≤ k, D = diag(N): rotors' rates = D B links' rates.

    Args:
        ratios: N, n numbers.
        belts: b, n rows; the k-th has k numbers.

    Returns:
        (n, n), lower triangular.

    Raises:
        ModelError: A wrong number, or one that is zero or not finite.
    """
    DB = np.zeros((len(ratios), len(ratios)))
    if [len(belt) for belt in belts] != list(range(1, len(ratios) + 1)):
        raise ModelError(f"rotor k of {len(ratios)} has k belts; the belts are {[list(belt) for belt in belts]}")
    for k, (ratio, belt) in enumerate(zip(ratios, belts, strict=True)):
        if not (np.isfinite(belt).all() and np.all(belt)):
            raise ModelError(f"belts' ratios must be finite numbers other than zero; they are {list(belt)}")
        DB[k, : k + 1] = checked_ratio(ratio) * np.cumprod(belt)
    return DB


def _on(body: ClusterBody, place: int) -> ClusterBody:
    return ClusterBody(body.link, body.joint, body.origin, place)


def _counted(values: Sequence, count: int, what: str) -> Sequence:
    if len(values) != count:
        raise ModelError(f"the cluster joint has {count} {what}, not {len(values)}")
    return values
