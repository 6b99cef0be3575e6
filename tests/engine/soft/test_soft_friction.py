"""Anchored friction of soft bodies in whole scenes: what is below the cone does not move, what is beyond it slides."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from uipc import view
from uipc.constitution import SoftPositionConstraint

from tests.engine.scenes import twist_rate
from tests.engine.soft.soft_scenes import SoftScene, block, cloth, moved, particles, rod, vertices
from tests.engine.test_changes import destroy
from tests.engine.test_dump import assert_same_bits

G, MU, D_HAT, DT = 9.8, 0.5, 0.001, 0.01
SETTINGS = {"friction": MU, "resistance": 1e8, "contact__d_hat": D_HAT, "dt": DT, "newton__semi_implicit__enable": 0}
LINE = np.linspace([-0.1, 0.0, 0.0], [0.1, 0.02, 0.0], 8)
D_HAT_OF_GRIP = 0.005  # so large that what is wrong with gaps shows
SHAPES = {
    "block": (lambda: block(2, 0.1), 0.05),
    "cloth": (lambda: cloth(6, 0.3), 0.0006),
    "rod": (lambda: rod(LINE, radius=0.004), 0.004),
    "particles": (lambda: particles(LINE, radius=0.01), 0.01),
}


def slope(workspace, tangent, shape="block", on_body=False, friction="anchored"):
    """A soft body on a slope, beside its middle; and the way down."""
    scene, (make, height) = SoftScene(workspace, **SETTINGS), SHAPES[shape]
    R, under = Rotation.from_rotvec([0.0, np.arctan(tangent), 0.0]).as_matrix(), np.eye(4)
    under[:3, :3], under[:3, 3] = R, -0.05 * R[:, 2]
    if on_body:
        scene.add_box(under, (2.0, 2.0, 0.1), is_fixed=1)
    else:
        scene.add_ground(normal=R[:, 2])
    scene.add_soft(moved(make(), *R @ [0.0, 0.6, height + 0.5 * D_HAT], turn=R))
    return scene.start(friction=friction), R[:, 0]


def put_at_rest(scene):
    """Take the soft bodies' velocities away until they have found their gaps: else they slide first."""
    accessor = scene.engine.state_accessor
    for _ in range(6):
        scene.run(40)
        q, qdot = accessor.soft_state
        accessor.write(accessor.body_count() + np.arange(len(q)), q, np.zeros_like(qdot))


def masses(scene):
    """Of the vertices of the first soft body, (V,)."""
    return scene.engine.cpu.model.context.bodies.soft.bodies[0].mass


ON_BOTH = pytest.mark.parametrize("on_body", [False, True], ids=["half-plane", "body"])


@pytest.mark.slow
@ON_BOTH
@pytest.mark.parametrize(
    ("shape", "share"),
    [
        ("block", 0.99),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (("block", 0.95), ("cloth", 0.99), ("rod", 0.99), ("particles", 0.99))
        ),
    ],
)
def test_what_is_below_the_cone_stays_for_a_minute(tmp_path, shape, share, on_body):
    scene, _ = slope(tmp_path, share * MU, shape, on_body)
    put_at_rest(scene)
    before = scene.run(200).x()
    assert np.abs(scene.run(6000).x() - before).max() < 1e-6


def test_lagged_friction_creeps(tmp_path):
    scene, down = slope(tmp_path, 0.95 * MU, friction="lagged")
    before = scene.run(200).x()
    assert ((scene.run(100).x() - before) @ down).mean() == pytest.approx(0.0078, rel=0.02)


@pytest.mark.slow
@ON_BOTH
@pytest.mark.parametrize("shape", ["block", "cloth"])
def test_beyond_the_cone_it_slides(tmp_path, shape, on_body):
    scene, down = slope(tmp_path, 0.55, shape, on_body)
    put_at_rest(scene)
    scene.run(20)
    mass = masses(scene)
    v = np.array([mass @ scene.run(10).v() @ down / mass.sum() for _ in range(3)])
    np.testing.assert_allclose(np.diff(v), 0.1 * G * (0.55 - MU) / np.hypot(1.0, 0.55), rtol=0.02)


