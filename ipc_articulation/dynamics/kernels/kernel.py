"""The compiler options of all kernels of the dynamics."""

from __future__ import annotations

from functools import partial

from ipc_articulation.compiled import compiled

# Fused multiply-adds, and no checks of division by zero: numbers that are not finite stay so.
kernel = partial(compiled, error_model="numpy", fastmath={"contract"})

# For kernels that run through many states: other threads run meanwhile.
batch_kernel = partial(kernel, nogil=True)

# For formulas of a few lines: they are inlined, because a call would cost as much as they do.
inlined = partial(kernel, inline="always")
