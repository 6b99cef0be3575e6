import numpy as np
import pytest

from ipc_articulation.coupling.adapter import Body, HalfPlane, Mechanism
from ipc_articulation.coupling.contact_elements import make_contact_elements
from tests.coupling.worlds import make_scene


def body(name, friction=0.0):
    return Body(name, np.eye(4), friction=friction)


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
    mechanism = Mechanism((), (), free=(body("a", 0.1), body("b", 0.7), body("c", 0.1)))
    elements = make_contact_elements(scene, mechanism)
    assert model(scene, elements, "a", "b").friction_rate() == 0.7
    assert model(scene, elements, "a", "c").friction_rate() == 0.1
    assert model(scene, elements, "a", "b").resistance() == 3e8
    assert model(scene, elements, "a", "b").is_enabled()


def test_untouchable_pairs_are_off_and_all_others_on(scene):
    links = tuple(body(name) for name in "abcd")
    untouchable = pairs(("a", "b"), ("b", "c"))
    elements = make_contact_elements(scene, Mechanism(links, (), untouchable=untouchable))
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
    mechanism = Mechanism((), (), stones, walls, (floor,), pairs(*((a, b) for a in fixed for b in fixed)))
    elements = make_contact_elements(scene, mechanism)
    assert scene.contact_tabular().element_count() == 3  # the default one, fixed things, stones
    assert not model(scene, elements, "wall0", "wall1").is_enabled()
    assert not model(scene, elements, "wall0", "floor").is_enabled()
    assert model(scene, elements, "wall0", "stone5").is_enabled()
    assert model(scene, elements, "stone0", "stone5").is_enabled()


def test_the_rest_of_the_scene_meets_the_default_model(scene):
    elements = make_contact_elements(scene, Mechanism((body("a", 0.9),), (), untouchable=pairs(("a", "a"))))
    assert scene.contact_tabular().at(0, elements["a"].id()).friction_rate() == 0.25
    assert scene.contact_tabular().at(0, 0).friction_rate() == 0.25
