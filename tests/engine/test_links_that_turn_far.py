"""Links that turn far in a step: a four-bar that falls away under a box, a joint that follows."""

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import Engine, couple
from tests.coupling.worlds import make_scene

HEAD = """<mujoco><compiler angle="radian" autolimits="true"/>
  <option timestep="0.005" integrator="implicitfast"/><worldbody>"""
FOUR_BAR = f"""{HEAD}
  <body name="a" pos="0 0 .5"><joint name="ja" axis="0 1 0" range="-1 1"/>
    <geom type="box" size=".02 .02 .14" pos="0 0 .15" mass="5"/>
    <body name="c" pos="0 0 .3"><joint name="jc" axis="0 1 0"/>
      <geom type="box" size=".18 .06 .02" pos=".2 0 .05" mass="5"/></body></body>
  <body name="b" pos=".4 0 .5"><joint name="jb" axis="0 1 0"/>
    <geom type="box" size=".02 .02 .14" pos="0 0 .15" mass="5"/></body>
  <body name="box" pos=".25 0 1.05"><freejoint/><geom type="box" size=".08 .08 .08" mass="20"/></body>
  </worldbody><equality><connect body1="c" body2="b" anchor="0 0 .3"/></equality></mujoco>"""
FOLLOWER = f"""{HEAD}
  <body name="a" pos="0 -.15 .5"><joint name="ja" axis="0 1 0"/>
    <geom type="box" size=".25 .05 .02" pos=".25 0 0" mass=".1"/></body>
  <body name="b" pos="0 .15 .5"><joint name="jb" axis="0 1 0"/>
    <geom type="box" size=".25 .05 .02" pos=".25 0 0" mass=".1"/></body>
  <body name="box" pos=".35 -.15 .75"><freejoint/><geom type="box" size=".08 .08 .08" mass="20"/></body>
  </worldbody><equality><joint joint1="jb" joint2="ja" polycoef="0 1 2 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize(
    ("model", "steps", "most", "mean"),
    [(FOUR_BAR, 70, 150, 20), (FOLLOWER, 150, 150, 10)],
    ids=["four-bar", "follower"],
)
def test_links_that_turn_far_in_a_step_need_few_iterations(model, steps, most, mean, tmp_path):
    """They turn 0.04 rad a step, without contact: in a straight line that parts their joints."""
    loaded = mujoco.MjModel.from_xml_string(model)
    scene = make_scene(loaded.opt.timestep, loaded.opt.gravity, d_hat=1e-3)
    coupling = couple(scene, MujocoAdapter(loaded, mujoco.MjData(loaded)))
    engine = Engine("cpu", tmp_path)
    world = uipc.World(engine)
    world.init(scene)
    counts = []
    for _ in range(steps):
        coupling.step(world)
        counts.append(engine.statistics.newton.iterations)
    assert max(counts) < most
    assert np.mean(counts) < mean
