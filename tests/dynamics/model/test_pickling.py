"""Models that were pickled are the same, bit for bit."""

import copy
import pickle

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics.reading.osim import read_osim
from tests.dynamics.loops.robots import robot_of
from tests.dynamics.random_trees import random_mechanism
from tests.dynamics.reading.loop_documents import FOUR_BAR, read
from tests.dynamics.reading.osim_documents import PARABOLA, axis, bodies, body, custom, document

CUSTOM = custom("j", ["c"], axis("rotation1", "1 0 0", PARABOLA, "c"))
ROBOTS = {
    "tree": lambda: random_mechanism(1, floating=True).build(),
    "compiled loops": lambda: robot_of("tello", 0).model,
    "gears": lambda: robot_of("mini cheetah", 0).model,
    "a loop of a function": lambda: robot_of("six-bar arm", 0).model,
    "a loop of a file": lambda: read(*FOUR_BAR).build(),
    "functions of coordinates": lambda: read_osim(document(bodies(body("thigh", CUSTOM)))).mechanism.build(),
}


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("kind", ROBOTS)
def test_a_pickled_model_is_the_same(kind, used):
    pytest.importorskip("casadi")
    model, rng = ROBOTS[kind](), np.random.default_rng(0)
    x, y_dot, tau = dyn.random_position(model, rng), *rng.normal(size=(2, model.nv))

    def answers(of):
        return dyn.mass_matrix(of, x), dyn.forward_dynamics(of, x, y_dot, tau), dyn.frame_poses(of, x), of.neutral

    before = answers(model) if used else None
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        for mine, theirs in zip(answers(again), before or answers(model), strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert again.closure.tree is again.spanning_tree.tree
        assert not any(part.flags.writeable for part in (again.frame_pose, again.tree, again.coordinates.lower))
        with pytest.raises(TypeError):
            again.aliases["world"] = 0
