"""Newton's start of links that turn far in a step: a four-bar that falls away under a box, a joint that follows."""

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation import Engine, couple
from ipc_articulation.engine.linear_system.linear_system import LinearSystem
from tests.coupling.worlds import make_scene
from tests.engine.joints import add_slider
from tests.engine.scenes import BoxScene, translation

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
    """They turn 0.04 rad a step, without contact. The four-bar took up to 1024 iterations, the other 18 in the mean."""
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


def test_what_it_solves_does_not_depend_on_the_last_iteration(tmp_path):
    """Which may have assembled exact Hessians: the same state gives the same step."""
    scene = BoxScene(tmp_path)
    left, right = (scene.add_box(translation(x, 0, 1)) for x in (0.0, 0.5))
    add_slider(scene, left, right, np.array([[0.25, 0, 1], [0.35, 0, 1]]))
    potential = scene.start().run().engine.cpu.workspace.potential
    q, found = scene.q.copy(), []
    q[1, :3] += [0.1, 0.2, -0.1]  # it is parted: its exact Hessian is another
    for project in (True, False):
        system = LinearSystem(np.zeros(2, dtype=bool))
        potential.assemble(q, system, project)
        system.choose(np.ones(2, dtype=bool))
        potential.assemble_free(q, system)
        found.append(system.diagonal.copy())
    np.testing.assert_array_equal(*found)
