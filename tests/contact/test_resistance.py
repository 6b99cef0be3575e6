"""Contact resistance by load: the rule itself, and what a contact world makes of it.

Three bodies of 1, 2 and 5 kg, a fixed one, and a half-plane that counts as the body 4.
"""

import numpy as np
import pytest

from ipc_articulation.contact.barrier import barrier
from ipc_articulation.contact.held import NOTHING_HELD, Held, carried
from ipc_articulation.contact.materials import BY_LOAD, Rules, Traits, make_materials
from ipc_articulation.contact.resistance import Constants, adopted, constants, followed, resistances, start_value
from tests.contact.worlds import D_HAT, DT, EPS_V, boxes, pose

G, MASS = 9.81, np.array([1.0, 2.0, 5.0, np.inf, np.inf])
SLOPE = (1.5 * np.log(4.0) + 2.25) * D_HAT**3  # |B'(d̂/2)| written out
FALL = G  # a of bodies at rest
GIVEN, ADAPTIVE = 3e8, 7e6


class Resistance:
    """What pairs choose, from step to step."""

    def __init__(self, mass, gravity, materials):
        self.constants, self.given = Constants(*constants(mass, gravity, materials)), materials.resistance
        self.held, self.changed = NOTHING_HELD, np.zeros(len(mass), dtype=bool)

    def begin_step(self, held, dt, speed):
        self.held, self.changed = held, np.zeros_like(self.changed)
        given = np.where(np.isnan(self.given), ADAPTIVE, self.given)
        speed = np.append(speed, np.zeros(len(self.changed) - len(speed)))
        self.constants = self.constants._replace(given=given, speed=speed, dt=dt)

    @property
    def known(self):
        return tuple(self.constants), *self.held

    def of(self, bodies):
        return resistances(bodies, *self.known)

    def adopt(self, bodies, gaps, change, pushes):
        self.held = Held(*adopted(bodies, gaps, change, pushes, *self.known))

    def follow(self, bodies, gaps, changes):
        *held, self.changed = followed(bodies, gaps, changes, *self.known)
        self.held = Held(*held)


def make_resistance(table=BY_LOAD, elements=(0, 0, 0, 0), thickness=0.0, mass=MASS, gravity=G):
    """Of a contact table (e, e), or of a single entry."""
    table, n = np.atleast_2d(table), len(elements)
    one = np.ones_like(table, dtype=bool)
    bodies = Traits(
        element=np.array(elements),
        subscene=np.zeros(n, dtype=int),
        d_hat=np.full(n, D_HAT),
        thickness=np.full(n, thickness),
        is_fixed=np.arange(n) == 3,
        self_collision=np.ones(n, dtype=bool),
    )
    rules = Rules(np.asarray(table, dtype=float), 0.5 * one, one, np.ones((1, 1), dtype=bool))
    return Resistance(mass, gravity, make_materials(rules, bodies, np.zeros(1, dtype=int), np.zeros(1, dtype=int)))


def begun(resistance, held=NOTHING_HELD, dt=DT, speed=(0.0, 0.0, 0.0, 0.0)):
    resistance.begin_step(held, dt, np.array(speed))
    return resistance


def pairs(*bodies):
    return np.array(bodies, dtype=np.int64).reshape(-1, 2)


def rest(resistance, bodies, gaps):
    """What is done between two steps, with gaps that have not changed."""
    resistance.follow(bodies, gaps, np.zeros((2, len(gaps))))


def steps(resistance, bodies, gap, count):
    """κ_c of one pair after each of some steps that begin with a gap in units of d̂; None where nothing is held."""
    values, held = [], resistance.held
    for _ in range(count):
        rest(
            begun(resistance, held),
            *((pairs(bodies), np.array([gap * D_HAT])) if gap < 1.0 else (pairs(), np.zeros(0))),
        )
        held = resistance.held
        values.append(held.values[0] if len(held.values) else None)
    return values


@pytest.mark.parametrize(
    ("bodies", "mass"),
    [((0, 1), 2.0 / 3.0), ((1, 2), 10.0 / 7.0), ((2, 3), 5.0), ((1, 4), 2.0), ((2, 2), 2.5)],
    ids=["two bodies", "two others", "with a fixed one", "with a half-plane", "with itself"],
)
def test_a_pair_starts_with_what_bears_the_lighter_body_at_half_of_d_hat(bodies, mass):
    assert begun(make_resistance()).of(pairs(bodies)) == pytest.approx(mass * FALL / SLOPE, rel=1e-12)
    assert start_value(mass, G, DT, D_HAT) == pytest.approx(mass * FALL / SLOPE, rel=1e-12)


