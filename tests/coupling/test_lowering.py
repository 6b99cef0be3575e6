"""Lowered ball and free joints: the map of their coordinates, and steps beside those of the joints themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.native import NativeAdapter
from uipc.backend import SceneVisitor

from ipc_articulation import Engine, spatial
from ipc_articulation.coupling import couple
from ipc_articulation.coupling.adapter import CoupledBody, CoupledJoint, CoupledRobot, HalfPlane
from ipc_articulation.coupling.lowering import twists
from ipc_articulation.coupling.lowering.chain import chains_of
from ipc_articulation.coupling.lowering.lowering import Lowering
from ipc_articulation.engine.engine import has_gpu
from ipc_articulation.errors import EngineError, UnsupportedError
from ipc_articulation.frontend.foreign_joints import refuse_foreign_joints
from tests.adapters.native.floating import ball_arm, flying_arm
from tests.coupling.worlds import at, cube, make_scene, make_world

DT = 0.005
EARTH = (0.0, 0.0, -9.81)
STEPS = 200
AGREEMENT = 1e-6  # of δθ [rad, m], and of the largest force
H = 1e-2  # step of difference quotients; the formula's error is H⁶/140 times the seventh derivative

# Of CUDA's engine; the CPU engine solves articulations exactly.
PRECISE = {"newton/velocity_tol": 1e-6, "newton/transrate_tol": 1e-6, "linear_system/tol_rate": 1e-8}

BALL_ARM_SPEEDS = np.array([0.3, 0.4, 0.2, 0.0, 0.1, 0.2, -0.1])
FLYING_ARM_SPEEDS = np.array([0.0, 0.0, 0.0, 4.0, 2.0, 1.0, 0.0, 0.0])


def slopes(f, x):
    """∂f/∂x by central differences of sixth order."""
    steps = ((1, 45.0), (2, -9.0), (3, 1.0))
    columns = [sum(c * (f(x + k * H * e) - f(x - k * H * e)) for k, c in steps) / (60.0 * H) for e in np.eye(len(x))]
    return np.stack(columns, axis=-1)


def phi_of(R):
    return spatial.quaternion_log(spatial.quaternion_from_rotation(R))


@pytest.mark.parametrize("seed", range(5))
def test_slopes_of_the_rotation_vector_are_its_derivatives(seed):
    phi = np.random.default_rng(seed).normal(size=3) * 0.3
    found = slopes(lambda xi: phi_of(twists.rotation(phi) @ twists.rotation(xi)), np.zeros(3))
    np.testing.assert_allclose(twists.log_slopes(phi), found, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_slopes_of_twists_are_their_derivatives(seed):
    R = twists.rotation(np.random.default_rng(seed).normal(size=3))
    found = slopes(lambda eta: twists.twists(R @ twists.rotation(eta)), np.zeros(3))
    np.testing.assert_allclose(twists.twist_slopes(R), found, atol=1e-9)


def test_twists_are_the_rotation_vector_to_the_second_order():
    xi = np.array([0.3, -0.2, 0.5])
    errors = [np.abs(twists.twists(twists.rotation(s * xi)) - s * xi).max() for s in (1e-2, 1e-3)]
    assert errors[1] == pytest.approx(1e-3 * errors[0], rel=1e-3)
    np.testing.assert_allclose(twists.twists(twists.rotation([0.0, 0.0, 3.0])), [0.0, 0.0, 3.0], atol=1e-15)


def ball(*position: float, velocity) -> CoupledBody:
    rate = np.zeros((4, 4))
    rate[:3, 3] = velocity
    return CoupledBody("ball", at(*position), cube(0.05), 0.2, np.zeros(3), 3.3e-4 * np.eye(3), 0.3, rate)


def steps(
    joints, mechanism, speeds, folder, free=(), complete=None, gravity=(0.0, 0.0, 0.0), engine="cpu", count=STEPS
):
    """δθ, δθ̃ and forces of each step."""
    adapter = NativeAdapter(mechanism.build(), DT, free=list(free))
    adapter.v[:] = speeds
    scene = make_scene(DT, gravity)
    for name, tolerance in PRECISE.items() if engine == "cuda" else ():
        uipc.view(scene.config().find(name))[:] = tolerance
    coupling = couple(scene, adapter, joints=joints, complete=complete)
    world = make_world(scene, folder / joints / engine, engine)
    rows = []
    for _ in range(count):
        coupling.step(world)
        if engine == "cpu":
            found = coupling.read_out(world).contact_force
            np.testing.assert_allclose(found, coupling.contact_force, atol=1e-5 * max(1.0, np.abs(found).max()))
        rows.append((coupling.delta_theta.copy(), coupling.delta_theta_tilde.copy(), coupling.contact_force.copy()))
    return [np.array(column) for column in zip(*rows, strict=True)]


def require_agreement(tmp_path, *arguments, **more):
    """Compare lowered with direct steps; returns the direct ones."""
    direct, lowered = (steps(joints, *arguments, folder=tmp_path, **more) for joints in ("own", "chains"))
    assert np.abs(direct[0] - lowered[0]).max() < AGREEMENT
    assert np.abs(direct[2] - lowered[2]).max() < AGREEMENT * max(1.0, np.abs(direct[2]).max())
    return direct


@pytest.mark.slow
def test_a_tumbling_robot_that_a_ball_hits_moves_as_with_a_free_joint(tmp_path):
    struck = ball(0.12, 0.25, 1.03, velocity=(0.0, -1.0, 0.0))
    delta, tilde, force = require_agreement(tmp_path, flying_arm(), FLYING_ARM_SPEEDS, free=[struck])
    assert np.abs(force).max() > 5.0
    assert np.abs(delta - tilde).max() > 1e-4
    assert np.linalg.norm(delta[:, 3:6], axis=1).sum() > 1.2 * np.pi  # more than half a turn


@pytest.mark.slow
def test_an_arm_of_ball_joints_hits_a_wall_as_with_its_own_joints(tmp_path):
    wall = HalfPlane("wall", np.array([-0.08, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 0.3)
    delta, tilde, force = require_agreement(
        tmp_path,
        ball_arm(),
        BALL_ARM_SPEEDS,
        complete=lambda robot: replace(robot, planes=(wall,)),
        gravity=EARTH,
    )
    assert np.abs(force).max() > 1.0
    assert np.abs(delta - tilde).max() > 1e-4


@pytest.mark.gpu
@pytest.mark.parametrize("mechanism", [ball_arm, flying_arm])
def test_lowered_joints_follow_their_prediction_on_cuda(tmp_path, mechanism):
    if not has_gpu():
        pytest.skip("no NVIDIA GPU")
    speeds, gravity = (BALL_ARM_SPEEDS, EARTH) if mechanism is ball_arm else (FLYING_ARM_SPEEDS, (0.0, 0.0, 0.0))
    delta, tilde, _ = steps("chains", mechanism(), speeds, tmp_path, gravity=gravity, engine="cuda", count=10)
    assert np.abs(tilde).max() > 1e-3
    np.testing.assert_allclose(delta, tilde, atol=1e-6)


@pytest.mark.gpu
def test_lowered_joints_meet_a_wall_on_cuda_as_on_the_cpu(tmp_path):
    """With another barrier and lagged friction, so not to many digits; on an H100 0.27 mrad and 6 % of the force."""
    if not has_gpu():
        pytest.skip("no NVIDIA GPU")
    wall = HalfPlane("wall", np.array([-0.08, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 0.3)
    given = {"complete": lambda robot: replace(robot, planes=(wall,)), "gravity": EARTH, "count": 70}
    ours, theirs = (
        steps("chains", ball_arm(), BALL_ARM_SPEEDS, tmp_path, engine=name, **given) for name in ("cpu", "cuda")
    )
    assert np.abs(ours[0] - theirs[0]).max() < 1e-3
    np.testing.assert_allclose(theirs[2], ours[2], atol=0.15 * np.abs(ours[2]).max())


@pytest.mark.parametrize("mechanism", [ball_arm, flying_arm])
def test_what_no_joint_pins_is_held_by_its_soft_transform(mechanism):
    """Bodies whose place nothing holds are singular blocks, which CUDA's engine inverts."""
    robot = NativeAdapter(mechanism().build(), DT).describe()
    for chain in chains_of(robot):
        for number, ghost in enumerate(chain.ghosts, start=chain.first_ghost):
            assert ghost.pinned == any(number in (pin.parent, pin.child) for pin in chain.pins)
    scene = make_scene(DT, EARTH if mechanism is ball_arm else (0.0, 0.0, 0.0))
    couple(scene, NativeAdapter(mechanism().build(), DT), joints="chains")
    ghosts = [ghost for chain in chains_of(robot) for ghost in chain.ghosts if ghost.pulled]
    ratios = [slot.geometry().instances().find("strength_ratio") for slot in SceneVisitor(scene).geometries()]
    places = [ratio.view()[0].item(0) for ratio in ratios if ratio is not None]
    assert [place > 0.0 for place in places] == [not ghost.pinned for ghost in ghosts]


