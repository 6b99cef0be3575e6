"""The compiler options of all energies."""

from __future__ import annotations

from functools import partial

from ipc_articulation.compiled import compiled

# Fused multiply-adds; no checks of division by zero: numbers that are not finite stay so; no wrappers for C, which
# take a tenth of the time to compile; and several threads may run them.
kernel = partial(compiled, error_model="numpy", fastmath={"contract"}, no_cfunc_wrapper=True, nogil=True)

# For functions that are called in one or two places: what calls them compiles faster than with a call, whose code is
# compiled at every level of calls again.
inlined = partial(kernel, inline="always")
