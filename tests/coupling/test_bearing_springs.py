"""An arm with limits, an equality and a limited tendon, pressed against a wall while everything bears at once."""

import dataclasses

import mujoco
import numpy as np
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import Engine, couple
from ipc_articulation.engine.newton.newton_report import NewtonResult

ARM = """<mujoco><option timestep="0.005" integrator="Euler"/><compiler angle="radian"/>
<worldbody><geom type="plane" size="5 5 .1" friction="0.5"/><geom type="box" size=".02 .3 .3" pos=".75 0 .3"/>
<body name="base" pos="0 0 .2">
 <joint name="j1" axis="0 0 1" range="-1.0 0.7" damping=".2" frictionloss=".3" armature=".01"/>
 <geom type="cylinder" size=".05 .05" mass="1"/>
 <body name="upper" pos="0 0 .08">
  <joint name="j2" axis="0 1 0" range="-0.3 0.8" damping=".2" frictionloss=".2" armature=".01"/>
  <geom type="capsule" fromto=".05 0 0 .3 0 0" size=".03" mass="1"/>
  <body name="fore" pos=".32 0 0">
   <joint name="j3" type="slide" axis="1 0 0" range="-.02 .3" damping="2" armature=".01"/>
   <geom type="box" size=".1 .03 .03" pos=".1 0 0" mass=".6"/>
   <body name="f1" pos=".21 .02 0"><joint name="f1" type="slide" axis="0 1 0" range="-.015 .05" damping="1"/>
    <geom type="box" size=".03 .006 .02" pos=".03 0 0" mass=".05"/></body>
   <body name="f2" pos=".21 -.02 0"><joint name="f2" type="slide" axis="0 -1 0" range="-.015 .05" damping="1"/>
    <geom type="box" size=".03 .006 .02" pos=".03 0 0" mass=".05"/></body>
 </body></body></body>
<body name="b1" pos=".6 0 .061"><freejoint/><geom type="box" size=".06 .06 .06" mass="1"/></body>
<body name="b2" pos=".6 0 .20"><freejoint/><geom type="sphere" size=".05" mass=".3"/></body>
<body name="pusher" mocap="true" pos=".55 .4 .1"><geom type="box" size=".04 .04 .04"/></body></worldbody>
<equality><joint joint1="f1" joint2="f2"/></equality>
<tendon><fixed range="-1.0 1.3"><joint joint="j1" coef="1"/><joint joint="j2" coef="1"/></fixed></tendon>
<actuator><position joint="j1" kp="80" kv="3"/><position joint="j2" kp="80" kv="3"/>
<position joint="j3" kp="300" kv="10"/><position joint="f1" kp="60" kv="2"/></actuator></mujoco>"""
PHASE = 13


def arm(rng):
    """The arm with masses, damping and dry friction of its own, at a start of its own."""
    model = mujoco.MjModel.from_xml_string(ARM)
    model.body_mass[1:4] *= rng.uniform(0.8, 1.2)
    model.dof_damping[:3] *= rng.uniform(0.5, 2)
    model.dof_frictionloss[:2] *= rng.uniform(0.3, 2)
    data = mujoco.MjData(model)
    data.qpos[:3] = rng.uniform(-0.5, 0.2), rng.uniform(-0.2, 0.0), 0.0
    data.qvel[0] = rng.uniform(-2, 2)
    return MujocoAdapter(model, data)


def moved(robot):
    """Both free bodies beside where the file has them."""
    free = []
    for body in robot.free:
        pose = body.pose.copy()
        pose[:2, 3] += 0.02 * np.sin(PHASE), 0.03 * np.cos(PHASE)
        free.append(dataclasses.replace(body, pose=pose))
    return dataclasses.replace(robot, free=tuple(free))


def test_every_step_converges(tmp_path):
    """Step 96 took 1,024 steps of Newton's where projected Hessians had been mixed with exact ones."""
    config = uipc.Scene.default_config()
    config["dt"], config["gravity"], config["contact"]["d_hat"] = 0.005, [[0.0], [0.0], [-9.81]], 2e-3
    scene, adapter = uipc.Scene(config), arm(np.random.default_rng(1000 + PHASE))
    coupling, engine = couple(scene, adapter, complete=moved), Engine("cpu", str(tmp_path))
    world, reports = uipc.World(engine), []
    world.init(scene)
    for i in range(100):
        adapter.data.ctrl[:] = (
            1.2 * np.sin(0.03 * i + PHASE),
            0.3 + 0.8 * np.sin(0.021 * i + 0.5 * PHASE),
            0.15 + 0.2 * np.sin(0.05 * i),
            0.04 * np.sin(0.1 * i + PHASE),
        )
        adapter.data.mocap_pos[0] = 0.55 + 0.03 * np.sin(PHASE), 0.4 - 0.25 * (1 - np.cos(0.02 * i)), 0.1
        coupling.step(world)
        reports.append(engine.statistics.newton)
    assert {report.result for report in reports} == {NewtonResult.CONVERGED}
    assert max(report.iterations for report in reports) < 200
