"""Equations of motion, term by term."""

from ipc_articulation.dynamics.equations.skeleton import Skeleton
from ipc_articulation.dynamics.equations.world import World
