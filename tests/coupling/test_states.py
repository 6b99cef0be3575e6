"""`reset` and `set_state`: robots are put somewhere else at once, without velocities of the way; or nothing happens."""

import mujoco
import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.native import NativeAdapter

import ipc_articulation
from ipc_articulation import RobotState, couple, repairs, reset, set_state, spatial, step
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.dynamics.integrators import PD, Drive
from ipc_articulation.errors import AdapterError, EngineError, SceneError, StateError
from tests.adapters.shared.engines import cases, side
from tests.coupling.robots import BOTH, add_box, by_mujoco, by_native
from tests.coupling.worlds import Turntable, at, cube, make_scene, make_world


def started(make, folder, **robot):
    adapter, scene = make(**robot), make_scene()
    coupling = couple(scene, adapter)
    return adapter, coupling, make_world(scene, folder)


def bits(coupling) -> bytes:
    """State of the robot and its scene, results of the last step included."""
    values = *coupling.state().values(), coupling.body_poses, coupling.theta, coupling.theta_dot
    return b"".join(np.asarray(value).tobytes() for value in values)


def run(coupling, world, steps):
    return [(coupling.step(world), bits(coupling))[1] for _ in range(steps)]


def body(coupling, name):
    names = [*coupling.link_names, *(free.name for free in coupling.robot.free)]
    return coupling.body_poses[names.index(name)]


@pytest.mark.parametrize("make", BOTH)
def test_what_follows_a_reset_is_the_first_run_bit_for_bit(make, tmp_path):
    _, coupling, world = started(make, tmp_path)
    start = coupling.theta.copy(), coupling.body_poses
    first = run(coupling, world, 30)
    assert not np.allclose(coupling.body_poses, start[1], atol=0.01)
    coupling.reset(world)
    np.testing.assert_array_equal(coupling.theta, start[0])
    np.testing.assert_array_equal(coupling.body_poses, start[1])
    assert not coupling.contact_force.any()
    assert run(coupling, world, 30) == first
    assert world.frame() == 60


@pytest.mark.parametrize(("engine", "robot"), cases())
def test_every_adapter_is_reset(engine, robot, tmp_path):
    adapter = side(engine).make(robot)
    scene = make_scene(adapter.dt, adapter.gravity)
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    first = run(coupling, world, 5)
    coupling.reset(world)
    assert run(coupling, world, 5) == first


FLOATING = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body name="trunk" pos="0 0 1">
  <freejoint name="root"/><geom type="box" size="0.2 0.1 0.05"/>
  <body name="leg" pos="0.3 0 0"><joint name="hip" type="ball"/><geom type="box" size="0.05 0.05 0.2" pos="0.1 0 -0.3"/>
  </body></body></worldbody></mujoco>"""


NEAR = """<mujoco><option timestep="0.01"/><worldbody>
  <body><joint name="lift" axis="0 1 0" damping="0.1"/>
    <geom type="box" pos="0.2 0 0" size="0.2 0.05 0.02" mass="1"/></body>
  <body name="box" pos="0.3 0 0.1205"><freejoint/><geom type="box" size="0.05 0.05 0.1" mass="1"/></body>