@pytest.mark.parametrize("dt", [0.1, 0.01, 1e-4])
@pytest.mark.parametrize("speed", [1e-3, 0.3, 20.0])
def test_a_faster_pair_starts_stiffer(dt, speed):
    """By the gentler of the two: stopped over the way d̂, or within the step."""
    a = G + min(speed**2 / D_HAT, speed / dt)
    moving = begun(make_resistance(), dt=dt, speed=(0.25 * speed, 0.75 * speed, 0.0, 0.0))
    assert moving.of(pairs((0, 1))) == pytest.approx(2.0 / 3.0 * a / SLOPE, rel=1e-12)
    both = begun(make_resistance(), dt=dt, speed=(speed, 0.0, 0.0, 0.0)).of(pairs((0, 4)))
    assert both == pytest.approx(a / SLOPE, rel=1e-12), "a half-plane rests"


def test_thick_surfaces_start_by_their_own_barrier():
    thick = begun(make_resistance(thickness=0.03)).of(pairs((0, 4)))
    assert thick == pytest.approx(FALL / -barrier(0.5 * D_HAT, D_HAT, 0.03)[1], rel=1e-12)


def test_the_order_of_a_pair_does_not_matter():
    r = begun(make_resistance())
    np.testing.assert_array_equal(r.of(pairs((1, 0), (4, 2), (2, 1))), r.of(pairs((0, 1), (2, 4), (1, 2))))
    one, other = (begun(make_resistance()) for _ in range(2))
    gaps = np.array([0.1, 0.5, 0.9, 0.15]) * D_HAT
    order = np.array([2, 0, 3, 1])
    bodies = pairs((0, 1), (1, 2), (2, 4), (0, 4))
    rest(one, bodies, gaps)
    rest(other, bodies[order][:, ::-1], gaps[order])
    for mine, its in zip(one.held, other.held, strict=True):
        np.testing.assert_array_equal(mine, its)
    assert np.all(np.diff(one.held.pairs) > 0)
    np.testing.assert_array_equal(one.held.pairs, [1, 4, 7, 14])


@pytest.mark.parametrize("gap", [1e-9, 0.01, 0.1, 0.199])
def test_a_narrow_gap_doubles_it_in_each_step(gap):
    start = begun(make_resistance()).of(pairs((0, 1)))[0]
    np.testing.assert_allclose(steps(begun(make_resistance()), (0, 1), gap, 5), start * 2.0 ** np.arange(1, 6))


@pytest.mark.parametrize("gap", [0.2001, 0.5, 0.8499])
def test_a_gap_in_the_middle_keeps_it(gap):
    r = begun(make_resistance())
    assert steps(r, (0, 4), gap, 5) == [r.of(pairs((0, 4)))[0]] * 5
    assert not r.changed.any()


@pytest.mark.parametrize("gap", [0.8501, 0.95, 0.999])
def test_a_wide_gap_halves_it_down_to_a_millionth_of_its_start(gap):
    start = begun(make_resistance()).of(pairs((0, 1)))[0]
    values = np.array(steps(begun(make_resistance()), (0, 1), gap, 60))
    np.testing.assert_allclose(values[:15], start * 0.5 ** np.arange(1, 16))
    assert 0.4e-6 * start < values[-1] < 1e-6 * start
    assert values[-1] == values[-10]


def test_a_pair_that_has_left_starts_afresh():
    r = begun(make_resistance())
    start = r.of(pairs((0, 1)))[0]
    steps(r, (0, 1), 0.1, 2)
    assert r.of(pairs((0, 1))) == 4.0 * start
    assert steps(r, (0, 1), 2.0, 1) == [None]
    assert r.of(pairs((0, 1))) == start


def test_between_steps_the_changed_bodies_are_known():
    r = begun(make_resistance())
    rest(r, pairs((0, 1), (2, 4)), np.array([0.5, 0.1]) * D_HAT)
    np.testing.assert_array_equal(r.changed, [False, False, True, False, True])
    begun(r, r.held)
    assert not r.changed.any()


def ratio(gap):
    return barrier(gap * D_HAT, D_HAT, 0.0)[1] / barrier(0.5 * D_HAT, D_HAT, 0.0)[1]


