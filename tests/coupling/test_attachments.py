"""Parts attached to links while a scene runs: no jolt, momentum kept, the robot carries the weight."""

from dataclasses import replace

import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation import Engine, Recorder, RobotState, affine, couple, read_recording, reset, set_state, step
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.dynamics.integrators import PD, Drive
from ipc_articulation.dynamics.joints import RevoluteJoint
from ipc_articulation.dynamics.model import Mechanism
from ipc_articulation.errors import DumpError, EngineError, SceneError
from tests.coupling.robots import BOTH, TARGET, add_box, by_mujoco, by_native
from tests.coupling.worlds import at, cube, make_scene, make_world


def started(make, folder, gravity=(0.0, 0.0, 0.0), **robot):
    adapter, scene = make(gravity=gravity, **robot), make_scene(gravity=gravity)
    coupling = couple(scene, adapter)
    return adapter, coupling, make_world(scene, folder)


def crate(coupling):
    return coupling.body_poses[-1]


def hold_still(adapter):
    """Servos that want the joints where they are, at zero."""
    if isinstance(adapter, NativeAdapter):
        adapter.drive = Drive(pd=PD.to(adapter.model, [0.0, 0.0], [20.0, 5.0], [2.0, 0.5]))
    else:
        adapter.data.ctrl[:] = 0.0


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("gap", [0.02, 0.0025])
def test_what_is_at_rest_stays_at_rest(make, gap, tmp_path):
    adapter, coupling, world = started(make, tmp_path, gap=gap)
    hold_still(adapter)
    coupling.step(world)
    before = coupling.body_poses
    coupling.attach("crate", "hand")
    assert coupling.attached == (("crate", "hand"),)
    for _ in range(10):
        coupling.step(world)
    np.testing.assert_allclose(coupling.body_poses, before, atol=1e-9)
    coupling.detach("crate")
    assert coupling.attached == ()
    for _ in range(10):
        coupling.step(world)
    np.testing.assert_allclose(coupling.body_poses, before, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("make", BOTH)
def test_what_is_pressed_together_stays_where_it_is(make, tmp_path):
    """The hand presses the crate against where it is held: contact within d̂ goes on while the joint comes and goes."""
    adapter, coupling, world = started(make, tmp_path, gap=0.004)
    coupling.attach("crate")  # to the world, as a wall
    for _ in range(300):
        coupling.step(world)
    assert coupling.minimum_distance < 0.002
    assert abs(coupling.contact_force[0]) > 1.0
    coupling.detach("crate")
    coupling.attach("crate", "hand")
    hold = coupling.theta.copy()
    if isinstance(adapter, NativeAdapter):
        adapter.drive = Drive(pd=PD.to(adapter.model, hold, [20.0, 5.0], [2.0, 0.5]))
    else:
        adapter.data.ctrl[:] = hold
    X = np.linalg.solve(coupling.body_poses[1], crate(coupling))
    for _ in range(5):
        coupling.step(world)
    np.testing.assert_allclose(np.linalg.solve(coupling.body_poses[1], crate(coupling)), X, atol=1e-6)
    np.testing.assert_allclose(coupling.theta, hold, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("make", BOTH)
def test_an_attached_part_goes_with_its_link(make, tmp_path):
    _, coupling, world = started(make, tmp_path)
    coupling.step(world)
    X = np.linalg.solve(coupling.body_poses[1], crate(coupling))
    coupling.attach("crate", "hand")
    for _ in range(300):
        coupling.step(world)
    np.testing.assert_allclose(coupling.theta, TARGET, atol=1e-2)
    np.testing.assert_allclose(np.linalg.solve(coupling.body_poses[1], crate(coupling)), X, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("make", BOTH)
def test_the_robot_carries_the_weight(make, tmp_path):
    """Gravity across both axes: the shoulder carries 0.5 kg at its lever, by virtue of the joint alone."""
    adapter, coupling, world = started(make, tmp_path, gravity=(0.0, -9.81, 0.0))
    hold_still(adapter)
    coupling.attach("crate", "hand")
    for _ in range(400):
        coupling.step(world)
    x, wrist = crate(coupling)[0, 3], coupling.body_poses[1][0, 3]
    np.testing.assert_allclose(coupling.contact_force, [-0.5 * 9.81 * x, -0.5 * 9.81 * (x - wrist)], rtol=1e-4)


def test_a_part_far_from_the_origin_hangs_as_still_as_one_near_it(tmp_path):
    """The joint's anchor is the part's centre of mass: 0.5 kg g dt² / (10⁶ · 1.5 kg) = 0.3 nm, and no lever."""
    adapter, scene = rotor(0.0), make_scene(gravity=(0.0, 0.0, -9.81))
    model = replace(adapter.model, gravity=np.array([0.0, 0.0, -9.81]))
    adapter = NativeAdapter(model, 0.01, free=[replace(adapter.free[0], pose=at(40.0, 0, 0))])
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    coupling.attach("crate")
    for _ in range(50):
        coupling.step(world)
    assert -1e-9 < crate(coupling)[2, 3] < 0.0


def rotor(velocity):
    """A free arm of inertia 0.4 kg·m² about z at rest, and a crate at (0.6, 0.2, 0) that moves along y."""
    mechanism = Mechanism("rotor", gravity=np.zeros(3))
    mechanism.add_joint("hinge", RevoluteJoint([0.0, 0.0, 1.0]), "world", "arm")
    mechanism.add_link("arm", 1.0, (0.0, 0.0, 0.0), 0.4)
    rate = affine.transform_rate_from_qdot(np.array([0.0, velocity, 0.0, *np.zeros(9)]))
    inertia = 0.5 / 6.0 * 0.1**2 * np.eye(3)
    part = CoupledBody("crate", at(0.6, 0.2, 0), cube(0.05), 0.5, np.zeros(3), inertia, 1.0, rate)
    return NativeAdapter(mechanism.build(), 0.01, free=[part])


def test_momentum_is_kept_and_a_part_goes_on_with_its_links_velocity(tmp_path):
    """ω = m x v / (I + m r² + I_c), to the first order in the angle of a step."""
    v, m = 0.05, 0.5
    adapter, scene = rotor(v), make_scene()
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    coupling.attach("crate", "arm")
    coupling.step(world)
    x, y = crate(coupling)[:2, 3]
    omega = m * 0.6 * v / (0.4 + m * (x * x + y * y) + m / 6.0 * 0.1**2)
    np.testing.assert_allclose(coupling.theta_dot, [omega], rtol=1e-3)
    for _ in range(20):
        coupling.step(world)
    np.testing.assert_allclose(coupling.theta_dot, [omega], rtol=5e-3)
    omega, before = coupling.theta_dot[0], crate(coupling)[:3, 3]
    coupling.detach("crate")
    coupling.step(world)
    went = (crate(coupling)[:3, 3] - before) / 0.01
    np.testing.assert_allclose(went, omega * np.array([-before[1], before[0], 0.0]), atol=1e-4 * omega)
    for _ in range(20):
        coupling.step(world)
    np.testing.assert_allclose((crate(coupling)[:3, 3] - before) / 0.21, went, atol=1e-6)
    np.testing.assert_allclose(coupling.theta_dot, [omega], rtol=1e-6)


@pytest.mark.slow
def test_a_part_goes_from_hand_to_hand_of_robots_of_two_engines(tmp_path):
    """MuJoCo's robot brings its crate; our dynamics' robot beside it takes it and turns back."""
    scene = make_scene()
    giver, taker = by_mujoco("giver ", gap=0.3), by_native("taker ", y=1.0, gap=0.3)
    first, second = couple(scene, giver), couple(scene, taker)
    world = make_world(scene, tmp_path)
    first.attach("giver crate", "giver hand")
    for _ in range(100):
        step(world, [first, second])
    first.detach("giver crate")
    second.attach("giver crate", "taker hand")
    assert (first.attached, second.attached) == ((), (("giver crate", "taker hand"),))
    X = np.linalg.solve(second.body_poses[1], crate(first))
    taker.drive = Drive(pd=PD.to(taker.model, [-0.4, 0.0], [20.0, 5.0], [2.0, 0.5]))
    for _ in range(300):
        step(world, [first, second])
    np.testing.assert_allclose(second.theta, [-0.4, 0.0], atol=4e-2)
    np.testing.assert_allclose(np.linalg.solve(second.body_poses[1], crate(first)), X, atol=1e-6)
    np.testing.assert_allclose(giver.model.body("giver crate").pos, [0.57, 0.38, 0.0])
    np.testing.assert_allclose(giver.data.body("giver crate").xpos, crate(first)[:3, 3], atol=1e-9)


@pytest.mark.parametrize("make", BOTH)
def test_a_robot_is_put_elsewhere_with_what_it_holds(make, tmp_path):
    _, coupling, world = started(make, tmp_path, gap=0.1)
    coupling.attach("crate", "hand")
    coupling.step(world)
    X = np.linalg.solve(coupling.body_poses[1], crate(coupling))
    coupling.set_state(world, theta=[-1.0, 0.5], theta_dot=[0.2, 0.1])
    np.testing.assert_allclose(np.linalg.solve(coupling.body_poses[1], crate(coupling)), X, atol=1e-7)
    before = crate(coupling)[:3, 3]
    shoulder, wrist = np.zeros(3), coupling.body_poses[1][:3, 3]
    went = np.cross([0, 0, 0.2], before - shoulder) + np.cross([0, 0, 0.1], before - wrist)
    rate = np.array(coupling.named_slots[-1][1].geometry().instances().find("velocity").view())[0, :3, 3]
    np.testing.assert_allclose(rate, went, atol=1e-9)
    with pytest.raises(SceneError, match=r"set_state after step 1: part 'crate' is attached to 'hand', and moves with"):
        coupling.set_state(world, free={"crate": at(3, 0, 0)})
    coupling.step(world)
    np.testing.assert_allclose(np.linalg.solve(coupling.body_poses[1], crate(coupling)), X, atol=1e-7)
    coupling.reset(world)
    assert coupling.attached == ()
    np.testing.assert_array_equal(crate(coupling), at(0.57, 0.18, 0))
    coupling.step(world)
    np.testing.assert_allclose(crate(coupling), at(0.57, 0.18, 0), atol=1e-12)


def test_a_reset_lets_go_of_what_other_robots_hold(tmp_path):
    scene = make_scene()
    near = by_mujoco("near ")
    first, second = couple(scene, near), couple(scene, by_native("far ", y=2.0))
    world = make_world(scene, tmp_path)
    second.attach("near crate", "far hand")
    first.attach("far crate")
    step(world, [first, second])
    second.set_state(world, theta=[-0.5, 0.0])
    assert np.abs(crate(first)[:3, 3] - [0.57, 0.1, 0.0]).max() > 0.1
    np.testing.assert_allclose(near.data.body("near crate").xpos, crate(first)[:3, 3], atol=1e-12)  # MuJoCo knows it
    step(world, [first, second])
    reset(world, [first])
    assert second.attached == ()
    np.testing.assert_array_equal(crate(first), at(0.57, 0.1, 0))
    with pytest.raises(SceneError, match="part 'far crate' is attached to 'world', and moves with it"):
        second.set_state(world, free={"far crate": at(3, 0, 0)})


@pytest.mark.slow
def test_two_robots_hold_one_part_and_each_other(tmp_path):
    """What one of them wants moves the other too; a part between them is held until both have let go."""
    scene = make_scene()
    near, far = by_mujoco("near ", gap=0.1), by_native("far ", y=0.36, gap=0.5)
    first, second = couple(scene, near), couple(scene, far)
    world = make_world(scene, tmp_path)
    first.attach("near crate", "near hand")
    second.attach("near crate", "far hand")
    near.data.ctrl[:] = -0.3
    far.drive = Drive()
    for _ in range(150):
        step(world, [first, second])
    assert second.theta[0] < -0.1
    X = [np.linalg.solve(coupling.body_poses[1], crate(first)) for coupling in (first, second)]
    np.testing.assert_allclose(X[0], at(0.07, 0.18, 0), atol=1e-6)
    np.testing.assert_allclose(X[1], at(0.07, -0.18, 0), atol=1e-6)
    message = r"after step 150: part 'near crate' is attached to 'far hand', and moves with it; detach it first"
    with pytest.raises(SceneError, match=message):
        first.set_state(world, theta=[0.0, 0.0])
    set_state(world, {first: RobotState(theta=[0.0, 0.0]), second: RobotState(theta=[0.0, 0.0])})
    np.testing.assert_allclose(crate(first), at(0.57, 0.18, 0), atol=1e-6)
    first.detach("near crate")
    assert second.attached == (("near crate", "far hand"),)
    first.attach("far hand", "near hand")
    for _ in range(100):
        step(world, [first, second])
    assert second.theta[0] < -0.05
    X = np.linalg.solve(first.body_poses[1], second.body_poses[1])
    np.testing.assert_allclose(X, at(0.0, 0.36, 0), atol=1e-6)


def test_any_body_of_the_scene_may_be_attached_before_it_runs(tmp_path):
    scene = make_scene()
    coupling = couple(scene, by_native(gap=0.5))
    box = add_box(scene, at(0.57, 0.1, 0))
    coupling.attach(box, "hand")
    assert coupling.attached == (("box", "hand"),)
    world = make_world(scene, tmp_path)
    for _ in range(20):
        coupling.step(world)
    there = np.array(box.geometry().transforms().view())[0]
    X = np.linalg.solve(coupling.body_poses[1], there)
    np.testing.assert_allclose(X, at(0.07, 0.1, 0), atol=1e-7)
    assert coupling.theta[0] > 0.05
    coupling.detach(box)
    coupling.step(world)


REFUSED = [
    (lambda c: c.attach("create", "hand"), "attach: unknown body 'create'; did you mean 'crate'"),
    (lambda c: c.attach("hand", "hand"), "attach: 'hand' cannot be attached to itself"),
    (lambda c: c.detach("crate", "hnad"), "detach: unknown link 'hnad'; did you mean 'hand'"),
    (lambda c: c.attach("crate", "hnad"), "attach: unknown link 'hnad'; did you mean 'hand'.* valid: arm, hand, world"),
    (lambda c: c.attach("crate", ["hand"]), r"attach: unknown link '\['hand'\]'; did you mean 'hand'"),
    (
        lambda c: c.attach(3, "hand"),
        "attach: a int is no part; give the name of a free body or link, or the geometry slot",
    ),
    (lambda c: c.detach("crate"), "detach: part 'crate' is not attached here; attached parts: none"),
    (lambda c: (c.attach("crate", "hand"), c.attach("crate", "hand")), "part 'crate' is attached to 'hand' already"),
    (
        lambda c: (c.attach("crate"), c.detach("crate", "hand")),
        "part 'crate' is not attached here; attached parts: none",
    ),
]


@pytest.mark.parametrize(("ask", "message"), REFUSED)
def test_wrong_parts_and_links_are_named(ask, message, tmp_path):
    _, coupling, world = started(by_native, tmp_path)
    coupling.step(world)
    with pytest.raises(SceneError, match=message):
        ask(coupling)
    coupling.step(world)


@pytest.mark.parametrize("ask", ["attach", "detach"])
def test_parts_wait_for_the_end_of_a_step(ask, tmp_path):
    scene = make_scene()
    first, second = couple(scene, by_mujoco("near ")), couple(scene, by_native("far ", y=2.0))
    world = make_world(scene, tmp_path)
    first.attach("near crate", "near arm")
    step(world, [first, second])
    world.advance()
    for unfinished in (second, first):
        joints = ", ".join(unfinished.joint_names)
        message = rf"{ask}: .* joints {joints} is in the middle of a step; call world.retrieve\(\) and coupling.commit"
        with pytest.raises(EngineError, match=message):
            second.attach("far crate", "far hand") if ask == "attach" else first.detach("near crate")
        world.retrieve()
        unfinished.commit()
    assert first.attached == (("near crate", "near arm"),)
    assert second.attached == ()
    second.attach("far crate", "far hand")
    first.detach("near crate")
    step(world, [first, second])


def test_a_recording_goes_on_while_parts_are_attached(tmp_path):
    adapter, scene = by_native(), make_scene()
    coupling, engine = couple(scene, adapter), Engine("cpu", tmp_path / "engine")
    world = uipc.World(engine)
    world.init(scene)
    with Recorder(coupling, tmp_path / "run", engine):
        for change in (lambda: None, lambda: coupling.attach("crate", "hand"), lambda: coupling.detach("crate")):
            change()
            coupling.step(world)
        coupling.reset(world)
        coupling.step(world)
    assert read_recording(tmp_path / "run").steps == 4


def test_equal_names_are_told(tmp_path):
    scene = make_scene()
    first, second = couple(scene, by_mujoco()), couple(scene, by_native(y=2.0))
    with pytest.raises(SceneError, match="attach: 2 bodies are called 'crate'; give the geometry slot of one"):
        first.attach("crate", "hand")
    first.attach(second.named_slots[-1][1], "hand")
    assert first.attached == (("crate", "hand"),)


def test_an_engine_that_makes_no_joints_is_named(tmp_path, monkeypatch):
    from ipc_articulation.coupling import scene_world as module

    _, coupling, world = started(by_native, tmp_path)
    monkeypatch.setattr(module, "is_on_cpu", lambda _: False)
    coupling.step(world)
    message = r"attach: only the CPU engine makes joints while it runs; use Engine\('cpu'\)"
    with pytest.raises(EngineError, match=message):
        coupling.attach("crate", "hand")
    coupling.step(world)


@pytest.mark.parametrize("between", ["a step", "no step", "nothing attached"])
def test_a_dump_with_a_part_that_was_attached_anew_is_refused_by_name(between, tmp_path):
    """The part is held where it is now, which is not where it was held when the dump was written."""
    _, coupling, world = started(by_native, tmp_path, gravity=(0.0, 0.0, -9.8), gap=0.02)
    coupling.attach("crate", "hand")
    for _ in range(3):
        coupling.step(world)
    assert world.dump()
    frame = world.frame()
    coupling.step(world)
    coupling.detach("crate")
    if between == "a step":
        coupling.step(world)
    if between != "nothing attached":
        coupling.attach("crate", "hand")
    why = "it has 2 joints, the present scene 1"
    if between != "nothing attached":
        why = r"joint geometry \d+ joins other bodies, at other places or .* detached and attached again is held at"
    with pytest.raises(DumpError, match=why):
        world.recover(frame)


def test_a_part_that_was_attached_anew_at_the_same_place_recovers_bit_for_bit(tmp_path):
    """Nothing has moved in between, so the joint is the same one, though libuipc gives its geometry another number."""
    _, coupling, world = started(by_native, tmp_path, gap=0.02)
    coupling.step(world)
    coupling.attach("crate", "hand")
    assert world.dump()
    kept, frame, ends = coupling.state(), world.frame(), []
    coupling.detach("crate")
    coupling.attach("crate", "hand")
    for _ in range(2):
        assert world.recover(frame)
        world.retrieve()
        coupling.restore(kept)
        for _ in range(3):
            coupling.step(world)
        ends.append(coupling.body_poses)
    assert (ends[0] == ends[1]).all()


CALLS = {
    "Coupling.attach()": lambda world, coupling: coupling.attach("crate", "hand"),
    "Coupling.detach()": lambda world, coupling: coupling.detach("crate"),
    "Coupling.restore()": lambda world, coupling: coupling.restore(coupling.state()),
    "Coupling.commit()": lambda world, coupling: coupling.commit(),
    "set_properties": lambda world, coupling: coupling.set_properties(world, {"crate": 1.0}),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_changes_the_scene_is_refused_in_a_callback(call, tmp_path):
    """A callback that comes before the robot's, so that no step is predicted yet."""
    scene, asks = make_scene(), [True]
    early = scene.objects().create("early")
    scene.animator().insert(early, lambda info: CALLS[call](world, coupling) if asks.pop() else None)
    coupling = couple(scene, by_native())
    world = make_world(scene, tmp_path)
    with pytest.raises(EngineError) as caught:
        coupling.step(world)
    assert str(caught.value).startswith(f"{call} was called in an animator callback: the step that runs the callback")
    assert world.frame() == 0
    asks.append(False)
    coupling.step(world)
    assert world.frame() == 1