@pytest.mark.slow
@ON_BOTH
def test_sliding_decelerates_by_mu_g_and_then_stands(tmp_path, on_body):
    scene, _ = slope(tmp_path, 0.0, on_body=on_body)
    put_at_rest(scene)
    accessor = scene.engine.state_accessor
    q, qdot = accessor.soft_state
    push = np.zeros_like(qdot)
    push[:, 0] = 0.5
    accessor.write(accessor.body_count() + np.arange(len(q)), q, push)
    v, mass = [], masses(scene)
    for _ in range(8):
        v.append(mass @ scene.run().v()[:, 0] / mass.sum())
    assert (v[0] - v[-1]) / (7 * DT) == pytest.approx(MU * G, rel=0.01)
    x = scene.run(200).x()
    assert np.abs(scene.run(100).x() - x).max() < 1e-9


def test_friction_gains_no_energy(tmp_path):
    """A soft block that tumbles onto a board: its energy only falls, but for what the barrier takes up."""
    scene = SoftScene(tmp_path, **SETTINGS)
    scene.add_box(np.diag([1.0, 1.0, 1.0, 1.0]), (2.0, 2.0, 0.1), is_fixed=1)
    turn, spin = Rotation.from_rotvec([0.3, 0.5, 0.2]).as_matrix(), np.array([2.0, 4.0, -1.0])
    mesh = moved(block(2, 0.1), 0.1, 0.3, 0.16, turn=turn)
    x = mesh.positions().view()[:, :, 0]
    scene.add_soft(vertices(mesh, velocity=np.cross(spin, x - x.mean(axis=0)) + np.array([0.5, 0.2, 0.0])))
    scene.start(friction="anchored")
    mass, energies = masses(scene), []
    for _ in range(150):
        scene.run()
        stored = sum(value for name, value in scene.report.energies.items() if name != "kinetic") / DT**2
        energies.append(mass @ (0.5 * np.sum(scene.v() ** 2, axis=1) + G * scene.x()[:, 2]) + stored)
    rise = np.max(energies - np.minimum.accumulate(energies))
    assert rise < 0.1 * mass.sum() * G * D_HAT
    assert energies[-1] < energies[0] - 0.1


def test_what_is_between_bodies_keeps_momentum(tmp_path):
    """A soft block pressed onto a box that spins, in free flight."""
    scene, spin = SoftScene(tmp_path, **{**SETTINGS, "gravity": (0, 0, 0)}), np.array([0.0, 0.0, 3.0])
    T = np.eye(4)
    T[:3, 3] = 0.05, 0.02, -0.1
    scene.add_box(T, velocity=twist_rate(T, (0.0, 0.0, 0.2), spin))
    scene.add_soft(vertices(moved(block(2, 0.1), 0, 0, 0.0505), velocity=np.tile([0.2, 0.0, -0.2], (27, 1))))
    scene.start(friction="anchored")
    mass, of_box = masses(scene), scene.masses()[0]

    def momenta():
        x, v, p, pdot = scene.x(), scene.v(), scene.q[0, :3], scene.qdot[0, :3]
        A, Adot = scene.q[0, 3:].reshape(3, 3), scene.qdot[0, 3:].reshape(3, 3)
        turning = sum(of_box[3 + k, 3 + k] * np.cross(A[:, k], Adot[:, k]) for k in range(3))
        linear = mass @ v + of_box[0, 0] * pdot
        return linear, np.sum(mass[:, None] * np.cross(x, v), axis=0) + of_box[0, 0] * np.cross(p, pdot) + turning

    (P, L), touched = momenta(), 0
    for _ in range(15):
        touched += scene.run().report.collisions > 0
        now, spins = momenta()
        np.testing.assert_allclose(now, P, atol=1e-6 * np.linalg.norm(P) + 1e-8)
    assert touched > 3
    np.testing.assert_allclose(spins, L, atol=0.02 * np.linalg.norm(L))


def test_the_state_holds_the_springs(tmp_path):
    """A dump of a block on a slope, and steps after it, bit for bit."""
    scene, _ = slope(tmp_path, 0.9 * MU, on_body=True)
    scene.run(30).world.dump()
    assert np.linalg.norm(scene.engine.cpu.state.stretches[:, :3], axis=1).max() > 1e-8
    end = scene.run(5).engine.cpu.state
    other, _ = slope(tmp_path, 0.9 * MU, on_body=True)
    assert other.world.recover()
    assert_same_bits(other.run(5).engine.cpu.state, end)


def test_vertices_that_are_put_elsewhere_have_forgotten(tmp_path):
    scene, _ = slope(tmp_path, 0.9 * MU)
    put_at_rest(scene)
    accessor, (q, qdot) = scene.engine.state_accessor, scene.engine.state_accessor.soft_state
    rows, kept = accessor.body_count() + np.arange(len(q)), len(scene.engine.cpu.state.springs)
    accessor.write(rows, q, qdot)
    assert len(scene.engine.cpu.state.springs) == kept > 0, "they are where they were"
    q[:, 1] += 0.3
    accessor.write(rows, q, qdot)
    assert len(scene.engine.cpu.state.springs) == 0


