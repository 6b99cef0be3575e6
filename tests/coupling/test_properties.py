"""Masses and friction of a robot's parts that change between steps."""

from dataclasses import replace

import numpy as np
import pytest
from uipc import view

from ipc_articulation import RobotProperties, RobotState, couple, couple_many
from ipc_articulation.coupling.adapter import ContactRule, CoupledBody, HalfPlane
from ipc_articulation.errors import EngineError, SceneError, StateError
from tests.coupling.robots import by_mujoco
from tests.coupling.worlds import Turntable, at, cube, make_scene, make_world

G, DT = 9.81, 0.01
AT_START = at(3.0, 0.0, 0.1012)


class Slow(Turntable):
    """A robot far away, with a crate that slides along x on the ground."""

    gravity = np.array([0.0, 0.0, -G])

    def limits(self):
        return np.array([[-np.inf, np.inf]])

    def link_motion(self, theta, theta_dot):
        return self.link_poses(), np.zeros((1, 4, 4))

    def set_state(self, motion, free_poses, free_velocities):
        pass

    def state(self):
        return {}

    def restore(self, state):
        pass


def surrounded(robot, k=0, speed=2.0, rules=()):
    rate = np.zeros((4, 4))
    rate[0, 3] = speed
    crate = CoupledBody("crate", AT_START, cube(0.1), 2.0, np.zeros(3), 0.013 * np.eye(3), 0.2, rate)
    stop = CoupledBody("stop", at(8.0, 0, 2.0), cube(0.1), friction=0.1)
    ground = HalfPlane("ground", np.zeros(3), np.array([0.0, 0.0, 1.0]), 0.1)
    wall = HalfPlane("wall", np.array([-5.0, 0, 0]), np.array([1.0, 0.0, 0.0]), 0.1)
    return replace(robot, free=(crate,), static=(stop,), planes=(ground, wall), contact_rules=rules)


def far(robot):
    """The turntable above the ground, where it touches nothing."""
    return replace(robot, links=tuple(replace(link, mesh=None) for link in robot.links))


def started(folder, **options):
    scene = make_scene(DT, (0, 0, -G))
    coupling = couple(scene, Slow(0.0), complete=lambda robot: surrounded(far(robot), **options))
    return coupling, make_world(scene, folder)


def crate_speed(coupling):
    slot = coupling.placed.bodies.free[0]
    return float(slot.geometry().instances().find("velocity").view()[0][0, 3])


def deceleration(coupling, world, steps=20):
    for _ in range(10):
        coupling.step(world)
    before = crate_speed(coupling)
    for _ in range(steps):
        coupling.step(world)
    return (before - crate_speed(coupling)) / (steps * DT)


@pytest.mark.parametrize(
    ("rules", "friction", "expected"),
    [
        ((), {"crate": 0.4}, 0.4),
        ((), {"crate": 0.05}, 0.1),  # the ground has more
        ((), {"ground": 0.3}, 0.3),
        ((), {"ground": 0.15}, 0.2),  # the crate has more
        ((ContactRule(frozenset({"crate"}), frozenset({"ground"}), 0.25),), {"crate": 0.9}, 0.25),
    ],
)
def test_the_friction_of_a_surface_counts_as_at_the_start(tmp_path, rules, friction, expected):
    coupling, world = started(tmp_path, rules=rules)
    coupling.set_properties(world, friction=friction)
    assert deceleration(coupling, world) == pytest.approx(expected * G, rel=0.02)


@pytest.mark.parametrize("built", [0.1, 0.6])
def test_the_surface_that_leads_gives_the_friction_of_both(tmp_path, built):
    """As of a geom of higher priority in MuJoCo: at the start by a rule, or because it is the larger one."""
    scene = make_scene(DT, (0, 0, -G))
    rules = (ContactRule(frozenset({"ground"}), frozenset({"crate"}), built),) if built < 0.2 else ()

    def complete(robot):
        robot = surrounded(far(robot), rules=rules)
        ground = replace(robot.planes[0], friction=built)
        return replace(robot, planes=(ground,), leaders=(("ground", "crate"),))

    coupling = couple(scene, Slow(0.0), complete=complete)
    world = make_world(scene, tmp_path)
    coupling.set_properties(world, friction={"ground": 0.7 - built})
    assert deceleration(coupling, world) == pytest.approx((0.7 - built) * G, rel=0.02)


def test_a_rule_of_the_scene_goes_before_the_surface_that_leads(tmp_path):
    scene, rule = make_scene(DT, (0, 0, -G)), ContactRule(frozenset({"crate"}), frozenset({"ground"}), 0.25)
    led = (("ground", "crate"),)
    coupling = couple(
        scene, Slow(0.0), complete=lambda robot: replace(surrounded(far(robot), rules=(rule,)), leaders=led)
    )
    world = make_world(scene, tmp_path)
    coupling.set_properties(world, friction={"ground": 0.6})
    assert deceleration(coupling, world) == pytest.approx(0.25 * G, rel=0.02)


def test_masses_and_friction_are_set_together_or_not_at_all(tmp_path):
    scene = make_scene(DT, (0, 0, -G))
    view(scene.config().find("contact/friction/enable"))[:] = 0
    coupling = couple(scene, Slow(0.0), complete=lambda robot: surrounded(far(robot)))
    world = make_world(scene, tmp_path)
    with pytest.raises(SceneError, match="the scene has no friction"):
        coupling.set_properties(world, mass={"crate": 7.0}, friction={"crate": 0.3})
    assert view(coupling.placed.bodies.free[0].geometry().meta().find("abd_mass"))[0] == pytest.approx(2.0)


