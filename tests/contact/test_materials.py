"""The contact model of every pair, beside the contact table read pair by pair."""

import numpy as np
import pytest

from ipc_articulation.contact.materials import NO_CONTACT, Materials, Rules, Traits, make_materials

N, PLANES, ELEMENTS, SUBSCENES = 24, 3, 4, 5


@pytest.fixture(params=range(3))
def random(request: pytest.FixtureRequest) -> np.random.Generator:
    return np.random.default_rng(request.param)


def symmetric(values: np.ndarray) -> np.ndarray:
    return np.triu(values) | np.triu(values, 1).T if values.dtype == bool else np.triu(values) + np.triu(values, 1).T


def scene(random: np.random.Generator) -> tuple[Rules, Traits, np.ndarray, np.ndarray]:
    rules = Rules(
        symmetric(random.choice([-1.0, 0.0, 1e6, 1e9], (ELEMENTS, ELEMENTS))),
        symmetric(random.uniform(0.0, 1.0, (ELEMENTS, ELEMENTS))),
        symmetric(random.random((ELEMENTS, ELEMENTS)) < 0.7),
        symmetric(random.random((SUBSCENES, SUBSCENES)) < 0.5),
    )
    bodies = Traits(
        element=random.integers(ELEMENTS, size=N),
        subscene=random.integers(SUBSCENES, size=N),
        d_hat=random.choice([0.001, 0.01], N),
        thickness=random.choice([0.0, 0.002], N),
        is_fixed=random.random(N) < 0.3,
        self_collision=random.random(N) < 0.5,
    )
    return rules, bodies, random.integers(ELEMENTS, size=PLANES), random.integers(SUBSCENES, size=PLANES)


def model(materials: Materials, material: int) -> tuple[float, float, float] | None:
    if material == NO_CONTACT:
        return None
    resistance = materials.resistance[material]
    given = -1.0 if np.isnan(resistance) else float(resistance)
    return given, float(materials.d_hat[material]), float(materials.thickness[material])


def test_every_pair_has_the_model_of_the_table(random: np.random.Generator) -> None:
    rules, bodies, plane_element, plane_subscene = scene(random)
    materials = make_materials(rules, bodies, plane_element, plane_subscene)
    touching = 0
    for i in range(N):
        for j in range(N):
            may = rules.enabled[bodies.element[i], bodies.element[j]]
            may &= rules.subscenes[bodies.subscene[i], bodies.subscene[j]]
            may &= bodies.self_collision[i] if i == j else not (bodies.is_fixed[i] and bodies.is_fixed[j])
            may &= not (i == j and bodies.is_fixed[i])
            given = rules.resistance[bodies.element[i], bodies.element[j]]
            lengths = (bodies.d_hat[i] + bodies.d_hat[j]) / 2, bodies.thickness[i] + bodies.thickness[j]
            expected = (given if given > 0.0 else -1.0, *lengths) if may else None
            assert model(materials, materials.body_pairs[i, j]) == expected
            touching += may
    assert 0 < touching < N * N


def test_half_planes_take_d_hat_and_thickness_of_the_body(random: np.random.Generator) -> None:
    rules, bodies, plane_element, plane_subscene = scene(random)
    materials = make_materials(rules, bodies, plane_element, plane_subscene)
    for i in range(N):
        for p in range(PLANES):
            may = rules.enabled[bodies.element[i], plane_element[p]] and not bodies.is_fixed[i]
            may &= rules.subscenes[bodies.subscene[i], plane_subscene[p]]
            given = rules.resistance[bodies.element[i], plane_element[p]]
            expected = (given if given > 0.0 else -1.0, bodies.d_hat[i], bodies.thickness[i]) if may else None
            assert model(materials, materials.plane_pairs[i, p]) == expected
            assert materials.friction[i, N + p] == rules.friction[bodies.element[i], plane_element[p]]


def test_environments_do_not_multiply_materials() -> None:
    """There are as many as in one subscene, however many subscenes there are."""
    count = 300
    rules = Rules(np.array([[1e6]]), np.zeros((1, 1)), np.ones((1, 1), dtype=bool), np.eye(count, dtype=bool))
    one = np.ones(count)
    bodies = Traits(
        np.zeros(count, dtype=int), np.arange(count), 0.01 * one, 0.0 * one, one < 0.0, np.ones(count, dtype=bool)
    )
    materials = make_materials(rules, bodies, np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    assert len(materials.resistance) == 1
    np.testing.assert_array_equal(materials.body_pairs, np.where(np.eye(count, dtype=bool), 0, NO_CONTACT))
