"""Displacements of Pinocchio's joints in the coordinates of the articulation, and back.

Pinocchio moves a joint by q⁺ = q ⊕ ξ, ξ = dt v⁺ (`pin.integrate`). For most kinds ξ is the articulation's δθ itself:
angles, distances, and for ball joints the rotation vector in the child's axes. The velocity of a free-flyer is the
spatial velocity of the child in its own axes, and ⊕ the exponential of SE(3); the articulation takes the displacement
of the origin along the parent's axes, and the rotation vector in the child's. With ξ = (ρ, φ), exp6 ξ = (e^[φ], p(ξ)),
and R the rotation of the child in the parent's axes,

    δθ = (R p(ξ), φ),   ξ = log6(e^[δφ], Rᵀ δp),   ∂δθ/∂ξ = [R e^[φ] J₁(ξ); 0 1],

J₁ the upper rows of the right Jacobian of exp6 (Solà, Deray, Atchuthan 2018, «A micro Lie theory», section IV and
appendix D). A planar joint is the same in its plane: ξ = E (ρx, ρy, φz).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
from ipc_articulation.adapters.pinocchio.chain import JointChain

from ipc_articulation.arrays import Array

_IN_PLANE = np.eye(6)[:, [0, 1, 5]]  # E


@dataclass(frozen=True)
class _Chart:
    """A joint whose displacement is a spatial one."""

    joint: Any  # pin.JointModel
    data: Any  # its scratch space
    rows: slice  # of its velocity
    E: Array  # (6, f) from its velocity to a spatial one
    Q: Array  # (3, 3) its placement's axes in those along which it is displaced

    def rotation(self, q: Array) -> Array:
        """R at a position (nq,), (3, 3)."""
        self.joint.calc(self.data, q)
        return self.Q @ self.data.M.rotation


class Charts:
    """The joints of a chain whose displacements are converted; all methods take the position q (nq,)."""

    def __init__(self, chain: JointChain) -> None:
        self._charts: list[_Chart] = []
        for number, kind in enumerate(chain.kinds, start=1):
            if kind not in ("free", "planar"):
                continue
            joint, placement = chain.tree.joints[number], chain.tree.jointPlacements[number]
            rows = slice(joint.idx_v, joint.idx_v + joint.nv)
            E, Q = (np.eye(6), placement.rotation.copy()) if kind == "free" else (_IN_PLANE, np.eye(3))
            self._charts.append(_Chart(joint, joint.createData(), rows, E, Q))

    def displacement(self, q: Array, xi: Array) -> Array:
        """δθ of Pinocchio's displacement ξ, (nv,) each."""
        delta = xi.copy()
        for chart in self._charts:
            spatial = chart.E @ xi[chart.rows]
            moved = chart.rotation(q) @ pin.exp6(spatial).translation
            delta[chart.rows] = chart.E.T @ np.concatenate([moved, spatial[3:]])
        return delta

    def motion(self, q: Array, delta: Array) -> Array:
        """Pinocchio's displacement ξ of δθ, (nv,) each."""
        xi = delta.copy()
        for chart in self._charts:
            spatial = chart.E @ delta[chart.rows]
            moved = pin.SE3(pin.exp3(spatial[3:]), chart.rotation(q).T @ spatial[:3])
            xi[chart.rows] = chart.E.T @ pin.log6(moved).vector
        return xi

    def slopes(self, q: Array, xi: Array) -> Array:
        """B = ∂ξ/∂δθ at ξ, (nv, nv)."""
        B = np.eye(len(xi))
        for chart in self._charts:
            spatial = chart.E @ xi[chart.rows]
            by_xi = np.eye(6)
            by_xi[:3] = chart.rotation(q) @ pin.exp3(spatial[3:]) @ pin.Jexp6(spatial)[:3]
            B[chart.rows, chart.rows] = np.linalg.inv(chart.E.T @ by_xi @ chart.E)
        return B
