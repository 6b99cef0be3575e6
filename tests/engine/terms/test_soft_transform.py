"""Soft transform constraints and motors."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from uipc import view
from uipc.constitution import LinearMotor, RotatingMotor, SoftTransformConstraint

from ipc_articulation import affine
from ipc_articulation.engine.terms.soft_transform import split_mass
from ipc_articulation.errors import SceneError
from tests.engine.bodies import ProxyScene
from tests.engine.nodes import derivatives, energy
from tests.engine.parts import core_of
from tests.engine.scenes import translation

DT = 0.01


def soft(*strength):
    return lambda geometry: SoftTransformConstraint().apply_to(geometry, np.array(strength, dtype=float))


def constrain(scene, aim):
    """Switch the constraint of the body added last on; its aim is a transform of the frame."""

    def animation(instances, info):
        view(instances.find("is_constrained"))[:] = 1
        view(instances.find("aim_transform"))[0] = aim(info.frame())

    scene.animate(animation)


def rotation(angle, axis=(0, 0, 1)):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(angle * np.array(axis)).as_matrix()
    return T


def term(scene):
    return next(t for t in scene.engine.cpu.workspace.core.terms if t.name == "soft transform")


def test_mass_is_split_about_the_centre_of_mass():
    c, m = np.array([0.3, -0.2, 0.5]), 3.0
    M = affine.mass_matrix_from_inertia(m, c, np.diag([1.0, 1.5, 2.0]))
    M_center, M_about = split_mass(M[None])
    J = affine.jacobian(c)
    np.testing.assert_allclose(M_center[0], m * J.T @ J, atol=1e-12)
    np.testing.assert_allclose(M_about[0] @ np.concatenate([np.eye(3), np.zeros((9, 3))]), 0.0, atol=1e-12)
    np.testing.assert_allclose(M_center + M_about, M[None], atol=1e-12)


def test_gradient_and_hessian_are_those_of_the_energy(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(center=(0.1, 0.2, 0.3), apply=[soft(3.0, 7.0)])
    constrain(scene, lambda frame: rotation(0.3) @ translation(0.1, 0, 0))
    scene.start().run()
    constraint, q = term(scene), np.random.default_rng(2).standard_normal((1, 12))
    g, H = derivatives(constraint, q)
    e = np.eye(12) * 1e-4
    difference = [(energy(constraint, q + d) - energy(constraint, q - d)) / 2e-4 for d in e]
    np.testing.assert_allclose(g, difference, rtol=1e-7, atol=1e-7)
    for i in range(12):
        ahead, _ = derivatives(constraint, q + 1e4 * e[i])
        np.testing.assert_allclose(ahead - g, H[i], rtol=1e-9, atol=1e-9)


def test_one_step_is_the_balance_of_inertia_and_constraint(tmp_path):
    """From rest at 0 with aim d: (1 + η) x = η d, without dt²."""
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[soft(4.0, 4.0)])
    constrain(scene, lambda frame: translation(0.1, 0, 0))
    scene.start().run()
    assert scene.q[0, 0] == pytest.approx(0.1 * 4 / 5, abs=1e-12)


def test_strong_constraint_follows_its_aim(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[soft(1e4, 1e4)])
    constrain(scene, lambda frame: translation(0.01 * frame, 0, 0) @ rotation(0.02 * frame, (0, 1, 0)))
    scene.start().run(100)
    want = affine.q_from_transform(translation(1.0, 0, 0) @ rotation(2.0, (0, 1, 0)))
    np.testing.assert_allclose(scene.q[0], want, atol=1e-4)


def test_translation_alone_pulls_the_centre_of_mass(tmp_path):
    """Libuipc's case 92: centre of mass at (0, 1, 0), aim turned by 90° in 50 frames, no strength on rotation."""
    scene = ProxyScene(tmp_path)
    scene.add_proxy(mass=1.0, center=(0.0, 1.0, 0.0), volume=0.001, apply=[soft(100.0, 0.0)])
    constrain(scene, lambda frame: rotation(np.pi / 2 * min(frame, 50) / 50))
    scene.start().run(70)
    center = scene.q[0, :3] + affine.linear_part(scene.q[0]) @ [0.0, 1.0, 0.0]
    np.testing.assert_allclose(center, [-1.0, 0.0, 0.0], atol=1e-5)
    _, omega = affine.twist_from_qdot(scene.q[0], scene.qdot[0])
    np.testing.assert_allclose(affine.linear_part(scene.q[0]), np.eye(3), atol=1e-5)  # nothing turned it
    np.testing.assert_allclose(omega, 0.0, atol=1e-5)


