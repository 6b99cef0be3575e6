import re

import numpy as np
import pytest
import uipc
from uipc import geometry
from uipc.backend import WorldVisitor
from uipc.constitution import AffineBodyConstitution
from uipc.core import PyIEngine

from ipc_articulation import couple
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.engine.engine import has_gpu
from ipc_articulation.errors import AdapterError, ArticulationError, EngineError, SceneError
from tests.coupling.worlds import CUBE_CORNERS, CUBE_FACES, Turntable, at, cube, make_scene, make_world


def test_free_motion_follows_the_prediction(tmp_path):
    scene, table = make_scene(), Turntable(wish=0.01)
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    for _ in range(50):
        coupling.step(world)
    assert table.angle == pytest.approx(0.5, abs=1e-6)
    np.testing.assert_allclose(coupling.theta, [table.angle])
    np.testing.assert_allclose(coupling.theta_dot, [1.0], atol=1e-4)
    assert abs(coupling.contact_force[0]) < 1e-3
    assert coupling.drift.shape == (1,)
    assert coupling.drift[0] < 1e-6
    assert coupling.minimum_distance == np.inf


class FailingOnce(Turntable):
    """Raises `error` in its second step, once."""

    error: BaseException | None = None

    def predict(self):
        error, self.error = (self.error, None) if self.commits else (None, self.error)
        if error is not None:
            raise error
        return super().predict()


@pytest.mark.parametrize("error", [ValueError("of the adapter"), SystemExit(3), KeyboardInterrupt()])
def test_what_an_adapter_raises_comes_out_as_it_is_undoes_the_step_and_is_not_logged(error, tmp_path, capfd):
    scene, table = make_scene(), FailingOnce()
    table.error = error
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    coupling.step(world)
    uipc.Logger.set_level(uipc.Logger.Level.Error)
    try:
        with pytest.raises(type(error)) as caught:
            coupling.step(world)
    finally:
        uipc.Logger.set_level(uipc.Logger.Level.Critical)
    assert caught.value is error
    assert "".join(capfd.readouterr()) == ""
    assert (world.frame(), len(table.commits)) == (1, 1)
    coupling.step(world)
    assert (world.frame(), len(table.commits)) == (2, 2)


def test_a_turn_too_fast_for_the_time_step_names_the_joint(tmp_path):
    """Half a turn a step and more cannot be told from a turn the other way: 400 rad/s at 10 ms."""
    scene, table = make_scene(), Turntable(wish=4.0)
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    message = (
        "joint 'hinge' (revolute): |delta_theta_tilde| is 4 rad, must be below 3.14159: in one step a joint can turn "
        "by less than half a turn; for this joint velocity the time step dt is too large"
    )
    with pytest.raises(ArticulationError, match=re.escape(message)):
        coupling.step(world)


def test_names_and_values_before_the_first_step():
    coupling = couple(make_scene(), Turntable())
    assert coupling.joint_names == ("hinge",)
    assert coupling.link_names == ("cube",)
    for values in (coupling.delta_theta, coupling.delta_theta_tilde, coupling.contact_force):
        np.testing.assert_array_equal(values, [0.0])


def test_wall_stops_the_joint_and_pushes_back(tmp_path):
    """The cube's corner meets a fixed cube; at rest the wall takes all that the engine wants: -M δθ̃/dt²."""
    scene, table = make_scene(), Turntable(wish=0.002, static=(CoupledBody("wall", at(0.5, 0.35, 0.0), cube(0.1)),))
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    distances = []
    for _ in range(150):
        coupling.step(world)
        distances.append(coupling.minimum_distance)
    assert 0.0 < min(distances) < 2e-3
    assert abs(table.rate) < 1e-4
    assert coupling.contact_force[0] == pytest.approx(-2.0 * 0.002 / 0.01**2, rel=1e-3)