</worldbody><actuator><position joint="lift" kp="300" kv="10"/></actuator></mujoco>"""


def test_what_is_in_contact_at_the_beginning_is_reset_bit_for_bit(tmp_path):
    model = mujoco.MjModel.from_xml_string(NEAR)
    scene, adapter = make_scene(0.01, (0.0, 0.0, -9.81), d_hat=0.001), MujocoAdapter(model, mujoco.MjData(model))
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    run(coupling, world, 10)
    first = bits(coupling)
    coupling.reset(world)
    run(coupling, world, 10)
    assert bits(coupling) == first


def test_a_floating_base_is_put_by_its_pose_and_a_ball_joint_by_its_rotation(tmp_path):
    model = mujoco.MjModel.from_xml_string(FLOATING)
    scene, adapter = make_scene(), MujocoAdapter(model, mujoco.MjData(model))
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    pose = spatial.pose(spatial.rotation_about([0.6, 0.0, 0.8], 2.0), [1.0, 2.0, 3.0])
    turn = spatial.rotation_about([0.0, 1.0, 0.0], -0.4)
    rates = {"root": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "hip/ry": 0.7}
    coupling.set_state(world, theta={"root": pose, "hip": turn}, theta_dot=rates)
    np.testing.assert_allclose(body(coupling, "trunk"), pose, atol=1e-12)
    np.testing.assert_allclose(body(coupling, "leg"), pose @ spatial.pose(turn, [0.3, 0, 0]), atol=1e-12)
    np.testing.assert_allclose(adapter.data.qvel, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.0, 0.7, 0.0])
    with pytest.raises(StateError, match="theta of joint 'root' is not rigid: it must be"):
        coupling.set_state(world, theta={"root": 2.0 * pose})
    with pytest.raises(StateError, match=r"joint 'hip' has shape \(2,\), must be 3 numbers, or a rotation \(3, 3\)"):
        coupling.set_state(world, theta={"hip": [1.0, 2.0]})


def test_a_pose_of_a_base_that_counts_from_elsewhere_is_refused(tmp_path):
    pin = pytest.importorskip("pinocchio")
    from ipc_articulation.adapters.pinocchio import PinocchioAdapter

    model = pin.Model()
    model.gravity = pin.Motion.Zero()
    root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3(np.eye(3), np.array([0.0, 0.0, 1.0])), "root")
    model.appendBodyToJoint(root, pin.Inertia(1.0, np.zeros(3), 0.01 * np.eye(3)), pin.SE3.Identity())
    scene = make_scene()
    coupling = couple(scene, PinocchioAdapter(model, 0.01))
    world = make_world(scene, tmp_path)
    with pytest.raises(StateError, match="joint 'root' does not count from the world's frame; give its six freedoms"):
        coupling.set_state(world, theta={"root": at(0, 0, 3)})
    coupling.set_state(world, theta={"root": [0, 0, 2, 0, 0, 0]})
    np.testing.assert_allclose(coupling.body_poses[0], at(0, 0, 3), atol=1e-12)


@pytest.mark.parametrize("make", BOTH)
def test_a_robot_that_was_put_somewhere_is_at_rest_there(make, tmp_path):
    """Its servos hold it: after a step it is where it was put, though it came a radian far in no time."""
    adapter, coupling, world = started(make, tmp_path)
    run(coupling, world, 10)
    aims = np.array([-1.0, 0.8])
    if isinstance(adapter, NativeAdapter):
        adapter.drive = Drive(pd=PD.to(adapter.model, aims, [20.0, 5.0], [2.0, 0.5]))
    else:
        adapter.data.ctrl[:] = aims
    coupling.set_state(world, theta=aims)
    np.testing.assert_allclose(coupling.theta, aims, atol=1e-15)
    assert not coupling.theta_dot.any()
    np.testing.assert_allclose(coupling.drift, 0.0, atol=1e-12)
    coupling.step(world)
    np.testing.assert_allclose(coupling.theta, aims, atol=1e-9)
    np.testing.assert_allclose(coupling.theta_dot, 0.0, atol=1e-7)


@pytest.mark.parametrize("make", BOTH)
def test_the_next_step_has_the_velocities_that_were_set(make, tmp_path):
    """Without contact the coupled step is the multibody engine's own."""
    adapter, coupling, world = started(make, tmp_path)
    run(coupling, world, 10)
    coupling.set_state(world, theta=[-1.0, 0.8], theta_dot=[0.5, -1.0])
    np.testing.assert_array_equal(coupling.theta_dot, [0.5, -1.0])
    expected = adapter.predict().delta_theta_tilde
    coupling.step(world)
    np.testing.assert_allclose(coupling.delta_theta, expected, atol=1e-9)
    np.testing.assert_allclose(coupling.theta, np.add(expected, [-1.0, 0.8]), atol=1e-9)


@pytest.mark.parametrize("make", BOTH)
def test_joints_are_set_by_name_and_others_stay(make, tmp_path):
    _, coupling, world = started(make, tmp_path)
    run(coupling, world, 5)
    shoulder = coupling.theta[0]
    coupling.set_state(world, theta={"wrist": -1.1}, theta_dot={"shoulder": 0.3})
    np.testing.assert_allclose(coupling.theta, [shoulder, -1.1], atol=1e-15)
    np.testing.assert_allclose(coupling.theta_dot, [0.3, 0.0], atol=1e-15)


