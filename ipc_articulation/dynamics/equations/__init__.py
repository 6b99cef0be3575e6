"""Equations of motion by hand."""

from ipc_articulation.dynamics.equations.skeleton import Skeleton
from ipc_articulation.dynamics.equations.world import World
