"""Inlined sine and cosine of one angle: calls of the C library took half of the time of joint kinematics.

x = n π/2 + y with |y| ≤ π/4 and π/2 in three parts, so that y keeps its digits (Cody, Waite 1980). Then the polynomials
of fdlibm are evaluated at y (Sun Microsystems 1993, k_sin.c and k_cos.c); n selects the polynomial and the sign.
"""

from __future__ import annotations

import math

from ipc_articulation.dynamics.kernels.kernel import inlined

FAR = 1e5  # beyond, y would lose digits

_QUARTERS = 2.0 / math.pi
_ROUND = 6755399441055744.0  # 1.5 · 2⁵²: a number is rounded to a whole one by adding and subtracting this
_P1, _P2, _P3 = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21  # π/2
_S1, _S2, _S3 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
_S4, _S5, _S6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
_C1, _C2, _C3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
_C4, _C5, _C6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11


@inlined
def sin_cos(x):
    """(sin x, cos x) of an angle x [rad], |x| ≤ `FAR`, with an error of at most 2.3e-16."""
    n = (x * _QUARTERS + _ROUND) - _ROUND
    quarter = int(n)
    y = ((x - n * _P1) - n * _P2) - n * _P3
    z = y * y
    w = z * z
    s = y + y * z * ((_S1 + z * _S2) + w * ((_S3 + z * _S4) + w * (_S5 + z * _S6)))
    c = (1.0 - 0.5 * z) + w * ((_C1 + z * _C2) + w * ((_C3 + z * _C4) + w * (_C5 + z * _C6)))
    sine = c if quarter & 1 else s
    cosine = s if quarter & 1 else c
    return -sine if quarter & 2 else sine, -cosine if (quarter + 1) & 2 else cosine
