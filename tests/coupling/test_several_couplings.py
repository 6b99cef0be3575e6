"""A step that nobody commits is an error, and a scene may hold several couplings."""

import os
import signal

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation import Engine, couple, step
from ipc_articulation.dynamics.integrators import Drive
from ipc_articulation.dynamics.joints import RevoluteJoint
from ipc_articulation.dynamics.model import Box, Mechanism, Shape
from ipc_articulation.errors import AdapterError, EngineError, IpcArticulationError, SceneError
from tests.coupling.worlds import Turntable, at, make_scene, make_world

NOT_COMMITTED = (
    r"joints hinge has a step that was not committed.*coupling\.commit\(\).*step\(world, \[first, second\]\)"
)

ARM = """<mujoco><option timestep="0.01" gravity="0 0 0" integrator="implicitfast"/><worldbody>
  <body name="{name}" pos="{x} 0 0"><joint name="{name} hinge" axis="0 0 1" damping="0.1"/>
    <geom type="capsule" fromto="0 0 0 0 0.4 0" size="0.03" mass="1"/></body>
</worldbody><actuator><position joint="{name} hinge" kp="20" kv="2"/></actuator></mujoco>"""


def arm(name: str, x: float) -> MujocoAdapter:
    model = mujoco.MjModel.from_xml_string(ARM.format(name=name, x=x))
    return MujocoAdapter(model, mujoco.MjData(model))


def two_tables():
    """Two turntables that do not meet, each with a coupling of its own."""
    scene, near, far = make_scene(), Turntable(wish=0.01), Farther(wish=0.02)
    return scene, (near, far), (couple(scene, near), couple(scene, far))


class Farther(Turntable):
    def link_poses(self):
        return at(5.0, 0.0, 0.0) @ super().link_poses()

    def describe(self):
        robot = super().describe()
        moved = type(robot.links[0])(**{**vars(robot.links[0]), "name": "far cube", "pose": self.link_poses()[0]})
        hinge = type(robot.joints[0])(**{**vars(robot.joints[0]), "name": "far hinge", "anchor": np.array([5.0, 0, 0])})
        return type(robot)((moved,), (hinge,))


def test_advancing_twice_without_a_commit_is_refused(tmp_path):
    scene, table = make_scene(), Turntable()
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    world.advance()
    with pytest.raises(EngineError, match=NOT_COMMITTED):
        world.advance()
    assert world.frame() == 1
    world.retrieve()
    coupling.commit()
    coupling.step(world)
    assert table.angle == pytest.approx(0.02, abs=1e-6)


def test_a_coupling_that_was_left_out_is_named(tmp_path):
    scene, tables, (near, far) = two_tables()
    world = make_world(scene, tmp_path)
    near.step(world)
    with pytest.raises(EngineError, match="joints far hinge has a step that was not committed"):
        far.step(world)
    with pytest.raises(EngineError, match="joints far hinge has a step that was not committed"):
        near.step(world)
    far.commit()
    assert world.frame() == 1
    assert [len(table.commits) for table in tables] == [1, 1]


def test_a_step_without_all_couplings_of_the_scene_is_refused_before_anything_moves(tmp_path):
    scene, tables, (near, far) = two_tables()
    world = make_world(scene, tmp_path)
    for chosen, missing in (([near], "far hinge"), ([far], "hinge")):
        with pytest.raises(EngineError, match=f"^step: the coupling of joints {missing} of this scene was left out"):
            step(world, chosen)
    assert world.frame() == 0
    step(world, [far, near])
    assert [len(table.commits) for table in tables] == [1, 1]


def test_a_state_is_coupled_to_a_scene_once():
    scene, adapter = make_scene(), arm("left", -0.2)
    couple(scene, adapter)
    again = MujocoAdapter(adapter.model, adapter.data)
    message = "^couple: the MjData of this MujocoAdapter is already coupled to the scene, with joints left hinge; "
    for second in (adapter, again):
        with pytest.raises(AdapterError, match=message):
            couple(scene, second)
    table = Turntable()
    couple(scene, table)
    with pytest.raises(AdapterError, match=r"^couple: the Turntable of this Turntable is already coupled"):
        couple(scene, table)
    couple(make_scene(), again)  # in a new scene, as after an edit that was refused


def test_a_world_of_another_scene_is_refused_before_it_moves(tmp_path):
    scene, table = make_scene(), Turntable()
    coupling, other = couple(scene, table), make_scene()
    couple(other, Turntable())
    worlds = [make_world(scene, tmp_path / "one"), make_world(other, tmp_path / "two")]
    for _ in range(2):
        with pytest.raises(SceneError, match=r"initialised with another scene than the one.*joints hinge"):
            coupling.step(worlds[1])
    assert [world.frame() for world in worlds] == [0, 0]
    for _ in range(3):
        coupling.step(worlds[0])
    assert (len(table.commits), worlds[1].frame()) == (3, 0)


