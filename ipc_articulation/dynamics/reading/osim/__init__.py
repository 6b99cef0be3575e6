"""Models from OpenSim files."""

from ipc_articulation.dynamics.reading.osim.chain import Cluster
from ipc_articulation.dynamics.reading.osim.coordinates import Coordinate
from ipc_articulation.dynamics.reading.osim.model import OsimModel, read_osim

__all__ = ["Cluster", "Coordinate", "OsimModel", "read_osim"]
