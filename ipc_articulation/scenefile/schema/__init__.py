"""The schema of scene files: pydantic models, one file per family of blocks; docs/scene_files.md is the user's page.

Two kinds of scenes, chosen by the key `adapter`: `RobotScene`, whose joints a multibody engine moves, and
`ArticulationScene` (`adapter: none`), whose joints follow a prescribed motion. SI units, angles in radians, quaternions
(w, x, y, z).
"""

from ipc_articulation.scenefile.schema.articulated import (
    ArticulationEntry,
    AxisEntry,
    BallEntry,
    DriveEntry,
    JointEntry,
    WeldEntry,
)
from ipc_articulation.scenefile.schema.bodies import (
    DENSITY,
    BodyEntry,
    GroundEntry,
    PushEntry,
    VelocityEntry,
    WallEntry,
)
from ipc_articulation.scenefile.schema.contact import MaterialEntry
from ipc_articulation.scenefile.schema.controllers import (
    ControllerEntry,
    HoldEntry,
    PythonEntry,
    SineEntry,
    TorqueEntry,
    TrajectoryEntry,
)
from ipc_articulation.scenefile.schema.robot import FourBarEntry, GearEntry, RobotEntry
from ipc_articulation.scenefile.schema.scene import (
    ArticulationScene,
    EnvironmentsEntry,
    RobotScene,
    Scene,
    VariationEntry,
)
from ipc_articulation.scenefile.schema.shapes import (
    BoxEntry,
    CapsuleEntry,
    CylinderEntry,
    EllipsoidEntry,
    MeshEntry,
    PoseEntry,
    ShapeEntry,
    SphereEntry,
)
from ipc_articulation.scenefile.schema.signals import (
    ActionRewardEntry,
    DistanceRewardEntry,
    ForceRewardEntry,
    JointForcesEntry,
    JointPositionsEntry,
    JointVelocitiesEntry,
    LastActionEntry,
    ObserveEntry,
    PositionEntry,
    ProgressRewardEntry,
    RewardEntry,
    RotationEntry,
    StepRewardEntry,
    SuccessRewardEntry,
    VelocityOfEntry,
)
from ipc_articulation.scenefile.schema.soft import AttachEntry, ClothEntry, RegionEntry, RodEntry, SoftEntry
from ipc_articulation.scenefile.schema.soft_shapes import (
    GridEntry,
    LineEntry,
    PolylineEntry,
    TetrahedraEntry,
    TrianglesEntry,
)
from ipc_articulation.scenefile.schema.task import (
    ActEntry,
    BoundsEntry,
    EpisodeEntry,
    MarkEntry,
    MoveEntry,
    NearnessEntry,
    TargetsEntry,
    TorquesEntry,
)
from ipc_articulation.scenefile.schema.values import Vector3