def test_rotation_alone_leaves_the_centre_of_mass(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(mass=1.0, center=(0.0, 1.0, 0.0), apply=[soft(0.0, 100.0)])
    constrain(scene, lambda frame: translation(5, 0, 0) @ rotation(0.3))
    scene.start().run(10)
    center = scene.q[0, :3] + affine.linear_part(scene.q[0]) @ [0.0, 1.0, 0.0]
    np.testing.assert_allclose(center, [0.0, 1.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(affine.linear_part(scene.q[0]), rotation(0.3)[:3, :3], atol=1e-3)


def test_switched_off_and_fixed_bodies_feel_nothing(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[soft(100.0, 100.0)])
    view(scene.slots[0].geometry().instances().find("aim_transform"))[0] = translation(1, 0, 0)
    scene.add_proxy(apply=[soft(100.0, 100.0)])
    view(scene.slots[1].geometry().instances().find("is_fixed"))[:] = 1
    constrain(scene, lambda frame: translation(1, 0, 0))
    scene.start().run(3)
    np.testing.assert_array_equal(scene.q, affine.q_from_transform(np.stack([np.eye(4)] * 2)))
    assert energy(term(scene), scene.q) == 0.0


def test_rotating_motor_turns_at_its_speed(tmp_path):
    """About its axis through the origin, which is the centre of mass here; free to move along."""
    scene = ProxyScene(tmp_path, gravity=(0, 0, -9.8), newton__transrate_tol=1e-3)
    scene.add_proxy(apply=[lambda geometry: RotatingMotor().apply_to(geometry, 1000.0, np.array([0.0, 0, 2.0]), np.pi)])
    scene.scene.animator().insert(scene.object, run_motor(RotatingMotor))
    scene.start().run(100)
    _, omega = affine.twist_from_qdot(scene.q[0], scene.qdot[0])
    np.testing.assert_allclose(omega, [0, 0, np.pi], atol=2e-3)
    assert scene.q[0, 2] == pytest.approx(-9.8 * DT**2 * 100 * 101 / 2)


def test_linear_motor_moves_at_its_speed(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[lambda geometry: LinearMotor().apply_to(geometry, 100.0, np.array([0.0, 3.0, 0.0]), 0.5)])
    scene.scene.animator().insert(scene.object, run_motor(LinearMotor))
    scene.start().run(100)
    np.testing.assert_allclose(scene.qdot[0, :3], [0, 0.5, 0], atol=1e-9)
    assert scene.q[0, 1] == pytest.approx(0.5, abs=1e-3)


def run_motor(motor):
    def animation(info):
        geometry = info.geo_slots()[0].geometry()
        view(geometry.instances().find("is_constrained"))[:] = 1
        motor.animate(geometry, info.dt())

    return animation


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("aim_transform", np.nan, "is not finite"),
        ("strength_ratio", np.inf, "is not finite"),
        ("strength_ratio", -1.0, "is negative"),
    ],
)
def test_bad_values(tmp_path, name, value, message):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[soft(100.0, 100.0)])

    def spoil(instances, info):
        view(instances.find(name))[0, 0] = value

    scene.animate(spoil)
    with pytest.raises(SceneError, match=f"body 'proxy 0': its '{name}' {message}"):
        scene.start().run()


def test_missing_attribute(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[soft(100.0, 100.0), lambda geometry: geometry.instances().destroy("strength_ratio")])
    with pytest.raises(SceneError, match=r"affine-body geometry 0 has no attribute 'strength_ratio' on its instances"):
        scene.start()


@pytest.mark.parametrize("substeps", [1, 4, 12])
def test_substeps_bring_the_goal_nearer_in_as_many_newton_iterations(tmp_path, substeps):
    """The step ends where it would without; but its goals are 1/n, 2/n, … of the way, and it does not end before."""
    scene = ProxyScene(tmp_path, newton__semi_implicit__enable=0, newton__transrate_tol=1e-3)
    scene.add_proxy(apply=[soft(50.0, 50.0)])
    constrain(scene, lambda frame: translation(0.1, 0, 0) @ rotation(0.4))
    scene.scene.animator().substep(substeps)
    scene.start()
    constraint, core, goals = term(scene), core_of(scene), []
    approach = core.approach
    core.approach = lambda iteration: (approach(iteration), goals.append(constraint._goal[0, 0] / 0.1))[0]
    scene.run()
    del goals[0]  # as the step begins
    expected = np.minimum(np.arange(1, len(goals) + 1) / substeps, 1.0)
    np.testing.assert_allclose(goals, expected, rtol=1e-12)
    assert scene.engine.statistics.newton.iterations >= substeps
    assert scene.q[0, 0] == pytest.approx(0.1 * 50 / 51, abs=1e-12)
    np.testing.assert_allclose(affine.linear_part(scene.q[0]), rotation(0.4 * 50 / 51)[:3, :3], atol=1e-3)


def test_instances_have_aims_and_switches_of_their_own(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[lambda geometry: geometry.instances().resize(3), soft(1e6, 1e6)])

    def animation(instances, info):
        view(instances.find("is_constrained"))[:] = [1, 0, 1]
        view(instances.find("aim_transform"))[2] = translation(0, 3, 0) @ rotation(0.01)

    scene.animate(animation)
    scene.start().run()
    q = affine.q_from_transform(scene.slots[0].geometry().transforms().view())
    want = [np.eye(4), np.eye(4), translation(0, 3, 0) @ rotation(0.01)]
    np.testing.assert_allclose(q, affine.q_from_transform(np.stack(want)), atol=1e-5)


def test_aim_that_nobody_writes_stays_where_the_body_began(tmp_path):
    """libuipc lets aim and transform share their memory at first; writing the transform must not move the aim."""
    scene = ProxyScene(tmp_path, gravity=(0, 0, -9.8))
    scene.add_proxy(apply=[soft(100.0, 100.0)])
    view(scene.slots[0].geometry().instances().find("is_constrained"))[:] = 1
    scene.start().run(200)
    assert scene.q[0, 2] == pytest.approx(-9.8 * DT**2 / 100.0, rel=1e-6)
    np.testing.assert_array_equal(scene.slots[0].geometry().instances().find("aim_transform").view()[0], np.eye(4))


def test_a_step_does_not_end_before_its_goals_do(tmp_path):
    """Even where nothing is left to do."""
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[soft(50.0, 50.0)])
    constrain(scene, lambda frame: np.eye(4))
    scene.scene.animator().substep(5)
    assert scene.start().run().engine.statistics.newton.iterations == 5


def test_a_switch_that_is_neither_0_nor_1_is_refused(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(apply=[soft(4.0, 4.0)])
    view(scene.slots[0].geometry().instances().find("is_constrained"))[:] = 2
    with pytest.raises(
        SceneError, match="affine-body geometry 0: 'is_constrained' of instance 0 is 2; it must be 0 or 1"
    ):
        scene.start().run()
