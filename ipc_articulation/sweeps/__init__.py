"""Runs a scene file for many combinations of values, on this machine or on a cluster."""

from ipc_articulation.sweeps.sweep import sweep

__all__ = ["sweep"]