@pytest.mark.parametrize("make", BOTH)
def test_a_free_body_flies_on_with_the_velocity_that_was_set(make, tmp_path):
    """Without gravity and contact it moves on straight, and turns; the joints do not notice it."""
    _, coupling, world = started(make, tmp_path, gap=1.0)
    _, other, beside = started(make, tmp_path / "beside", gap=1.0)
    run(coupling, world, 5)
    run(other, beside, 5)
    R = spatial.rotation_about([0.0, 0.6, 0.8], 0.5)
    velocity = [0.0, 0.0, 0.2, 1.0, -2.0, 0.5]
    coupling.set_state(world, free={"crate": (spatial.pose(R, [2.0, 3.0, 1.0]), velocity)})
    np.testing.assert_allclose(body(coupling, "crate"), spatial.pose(R, [2.0, 3.0, 1.0]), atol=1e-15)
    run(coupling, world, 10)
    run(other, beside, 10)
    np.testing.assert_allclose(body(coupling, "crate")[:3, 3], [2.1, 2.8, 1.05], atol=1e-6)
    turned = spatial.rotation_about([0.0, 0.0, 1.0], 0.02) @ R
    np.testing.assert_allclose(body(coupling, "crate")[:3, :3], turned, atol=1e-4)
    np.testing.assert_array_equal(coupling.theta, other.theta)
    coupling.set_state(world, free={"crate": at(2.0, 3.0, 1.0)})
    run(coupling, world, 5)
    np.testing.assert_allclose(body(coupling, "crate"), at(2.0, 3.0, 1.0), atol=1e-9)


@pytest.mark.parametrize("make", BOTH)
def test_the_past_of_bdf2_is_discarded(make, tmp_path):
    """The velocity that it was set to before does not come back."""
    config = uipc.Scene.default_config()
    config["dt"], config["gravity"], config["integrator"]["type"] = 0.01, [[0.0]] * 3, "bdf2"
    scene = uipc.Scene(config)
    coupling = couple(scene, make())
    world = make_world(scene, tmp_path)
    coupling.set_state(world, free={"crate": (at(2.0, 0.0, 0.0), [0, 0, 0, 5.0, 0, 0])})
    run(coupling, world, 3)
    coupling.set_state(world, free={"crate": at(2.0, 0.0, 0.0)})
    run(coupling, world, 3)
    np.testing.assert_allclose(body(coupling, "crate"), at(2.0, 0.0, 0.0), atol=1e-12)


REFUSED = [
    ({"theta": [0.1]}, StateError, r"theta has shape \(1,\), must be 2 numbers \(shoulder, wrist\)"),
    ({"theta": [0.1, np.nan]}, StateError, "theta of joint 'wrist' has the value nan, must be finite"),
    ({"theta": {"wirst": 0.1}}, StateError, "theta: unknown joint 'wirst'; did you mean 'wrist'?"),
    ({"theta": {"wrist": [0.1, 0.2]}}, StateError, r"theta of joint 'wrist' has shape \(2,\), must be 1 number"),
    ({"theta": "home"}, StateError, "theta is a str, must be 2 numbers"),
    ({"theta_dot": [np.inf, 0.0]}, StateError, "theta_dot of joint 'shoulder' has the value inf, must be finite"),
    (
        {"theta": [0.1, 1e300]},
        StateError,
        "theta of joint 'wrist' has the value 1e.300, must be .* from -1e.06 to 1e.06",
    ),
    (
        {"theta": {"wrist": -1e7}},
        StateError,
        "theta of joint 'wrist' has the value -10000000.0, must be finite, from -1",
    ),
    ({"theta_dot": {"wrist": 1e300}}, StateError, "theta_dot of joint 'wrist' has the value 1e.300, must be finite"),
    ({"free": {"crate": at(1e300, 0, 0)}}, StateError, "the pose of body 'crate' has the value 1e.300, must be finite"),
    (
        {"free": {"crate": (np.eye(4), [1e300] * 6)}},
        StateError,
        "the velocity of body 'crate' has the value 1e.300, mu",
    ),
    ({"free": {"create": np.eye(4)}}, StateError, "unknown free body 'create'; did you mean 'crate'?"),
    ({"free": {"hand": np.eye(4)}}, StateError, "unknown free body 'hand'; valid: crate"),
    ({"free": {"crate": 2.0 * np.eye(4)}}, StateError, "the pose of body 'crate' is not rigid"),
    ({"free": {"crate": np.diag([1, 1, -1, 1.0])}}, StateError, "the pose of body 'crate' is not rigid"),
    ({"free": {"crate": np.eye(3)}}, StateError, r"pose of body 'crate' has shape \(3, 3\), must be a pose \(4, 4\)"),
    ({"free": {"crate": (np.eye(4), [1.0])}}, StateError, r"the velocity of body 'crate' has shape \(1,\)"),
    ({"free": [np.eye(4)]}, StateError, "free is a list, must be poses by names of bodies"),
    ({"free": {"crate": at(0.57, 0.05, 0)}}, SceneError, r"'(hand|crate)' and '(crate|hand)' intersect in the state"),
    ({"theta": [0.2, 0.0]}, SceneError, r"'(arm|hand|crate)' and '(crate|hand|arm)' intersect in the state that was "),
]


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize(("state", "error", "message"), REFUSED)
def test_after_a_refusal_the_run_is_the_same_bit_for_bit(make, state, error, message, tmp_path):
    runs = []
    for attempt in (False, True):
        _, coupling, world = started(make, tmp_path / str(attempt))
        run(coupling, world, 2)
        if attempt:
            with pytest.raises(error, match=f"set_state after step 2.*{message}|{message}.*set_state after step 2"):
                coupling.set_state(world, **state)
        runs.append(run(coupling, world, 3))
    assert runs[0] == runs[1]


