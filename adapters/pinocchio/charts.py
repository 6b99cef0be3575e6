"""Velocities and displacements of Pinocchio's joints in the coordinates of the articulation, and back.

For most kinds Pinocchio's velocity v is the rate θ̇ of the articulation's positions. The velocity of a free-flyer is the
spatial velocity (u, ω) of the child in its own axes; the articulation takes the velocity of the origin along the
parent's axes, and ω. With R the rotation of the child in the parent's axes,

    v = B θ̇,   B = [Rᵀ 0; 0 1],   Ḃ θ̇ = (-ω × u, 0).

Pinocchio moves a free-flyer by the exponential of SE(3), q⁺ = q ⊕ ξ (`pin.integrate`), exp6 ξ = (e^[φ], p(ξ)):

    δθ = (R p(ξ), φ),   ξ = log6(e^[δφ], Rᵀ δp).

A planar joint is the same in its plane: ξ = E (ρx, ρy, φz).
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
    """The joints of a chain whose velocities and displacements are converted; q is the position, (nq,)."""

    def __init__(self, chain: JointChain) -> None:
        self._charts: list[_Chart] = []
        self._nv = chain.tree.nv
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

    def slopes(self, q: Array) -> Array:
        """B = ∂v/∂θ̇, (nv, nv)."""
        B = np.eye(self._nv)
        for chart in self._charts:
            by_rate = np.eye(6)
            by_rate[:3, :3] = chart.rotation(q).T
            B[chart.rows, chart.rows] = chart.E.T @ by_rate @ chart.E
        return B

    def drift(self, v: Array) -> Array:
        """Ḃ θ̇, the change of a velocity v of which θ̇ does not change, (nv,) each."""
        drift = np.zeros(self._nv)
        for chart in self._charts:
            u, omega = np.split(chart.E @ v[chart.rows], 2)
            drift[chart.rows] = chart.E.T @ np.concatenate([np.cross(u, omega), np.zeros(3)])
        return drift
