"""Groups of bodies that never meet move as if each were alone in the world."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.engine.joints import add_hinge
from tests.engine.scenes import BoxScene, translation, twist_rate

STEPS = 60


def turned(x, z, *rotation):
    T = translation(x, 0, z)
    T[:3, :3] = Rotation.from_rotvec(rotation).as_matrix()
    return T


def tumbling(scene):
    """Three boxes that fall onto each other and the ground."""
    for k in range(3):
        scene.add_box(turned(0.05 * k, 0.2 + 0.26 * k, 0.2, 0.1 * k, 0.3))


def swinging(scene):
    """A hinged box that is struck by another."""
    base, lid = scene.add_box(translation(20, 0, 1), is_fixed=1), scene.add_box(translation(20.25, 0, 1))
    add_hinge(scene, base, lid, [[20.125, -0.1, 1], [20.125, 0.1, 1]])
    scene.add_box(translation(20.3, 0, 1.5), velocity=twist_rate(translation(20.3, 0, 1.5), linear=(0, 0, -2.0)))


def run(workspace, *groups, **config):
    """Trajectories (steps, n, 12) and the Newton iterations of each step."""
    scene = BoxScene(workspace, **config)
    scene.add_ground()
    for add in groups:
        add(scene)
    scene.start()
    steps = [(scene.run().q, scene.engine.statistics.newton.iterations) for _ in range(STEPS)]
    return np.array([q for q, _ in steps]), np.array([iterations for _, iterations in steps])


def landing(scene):
    """A box that falls on an edge, then on its face."""
    scene.add_box(turned(0, 0.3, 0.2, 0.5, 0.3), velocity=twist_rate(translation(0, 0, 0.3), linear=(1.0, 0.3, 0)))


def closing(scene):
    """A hinged box that falls against a fixed one."""
    base, lid = scene.add_box(translation(20, 0, 1), is_fixed=1), scene.add_box(translation(20.25, 0, 1))
    add_hinge(scene, base, lid, [[20.125, -0.1, 1], [20.125, 0.1, 1]])
    scene.add_box(translation(20.2, 0, 0.7), is_fixed=1)


@pytest.mark.parametrize("config", [{}, {"newton__semi_implicit__enable": 0, "integrator__type": "bdf2"}])
@pytest.mark.parametrize("groups", [(landing, closing), (closing, landing), (tumbling, swinging), (swinging, tumbling)])
def test_a_group_moves_as_if_alone_and_the_slower_one_sets_the_number_of_iterations(tmp_path, groups, config):
    together, iterations = run(tmp_path / "both", *groups, **config)
    (first, its), (second, others) = (run(tmp_path / "alone", group, **config) for group in groups)
    np.testing.assert_allclose(together, np.concatenate([first, second], axis=1), rtol=0.0, atol=1e-12)
    np.testing.assert_array_equal(iterations, np.maximum(its, others))
    assert (its != others).any()
    assert min(its.max(), others.max()) > 3, "both have collisions"


def test_a_body_in_the_air_needs_no_more_for_what_happens_elsewhere(tmp_path):
    """Its step is not cut when others collide: it falls exactly as backward Euler says."""

    def falling(scene):
        scene.add_box(translation(10, 0, 8))

    together, iterations = run(tmp_path, tumbling, falling)
    n = np.arange(1, STEPS + 1)
    assert iterations.max() > 3
    np.testing.assert_allclose(together[:, 3, 2], 8 - 9.8 * 1e-4 * n * (n + 1) / 2, rtol=0.0, atol=1e-12)