def test_given_resistances_are_untouched_beside_those_by_load():
    """Element 0 by load with itself and the half-plane, given with element 1, which is adaptive with itself."""
    r = begun(make_resistance([[BY_LOAD, GIVEN], [GIVEN, -1.0]], (0, 0, 1, 1)))
    bodies, narrow = pairs((0, 1), (0, 2), (2, 2), (0, 4), (2, 4)), np.full(5, 0.1 * D_HAT)
    start = r.of(bodies)
    np.testing.assert_allclose(start, [2.0 / 3.0 * FALL / SLOPE, GIVEN, ADAPTIVE, FALL / SLOPE, GIVEN])
    rest(r, bodies, narrow)
    np.testing.assert_array_equal(r.of(bodies), start * [2.0, 1.0, 1.0, 2.0, 1.0])
    np.testing.assert_array_equal(r.held.pairs, [1, 4])


def test_what_is_held_for_a_pair_that_does_not_choose_any_more_is_dropped():
    r = begun(make_resistance(GIVEN), Held(np.array([1]), np.array([1e12])))
    rest(r, pairs(), np.zeros(0))
    assert not len(r.held.pairs)
    assert r.of(pairs((0, 1))) == GIVEN


@pytest.mark.parametrize("mass", [1e-6, 1e6])
@pytest.mark.parametrize("gap", [0.1, 0.5, 0.9])
def test_all_is_proportional_to_the_masses(mass, gap):
    one, other = (make_resistance(mass=factor * MASS) for factor in (1.0, mass))
    bodies, gaps = pairs((0, 1), (1, 4)), np.full(2, gap * D_HAT)
    for r in (one, other):
        rest(begun(r), bodies, gaps)
    np.testing.assert_allclose(other.held.values, mass * one.held.values, rtol=1e-13)


def held_of(n, values):
    """What is held for pairs of n bodies."""
    rows = sorted((i * n + j, value) for (i, j), value in values.items())
    return Held(np.array([key for key, _ in rows], dtype=np.int64), np.array([value for _, value in rows]))


BEFORE = held_of(5, {(0, 1): 1.0, (0, 3): 2.0, (1, 2): 3.0, (1, 4): 4.0, (2, 2): 5.0})  # 3 bodies, half-planes 3 and 4


@pytest.mark.parametrize(
    ("rows", "planes", "expected"),
    [
        ([0, 1, 2], [0, 1], {(0, 1): 1.0, (0, 3): 2.0, (1, 2): 3.0, (1, 4): 4.0, (2, 2): 5.0}),
        ([0, 1, 2, -1], [0, 1], {(0, 1): 1.0, (0, 4): 2.0, (1, 2): 3.0, (1, 5): 4.0, (2, 2): 5.0}),
        ([-1, 0, -1, 1, 2], [0, 1], {(1, 3): 1.0, (1, 5): 2.0, (3, 4): 3.0, (3, 6): 4.0, (4, 4): 5.0}),
        ([1, 2], [0, 1], {(0, 1): 3.0, (0, 3): 4.0, (1, 1): 5.0}),
        ([2, 1, 0], [0, 1], {(1, 2): 1.0, (2, 3): 2.0, (0, 1): 3.0, (1, 4): 4.0, (0, 0): 5.0}),
        ([-1, 2, 0], [0, 1], {(2, 3): 2.0, (1, 1): 5.0}),
        ([0, 1, 2], [1], {(0, 1): 1.0, (1, 2): 3.0, (1, 3): 4.0, (2, 2): 5.0}),
        ([0, 1, 2], [1, -1, 0], {(0, 1): 1.0, (0, 5): 2.0, (1, 2): 3.0, (1, 3): 4.0, (2, 2): 5.0}),
        ([-1, -1], [0, 1], {}),
    ],
    ids=[
        "the same",
        "one more",
        "some more",
        "one less",
        "another order",
        "one replaced",
        "a plane less",
        "one for a plane",
        "all new",
    ],
)
def test_what_is_held_goes_with_its_bodies(rows, planes, expected):
    after = carried(BEFORE, np.array(rows), np.array(planes), (3, 2))
    for mine, its in zip(after, held_of(len(rows) + len(planes), expected), strict=True):
        np.testing.assert_array_equal(mine, its)


def test_nothing_held_is_carried_as_nothing():
    after = carried(NOTHING_HELD, np.array([0, -1]), np.array([0]), (1, 1))
    assert len(after.pairs) == len(after.values) == 0


