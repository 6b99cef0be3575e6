"""How every kernel of this room is compiled."""

from __future__ import annotations

from functools import partial

from numba import njit

# Fused multiply-adds, and no checks of division by zero: what is not finite stays so.
compiled = partial(njit, cache=True, error_model="numpy", fastmath={"contract"})

# For kernels that run through many states: other threads run meanwhile.
compiled_batch = partial(compiled, nogil=True)

# For formulas of a few lines, put into their callers: a call would cost as much as they do.
inlined = partial(compiled, inline="always")
