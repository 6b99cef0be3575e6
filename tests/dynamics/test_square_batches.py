"""A batch of as many states as a robot has coordinates is a batch: its arrays have the lengths of one state's."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import joints
from ipc_articulation.dynamics.loops import FourBar


def arm() -> dyn.Model:
    mechanism, parent = dyn.Mechanism("arm"), "world"
    for k in range(3):
        mechanism.add_link(f"link{k}", 1.0, (0.1, 0, 0), (0.01, 0.02, 0.03))
        mechanism.add_joint(f"joint{k}", joints.RyJoint(), parent, f"link{k}")
        parent = f"link{k}"
    return mechanism.build()


def linkage() -> dyn.Model:
    mechanism = dyn.Mechanism("linkage")
    for name, parent, at in (("driver", "world", 0.0), ("support", "world", 0.26), ("output", "driver", 0.3)):
        mechanism.add_link(name, 1.0, (0.14, 0, 0), (0.001, 0.01, 0.01))
        origin = np.eye(4)
        origin[0, 3] = at
        mechanism.add_joint(name, joints.RzJoint(), parent, name, origin=origin)
    mechanism.add_loop(("driver", "support", "output"), FourBar((0.3, 0.25, 0.28), (0.26, 0.05)))
    return mechanism.build()


FUNCTIONS = {
    "q": [dyn.mass_matrix, dyn.inverse_mass_matrix, dyn.gravity_forces, dyn.centre_of_mass, dyn.potential_energy],
    "qv": [dyn.coriolis_matrix, dyn.bias_forces, dyn.coriolis_forces, dyn.kinetic_energy, dyn.centroidal_momentum],
    "qvx": [dyn.forward_dynamics, dyn.inverse_dynamics],
}


@pytest.mark.parametrize("robot", [arm, linkage])
@pytest.mark.parametrize(
    ("takes", "function"), [(takes, function) for takes, some in FUNCTIONS.items() for function in some]
)
@pytest.mark.parametrize("batched", ["all", "first", "last"])
def test_a_square_batch_is_a_batch(robot, takes, function, batched):
    model, rng = robot(), np.random.default_rng(5)
    count = model.nq
    position = model.neutral if not model.loops else dyn.random_position(model, rng)
    states = [np.tile(position, (count, 1)), *rng.normal(size=(len(takes) - 1, count, model.nv))]
    chosen = range(len(states)) if batched == "all" else [0 if batched == "first" else len(states) - 1]
    given = [state if k in chosen else state[0].copy() for k, state in enumerate(states)]
    singles = [
        function(model, *(x[row].copy() if k in chosen else x for k, x in enumerate(given))) for row in range(count)
    ]
    np.testing.assert_allclose(function(model, *given), np.array(singles), rtol=1e-12, atol=1e-12)
