"""A factor of Mᵗ = L Lᵀ, with which ½ eᵀ Mᵗ e keeps its digits where some directions are far stiffer than others.

Equalities and tied joints add S JᵀJ to M̂, S up to 10⁹ times as large. Where they hold, J e is almost zero, but the
terms of eᵀ (S JᵀJ) e are not: summed entry by entry they leave a noise of ε S |J|² |e|², ε = 2⁻⁵², in which a line
search sees no decrease. With the factor,

    ½ eᵀ Mᵗ e = ½ Σₖ (lₖᵀe)²,     Mᵗ e = Σₖ lₖ (lₖᵀe),

the cancellation is within lₖᵀe, which is small, and its noise is squared. L is that of Cholesky's method with complete
pivoting (Higham 1990, «Analysis of the Cholesky decomposition of a semi-definite matrix»): the column lₖ of the largest
remaining diagonal entry comes first, so that stiff directions are apart from the others.
"""

from __future__ import annotations

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.compiled import compiled


@compiled
def factorise(M: Array, L: Array) -> bool:
    """Write a factor of a symmetric M (f, f) to L (f, f), one column lₖ after the other.

    Returns:
        Whether M is positive definite, else L is not valid.
    """
    rest = 0.5 * (M + M.T)
    for k in range(len(M)):
        pivot = _largest(rest)
        if not rest[pivot, pivot] > 0.0:
            return False
        root = np.sqrt(rest[pivot, pivot])
        for row in range(len(M)):
            L[row, k] = rest[row, pivot] / root
        for row in range(len(M)):
            if L[row, k] != 0.0:
                for column in range(len(M)):
                    rest[row, column] -= L[row, k] * L[column, k]
        rest[pivot, :] = rest[:, pivot] = 0.0
    return True


@compiled
def _largest(M: Array) -> int:
    """The place of the largest diagonal entry; the first one that is not a number, if there is one."""
    place = 0
    for k in range(len(M)):
        if np.isnan(M[k, k]):
            return k
        if M[k, k] > M[place, place]:
            place = k
    return place


@compiled
def stretches(L: Array, e: Array) -> Array:
    """The lₖᵀ e, (f,), for a factor L (f, f) and e (f,)."""
    y = np.zeros(len(e))
    for row in range(len(e)):
        for k in range(len(e)):
            y[k] += L[row, k] * e[row]
    return y


@compiled
def times(L: Array, y: Array, w: Array) -> None:
    """Write L y = Mᵗ e for y = Lᵀe (f,) to w (f,)."""
    for row in range(len(y)):
        total = 0.0
        for k in range(len(y)):
            total += L[row, k] * y[k]
        w[row] = total