def test_a_robot_is_reset_with_its_ghosts(tmp_path):
    adapter = NativeAdapter(ball_arm().build(), DT)
    adapter.v[:] = 5.0 * BALL_ARM_SPEEDS
    scene = make_scene(DT, EARTH)
    coupling = couple(scene, adapter, joints="chains")
    world = make_world(scene, tmp_path)

    def run():
        found = []
        for _ in range(10):
            coupling.step(world)
            found.append(coupling.delta_theta.copy())
        return np.array(found)

    first = run()
    coupling.reset(world)
    np.testing.assert_allclose(run(), first, atol=1e-9)


def links_on_ball() -> CoupledRobot:
    links = tuple(CoupledBody(name, at(k, 0, 0), cube(0.1)) for k, name in enumerate(("trunk", "arm")))
    joints = (
        CoupledJoint("root", "free", -1, 0, np.zeros(3)),
        CoupledJoint("shoulder", "spherical", 0, 1, np.array([0.5, 0, 0])),
    )
    return CoupledRobot(links, joints)


@pytest.mark.parametrize("angle", [149.0, 151.0])
def test_a_ball_joint_near_half_a_turn_is_refused_by_its_name(angle):
    robot = links_on_ball()
    poses = np.array([link.pose for link in robot.links])
    poses[1, :3, :3] = twists.rotation(np.radians(angle) * np.array([0.6, 0.0, 0.8]))
    arguments = np.eye(9), np.zeros(9), None, poses
    if angle < 150.0:
        assert np.linalg.eigvalsh(Lowering(robot, 1e4, 1e4).lower(*arguments).mass).min() > 0.0
        return
    message = (
        r"ball joint 'shoulder' has turned by 151° since it was coupled.*turn by 150°.*couple the robot near the mid"
    )
    with pytest.raises(EngineError, match=message):
        Lowering(robot, 1e4, 1e4).lower(*arguments)