def test_read_outs_are_of_the_mass_that_was_set(tmp_path):
    coupling, world = started(tmp_path)
    coupling.set_properties(world, mass={"crate": 20.0})
    coupling.step(world)
    motion = coupling.read_out(world).free_bodies
    speed = crate_speed(coupling)
    assert motion.momentum[0, 3] == pytest.approx(20.0 * speed, rel=1e-6)
    assert motion.kinetic_energy[0] == pytest.approx(10.0 * speed**2, rel=0.01)


def test_what_was_set_before_is_remembered_and_outlives_a_reset(tmp_path):
    coupling, world = started(tmp_path)
    coupling.set_properties(world, friction={"crate": 0.02})
    coupling.set_properties(world, friction={"ground": 0.05})
    coupling.reset(world)
    assert deceleration(coupling, world) == pytest.approx(0.05 * G, rel=0.02)


def arms(folder, numbers, properties, steps=60):
    """Trajectories of arms that swing against crates, with properties of their own, (steps, N, b, 4, 4)."""
    scene = make_scene(gravity=(0.0, 0.0, -G))
    ground = HalfPlane("ground", np.array([0.0, 0.0, -0.06]), np.array([0.0, 0.0, 1.0]), 0.4)
    many = couple_many(
        scene,
        [by_mujoco(gravity=(0.0, 0.0, -G)) for _ in numbers],
        complete=lambda robot, _: replace(robot, planes=(*robot.planes, ground)),
    )
    world = make_world(scene, folder)
    many.set_properties(world, {k: properties[number] for k, number in enumerate(numbers) if number in properties})
    poses, forces = [], []
    for _ in range(steps):
        many.step(world)
        poses.append(many.body_poses)
        forces.append(many.contact_force)
    return np.array(poses), np.array(forces)


@pytest.mark.slow
def test_an_environment_with_properties_of_its_own_moves_alone_as_among_others(tmp_path):
    crate = "crate"
    given = {
        0: RobotProperties(mass={crate: 0.2}),
        2: RobotProperties(mass={crate: 4.0}, friction={crate: 0.9}),
        3: RobotProperties(friction={"ground": 2.0}),
    }
    together, forces = arms(tmp_path / "all", range(4), given)
    for k in range(4):
        alone, own = arms(tmp_path / str(k), [k], given)
        np.testing.assert_array_equal(together[:, k], alone[:, 0])
        np.testing.assert_array_equal(forces[:, k], own[:, 0])
    pushes = np.abs(forces).max(axis=(0, 2))
    assert pushes[0] < 0.8 * pushes[1] < 0.8 * pushes[2]
    ways = np.linalg.norm(together[-1, :, -1, :2, 3] - together[0, :, -1, :2, 3], axis=1)
    assert ways[0] > ways[1] > ways[2]
    assert ways[3] < ways[1]


@pytest.mark.parametrize(
    ("mass", "friction", "message"),
    [
        ({"crat": 1.0}, {}, r"set_properties: the mass of 'crat': there is no such free body; did you mean 'crate'\?"),
        ({"cube": 1.0}, {}, r"the mass of 'cube': there is no such free body; valid: crate"),
        ({"crate": 0.0}, {}, r"the mass of 'crate' is 0\.0, must be a positive, finite number"),
        ({"crate": np.nan}, {}, r"the mass of 'crate' is nan, must be a positive"),
        ({}, {"grund": 1.0}, r"the friction of 'grund': there is no such surface; did you mean 'ground'\?"),
        ({"crate": 1.0}, {"stop": -1}, r"the friction of 'stop' is -1, must be a number from 0 to 1e\+06"),
        (1.0, {}, r"set_properties: the mass is 1\.0, must be a Mapping"),
        (np.zeros(2), None, r"set_properties: the mass is array\(\[0\., 0\.\]\), must be a Mapping"),
        (None, np.zeros(0), r"set_properties: the friction is array\(\[\], dtype=float64\), must be a Mapping"),
        ([], None, r"set_properties: the mass is \[\], must be a Mapping"),
        (None, (), r"set_properties: the friction is \(\), must be a Mapping"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(tmp_path, mass, friction, message):
    coupling, world = started(tmp_path)
    with pytest.raises(StateError, match=message):
        coupling.set_properties(world, mass, friction)
    slot = coupling.placed.bodies.free[0]
    assert slot.geometry().meta().find("abd_mass").view()[0] == 2.0


def test_bodies_that_are_held_keep_their_mass_and_other_engines_all(tmp_path):
    coupling, world = started(tmp_path)
    coupling.attach("crate")
    with pytest.raises(SceneError, match="the mass of 'crate' cannot change while a joint"):
        coupling.set_properties(world, {"crate": 1.0})
    coupling.detach("crate")
    coupling.set_properties(world, {"crate": 1.0})
    scene = make_scene(DT, (0, 0, -G))
    other = couple(scene, Slow(0.0), complete=lambda robot: surrounded(far(robot)))
    with pytest.raises(EngineError, match=r"set_properties: the engine reads masses and friction once"):
        other.set_properties(make_world(scene, tmp_path / "none", "none"), {"crate": 1.0})


def test_properties_remain_while_a_part_is_attached_and_let_go(tmp_path):
    coupling, world = started(tmp_path)
    coupling.set_properties(world, friction={"crate": 0.5})
    coupling.attach("crate")
    coupling.step(world)
    coupling.detach("crate")
    still = RobotState(free={"crate": (AT_START, [0, 0, 0, 2.0, 0, 0])})
    coupling.set_state(world, free=still.free)
    assert deceleration(coupling, world) == pytest.approx(0.5 * G, rel=0.02)
