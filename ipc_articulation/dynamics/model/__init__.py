"""Models: links and joints, and their properties."""

from ipc_articulation.dynamics.model.body import Body
from ipc_articulation.dynamics.model.mechanism import Mechanism
from ipc_articulation.dynamics.model.model import Model
from ipc_articulation.dynamics.model.parts import FixedFrame, Link, Mimic, PlacedJoint
from ipc_articulation.dynamics.model.shapes import Box, Capsule, Cylinder, Ellipsoid, MeshFile, Shape, Sphere, Triangles