def test_by_hand_is_the_same_as_step(tmp_path):
    angles = []
    for by_hand in (True, False):
        scene, table = make_scene(), Turntable(wish=0.03)
        coupling = couple(scene, table)
        world = make_world(scene, tmp_path)
        for _ in range(5):
            if by_hand:
                world.advance()
                world.retrieve()
                coupling.commit()
            else:
                coupling.step(world)
        angles.append(table.angle)
    assert angles[0] == angles[1] != 0.0


def test_free_bodies_come_back_rigid(tmp_path):
    stone = CoupledBody("stone", at(3, 0, 0), cube(0.1), 1.0, np.zeros(3), 0.01 * np.eye(3), velocity=spin(at(3, 0, 0)))
    scene, table = make_scene(), Turntable(free=(stone,))
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    for _ in range(10):
        coupling.step(world)
    _, poses, rates = table.commits[-1]
    assert poses.shape == rates.shape == (1, 4, 4)
    np.testing.assert_allclose(poses[0, :3, :3] @ poses[0, :3, :3].T, np.eye(3), rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(poses[0, :3, 3], [3.1, 0.0, 0.0], atol=1e-6)
    assert rates[0, 1, 0] == pytest.approx(2.0 * poses[0, 0, 0], rel=0.05)


def spin(pose):
    """1 m/s along x and 2 rad/s about z."""
    rate = np.zeros((4, 4))
    rate[:3, :3] = np.cross(np.array([0.0, 0.0, 2.0]), pose[:3, :3].T).T
    rate[0, 3] = 1.0
    return rate


def test_what_else_is_in_the_scene_is_pushed_away(tmp_path):
    """A user's own cube, made with libuipc alone, lies in the link's way."""
    scene, table = make_scene(), Turntable(wish=0.005)
    box = geometry.trimesh(0.1 * CUBE_CORNERS, CUBE_FACES)
    geometry.label_surface(box)
    AffineBodyConstitution().apply_to(box, 1e8, 1000.0)
    uipc.view(box.transforms())[0] = at(0.5, 0.25, 0.0)
    slot, _ = scene.objects().create("user's").geometries().create(box)
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    for _ in range(60):
        coupling.step(world)
        assert coupling.minimum_distance > 0.0
    assert slot.geometry().transforms().view()[0][1, 3] > 0.3


def test_geometries_come_and_go_between_steps(tmp_path):
    scene, table = make_scene(), Turntable(wish=0.005)
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    coupling.step(world)
    box = geometry.trimesh(0.1 * CUBE_CORNERS, CUBE_FACES)
    geometry.label_surface(box)
    AffineBodyConstitution().apply_to(box, 1e8, 1000.0)
    uipc.view(box.transforms())[0] = at(0.0, 3.0, 0.0)
    late = scene.objects().create("late")
    late.geometries().create(box)
    coupling.step(world)
    scene.objects().destroy(late.id())
    coupling.step(world)
    np.testing.assert_allclose(coupling.delta_theta, 0.005, rtol=1e-3)


@pytest.mark.gpu
def test_cuda_engine_takes_the_same_scene(tmp_path):
    if not has_gpu():
        pytest.skip("no NVIDIA GPU")
    scene, table = make_scene(), Turntable(wish=0.01)
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path, "cuda")
    for _ in range(50):
        coupling.step(world)
    assert table.angle == pytest.approx(0.5, abs=1e-3)


def test_engine_that_moves_nothing(tmp_path):
    scene = make_scene()
    coupling = couple(scene, Turntable())
    world = make_world(scene, tmp_path, "none")
    with pytest.raises(
        EngineError,
        match=r"^no step was predicted since the last commit, because no animator",
    ):
        coupling.step(world)


def test_commit_without_advance(tmp_path):
    scene = make_scene()
    coupling = couple(scene, Turntable())
    coupling.step(make_world(scene, tmp_path))
    with pytest.raises(EngineError, match=r"call world.advance\(\) once for each commit"):
        coupling.commit()


def test_bodies_that_intersect_at_the_start(tmp_path):
    scene = make_scene()
    _coupling = couple(scene, Turntable(static=(CoupledBody("wall", at(0.6, 0.1, 0.05), cube(0.1)),)))
    with pytest.raises(SceneError, match=r"^'cube' and 'wall' intersect at the start, 0.1 m deep; move them apart"):
        make_world(scene, tmp_path)