def test_a_child_on_a_ghost_resists_with_the_mass_of_its_joint():
    robot, rng, hold, pin = links_on_ball(), np.random.default_rng(2), 1e4, 2e4
    factor = rng.normal(size=(9, 9))
    mass, tilde = factor @ factor.T + np.eye(9), 0.1 * rng.normal(size=9)
    poses = np.array([link.pose for link in robot.links])
    poses[1, :3, :3] = twists.rotation([0.9, -1.0, 0.7])
    lowered = Lowering(robot, hold, pin).lower(mass, tilde, None, poses).mass
    attitude = poses[1, :3, :3] @ twists.rotation(tilde[6:])
    A = slopes(lambda eta: twists.twists(attitude @ twists.rotation(eta)), np.zeros(3))
    np.testing.assert_allclose(A.T @ lowered[9:, 9:] @ A, hold * np.eye(3), atol=1e-4)
    compliance = np.linalg.inv(lowered[:9, :9]) + np.diag(np.repeat([1.0 / pin, 0.0, 1.0 / hold], 3))
    E = np.eye(9)
    for turn in (slice(3, 6), slice(6, 9)):
        E[turn, turn] = twists.log_slopes(tilde[turn])
    np.testing.assert_allclose(compliance, np.linalg.inv(E.T @ mass @ E), atol=1e-10)


def test_joints_that_have_no_chain_are_refused_by_name():
    robot = links_on_ball()
    turned = replace(robot.joints[1], kind="universal")
    with pytest.raises(UnsupportedError, match=r"joint 'shoulder': universal joints are not lowered.*joints='own'"):
        Lowering(replace(robot, joints=(robot.joints[0], turned)), 1.0, 1.0)
    floating = replace(robot.joints[1], kind="free")
    with pytest.raises(UnsupportedError, match=r"joint 'shoulder': a free joint is lowered only .* on link 'trunk'"):
        Lowering(replace(robot, joints=(robot.joints[0], floating)), 1.0, 1.0)


def test_springs_on_lowered_joints_are_refused():
    robot, springs = links_on_ball(), np.zeros((9, 4, 4))
    springs[7] = 1.0
    poses = np.array([link.pose for link in robot.links])
    with pytest.raises(UnsupportedError, match="joint 'shoulder': dry friction and limits of spherical joints"):
        Lowering(robot, 1e4, 1e4).lower(np.eye(9), np.zeros(9), springs, poses)


@pytest.mark.parametrize("robot", [lambda: flying_arm(EARTH), ball_arm])
def test_a_scene_for_cuda_needs_chains(robot):
    scenes = {joints: make_scene(DT, EARTH) for joints in ("own", "chains")}
    for joints, scene in scenes.items():
        couple(scene, NativeAdapter(robot().build(), DT), joints=joints)
    refuse_foreign_joints(scenes["chains"])
    with pytest.raises(UnsupportedError, match=r"CUDA engine moves no (free|spherical) joints.*joints='chains'"):
        refuse_foreign_joints(scenes["own"])


def test_world_init_refuses_such_a_scene_on_cuda(tmp_path, monkeypatch):
    scene = make_scene(DT, EARTH)
    couple(scene, NativeAdapter(ball_arm().build(), DT))
    monkeypatch.setattr(Engine, "backend_name", lambda _: "cuda")
    with pytest.raises(UnsupportedError, match=r"'spherical joints' .*couple\(\.\.\., joints='chains'\)"):
        make_world(scene, tmp_path, "none")
