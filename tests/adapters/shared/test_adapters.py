"""What every adapter keeps to, with every robot that its engine can move."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation import couple
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.errors import AdapterError
from tests.adapters.shared.engines import NAMES, cases, side
from tests.adapters.shared.robots import GRAVITY, ROBOTS, UNITS, at
from tests.coupling.worlds import cube, make_scene, make_world

NONE = np.zeros((0, 4, 4))
EACH = pytest.mark.parametrize(("engine", "robot"), cases())
PENDULUM = ROBOTS["double pendulum"]


def coupled(adapter, folder, gravity=None, **added):
    """A coupling whose scene has further bodies, and its world."""
    scene = make_scene(adapter.dt, adapter.gravity)
    coupling = couple(scene, adapter, complete=lambda robot: replace(robot, **added))
    return coupling, make_world(scene, folder)


def forces(robot) -> np.ndarray:
    """Motor forces on hinges and slides."""
    return np.where(robot.single, np.cos(np.arange(len(robot.single))), 0.0)


@EACH
def test_the_description_is_that_of_the_robot(engine, robot) -> None:
    adapter = side(engine).make(robot)
    described = Answers(adapter, make_scene(adapter.dt, GRAVITY)).describe()
    assert [link.name for link in described.links] == [part.name for part in robot.parts]
    for link, joint, part in zip(described.links, described.joints, robot.parts, strict=True):
        assert (joint.name, joint.kind, joint.parent) == (part.joint, part.kind, part.parent)
        offset = joint.anchor - link.pose[:3, 3]
        if UNITS[part.kind] == 1:
            np.testing.assert_allclose(joint.axis, link.pose[:3, :3] @ part.axis, atol=1e-12)
            offset -= offset @ joint.axis * joint.axis
        np.testing.assert_allclose(offset, 0.0, atol=1e-12)
        assert link.mass == pytest.approx(part.mass)
        np.testing.assert_allclose(link.center, part.centre, atol=1e-12)
        np.testing.assert_allclose(link.inertia, np.diag(part.inertia), atol=1e-12)
        corners = link.mesh.vertices - part.centre
        np.testing.assert_allclose(np.abs(corners).max(axis=0), 0.5 * np.array(part.size), atol=1e-12)
        parent = robot.parts[part.parent].name if part.parent >= 0 else None
        if parent is not None:
            assert frozenset({part.name, parent}) in described.untouchable


@EACH
def test_positions_and_rates_are_those_of_the_robot(engine, robot) -> None:
    adapter = side(engine).make(robot)
    np.testing.assert_allclose(adapter.theta()[robot.single], robot.theta, atol=1e-15)
    np.testing.assert_allclose(adapter.theta_dot(), robot.rates, atol=1e-14)
    if robot.parts[0].kind in ("free", "spherical"):
        np.testing.assert_allclose(adapter.link_poses()[0], robot.parts[0].origin, atol=1e-15)


@EACH
def test_the_mass_is_symmetric_and_positive(engine, robot) -> None:
    adapter = side(engine).make(robot)
    mass = adapter.predict().mass
    np.testing.assert_allclose(mass, mass.T, rtol=0, atol=1e-14)
    assert np.linalg.eigvalsh(mass)[0] > 0.0


@EACH
def test_the_mass_and_the_rates_make_the_kinetic_energy(engine, robot) -> None:
    """½ θ̇ᵀ M̂ θ̇ is that of the moving bodies, apart from damping, and from what turns within a step."""
    undamped = tuple(replace(part, damping=0.0) for part in robot.parts)
    adapter = side(engine).make(replace(robot, parts=undamped, speed=0.1))
    before, rates, mass = adapter.link_poses(), adapter.theta_dot(), adapter.predict().mass
    energy, small = 0.0, 1e-6
    adapter.commit(small * rates, NONE, NONE)
    for T, U, part in zip(before, adapter.link_poses(), robot.parts, strict=True):
        centre = np.append(part.centre, 1.0)
        v = ((U - T) @ centre)[:3] / small
        spin = T[:3, :3].T @ (U - T)[:3, :3] / small
        omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        energy += 0.5 * part.mass * v @ v + 0.5 * omega @ (part.inertia * omega)
    assert 0.5 * rates @ mass @ rates == pytest.approx(energy, rel=1e-3)


@EACH
def test_a_prediction_changes_nothing(engine, robot) -> None:
    adapter = side(engine).make(robot)
    before, theta, poses = adapter.state(), adapter.theta(), adapter.link_poses()
    first, second = adapter.predict(), adapter.predict()
    np.testing.assert_array_equal(first.delta_theta_tilde, second.delta_theta_tilde)
    np.testing.assert_array_equal(first.link_poses, poses)
    np.testing.assert_array_equal(adapter.theta(), theta)
    for key, value in adapter.state().items():
        np.testing.assert_array_equal(value, before[key])


@EACH
def test_committing_the_prediction_is_the_engines_own_run(engine, robot) -> None:
    here = side(engine)
    adapter, own = here.make(robot), here.make(robot)
    for each in (adapter, own):
        here.push(each, forces(robot))
    for _ in range(20):
        adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
        here.own_step(own)
    assert np.abs(own.link_poses() - here.make(robot).link_poses()).max() > 0.02
    np.testing.assert_allclose(adapter.link_poses(), own.link_poses(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(adapter.theta_dot(), own.theta_dot(), rtol=0, atol=1e-11)


def displacement(robot, before, after) -> np.ndarray:
    """δθ between two sets of link poses, by its definition."""
    found = []
    for part, T, U in zip(robot.parts, before, after, strict=True):
        P, Q = (np.eye(4), np.eye(4)) if part.parent < 0 else (before[part.parent], after[part.parent])
        H, K = np.linalg.solve(P, T), np.linalg.solve(Q, U)
        shift, turn = K[:3, 3] - H[:3, 3], Rotation.from_matrix(H[:3, :3].T @ K[:3, :3]).as_rotvec()
        along = {"revolute": turn @ part.axis, "prismatic": shift @ H[:3, :3] @ part.axis, "spherical": turn}
        found.append(along.get(part.kind, [*shift, *turn]))
    return np.hstack(found)


@EACH
def test_the_links_move_by_what_is_committed(engine, robot) -> None:
    """Also where that is far from the prediction."""
    adapter = side(engine).make(robot)
    before, prediction = adapter.link_poses(), adapter.predict()
    change = 0.3 * np.cos(np.arange(len(prediction.delta_theta_tilde)))
    adapter.commit(change, NONE, NONE)
    np.testing.assert_allclose(displacement(robot, before, adapter.link_poses()), change, rtol=0, atol=1e-13)
    gain = (change - prediction.delta_theta_tilde) / adapter.dt
    own = side(engine).make(robot)
    own.predict()
    own.commit(prediction.delta_theta_tilde, NONE, NONE)
    np.testing.assert_allclose((adapter.theta_dot() - own.theta_dot())[robot.single], gain[robot.single], atol=1e-11)


@EACH
def test_without_contact_the_motion_is_the_engines_own(engine, robot, tmp_path) -> None:
    here = side(engine)
    adapter, own = here.make(robot), here.make(robot)
    coupling, world = coupled(adapter, tmp_path)
    for _ in range(40):
        coupling.step(world)
        here.own_step(own)
    np.testing.assert_allclose(adapter.link_poses(), own.link_poses(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(adapter.theta_dot(), own.theta_dot(), rtol=0, atol=1e-7)
    assert coupling.drift.max() < 1e-8


@pytest.mark.parametrize("engine", NAMES)
def test_another_gravity_or_time_step_is_refused(engine) -> None:
    adapter = side(engine).make(PENDULUM)
    with pytest.raises(AdapterError, match="gravities differ: the scene was made with"):
        couple(make_scene(adapter.dt, (0.0, 0.0, -9.81)), adapter)
    with pytest.raises(AdapterError, match=r"time steps differ: the scene has dt = 0\.004 s, the model 0\.005 s"):
        couple(make_scene(0.004, GRAVITY), adapter)


@pytest.mark.parametrize("engine", NAMES)
def test_a_commit_needs_a_prediction(engine) -> None:
    adapter = side(engine).make(PENDULUM)
    change = adapter.predict().delta_theta_tilde
    adapter.commit(change, NONE, NONE)
    with pytest.raises(AdapterError, match="commit without a prediction: call predict first, once for each step"):
        adapter.commit(change, NONE, NONE)


@pytest.mark.parametrize("engine", NAMES)
def test_an_edit_of_the_geometry_is_refused(engine) -> None:
    here = side(engine)
    adapter = here.make(PENDULUM)
    couple(make_scene(adapter.dt, adapter.gravity), adapter)
    with pytest.raises(AdapterError, match=here.refusal):
        here.step_with_edit(adapter)


THROWS = {  # where a box is thrown from, and how fast
    "double pendulum": ((0.66, 0.04, 0.65), (0.0, 0.0, 3.0)),
    "arm with a slide": ((0.75, 0.53, 0.0), (0.0, 0.0, 3.0)),
    "arm of balls": ((0.1, 0.04, 0.3), (-3.0, 0.0, 1.0)),
}


def struck(engine, title, folder) -> np.ndarray:
    """Poses of a box that is thrown at a robot, and contact forces on the joints, (steps, 12 + m)."""
    adapter, (place, velocity) = side(engine).make(ROBOTS[title]), THROWS[title]
    rate = np.zeros((4, 4))
    rate[:3, 3] = velocity
    inertia = 1e-3 * np.eye(3)
    box = CoupledBody("box", at(*place, turn=0.3), cube(0.05), 0.5, np.zeros(3), inertia, friction=0.3, velocity=rate)
    coupling, world = coupled(adapter, folder, free=(box,))
    rows = []
    for _ in range(40):
        coupling.step(world)
        rows.append([*coupling.body_poses[-1][:3].ravel(), *coupling.contact_force])
    return np.array(rows)


STRUCK = [case for case in cases() if case.id.partition(", ")[2] in THROWS]


@pytest.mark.parametrize(("engine", "robot"), STRUCK)
def test_a_thrown_box_meets_the_same_robot_with_every_engine(engine, robot, tmp_path) -> None:
    """MuJoCo's slides have their anchors elsewhere on the axis, where the finite stiffness of a joint acts."""
    title = next(title for title, known in ROBOTS.items() if known is robot)
    reference = "mujoco" if title == "arm of balls" else "native"
    ours, theirs = (struck(name, title, tmp_path / name) for name in (engine, reference))
    force, error = np.abs(theirs[:, 12:]).max(), 1e-3 if (engine, title) == ("mujoco", "arm with a slide") else 1e-6
    assert force > 10.0
    np.testing.assert_allclose(ours[:, :12], theirs[:, :12], rtol=0, atol=error)
    np.testing.assert_allclose(ours[:, 12:], theirs[:, 12:], rtol=0, atol=error * force)