ASKED = [
    (lambda world, coupling: step(world, [coupling, coupling]), "step: the coupling of joints hinge is given twice"),
    (lambda world, coupling: step(world, []), "step: no coupling is given; pass all couplings of the scene"),
    (lambda world, coupling: step(world, None), "step: couplings is a NoneType, must be a list of what `couple` gave"),
    (lambda world, coupling: step(world, coupling), "step: couplings is a Coupling, must be a list"),
    (lambda world, coupling: step(world, [None]), r"step: couplings\[0\] is a NoneType, must be what `couple` gave"),
    (lambda world, coupling: step(None, [coupling]), "step: world is a NoneType, must be a uipc.World"),
    (lambda world, coupling: coupling.step(coupling), "step: world is a Coupling, must be a uipc.World"),
]


@pytest.mark.parametrize(("ask", "message"), ASKED)
def test_a_step_of_something_else_is_refused_before_anything_moves(ask, message, tmp_path):
    scene, table = make_scene(), Turntable()
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    with pytest.raises(IpcArticulationError, match=message):
        ask(world, coupling)
    assert world.frame() == 0
    step(world, (coupling,))
    assert len(table.commits) == world.frame() == 1


def test_a_world_before_init_is_refused(tmp_path):
    scene = make_scene()
    coupling = couple(scene, Turntable())
    world = uipc.World(Engine("cpu", tmp_path))
    with pytest.raises(EngineError, match=r"world\.advance\(\) was called before world\.init"):
        coupling.step(world)
    world.init(scene)
    coupling.step(world)


def test_several_couplings_step_together(tmp_path):
    scene, (near, far), couplings = two_tables()
    world = make_world(scene, tmp_path)
    for _ in range(10):
        step(world, couplings)
    assert world.frame() == 10
    assert (near.angle, far.angle) == pytest.approx((0.1, 0.2), abs=1e-6)


@pytest.mark.slow
def test_two_mujoco_models_push_each_other_with_the_same_force(tmp_path):
    """Mirror images of each other, arms that turn towards each other; they end pressed together in the middle."""
    adapters = arm("left", -0.2), arm("right", 0.2)
    scene = make_scene()
    couplings = [couple(scene, adapter) for adapter in adapters]
    world = make_world(scene, tmp_path)
    for _ in range(150):
        for adapter, target in zip(adapters, (-1.2, 1.2), strict=True):
            adapter.data.ctrl[:] = target
        step(world, couplings)
        assert couplings[0].minimum_distance > 0.0
    left, right = (coupling.contact_force[0] for coupling in couplings)
    assert left == pytest.approx(-right, rel=1e-2)  # edge on edge: 3 mrad to one side E is lower
    assert left == pytest.approx(20.0 * (1.2 + adapters[0].data.qpos[0]), rel=1e-2)
    assert left > 5.0


@pytest.mark.slow
def test_a_mujoco_model_and_a_model_of_our_own_dynamics_push_each_other(tmp_path):
    """MuJoCo's arm stands still by its servo, ours is pressed against it by a torque: contact gives both back."""
    mechanism = Mechanism("right", gravity=np.zeros(3))
    mechanism.add_joint(
        "right hinge", RevoluteJoint([0.0, 0.0, 1.0]), "world", "right", origin=at(0.2, 0, 0), damping=1.0
    )
    link = mechanism.add_link("right", 1.0, (0.0, 0.2, 0.0), 0.013)
    link.collision = (Shape(Box((0.06, 0.46, 0.06)), at(0.0, 0.2, 0.0)),)
    ours, mujocos = NativeAdapter(mechanism.build(), 0.01), arm("left", -0.2)
    ours.drive = Drive(tau=np.array([3.0]))
    scene = make_scene()
    couplings = couple(scene, mujocos), couple(scene, ours)
    world = make_world(scene, tmp_path)
    for _ in range(200):
        step(world, couplings)
        assert couplings[0].minimum_distance > 0.0
    assert couplings[1].contact_force[0] == pytest.approx(-3.0, rel=1e-2)
    assert couplings[0].contact_force[0] == pytest.approx(20.0 * mujocos.data.qpos[0], rel=1e-2)
    assert mujocos.data.qpos[0] > 0.05


def test_a_failed_step_may_be_tried_again(tmp_path):
    table = FailsOnce()
    scene = make_scene()
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    world.advance()
    world.retrieve()
    coupling.commit()
    table.fails = True
    with pytest.raises(ZeroDivisionError):
        world.advance()
    world.advance()
    world.retrieve()
    coupling.commit()
    assert table.angle == pytest.approx(0.02, abs=1e-6)


class FailsOnce(Turntable):
    fails = False

    def predict(self):
        if self.fails:
            self.fails = False
            raise ZeroDivisionError
        return super().predict()


class Interrupted(Turntable):
    """Ctrl-C comes while one of its methods is called."""

    during = ""

    def predict(self):
        self.press_ctrl_c("predict")
        return super().predict()

    def commit(self, delta_theta, free_poses, free_velocities):
        self.press_ctrl_c("commit")
        super().commit(delta_theta, free_poses, free_velocities)

    def press_ctrl_c(self, method):
        if self.during == method:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def heeds_ctrl_c():
    """Programs that a shell starts in the background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_ctrl_c")
@pytest.mark.parametrize("method", ["predict", "commit"])
def test_ctrl_c_leaves_no_step_half_taken(method, tmp_path):
    scene, table = make_scene(), Interrupted()
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    table.during = method
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            coupling.step(world)
        assert len(table.commits) == world.frame()
    table.during = ""
    coupling.step(world)
    assert table.angle == pytest.approx(0.01 * world.frame(), abs=1e-6)
