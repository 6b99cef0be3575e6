"""First scene files for people who have none yet: `ipc-articulation new`."""

from ipc_articulation.starting.plain import plain_starter
from ipc_articulation.starting.robot import robot_starter

__all__ = ["plain_starter", "robot_starter"]