@ON_BOTH
def test_springs_stay_when_bodies_come_and_go(tmp_path, on_body):
    scene = SoftScene(tmp_path, **{**SETTINGS, "gravity": (3.0, 0.0, -9.8)})
    if on_body:
        scene.add_box(np.diag([1.0, 1.0, 1.0, 1.0]), (2.0, 2.0, 0.1), is_fixed=1)
    else:
        scene.add_ground(height=0.05)
    for k in range(2):
        scene.add_soft(moved(block(1, 0.1), 0.3 * k, 0.3, 0.1005), f"soft {k}")
    scene.start(friction="anchored")
    put_at_rest(scene)
    before, x = scene.engine.cpu.state, scene.x(1)
    destroy(scene, scene.soft[0])
    after = scene.run().engine.cpu.state
    lengths = np.linalg.norm(after.stretches[:, :3], axis=1)
    assert len(after.springs) < len(before.springs)
    assert np.abs(scene.x(1) - x).max() < 1e-9
    of_last = np.linalg.norm(before.stretches[:, :3], axis=1)
    assert sorted(lengths)[-1] == pytest.approx(sorted(of_last)[-1], rel=0.1)


def grip(scene, turn_of):
    """A soft block between two soft pads, whose outer sides are pressed together and turned by turn_of(time)."""
    places = 0.1 + 0.8 * D_HAT_OF_GRIP
    for side in (-1, 1):
        pad = moved(block(2, 0.1, young=1e6), side * places, 0.0, 0.0)
        SoftPositionConstraint().apply_to(pad, 1e3)
        X = np.array(pad.positions().view()[:, :, 0])
        outer = np.flatnonzero(side * X[:, 0] > places + 0.049)

        def press(info, X=X, outer=outer, side=side):
            vertices, time = info.geo_slots()[0].geometry().vertices(), info.frame() * info.dt()
            view(vertices.find("is_constrained"))[outer] = 1
            inward = [side * 0.004 * min(time / 0.2, 1.0), 0.0, 0.0]
            view(vertices.find("aim_position"))[outer, :, 0] = (X[outer] - inward) @ turn_of(time).T

        scene.add_soft(pad, f"pad {side}")
        owner = scene.scene.objects().find(scene.scene.objects().created_count() - 1)
        scene.scene.animator().insert(owner, press)
    scene.add_soft(block(2, 0.1, young=1e6), "held")
    return scene.start(friction="anchored")


def turned_in_hand(scene, rest, R):
    """By how much the third soft body is turned beside what R has made of its rest shape, rotation vector [rad]."""
    x = scene.x(2) @ R
    return Rotation.align_vectors(x - x.mean(axis=0), rest - rest.mean(axis=0))[0].as_rotvec()


@pytest.mark.slow
def test_what_soft_pads_hold_does_not_turn_in_them(tmp_path):
    """By half a radian. It turned by 15 mrad in them when the turn of the gap between soft sides was a slip."""

    def turn_of(time):
        return Rotation.from_rotvec([0.0, min(max(time - 0.3, 0.0), 0.5), 0.0]).as_matrix()

    settings = {**SETTINGS, "contact__d_hat": D_HAT_OF_GRIP, "gravity": (0.0, 0.0, 0.0)}
    scene = grip(SoftScene(tmp_path, **settings), turn_of)
    scene.run(30)
    rest = scene.x(2)
    scene.run(60)
    np.testing.assert_allclose(turned_in_hand(scene, rest, turn_of(0.9)), 0.0, atol=6e-3)


def test_springs_at_a_half_plane_stay_when_others_come_and_go(tmp_path):
    scene = SoftScene(tmp_path, **{**SETTINGS, "gravity": (4.4, 0.0, -9.8)})
    other = scene.add_ground(height=-3.0)
    scene.add_ground()
    scene.add_soft(moved(block(2, 0.1), 0.0, 0.0, 0.0505), "soft")
    scene.start(friction="anchored")
    put_at_rest(scene)
    x = scene.x()
    destroy(scene, other)
    assert np.abs(scene.run(20).x() - x).max() < 1e-9
    scene.add_ground(height=-4.0)
    assert np.abs(scene.run(20).x() - x).max() < 1e-9
