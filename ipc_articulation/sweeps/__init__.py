"""One scene file run many times with other values, on this machine or on a cluster."""

from ipc_articulation.sweeps.sweep import sweep

__all__ = ["sweep"]