def test_bodies_on_or_beyond_the_ground_at_the_start(tmp_path):
    scene = make_scene()
    up = np.array([0.0, 0.0, 1.0])
    _coupling = couple(scene, Turntable())
    scene.objects().create("floor").geometries().create(uipc.geometry.ground(-0.05, up))
    with pytest.raises(
        SceneError, match=r"^'\w+' and half-plane 'floor' intersect at the start, 0.05 m deep; move them apart"
    ):
        make_world(scene, tmp_path)


class Failing(Turntable):
    def __init__(self, error=None, **changes):
        super().__init__()
        self.error, self.changes, self.calls = error, changes, 0

    def predict(self):
        self.calls += 1
        if self.calls > 1 and self.error:
            raise self.error
        self.inertia, self.wish = (
            (self.changes.get("inertia", 2.0), self.changes.get("wish", 0.01)) if self.calls > 1 else (2.0, 0.01)
        )
        return super().predict()


@pytest.mark.parametrize(
    ("adapter", "error", "message"),
    [
        (Failing(AdapterError("the step is unstable")), AdapterError, "the step is unstable"),
        (Failing(ZeroDivisionError("in my controller")), ZeroDivisionError, "in my controller"),
        (Failing(inertia=-1.0), ArticulationError, "articulation: mass must be positive definite"),
        (
            Failing(wish=np.nan),
            AdapterError,
            "Failing.predict().delta_theta_tilde is nan at (0,), must be finite numbers",
        ),
    ],
)
def test_failures_in_the_callback_surface_at_step(adapter, error, message, tmp_path):
    scene = make_scene()
    coupling = couple(scene, adapter)
    world = make_world(scene, tmp_path)
    with pytest.raises(error, match=re.escape(message)):
        coupling.step(world)
    assert adapter.commits == []


class CallbacksOnly(PyIEngine):
    """Runs the animator's callbacks and nothing else; libuipc logs what they raise, as with its own engines."""

    frame = 0

    def do_init(self):
        self.animator = WorldVisitor(self.world()).animator()
        self.animator.init()

    def do_advance(self):
        self.frame += 1
        self.animator.update()

    def get_frame(self):
        return self.frame

    def do_sync(self): ...

    def do_retrieve(self): ...


def test_failures_that_libuipc_only_logs_surface_too(tmp_path):
    scene = make_scene()
    coupling = couple(scene, Failing(AdapterError("the step is unstable")))
    overrider = CallbacksOnly()
    engine = uipc.Engine("callbacks", overrider, str(tmp_path))
    world = uipc.World(engine)
    world.init(scene)
    with pytest.raises(AdapterError, match="the step is unstable"):
        coupling.step(world)


def test_scene_that_disagrees():
    with pytest.raises(AdapterError, match=r"time steps differ: the scene has dt = 0.005 s, the model 0.01 s"):
        couple(make_scene(dt=0.005), Turntable())


def test_bodies_stay_in_the_engine_until_a_read_out_needs_them(tmp_path):
    scene = make_scene()
    coupling = couple(scene, Turntable())
    world = make_world(scene, tmp_path)
    (slot,) = coupling.placed.bodies.links

    def pose():
        return np.array(slot.geometry().transforms().view()[0])

    first = pose()
    coupling.step(world, retrieve=False)
    poses = coupling.body_poses
    assert np.abs(poses[0] - first).max() > 1e-3
    np.testing.assert_array_equal(pose(), first)
    assert coupling.drift.max() < 1e-3
    np.testing.assert_array_equal(pose(), poses[0])
    coupling.observers.append(lambda: seen.append(pose()))
    seen = []
    coupling.step(world, retrieve=False)
    np.testing.assert_array_equal(seen, coupling.body_poses)
    coupling.step(world)
    np.testing.assert_array_equal(pose(), coupling.body_poses[0])
