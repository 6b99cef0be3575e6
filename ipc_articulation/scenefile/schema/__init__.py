"""What a scene file may say: pydantic models, a file a family of blocks; docs/scene_files.md is for readers.

Two kinds of scenes, chosen by the key `adapter`: `RobotScene`, whose joints a multibody engine moves, and
`ArticulationScene` (`adapter: none`), whose joints follow a prescribed motion. SI units, angles in radians, quaternions
(w, x, y, z).
"""

from ipc_articulation.scenefile.schema.articulated import Articulation, Axis, Ball, Drive, Joint, Weld
from ipc_articulation.scenefile.schema.bodies import DENSITY, Body, Ground, Push, Velocity, Wall
from ipc_articulation.scenefile.schema.checkpoint import Checkpoint
from ipc_articulation.scenefile.schema.contact import Contact, ContactPair, Material
from ipc_articulation.scenefile.schema.controllers import Controller, Hold, Python, Sine, Torque, Trajectory, Waypoint
from ipc_articulation.scenefile.schema.loops import FourBar, Gear, Loop, Pin
from ipc_articulation.scenefile.schema.robot import Actuators, Robot
from ipc_articulation.scenefile.schema.scene import ArticulationScene, RobotScene, Scene
from ipc_articulation.scenefile.schema.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Pose, Shape, Sphere
from ipc_articulation.scenefile.schema.values import Vector3
from ipc_articulation.scenefile.schema.variation import Variation
from ipc_articulation.scenefile.schema.view import View

__all__ = [
    "DENSITY",
    "Actuators",
    "Articulation",
    "ArticulationScene",
    "Axis",
    "Ball",
    "Body",
    "Box",
    "Capsule",
    "Checkpoint",
    "Contact",
    "ContactPair",
    "Controller",
    "Cylinder",
    "Drive",
    "Ellipsoid",
    "FourBar",
    "Gear",
    "Ground",
    "Hold",
    "Joint",
    "Loop",
    "Material",
    "Mesh",
    "Pin",
    "Pose",
    "Push",
    "Python",
    "Robot",
    "RobotScene",
    "Scene",
    "Shape",
    "Sine",
    "Sphere",
    "Torque",
    "Trajectory",
    "Variation",
    "Vector3",
    "Velocity",
    "View",
    "Wall",
    "Waypoint",
    "Weld",
]
