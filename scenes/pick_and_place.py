"""Pick and place: docs/howto/pick_and_place.md explains it, and is what this script is made of."""

# Robot, cube, camera and sensor

from pathlib import Path

import matplotlib.pyplot as plt
import mujoco
import numpy as np
import uipc
from scipy.interpolate import PchipInterpolator
from scipy.optimize import least_squares

from ipc_articulation import Engine, Recorder, couple, examples
from ipc_articulation.adapters.mujoco import MujocoAdapter

panda = Path(examples.__path__[0], "panda", "panda.urdf")  # or your own robot's file
spec = mujoco.MjSpec.from_file(str(panda))
spec.meshdir = str(panda.parent)
spec.compiler.fusestatic = False  # MuJoCo makes the hand a part of the last link otherwise
spec.option.timestep, spec.option.integrator = 0.01, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
spec.body("panda_link0").pos = [0, 0, 0.005]  # clear of the ground

for joint in spec.joints:
    is_finger, is_wrist = "finger" in joint.name, joint.name[-1] in "567"
    kp, kv = (2000.0, 30.0) if is_finger else (2000.0, 22.0) if is_wrist else (4500.0, 100.0)
    joint.armature, joint.damping[0] = 0.1, 5.0 if is_finger else 1.0
    servo = spec.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    servo.set_to_position(kp=kp, kv=kv)
for body in spec.bodies[1:]:
    body.gravcomp = 1.0  # the real arm compensates its weight as well
for geom in spec.geoms:
    geom.friction[0] = 1.0  # rubber; the larger coefficient of two surfaces holds

hand = spec.body("panda_hand")
hand.add_site(name="grip", pos=[0, 0, 0.1034])  # between the finger tips
hand.add_site(name="wrist")
spec.add_sensor(name="wrist", type=mujoco.mjtSensor.mjSENS_FORCE, objtype=mujoco.mjtObj.mjOBJ_SITE, objname="wrist")

cube = spec.worldbody.add_body(name="cube", pos=[0.45, 0, 0.026])
cube.add_freejoint()
cube.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.025, 0.025, 0.025], mass=0.2, friction=[0.5, 0, 0])
spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[2, 2, 1], friction=[0.5, 0, 0])
spec.worldbody.add_camera(name="front", pos=[1.4, -0.9, 0.75], xyaxes=[0.64, 0.77, 0, -0.20, 0.17, 0.96], fovy=38)

model = spec.compile()
data = mujoco.MjData(model)

# Where the joints have to be

DOWN = np.diag([1.0, -1.0, -1.0])
GOAL = np.array([0.3, 0.35])
OPEN, SHUT = 0.04, 0.015  # of a finger [m]; the cube stops it at 0.025: 20 N


def reach(point, start):
    """Angles of the arm's seven joints [rad] that put the grip at a point [m]; the search begins at `start`."""
    scratch = mujoco.MjData(model)

    def error(angles):
        scratch.qpos[:7] = angles
        mujoco.mj_kinematics(model, scratch)
        grip = scratch.site("grip")
        return np.concatenate([10.0 * (grip.xpos - point), grip.xmat - DOWN.ravel(), 0.02 * (angles - start)])

    return least_squares(error, start, bounds=model.jnt_range[:7].T).x


waypoints = np.array([  # time [s], point of the grip [m], fingers
    (0.0, 0.45, 0.0, 0.2, OPEN),
    (0.8, 0.45, 0.0, 0.03, OPEN),
    (1.2, 0.45, 0.0, 0.03, SHUT),
    (1.4, 0.45, 0.0, 0.03, SHUT),
    (2.2, 0.45, 0.0, 0.2, SHUT),
    (2.6, 0.45, 0.0, 0.2, SHUT),
    (3.6, *GOAL, 0.2, SHUT),
    (4.4, *GOAL, 0.032, SHUT),
    (4.7, *GOAL, 0.032, OPEN),
    (5.4, *GOAL, 0.2, OPEN),
])  # fmt: skip
path = PchipInterpolator(waypoints[:, 0], waypoints[:, 1:])
times = np.arange(0.0, 5.5, 0.1)
angles = [np.array([0, 0.05, 0, -2.6, 0, 2.6, 0.8])]
for moment in times:
    angles.append(reach(path(moment)[:3], angles[-1]))
arm = PchipInterpolator(times, angles[1:])
data.qpos[:9] = *arm(0.0), OPEN, OPEN
mujoco.mj_forward(model, data)

# Simulate and record

config = uipc.Scene.default_config()
config["dt"], config["gravity"] = model.opt.timestep, model.opt.gravity.reshape(3, 1).tolist()
config["contact"]["d_hat"] = 0.001  # surfaces repel each other below this distance [m]
scene = uipc.Scene(config)
coupling = couple(scene, MujocoAdapter(model, data))
engine = Engine("cpu", "out/engine")
world = uipc.World(engine)
world.init(scene)

force, closest = [], []
with Recorder(coupling, "out/pick_and_place", engine, force=True) as recorder:
    for _ in range(540):
        fingers = path(data.time)[3]
        data.ctrl[:] = *arm(data.time), fingers, fingers
        coupling.step(world)
        force.append(data.sensor("wrist").data.copy())  # in the axes of the hand [N]
        closest.append(coupling.minimum_distance)

print(f"the cube lies {1e3 * np.hypot(*(data.body('cube').xpos[:2] - GOAL)):.1f} mm beside its goal")
print(f"the smallest distance of two surfaces was {1e6 * min(closest):.0f} µm")

# What the sensor felt

figure, axes = plt.subplots(figsize=(8, 3.5), layout="constrained")
axes.plot(0.01 * np.arange(1, 541), force, label=["x", "y", "z"])
axes.set(xlabel="time [s]", ylabel="force at the wrist [N]")
axes.legend()
figure.savefig("out/pick_and_place/wrist.png")