def test_a_body_inside_another_is_refused(tmp_path):
    """Their surfaces do not intersect, but it could never leave again."""
    bodies = [
        CoupledBody(name, at(x, 5, 0), cube(half), 1.0, np.zeros(3), 0.01 * np.eye(3), 1.0)
        for name, x, half in (("box", 0.0, 0.3), ("ball", 1.0, 0.05))
    ]
    adapter, scene = NativeAdapter(by_native().model, 0.01, free=bodies), make_scene()
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    with pytest.raises(SceneError, match=r"'ball' is inside 'box' in the state that was asked for .*never leave it"):
        coupling.set_state(world, free={"ball": at(0.1, 5, 0)})
    coupling.set_state(world, free={"ball": at(0.36, 5, 0)})


@pytest.mark.parametrize("make", BOTH)
def test_positions_beyond_limits_are_named(make, tmp_path):
    _, coupling, world = started(make, tmp_path)
    message = r"set_state after step 0: joint 'shoulder' is put at -2\.1, beyond its limits \[-2, 2\]"
    with pytest.warns(UserWarning, match=message):
        coupling.set_state(world, theta=[-2.1, 0.0])
    assert coupling.theta[0] == pytest.approx(-2.1)
    coupling.reset(world)
    with repairs.strict(), pytest.raises(StateError, match=message):
        coupling.set_state(world, theta=[-2.1, 0.0])
    np.testing.assert_array_equal(coupling.theta, [0.0, 0.0])


def pair(folder):
    """MuJoCo's robot and, two metres away, our own dynamics' one."""
    scene = make_scene()
    couplings = couple(scene, by_mujoco("near ")), couple(scene, by_native("far ", y=2.0))
    return couplings, make_world(scene, folder)


def test_one_robot_is_reset_and_the_other_goes_on(tmp_path):
    (near, far), world = pair(tmp_path)
    for _ in range(10):
        step(world, [near, far])
    theta = far.theta.copy()
    near.reset(world)
    np.testing.assert_array_equal(near.theta, [0.0, 0.0])
    np.testing.assert_array_equal(far.theta, theta)
    step(world, [near, far])
    assert np.abs(far.theta - theta).max() > 1e-3
    reset(world, [near, far])
    np.testing.assert_array_equal(far.theta, [0.0, 0.0])


def test_robots_may_change_places_at_once(tmp_path):
    """Crates that are put where the other one was: intersections count between the new poses only."""
    (near, far), world = pair(tmp_path)
    places = at(0.57, 0.1, 0), at(0.57, 2.1, 0)
    with pytest.raises(SceneError, match=r"'near crate' and 'far crate' intersect in the state that was asked for"):
        near.set_state(world, free={"near crate": places[1]})
    set_state(world, {near: RobotState(free={"near crate": places[1]}), far: RobotState(free={"far crate": places[0]})})
    step(world, [near, far])
    np.testing.assert_allclose(body(near, "near crate"), places[1], atol=1e-9)
    np.testing.assert_allclose(body(far, "far crate"), places[0], atol=1e-9)


def test_unknown_robots_are_named(tmp_path):
    (near, far), world = pair(tmp_path / "one")
    _, other, _ = started(by_native, tmp_path / "two")
    for ask, error, message in (
        (lambda: reset(world, [near, other]), SceneError, "another scene than the one .* of joints shoulder"),
        (lambda: reset(world, [near, near]), EngineError, "reset: the coupling of joints near shoulder, near wrist is"),
        (lambda: reset(world, ["near"]), EngineError, r"reset: couplings\[0\] is a str, must be what `couple` gave"),
        (lambda: reset(world, near), EngineError, "reset: couplings is a Coupling, must be a list"),
        (lambda: reset(None, [near]), EngineError, "reset: world is a NoneType, must be a uipc.World"),
        (lambda: set_state(world, [near]), EngineError, r"set_state: states is \[.*must be \{coupling: RobotState"),
        (lambda: set_state(world, {near: [0, 0]}), EngineError, "state of joints near shoulder, near wrist is .0, 0"),
        (lambda: set_state(world, {}), EngineError, "set_state: no coupling is given"),
    ):
        with pytest.raises(error, match=message):
            ask()
    step(world, [near, far])


