"""How every kernel of the dynamics is compiled."""

from __future__ import annotations

from functools import partial

from ipc_articulation.compiled import compiled

# Fused multiply-adds, and no checks of division by zero: what is not finite stays so.
kernel = partial(compiled, error_model="numpy", fastmath={"contract"})

# For kernels that run through many states: other threads run meanwhile.
batch_kernel = partial(kernel, nogil=True)

# For formulas of a few lines, put into their callers: a call would cost as much as they do.
inlined = partial(kernel, inline="always")