def on_the_ground(gap, held=NOTHING_HELD, soft=0):
    """A world of one box (1 kg) above the ground at the beginning of a step, and its nodes."""
    world = boxes(1, soft=soft, resistance=BY_LOAD)
    x = world.nodes(pose(0, 0, 0.1 + gap * D_HAT)[None])
    return world.begin(x, held), x


def force(world, x, body=0):
    """On a body [N], by barriers and friction."""
    g, first = world.gradient(x).reshape(-1, 3), world.numbering.first
    return -sum(g[first[r]] for r in np.flatnonzero(world.numbering.body == body)) / DT**2


def remembered(world, x):
    """Pairs and resistances."""
    return Held(*world.remembered(x)[0])


@pytest.mark.parametrize(("gap", "factor"), [(0.1, 2.0), (0.5, 1.0), (0.9, 0.5)])
def test_a_world_presses_with_what_the_pair_has_after_the_last_step(gap, factor):
    world, x = on_the_ground(gap)
    pressed = force(world, x)[2]
    assert pressed == pytest.approx(factor * G * min(1.0, 4.0 * ratio(gap)), rel=1e-6), "by four corners"
    held = remembered(world, x)
    np.testing.assert_array_equal(held.pairs, [1])
    again, _ = on_the_ground(gap, Held(held.pairs, 3.0 * held.values))
    assert force(again, x)[2] == pytest.approx(3.0 * factor * pressed, rel=1e-9)


def test_each_row_of_a_soft_body_chooses_by_itself():
    """Its vertices, of 1 kg each, bear themselves."""
    world, x = on_the_ground(0.5, soft=1)
    lowest = np.flatnonzero(x[:, 2] < 0.1)
    assert len(lowest) == 4
    g = world.gradient(x).reshape(-1, 3) / DT**2
    np.testing.assert_allclose(-g[lowest, 2], G, rtol=1e-6)
    np.testing.assert_array_equal(remembered(world, x).pairs, 9 * lowest + 8 + lowest)


@pytest.mark.parametrize(("gap", "factor"), [(0.1, 2.0), (0.5, 1.0), (0.9, 0.5)])
def test_friction_takes_the_force_with_which_the_last_step_ended(gap, factor):
    for (world, x), body, rel in ((on_the_ground(gap), 0, 1e-9), (two_boxes(gap), 1, 1e-3)):
        slid = x.copy()
        slid[4 * body, 0] += 10.0 * EPS_V * DT
        f = force(world, slid, body)
        assert factor * f[0] == pytest.approx(-0.5 * f[2], rel=rel)


def test_speeds_are_those_of_points():
    """A body that turns and falls: the start is stiffer by the fastest of its corners."""
    world = boxes(1, resistance=BY_LOAD)
    x, v = world.nodes(pose(0, 0, 0.1 + 1.5 * D_HAT)[None]), np.zeros((4, 3))
    v[0, 2], v[1] = -0.3, [0.0, 0.0, 2.0]  # A e₁ turns: corners have v_z = -0.3 ± 0.2
    world.begin(x, v=v)
    x[0, 2] -= D_HAT
    world.place(x)
    expected = (G + min(0.5**2 / D_HAT, 0.5 / DT)) / SLOPE
    np.testing.assert_allclose(world.near().kappa, expected, rtol=1e-9)