@pytest.mark.parametrize("make", BOTH)
def test_a_world_that_was_reset_and_refused_a_state_is_recovered(make, tmp_path):
    _, coupling, world = started(make, tmp_path)
    run(coupling, world, 5)
    world.dump()
    kept, frame = coupling.state(), world.frame()
    following = run(coupling, world, 3)
    coupling.reset(world)
    with pytest.raises(SceneError, match=r"intersect in the state that was asked for \(set_state after step 8\)"):
        coupling.set_state(world, free={"crate": at(0.57, 0.05, 0)})
    run(coupling, world, 2)
    assert world.recover(frame)
    world.retrieve()
    coupling.restore(kept)
    assert run(coupling, world, 3) == following


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value * np.nan, "restore: 'mass' has numbers that are not finite"),
        (lambda value: value[:1], r"of another model: its 'mass' has the shape \(1, 2\), this model's \(2, 2\)"),
        (lambda value: "heavy", "restore: 'mass' is a str, must be an array of numbers"),
    ],
)
def test_a_state_with_bad_numbers_is_not_restored(change, message, tmp_path):
    _, coupling, world = started(by_native, tmp_path)
    run(coupling, world, 2)
    kept = coupling.state()
    with pytest.raises(AdapterError, match=message):
        coupling.restore({**kept, "mass": change(kept["mass"])})
    adapter = {key: value * np.nan for key, value in kept.items() if key.startswith("adapter/")}
    with pytest.raises(AdapterError, match=r"restore: 'adapter/.*' has numbers that are not finite"):
        coupling.restore({**kept, **adapter})
    coupling.restore(kept)
    run(coupling, world, 1)


def test_bodies_that_come_later_are_in_the_way_too(tmp_path):
    _, coupling, world = started(by_native, tmp_path)
    coupling.set_state(world, free={"crate": at(3.0, 0, 0)})
    add_box(coupling.scene, at(4.0, 0, 0))
    coupling.step(world)
    with pytest.raises(SceneError, match=r"'(box|crate)' and '(box|crate)' intersect in the state that was asked for"):
        coupling.set_state(world, free={"crate": at(4.05, 0, 0)})
    coupling.set_state(world, free={"crate": at(4.15, 0, 0)})
    np.testing.assert_array_equal(body(coupling, "crate"), at(4.15, 0, 0))


def test_a_step_that_was_not_committed_is_named(tmp_path):
    _, coupling, world = started(by_native, tmp_path)
    world.advance()
    with pytest.raises(EngineError, match="joints shoulder, wrist has a step that was not committed"):
        coupling.reset(world)
    world.retrieve()
    coupling.commit()
    coupling.reset(world)


def test_an_adapter_that_sets_no_states_is_named(tmp_path):
    scene = make_scene()
    coupling = couple(scene, Turntable())
    world = make_world(scene, tmp_path)
    for ask in (lambda: coupling.reset(world), lambda: coupling.set_state(world, theta=[0.1])):
        with pytest.raises(AdapterError, match=r"Turntable sets no states: .* see coupling\.adapter\.SetsState"):
            ask()


def test_a_world_before_init_is_refused(tmp_path):
    scene = make_scene()
    coupling = couple(scene, by_native())
    world = uipc.World(ipc_articulation.Engine("cpu", tmp_path))
    with pytest.raises(EngineError, match=r"reset after step 0: the engine gives no access .* initialise the world"):
        coupling.reset(world)


def test_engines_that_offer_libuipcs_accessor_are_written_through_it(tmp_path, monkeypatch):
    """The CPU engine's accessor has the methods of libuipc's: it stands in for that of the CUDA engine."""
    from ipc_articulation.coupling import teleport

    _, coupling, world = started(by_mujoco, tmp_path)
    run(coupling, world, 3)
    monkeypatch.setattr(teleport, "is_on_cpu", lambda _: False)
    coupling.set_state(world, theta=[-1.0, 0.5], free={"crate": (at(2.0, 0, 0), [0, 0, 0, 1.0, 0, 0])})
    np.testing.assert_allclose(coupling.drift, 0.0, atol=1e-12)
    run(coupling, world, 2)
    np.testing.assert_allclose(body(coupling, "crate"), at(2.02, 0, 0), atol=1e-9)
