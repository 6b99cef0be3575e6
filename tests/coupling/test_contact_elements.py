from dataclasses import replace

import numpy as np
import pytest

from ipc_articulation.coupling.adapter import ContactRule, CoupledBody, CoupledRobot, HalfPlane
from ipc_articulation.coupling.contact_elements import make_contact_elements
from tests.coupling.worlds import make_scene


def body(name, friction=0.0):
    return CoupledBody(name, np.eye(4), friction=friction)


def pairs(*names):
    return frozenset(frozenset(pair) for pair in names)


@pytest.fixture
def scene():
    scene = make_scene()
    scene.contact_tabular().default_model(0.25, 3e8)
    return scene


def model(scene, elements, a, b):
    return scene.contact_tabular().at(elements[a].id(), elements[b].id())


def test_friction_is_the_larger_one_and_resistance_the_scenes(scene):
    robot = CoupledRobot((), (), free=(body("a", 0.1), body("b", 0.7), body("c", 0.1)))
    elements = make_contact_elements(scene, robot)
    assert model(scene, elements, "a", "b").friction_rate() == 0.7
    assert model(scene, elements, "a", "c").friction_rate() == 0.1
    assert model(scene, elements, "a", "b").resistance() == 3e8
    assert model(scene, elements, "a", "b").is_enabled()


def test_untouchable_pairs_are_off_and_all_others_on(scene):
    links = tuple(body(name) for name in "abcd")
    untouchable = pairs(("a", "b"), ("b", "c"))
    elements = make_contact_elements(scene, CoupledRobot(links, (), untouchable=untouchable))
    for left in "abcd":
        for right in "abcd":
            if left < right:
                touch = frozenset({left, right}) not in untouchable
                assert model(scene, elements, left, right).is_enabled() == touch


def test_bodies_with_the_same_partners_share_an_element(scene):
    walls = tuple(body(f"wall{i}") for i in range(20))
    stones = tuple(body(f"stone{i}") for i in range(30))
    floor = HalfPlane("floor", np.zeros(3), np.array([0.0, 0.0, 1.0]))
    fixed = [wall.name for wall in walls] + ["floor"]
    robot = CoupledRobot((), (), stones, walls, (floor,), pairs(*((a, b) for a in fixed for b in fixed)))
    elements = make_contact_elements(scene, robot)
    assert scene.contact_tabular().element_count() == 3  # the default one, fixed things, stones
    assert not model(scene, elements, "wall0", "wall1").is_enabled()
    assert not model(scene, elements, "wall0", "floor").is_enabled()
    assert model(scene, elements, "wall0", "stone5").is_enabled()
    assert model(scene, elements, "stone0", "stone5").is_enabled()


def test_the_rest_of_the_scene_meets_the_default_model(scene):
    elements = make_contact_elements(scene, CoupledRobot((body("a", 0.9),), (), untouchable=pairs(("a", "a"))))
    assert scene.contact_tabular().at(0, elements["a"].id()).friction_rate() == 0.25
    assert scene.contact_tabular().at(0, 0).friction_rate() == 0.25


def test_of_two_resistances_the_smaller_holds(scene):
    bodies = (body("a"), replace(body("b"), resistance=5e8), replace(body("c"), resistance=1e7))
    elements = make_contact_elements(scene, CoupledRobot((), (), free=bodies))
    assert model(scene, elements, "a", "a").resistance() == 3e8
    assert model(scene, elements, "a", "b").resistance() == 5e8
    assert model(scene, elements, "b", "c").resistance() == 1e7


def test_a_contact_pair_goes_before_what_surfaces_say_and_the_last_before_others(scene):
    rules = (
        ContactRule(frozenset("a"), frozenset("bc"), friction=0.8, resistance=1e6),
        ContactRule(frozenset("c"), frozenset("a"), friction=0.05, enabled=False),
    )
    robot = CoupledRobot((), (), free=tuple(body(name, 0.3) for name in "abcd"), contact_rules=rules)
    elements = make_contact_elements(scene, robot)

    def said(a, b):
        found = model(scene, elements, a, b)
        return found.friction_rate(), found.resistance(), found.is_enabled()

    assert said("a", "b") == (0.8, 1e6, True)
    assert said("a", "c") == (0.05, 1e6, False)
    for pair in ("bc", "ad", "bd", "aa"):
        assert said(*pair) == (0.3, 3e8, True)


def test_a_contact_pair_may_let_touch_what_else_does_not(scene):
    rule = ContactRule(frozenset("a"), frozenset("b"), enabled=True)
    robot = CoupledRobot((body("a"), body("b")), (), untouchable=pairs(("a", "b")), contact_rules=(rule,))
    assert model(scene, make_contact_elements(scene, robot), "a", "b").is_enabled()