def test_what_closes_at_the_beginning_of_a_scene_is_stopped():
    """The last motion, and the one before it, come from the state."""
    u, (world, x) = 0.05, on_the_ground(0.5)
    before = x - [[0.0, 0.0, -u * DT], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    world.begin(x, before=(before, x), v=np.zeros_like(x))
    expected = (G + min(u * u / D_HAT, u / DT)) / SLOPE / 4.0
    world.place(x)
    np.testing.assert_allclose(world.near().kappa, expected, rtol=1e-9)


def at_the_beginning(change, gravity=G, bodies=(0, 1), held=NOTHING_HELD, push=SLOPE):
    """κ_c of a pair in contact when the first step begins, at 0.5 d̂; the last step changed its gap by `change` [m]."""
    resistance = begun(make_resistance(gravity=gravity), held, speed=(50.0, 20.0, 0.0, 0.0))
    resistance.adopt(pairs(bodies), np.array([0.5 * D_HAT]), np.array([change]), np.array([push]))
    return resistance.of(pairs(bodies))[0]


@pytest.mark.parametrize("change", [0.0, 1e-6, 0.3])
def test_what_is_in_contact_at_the_beginning_does_not_meet(change):
    """Bodies that slide or turn fast there, or part, have what bears them."""
    assert at_the_beginning(change) == pytest.approx(2.0 / 3.0 * G / SLOPE, rel=1e-12)
    assert at_the_beginning(change, bodies=(4, 1)) == pytest.approx(2.0 * G / SLOPE, rel=1e-12)


def test_all_points_in_contact_at_the_beginning_bear_a_body_together():
    """But one is enough where they are at the edge of d̂."""
    one = 2.0 / 3.0 * G / SLOPE
    for points, share in ((1.0, 1.0), (23.0, 1.0 / 23.0), (0.1, 1.0)):
        assert at_the_beginning(0.0, push=points * SLOPE) == pytest.approx(share * one, rel=1e-12)


@pytest.mark.parametrize("u", [0.001, 0.01])
def test_what_closes_at_the_beginning_is_stopped(u):
    assert at_the_beginning(-u * DT) == pytest.approx(2.0 / 3.0 * (G + min(u * u / D_HAT, u / DT)) / SLOPE, rel=1e-12)


def test_without_gravity_a_pair_in_contact_has_some_resistance():
    assert at_the_beginning(0.0, gravity=0.0) == pytest.approx(2.0 / 3.0 * D_HAT / (10.0 * DT**2) / SLOPE, rel=1e-12)


def test_what_holds_a_resistance_keeps_it_when_others_are_adopted():
    assert at_the_beginning(-1.0, held=held_of(5, {(0, 1): 7.0, (1, 2): 8.0})) == 7.0
    resistance = begun(make_resistance(), held_of(5, {(1, 2): 8.0}))
    both, gaps, still = pairs((1, 2), (1, 0)), np.full(2, 0.5 * D_HAT), np.zeros(2)
    resistance.adopt(both, gaps, still - D_HAT, np.full(2, SLOPE))
    np.testing.assert_array_equal(resistance.held.pairs, [7]), "the others have just met"
    resistance.adopt(both, gaps, still, np.full(2, SLOPE))
    np.testing.assert_array_equal(resistance.held.pairs, [1, 7])
    assert resistance.of(pairs((1, 2))) == 8.0


def two_boxes(gap):
    """The upper one turned, so that its edges are not parallel to those below."""
    world = boxes(2, resistance=BY_LOAD)
    x = world.nodes(np.stack([pose(0, 0, 1.0), pose(0, 0, 1.2 + gap * D_HAT, angles=(0, 0, 0.5))]))
    return world.begin(x), x


@pytest.mark.parametrize("changes", [(1.0, 0.0), (0.0, 1.0)], ids=["last step", "step before"])
@pytest.mark.parametrize("sign", [-1.0, 1.0], ids=["closing", "opening"])
@pytest.mark.parametrize("gap", [0.1, 0.9])
def test_a_gap_that_is_accelerated_is_no_load(changes, sign, gap):
    """By more than a tenth of what its own force could: a hit that turns has no speed."""
    assert_no_load(gap, sign * 0.1 * ratio(gap) * G * DT**2, changes)


@pytest.mark.parametrize("sign", [-1.0, 1.0], ids=["closing", "opening"])
@pytest.mark.parametrize("gap", [0.1, 0.9])
def test_a_gap_that_changes_fast_is_no_load(sign, gap):
    """At a tenth of the speed that its own force could give over d̂."""
    assert_no_load(gap, sign * 0.1 * DT * np.sqrt(ratio(gap) * G * D_HAT), (1.0, 1.0))


def assert_no_load(gap, slow, changes):
    for change, stays in ((1.01 * slow, True), (0.99 * slow, False)):
        r = begun(make_resistance())
        before = r.of(pairs((0, 1)))[0]
        r.follow(pairs((0, 1)), np.array([gap * D_HAT]), change * np.array(changes)[:, None])
        assert (r.of(pairs((0, 1)))[0] == before) == stays


@pytest.mark.parametrize("dt", [1e-2, 1e-5])
def test_at_the_edge_of_d_hat_a_hundredth_of_gravity_counts(dt):
    slow = 0.1 * dt**2 * 0.01 * G
    for change, stays in ((1.01 * slow, True), (0.99 * slow, False)):
        r = begun(make_resistance(), dt=dt)
        before = r.of(pairs((0, 1)))[0]
        r.follow(pairs((0, 1)), np.array([0.99999 * D_HAT]), np.array([[change], [0.0]]))
        assert (r.of(pairs((0, 1)))[0] == before) == stays
