"""The length of a slip, smoothed at zero, for numba: the friction potential for unit normal force.

    f₀(y) = y² (ε - y/3)/ε² + ε/3   for y < ε, else y

(Li et al. 2020, «Incremental potential contact», section 5; ipctk's and libuipc's).

Newton's method on F |u| overshoots where a slip u turns round: its Hessian is zero along u, and the kink at 0 is as
narrow as ε. With s = f₀'(|u|)/|u|, the friction force p on the other side is a variable of its own that obeys

    p = F s u,   or   p/s = F u,

and it is the second form that is linearised (Chan, Golub, Mulet 1999, «A nonlinear primal-dual method for total
variation-based image restoration»). With c = (ds/d|u|)/|u|, so that ∂(s u)/∂u = s 1 + c uuᵀ, a displacement δu gives

    p + δp = F s (u + δu) + (c/s) p (u·δu),     H = F s 1 + (c/2s) (p uᵀ + u pᵀ),

which is Newton's own Hessian where p = F s u, and positive semidefinite for |p| <= F, to which p is clipped. The energy
and its gradient are those of u alone.

Where a step starts nothing is known of p. Newton's own, F s u, has no curvature along a slip beyond ε: a slip that is
about to stop is thrown far beyond, and the line search gives up. With half of it a step goes at most as far to the
other side. The same holds after a step on circles (see `newton.turning`), along which slips do not change linearly:
then p is clipped to half of F. Friction with memory (see `anchors`) starts with the force with which the last step
ended, at most nine tenths of F for the same reason.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled
from ipc_articulation.contact.barrier import dot

_FIRST, _MOST = 0.5, 0.9


@compiled
def smooth_norm(y, eps):
    """f₀(y)."""
    return y if y >= eps else y * y * (eps - y / 3.0) / (eps * eps) + eps / 3.0


@compiled
def smooth_norm_derivatives(y, eps):
    """S and c of the gradient s u and the Hessian s (1 - nnᵀ) + c uuᵀ of f₀(|u|), which is positive semidefinite."""
    if y >= eps:
        return 1.0 / y, -1.0 / (y * y * y)
    return (2.0 * eps - y) / (eps * eps), -1.0 / (eps * eps * y) if y > 0.0 else 0.0


@compiled
def force_change(u, to, eps):
    """|∇f₀(|to|) - ∇f₀(|u|)| of two slips (3,)."""
    s = smooth_norm_derivatives(np.sqrt(dot(u, u)), eps)[0]
    t = smooth_norm_derivatives(np.sqrt(dot(to, to)), eps)[0]
    square = 0.0
    for k in range(3):
        square += (t * to[k] - s * u[k]) ** 2
    return np.sqrt(square)


@compiled
def dual_hessian(force, s, c, u, p, H):
    """Fill H (3, 3), F s 1 + (c/2s)(p uᵀ + u pᵀ), for F = force."""
    half = 0.5 * c / s
    for k in range(3):
        for m in range(3):
            H[k, m] = half * (p[k] * u[m] + u[k] * p[m])
        H[k, k] += force * s


@compiled
def start_dual(force, s, u, p):
    """Fill p = F s u/2."""
    for k in range(3):
        p[k] = _FIRST * force * s * u[k]


@compiled
def start_anchored_duals(rows, force, anchor, eps, p):
    """Fill p (r, 3) of some rows (k,) by their anchors (r, 3): F f₀'(|s|) s/|s|, at most _MOST F; ε is (k,)."""
    for k in range(len(rows)):
        r = rows[k]
        p[r, :] = 0.0
        length = np.sqrt(dot(anchor[r], anchor[r]))
        if length > 0.0:
            s = smooth_norm_derivatives(length, eps[k])[0]
            for m in range(3):
                p[r, m] = force[r] * min(s, _MOST / length) * anchor[r, m]


@compiled
def follow_dual(force, turned, s, c, u, du, p):
    """Replace p (3,) by p + δp for a displacement δu from u, clipped to the length F = force, half of it if turned."""
    along = (c / s) * (u[0] * du[0] + u[1] * du[1] + u[2] * du[2])
    square = 0.0
    for k in range(3):
        p[k] = force * s * (u[k] + du[k]) + along * p[k]
        square += p[k] * p[k]
    most = _FIRST * force if turned else force
    if square > most * most:
        for k in range(3):
            p[k] *= most / np.sqrt(square)
