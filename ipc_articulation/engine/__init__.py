"""The CPU engine for libuipc scenes, and `Engine`, which chooses between it and libuipc's own.

Reading order: `cpu` (the engine that libuipc calls), `step` (one step, one page), `newton` (its method over compiled
stages), `terms` (the summands of the potential), `scene` (what is read of a scene, by nodes).
"""

from ipc_articulation.engine.engine import Engine

__all__ = ["Engine"]
