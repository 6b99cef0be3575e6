"""The nearest positive semidefinite matrix: negative eigenvalues become 0 (Teran et al. 2005, «Robust quasistatic
finite elements and flesh simulation»).
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.elasticity.kernel import kernel


@kernel
def positive_part(a, b, d):
    """That of ((a, b), (b, d)), three numbers again; a semidefinite matrix stays as it is.

    With the eigenvalues low < 0 < high it is high (S - low)/(high - low). The smaller one is the determinant over the
    larger one, so that it keeps its digits.
    """
    m, r = 0.5 * (a + d), np.sqrt(0.25 * (a - d) ** 2 + b * b)
    if m >= r:
        return a, b, d
    if -m >= r:
        return 0.0, 0.0, 0.0
    larger = m + r if m > 0.0 else m - r
    smaller = (a * d - b * b) / larger
    low, high = min(larger, smaller), max(larger, smaller)
    scale = high / (high - low)
    return scale * (a - low), scale * b, scale * (d - low)
