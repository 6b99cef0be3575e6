"""Scene files to begin with where there is no robot yet."""

from __future__ import annotations

from pathlib import Path

from ipc_articulation.starting.draft import schema_line

_BODIES = """\
# A door turns at a steady rate and sweeps a ball aside; a box drops to the ground. All keys: docs/scene_files.md
adapter: none  # no robot: bodies, and joints that follow a prescribed motion
title: A door, a ball and a box
dt: 0.01  # [s]
steps: 200
contact: {d_hat: 0.002, friction: 0.5}  # surfaces begin to repel each other at d_hat [m]

ground: {height: 0}

bodies:  # boxes, spheres, cylinders, capsules, ellipsoids, and closed meshes from files
  - name: post
    shape: {type: box, size: [0.1, 0.1, 0.8]}
    pose: {position: [0, 0, 0.45]}
    fixed: true
  - name: door
    shape: {type: box, size: [0.6, 0.04, 0.7]}
    pose: {position: [0.4, 0, 0.45]}
  - name: ball
    shape: {type: sphere, radius: 0.1}
    pose: {position: [0.5, 0.3, 0.103]}
    mass: 0.5
  - name: box
    shape: {type: box, size: [0.2, 0.2, 0.2]}
    pose: {position: [-0.5, 0, 0.4]}
    density: 500

joints:
  - {name: hinge, type: revolute, parent: post, child: door, anchor: [0.07, 0, 0.45], axis: [0, 0, 1]}

articulations:
  - joints: [hinge]
    mass: [[2.0]]  # what the motion weighs against contact [kg·m²]
    velocity: [0.6]  # [rad/s]

# A soft body, and a cloth that falls on it; take the # away. There are rods too.
# soft:
#   - name: sponge
#     shape: {type: box, size: [0.2, 0.2, 0.2]}
#     resolution: 0.05  # length of its elements' edges [m]
#     pose: {position: [-0.9, 0, 0.11]}
#     material: foam  # or youngs_modulus, poissons_ratio and density
# cloth:
#   - name: towel
#     shape: {type: grid, size: [0.4, 0.4], cells: [16, 16]}
#     pose: {position: [-0.9, 0, 0.4]}
#     material: cotton
"""

_ARM = """\
# An arm swings and knocks a crate away. All keys: docs/scene_files.md
adapter: {adapter}  # moves the joints: mujoco, native (the package's own), pinocchio or dart
title: An arm and a crate
dt: 0.01  # [s]
steps: 200
contact: {{d_hat: 0.002, friction: 0.5}}  # surfaces begin to repel each other at d_hat [m]

ground: {{height: 0}}

robot:
  model: {model}  # URDF or MJCF, relative to this file; put your own robot here
  actuators:  # force = kp·(target - position) - kv·velocity
    - {{joints: [shoulder], kp: 400, kv: 30}}
    - {{joints: [elbow], kp: 100, kv: 4}}
  initial: {{shoulder: -0.8, elbow: 0.3}}  # [rad]

controller:  # targets over time; `hold` and `sine` are others
  type: trajectory
  waypoints:
    - {{time: 0.0, joints: {{shoulder: -0.8, elbow: 0.3}}}}
    - {{time: 1.0, joints: {{shoulder: 0.8, elbow: 0.3}}}}

bodies:  # boxes, spheres, cylinders, capsules, ellipsoids, and closed meshes from files
  - name: crate
    shape: {{type: box, size: [0.2, 0.2, 0.3]}}
    pose: {{position: [0.6, 0.1, 0.153]}}
    mass: 1.0
"""

_ROBOT = """\
<?xml version="1.0"?>
<!-- Two links on a post; the joints turn about the vertical. -->
<robot name="arm">
  <link name="post">
    <collision>
      <origin xyz="0 0 0.1"/>
      <geometry><cylinder radius="0.05" length="0.19"/></geometry>
    </collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="post"/>
    <child link="upper"/>
    <origin xyz="0 0 0.25"/>
    <axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="100" velocity="10"/>
  </joint>
  <link name="upper">
    <inertial>
      <origin xyz="0.2 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.002" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <collision>
      <origin xyz="0.2 0 0"/>
      <geometry><box size="0.4 0.06 0.06"/></geometry>
    </collision>
  </link>
  <joint name="elbow" type="revolute">
    <parent link="upper"/>
    <child link="lower"/>
    <origin xyz="0.4 0 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="50" velocity="10"/>
  </joint>
  <link name="lower">
    <inertial>
      <origin xyz="0.15 0 0"/>
      <mass value="1"/>
      <inertia ixx="0.001" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <collision>
      <origin xyz="0.15 0 0"/>
      <geometry><box size="0.3 0.05 0.05"/></geometry>
    </collision>
  </link>
</robot>
"""


def plain_starter(scene_file: Path, adapter: str = "mujoco") -> dict[Path, str]:
    """Files to be written, and their texts: the scene file first, then the robot that it names, if any.

    Args:
        scene_file: Where the scene file will be.
        adapter: `mujoco`, `native`, `pinocchio`, `dart` or `none`.
    """
    if adapter == "none":
        return {scene_file: f"{schema_line()}\n{_BODIES}"}
    robot = scene_file.with_suffix(".urdf")
    text = _ARM.format(adapter=adapter, model=robot.name)
    return {scene_file: f"{schema_line()}\n{text}", robot: _ROBOT}
