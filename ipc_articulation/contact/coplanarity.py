"""Proof, by its volume, that the origin stays away from the plane of a polygon whose corners move in straight lines.

With the corner r, the sides e and f, and their motions over an interval, s in [0, 1], the normal N(s) = e × f is a
polynomial of degree two, and the volume V(s) = r·N of degree three. The plane's distance is |V| / |N|, and that of the
polygon is not less. In Bernstein's form a polynomial is within the range of its coefficients (Farouki 2012, «The
Bernstein polynomial basis: a centennial retrospective»), so the distance is at least min |Vᵢ| / max |Nᵢ| where all Vᵢ
have one sign. An axis that does not turn proves almost nothing where a face turns and slides at a gap that is tiny
beside its size; this proves the whole way.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled

_HALVINGS = 16
_ROUNDED = 1e-14  # of the product of lengths, error of a volume


@compiled
def time_off_plane(r, v, t, limit, rest, least):
    """The longest of the times (limit - t) / 2ᵏ, more than `least`, in which the distance is proven to be `rest`; or 0.

    Args:
        r: Corners, (4, 3).
        v: Their motions until the time 1, (4, 3).
        t: When the interval begins.
        limit: When it ends at the latest.
        rest: Distance [m].
        least: Of no interest up to this.
    """
    time = limit - t
    for _ in range(_HALVINGS):
        if time <= least:
            break
        if _stays_off(r, v, t, time, rest):
            return time
        time *= 0.5
    return 0.0


@compiled
def _stays_off(r, v, t, time, rest):
    """Whether the plane is at least `rest` away from the origin from t to t + time."""
    p, e, f = np.empty((2, 3)), np.empty((2, 3)), np.empty((2, 3))  # at the beginning and at the end
    for end in range(2):
        at = t + end * time
        for m in range(3):
            p[end, m] = r[0, m] + at * v[0, m]
            e[end, m] = r[1, m] + at * v[1, m] - p[end, m]
            f[end, m] = r[2, m] + at * v[2, m] - p[end, m] - e[end, m]
    N = np.empty((3, 3))
    for m in range(3):
        N[0, m] = _cross(e[0], f[0], m)
        N[1, m] = 0.5 * (_cross(e[0], f[1], m) + _cross(e[1], f[0], m))
        N[2, m] = _cross(e[1], f[1], m)
    V = np.array([_dot(p[0], N[0]), _mean(p[0], N[1], p[1], N[0]), _mean(p[1], N[1], p[0], N[2]), _dot(p[1], N[2])])
    error = _ROUNDED * _longest(p) * _longest(e) * _longest(f)
    return max(V.min(), -V.max()) > rest * _longest(N) + error


@compiled
def _cross(a, b, m):
    k, q = (m + 1) % 3, (m + 2) % 3
    return a[k] * b[q] - a[q] * b[k]


@compiled
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@compiled
def _mean(p, N, q, M):
    """A middle coefficient of the product of a line and a parabola."""
    return (2.0 * _dot(p, N) + _dot(q, M)) / 3.0


@compiled
def _longest(rows):
    longest = 0.0
    for k in range(len(rows)):
        longest = max(longest, _dot(rows[k], rows[k]))
    return np.sqrt(longest)
