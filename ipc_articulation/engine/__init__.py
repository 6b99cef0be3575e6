"""The CPU engine for libuipc scenes, and `Engine`, which chooses between it and libuipc's own.

Reading order: `cpu` (the engine that libuipc calls), `step` (one step, one page), `newton`, `potential` and its terms,
which `usual_terms` sums in compiled code. `contact_free` is the step again, compiled as a whole, for scenes that cannot
touch.
"""

from ipc_articulation.engine.engine import Engine

__all__ = ["Engine"]
