"""The nearest positive semidefinite matrix: negative eigenvalues become 0 (Teran et al. 2005, «Robust quasistatic
finite elements and flesh simulation»).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.compiled import compiled


@compiled
def project(H):
    """Replace a symmetric H (n, n) by its positive part; a semidefinite one stays as it is, and one that is not finite.

    The smaller part is computed, and taken away if it is the negative one: what is kept keeps its digits.
    """
    if not np.all(np.isfinite(H)):
        return
    values, vectors = np.linalg.eigh(H)
    if values[0] >= 0.0:
        return
    sign = 1.0 if -values[0] > values[-1] else -1.0
    if sign > 0.0:
        H[:] = 0.0
    for e in range(len(H)):
        if sign * values[e] > 0.0:
            add_mode(abs(values[e]), vectors[:, e].copy(), H)


@compiled
def add_mode(value, mode, H):
    """Add value · mode modeᵀ to H (n, n): mode (n,)."""
    for i in range(len(mode)):
        scaled = value * mode[i]
        for j in range(len(mode)):
            H[i, j] += scaled * mode[j]
