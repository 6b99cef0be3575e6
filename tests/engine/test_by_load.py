"""Contact resistance by load in whole scenes: stacks of any masses, any size, energy, sleep, dumps, changes."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation.contact.materials import BY_LOAD
from ipc_articulation.contact.resistance import start_value
from ipc_articulation.engine.newton.newton_report import NewtonResult
from tests.engine.parts import core_of, overlaps
from tests.engine.scenes import BoxScene, translation, twist_rate
from tests.engine.test_changes import destroy

G, SIDE, D_HAT = 9.8, 0.2, 0.002
ORDERS = list(itertools.permutations([1e-3, 1.0, 1e3, 1e6]))
FEW = [ORDERS[0], ORDERS[7], ORDERS[14], ORDERS[23]]  # heaviest on top, in between, and at the bottom


def turned(angle, *position):
    T = translation(*position)
    T[:3, :3] = Rotation.from_rotvec([0, 0, angle]).as_matrix()
    return T


def stack(workspace, masses, gap=1.0, kappa=1e11, resistance=BY_LOAD, **config):
    """Boxes exactly above each other, each turned a little, that fall onto each other from a gap in units of d̂."""
    scene = BoxScene(workspace, resistance=resistance, contact__d_hat=D_HAT, **config)
    scene.add_ground()
    for k, mass in enumerate(masses):
        T = turned(0.3 * k, 0, 0, (k + 0.5) * SIDE + (k + 1) * gap * D_HAT)
        scene.add_box(T, (SIDE,) * 3, density=mass / SIDE**3, kappa=kappa)
    return scene.start()


def has_solved(scene):
    """Whether the last step has converged and nothing touches."""
    statistics = scene.engine.statistics
    well = statistics.result in (NewtonResult.CONVERGED, NewtonResult.SEMI_IMPLICIT)
    return well and not overlaps(core_of(scene), scene.engine.cpu.state.q) and scene.minimum_distance() > 0.0


def touching(scene):
    """Smallest gap in units of d̂, and vertical force [N] on the upper one, of each pair; the ground is the last."""
    contacts, found = scene.engine.statistics.contacts, {}
    for pair, gap, force in zip(contacts.bodies.tolist(), contacts.gaps, contacts.normal_forces, strict=True):
        narrowest, total = found.get(tuple(sorted(pair)), (np.inf, 0.0))
        found[tuple(sorted(pair))] = min(narrowest, gap / D_HAT), total + force[2]
    return {pair: (gap, abs(total)) for pair, (gap, total) in found.items()}


def assert_rests(scene, masses):
    """Every pair carries what lies above it, at a gap of 0.2 to 0.9 d̂."""
    n = len(masses)
    loads = {(k - 1, k): G * sum(masses[k:]) for k in range(1, n)} | {(0, n): G * sum(masses)}
    found = touching(scene)
    assert found.keys() == loads.keys()
    for pair, (gap, force) in found.items():
        assert 0.2 < gap < 0.9, pair
        assert force == pytest.approx(loads[pair], rel=1e-3), pair


@pytest.mark.parametrize(
    "masses", [pytest.param(m, marks=() if m in FEW else pytest.mark.slow) for m in ORDERS], ids=str
)
def test_boxes_of_any_masses_rest_on_each_other(tmp_path, masses):
    """A billion times as much on top takes thirty doublings, and a few tenfold steps at once."""
    scene = stack(tmp_path, masses)
    for _ in range(120):
        assert has_solved(scene.run())
    assert_rests(scene, masses)


@pytest.mark.slow
@pytest.mark.parametrize("gap", [0.5, 1.05])
@pytest.mark.parametrize("masses", FEW, ids=str)
def test_short_steps_are_all_solved(tmp_path, masses, gap):
    scene = stack(tmp_path, masses, gap, dt=0.001)
    for _ in range(150):
        assert has_solved(scene.run())


BOUNCES = pytest.mark.xfail(reason="a gram under a thousand times its mass bounces on, dissipating little")


@pytest.mark.slow
@pytest.mark.parametrize(
    "masses", [*(pytest.param(m, marks=BOUNCES) for m in FEW[:3]), FEW[3], (1.0, 1.0, 1.0, 1.0)], ids=str
)
def test_boxes_rest_on_each_other_with_short_steps(tmp_path, masses):
    scene = stack(tmp_path, masses, dt=0.001).run(2500)
    assert_rests(scene, masses)


class Pile(BoxScene):
    """Boxes that fall on each other, turning; all lengths times `size`, which is to be a power of 2.

    Accelerations, velocities and their tolerances are multiplied by `size`, kappa by its square: then q(t)/size is the
    same.
    """

    def __init__(self, workspace, size=1.0, count=4, d_hat=0.004, resistance=BY_LOAD, seed=3, drop=0.19, **config):
        rng = np.random.default_rng(seed)
        lengths = {"contact__d_hat": d_hat, "contact__eps_velocity": 0.01, "newton__velocity_tol": 0.05}
        super().__init__(
            *(workspace, (0.0, 0.0, -G * size), 0.5, resistance),
            **{name: size * value for name, value in lengths.items()},
            **config,
        )
        self.size = size
        self.add_ground()
        for k in range(count):
            T = translation(*rng.uniform(-0.05, 0.05, 2), drop + 0.36 * k)
            T[:3, :3] = Rotation.from_rotvec(rng.uniform(-1, 1, 3)).as_matrix()
            velocity = twist_rate(T, rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
            T[:3, 3] *= size
            velocity[:3, 3] *= size
            self.add_box(T, (SIDE * size,) * 3, velocity=velocity, kappa=1e8 * size**2)
        self.start()


@pytest.mark.parametrize("size", [2.0**-10, 2.0**10, 1e-3, 1e3])
def test_the_size_does_not_matter(tmp_path, size):
    """By a power of 2 all roundings are the same; by others they differ, and the pile is chaotic: so fewer steps."""
    one, other = Pile(tmp_path), Pile(tmp_path, size)
    scales = np.where(np.arange(12) < 3, size, 1.0)
    for _ in range(80 if np.log2(size) % 1.0 == 0.0 else 25):
        one.run()
        other.run()
        np.testing.assert_allclose(other.q / scales, one.q, rtol=0, atol=1e-5)
        assert other.engine.statistics.newton.iterations == one.engine.statistics.newton.iterations
    assert len(one.engine.cpu.state.pairs) > 1
    np.testing.assert_array_equal(other.engine.cpu.state.pairs, one.engine.cpu.state.pairs)
    np.testing.assert_allclose(other.engine.cpu.state.resistances, size * one.engine.cpu.state.resistances, rtol=1e-3)


def energy(scene, dt):
    """Kinetic, of gravity, and of contact and shape [J]."""
    mechanical = 0.0
    for M, q, qdot in zip(scene.masses(), scene.q, scene.qdot, strict=True):
        mechanical += 0.5 * qdot @ M @ qdot + G * M[0, 0] * q[2]
    stored = scene.engine.statistics.energies
    return mechanical + (stored["contact"] + stored["ortho potential"]) / dt**2


def greatest_rise(scene, dt, steps):
    """Of the energy above its smallest value before, in units of m g d̂ for one box."""
    values = [energy(scene.run(), dt) for _ in range(steps)]
    unit = scene.masses()[0][0, 0] * G * scene.scene.config().find("contact/d_hat").view()[0]
    return np.max(values - np.minimum.accumulate(values)) / unit


@pytest.mark.slow
@pytest.mark.parametrize("d_hat", [0.001, 0.004])
def test_a_falling_pile_gains_no_energy(tmp_path, d_hat):
    """Only raising can add any, a quarter of F d̂, where the load F is a few m g; an implicit step takes much more."""
    assert greatest_rise(Pile(tmp_path, d_hat=d_hat), 0.01, 150) < 0.5


@pytest.mark.slow
def test_a_falling_pile_gains_no_energy_with_short_steps(tmp_path):
    """With a given resistance it is below 1."""
    assert greatest_rise(Pile(tmp_path, dt=0.001), 0.001, 1000) < 2.0


@pytest.mark.slow
def test_with_given_resistances_and_short_steps_it_gains_none_either(tmp_path):
    """The same measure: what is beyond it comes from changes of the resistance."""
    assert greatest_rise(Pile(tmp_path, dt=0.001, resistance=1e8), 0.001, 1000) < 2.0


def assert_same_bits(scene, other):
    ours_all, theirs_all = scene.engine.cpu.state, other.engine.cpu.state
    for name, ours, theirs in zip(ours_all._fields, ours_all, theirs_all, strict=True):
        assert ours.tobytes() == theirs.tobytes(), name


@pytest.mark.slow
@pytest.mark.parametrize("frame", [5, 22, 41])
def test_a_recovered_run_has_the_same_bits(tmp_path, frame):
    undisturbed = Pile(tmp_path / "undisturbed").run(60)
    first = Pile(tmp_path).run(frame)
    assert first.world.dump()
    second = Pile(tmp_path)
    assert second.world.recover(frame)
    assert_same_bits(second, first)
    assert_same_bits(second.run(60 - frame), undisturbed)
    assert len(second.engine.cpu.state.pairs) > 1


@pytest.mark.slow
def test_going_back_in_the_same_world(tmp_path):
    scene, undisturbed = Pile(tmp_path), Pile(tmp_path / "undisturbed").run(60)
    scene.run(20).world.dump()
    scene.run(25)
    assert scene.world.recover(20)
    assert_same_bits(scene.run(40), undisturbed)


def asleep(scene, limit=400):
    for _ in range(limit):
        if scene.run().engine.statistics.newton.iterations == 0:
            return scene
    raise AssertionError(f"still awake after {limit} steps; velocities up to {np.abs(scene.qdot).max():g}")


def test_a_stack_falls_asleep_and_wakes(tmp_path):
    """What wakes it is a box that falls on it, and rests on it afterwards; all sleep again."""
    masses = [8.0, 4.0, 2.0]
    scene = asleep(stack(tmp_path, masses, kappa=1e8))
    assert_rests(scene, masses)
    before = [values.tobytes() for values in scene.engine.cpu.state]
    for _ in range(5):
        assert scene.run().engine.statistics.newton.iterations == 0
        assert [values.tobytes() for values in scene.engine.cpu.state] == before
    T = turned(0.9, 0, 0, scene.q[2, 2] + SIDE + 3.0 * D_HAT)
    scene.add_box(T, (SIDE,) * 3, density=1.0 / SIDE**3)
    assert any(scene.run().engine.statistics.awake == 4 for _ in range(20)), "it has come near"
    asleep(scene)
    assert_rests(scene, [*masses, 1.0])


def held(scene):
    """κ_c [Pa] by the slots of both bodies; None is the ground."""
    state, context = scene.engine.cpu.state, scene.engine.cpu.model.context
    slots = [*(slot.id() for slot in context.bodies.slots), None]
    return {
        frozenset((slots[key // len(slots)], slots[key % len(slots)])): value
        for key, value in zip(state.pairs.tolist(), state.resistances.tolist(), strict=True)
    }


def test_bodies_that_come_and_go_leave_the_others_resistances(tmp_path):
    scene = asleep(stack(tmp_path, [1.0, 8.0, 100.0], kappa=1e9))
    before, first = held(scene), scene.slots[0].id()
    assert len(before) == 3
    assert before[frozenset((first, None))] > 2.0 * start_value(1.0, G, 0.01, D_HAT), "it was raised"
    beside = scene.add_box(translation(2, 0, 0.5 * SIDE + 0.5 * D_HAT), (SIDE,) * 3)
    scene.run(5)
    after = held(scene)
    assert frozenset((beside.id(), None)) in after
    assert {pair: after[pair] for pair in before} == before
    destroy(scene, beside)
    assert held(scene.run()) == before
    top = scene.slots[2].id()
    destroy(scene, scene.slots[2])
    after = held(scene.run())
    assert not any(top in pair for pair in after)
    lower = frozenset((first, scene.slots[1].id()))
    assert after[lower] in (before[lower], 0.5 * before[lower]), "at once, or lowered by a step"


def test_what_stands_after_an_earlier_one_keeps_its_resistance(tmp_path):
    scene = stack(tmp_path, [1.0, 8.0, 100.0], kappa=1e9)
    beside = scene.slots[0]
    scene.run(40)
    rest = {pair: value for pair, value in held(scene).items() if beside.id() not in pair}
    destroy(scene, beside)
    after = held(scene.run())
    assert len(rest) == 1
    for pair, value in rest.items():
        assert after.get(pair) in (value, 0.5 * value)


def two_kinds(workspace, given, open_one, between):
    """A box on the ground whose contact with it has the resistance `given`, and another one with `open_one`."""
    scene = BoxScene(workspace, resistance=open_one, contact__d_hat=D_HAT)
    table = scene.scene.contact_tabular()
    steel = table.create("steel")
    table.insert(steel, table.default_element(), 0.5, given)
    table.insert(steel, steel, 0.5, between)
    scene.add_ground()
    for x in (0.0, 1.0):
        scene.add_box(translation(x, 0, 0.5 * SIDE + 0.5 * D_HAT), (SIDE,) * 3)
    steel.apply_to(scene.slots[0].geometry())
    return scene


def test_given_resistances_beside_those_by_load(tmp_path):
    mixed = two_kinds(tmp_path, 1e8, BY_LOAD, BY_LOAD).start().run(60)
    given, open_one = (two_kinds(tmp_path, r, r, r).start().run(60) for r in (1e8, BY_LOAD))
    np.testing.assert_allclose(mixed.q[0], given.q[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(mixed.q[1], open_one.q[1], rtol=0, atol=1e-12)
    assert mixed.engine.cpu.state.pairs.tolist() == [1 * 3 + 2]
    assert not len(given.engine.cpu.state.pairs)


def falling(workspace, entry, **options):
    """Two boxes; the default entry of the table has the resistance `entry`, None: nobody has touched the table."""
    scene = BoxScene(workspace, resistance=entry)
    scene.add_ground()
    for k in range(2):
        scene.add_box(turned(0.4 * k, 0.03 * k, 0, 0.115 + 0.215 * k))
    return scene.start(**options)


@pytest.mark.slow
def test_an_engine_leaves_open_what_nobody_has_set(tmp_path):
    """As libuipc's own table says it, or with a value that is not positive."""
    open_one = falling(tmp_path, BY_LOAD).run(30)
    assert len(open_one.engine.cpu.state.pairs) == 2
    for unset in (None, 1e9, 0.0, -1.0):
        assert_same_bits(falling(tmp_path, unset, resistance="load").run(30), open_one)
    assert_same_bits(falling(tmp_path, 5e7, resistance="load").run(30), falling(tmp_path, 5e7).run(30))
    table = falling(tmp_path, None).run(30)
    assert not len(table.engine.cpu.state.pairs)
    assert_same_bits(table, falling(tmp_path, 1e9).run(30))


@pytest.mark.parametrize("speed", [0.1, 0.5, 5.0, 50.0])
def test_what_approaches_within_d_hat_at_the_very_beginning_is_stopped(tmp_path, speed):
    """Before the first step it would have been far beyond d̂."""
    scene = BoxScene(tmp_path, resistance=BY_LOAD, contact__d_hat=D_HAT)
    scene.add_ground()
    velocity = twist_rate(np.eye(4), [0, 0, -speed])
    scene.add_box(translation(0, 0, 0.5 * SIDE + 0.25 * D_HAT), (SIDE,) * 3, density=1e3, velocity=velocity)
    scene.start()
    for _ in range(5):
        scene.run(1)
        assert has_solved(scene)
    assert scene.q[0, 2] < 0.5 * SIDE + D_HAT + 5 * 0.01 * speed
