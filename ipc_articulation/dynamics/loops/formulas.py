"""Explicit formulas of φ, K = ∂φ/∂q and k = -K̇ q̇ for linkages. Each takes parameters p, q and q̇, and fills φ, K, k."""

from __future__ import annotations

import math

from ipc_articulation.dynamics.kernels.kernel import kernel


@kernel
def four_bar(p, q, q_dot, phi, K, k):
    """φ = l₁ e(q₁) + l₂ e(q₁ + q₃) - l₃ e(q₂) - o, e(θ) = (cos θ, sin θ), so ë = -θ̇² e at θ̈ = 0.

    Args:
        p: l₁, l₂, l₃, o.
        q: (3,).
        q_dot: (3,).
        phi: (2,), a result, like K (2, 3) and k (2,).
        K: See phi.
        k: See phi.
    """
    sum_dot = q_dot[0] + q_dot[2]
    x1, y1 = p[0] * math.cos(q[0]), p[0] * math.sin(q[0])
    x2, y2 = p[1] * math.cos(q[0] + q[2]), p[1] * math.sin(q[0] + q[2])
    x3, y3 = p[2] * math.cos(q[1]), p[2] * math.sin(q[1])
    phi[0], phi[1] = x1 + x2 - x3 - p[3], y1 + y2 - y3 - p[4]
    K[0, 0], K[0, 1], K[0, 2] = -y1 - y2, y3, -y2
    K[1, 0], K[1, 1], K[1, 2] = x1 + x2, -x3, x2
    one, two, three = q_dot[0] * q_dot[0], sum_dot * sum_dot, q_dot[1] * q_dot[1]
    k[0] = one * x1 + two * x2 - three * x3
    k[1] = one * y1 + two * y2 - three * y3


A, B, C, D, E, F = 57 / 2500, 49 / 5000, 399 / 20000, 8 / 625, 7 / 625, 3021 / 160000  # [m], the hip's


@kernel
def tello_hip(p, q, q_dot, phi, K, k):
    """The Tello humanoid's hip, one row for each rotor, s = 1 and -1; y = q_r/N.

    φ_s = A sin y - B cos l₁ - s C sin l₁ - D cos y cos l₂ - A cos l₁ sin l₂ - s E sin y sin l₁ + s E sin l₁ sin l₂
          - D cos l₁ sin y sin l₂ + F

    Args:
        p: N.
        q: (4,): both rotors', l₁, l₂.
        q_dot: (4,).
        phi: (2,), a result, like K (2, 4) and k (2,).
        K: See phi.
        k: See phi.
    """
    N, u1, u2 = p[0], q_dot[2], q_dot[3]
    s1, c1, s2, c2 = math.sin(q[2]), math.cos(q[2]), math.sin(q[3]), math.cos(q[3])
    for row in range(2):
        s = 1.0 - 2.0 * row
        sy, cy, w = math.sin(q[row] / N), math.cos(q[row] / N), q_dot[row] / N
        H = s * E
        phi[row] = (A - H * s1 - D * c1 * s2) * sy - D * cy * c2 - B * c1 - (s * C - H * s2) * s1 - A * c1 * s2 + F
        K[row, row], K[row, 1 - row] = ((A - H * s1 - D * c1 * s2) * cy + D * sy * c2) / N, 0.0
        K[row, 2] = (B + (A + D * sy) * s2) * s1 - (s * C + H * sy - H * s2) * c1
        K[row, 3] = D * cy * s2 + (H * s1 - (A + D * sy) * c1) * c2
        yy = D * cy * c2 - (A - H * s1 - D * c1 * s2) * sy
        first = (B + (A + D * sy) * s2) * c1 + (s * C + H * sy - H * s2) * s1
        second = D * cy * c2 - (H * s1 - (A + D * sy) * c1) * s2
        y1, y2 = (D * s1 * s2 - H * c1) * cy, -D * (sy * s2 + c1 * cy * c2)
        mixed = ((A + D * sy) * s1 + H * c1) * c2
        k[row] = -(yy * w * w + first * u1 * u1 + second * u2 * u2)
        k[row] -= 2.0 * (y1 * w * u1 + y2 * w * u2 + mixed * u1 * u2)


ROD = 21 / 6250, 13 / 625, 7 / 2500, 91 / 5000, 147 / 50000  # [m], the knee's and ankle's
AT = 1979 * math.pi / 4500, 493 * math.pi / 1500, 231 * math.pi / 500, 2 * math.pi / 15, math.pi / 45  # [rad]
APART = 163349 / 6250000 - 273 / 12500 * math.cos(math.pi / 9)  # [m]


@kernel
def tello_knee_ankle(p, q, q_dot, phi, K, k):
    """The Tello humanoid's knee and ankle; y = q_r/N, u = ½ (y₁ - y₂).

    φ₁ = a₁ cos(u + α₁) - a₂ cos(u + α₂) - a₃ sin(u + l₂ + α₃) + a₄ sin(l₂ + α₄) - a₅ sin(l₂ + α₅) + c
    φ₂ = l₁ - ½ (y₁ + y₂)

    Args:
        p: N.
        q: (4,): both rotors', l₁, l₂.
        q_dot: (4,).
        phi: (2,), a result, like K (2, 4) and k (2,).
        K: See phi.
        k: See phi.
    """
    half = 0.5 / p[0]
    u, u_dot, l, l_dot = half * (q[0] - q[1]), half * (q_dot[0] - q_dot[1]), q[3], q_dot[3]  # noqa: E741
    x1, y1 = ROD[0] * math.cos(u + AT[0]), ROD[0] * math.sin(u + AT[0])
    x2, y2 = ROD[1] * math.cos(u + AT[1]), ROD[1] * math.sin(u + AT[1])
    x3, y3 = ROD[2] * math.cos(u + l + AT[2]), ROD[2] * math.sin(u + l + AT[2])
    x4, y4 = ROD[3] * math.cos(l + AT[3]), ROD[3] * math.sin(l + AT[3])
    x5, y5 = ROD[4] * math.cos(l + AT[4]), ROD[4] * math.sin(l + AT[4])
    phi[0], phi[1] = x1 - x2 - y3 + y4 - y5 + APART, q[2] - half * (q[0] + q[1])
    by_u = half * (y2 - y1 - x3)
    K[0, 0], K[0, 1], K[0, 2], K[0, 3] = by_u, -by_u, 0.0, x4 - x3 - x5
    K[1, 0], K[1, 1], K[1, 2], K[1, 3] = -half, -half, 1.0, 0.0
    both = u_dot + l_dot
    k[0], k[1] = (x1 - x2) * u_dot * u_dot - y3 * both * both + (y4 - y5) * l_dot * l_dot, 0.0
