"""What happens elsewhere in a scene changes no bit of a group's motion."""

from functools import partial

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.engine.joints import add_hinge
from tests.engine.scenes import BoxScene, translation, twist_rate

STEPS = 40
APART = 20.0  # [m]


def pile(scene, seed, x):
    """Boxes that fall onto each other and the ground, some of them hinged, spinning or fast."""
    rng = np.random.default_rng(seed)
    boxes = []
    for k in range(rng.integers(2, 7)):
        T = translation(x + rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), 0.3 + 0.4 * k)
        T[:3, :3] = Rotation.from_rotvec(rng.uniform(-1, 1, 3)).as_matrix()
        speed = rng.choice([0.0, 1.0, 10.0])
        velocity = twist_rate(T, linear=speed * rng.uniform(-1, 1, 3), angular=speed * rng.uniform(-1, 1, 3))
        boxes.append(scene.add_box(T, velocity=velocity))
    if len(boxes) > 3 and rng.random() < 0.6:
        ends = np.array([[x - 0.05, 0.0, 0.5], [x + 0.05, 0.0, 0.5]])
        add_hinge(scene, boxes[0], boxes[1], ends)


def run(workspace, *groups, friction_iterations=1, **config):
    """Trajectories (steps, n, 12) of groups of bodies; the ground is that of all."""
    scene = BoxScene(workspace, **config)
    scene.add_ground()
    for add in groups:
        add(scene)
    scene.start(friction_iterations=friction_iterations)
    return np.array([scene.run().q.copy() for _ in range(STEPS)])


CONFIGS = [
    {},
    {"newton__semi_implicit__enable": 0, "integrator__type": "bdf2"},
    {"resistance": -2.0},
    {"friction_iterations": 12},
]


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("seeds", [(1, 2, 3), (4, 5, 6), (7, 8, 9)])
def test_a_group_has_the_same_bits_alone_and_beside_others(tmp_path, seeds, config):
    groups = [partial(pile, seed=seed, x=APART * k) for k, seed in enumerate(seeds)]
    together = run(tmp_path / "all", *groups, **config)
    alone = [run(tmp_path / str(k), group, **config) for k, group in enumerate(groups)]
    first = 0
    for group in alone:
        after = first + group.shape[1]
        different = np.flatnonzero((together[:, first:after] != group).any(axis=(1, 2)))
        assert not len(different), f"first in step {different[0]}"
        first = after
