"""The state of every adapter: what follows it is the same bits, in another object too; another model's is refused."""

from functools import partial

import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation.coupling import couple
from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.errors import AdapterError
from tests.adapters.mujoco.models import arm
from tests.adapters.native.linkages import linkage_adapter, press_model
from tests.adapters.native.test_adapter import driven
from tests.adapters.shared.engines import cases, side
from tests.coupling.worlds import Turntable, make_scene


def mujoco_adapter() -> MujocoAdapter:
    """With a joint on its limit, where the solver's warm start decides the last digits."""
    model, data = arm()
    model.jnt_limited[0], model.jnt_range[0] = 1, [-0.1, 0.1]
    data.qpos[0] = 0.15
    return MujocoAdapter(model, data)


def loop_adapter():
    return linkage_adapter(press_model(rotor=True))


def shared(engine: str, robot):
    return side(engine).make(robot)


def step(adapter) -> bytes:
    """One step against something that takes a tenth of the motion away; what it gave, as bits."""
    prediction = adapter.predict()
    free = adapter.describe().free
    poses = np.reshape([body.pose for body in free], (-1, 4, 4))
    adapter.commit(0.9 * prediction.delta_theta_tilde, poses, np.zeros_like(poses))
    results = prediction.mass, prediction.delta_theta_tilde, adapter.theta(), adapter.theta_dot(), adapter.link_poses()
    return b"".join(np.asarray(result).tobytes() for result in results)


SHARED = [pytest.param(partial(shared, *case.values), id=case.id) for case in cases()]


@pytest.mark.parametrize("make", [mujoco_adapter, driven, loop_adapter, *SHARED])
def test_what_follows_a_restored_state_is_the_same_bits(make) -> None:
    first = make()
    for _ in range(3):
        step(first)
    state = {key: np.array(value) for key, value in first.state().items()}
    following = [step(first) for _ in range(3)]
    assert len(set(following)) == 3
    first.restore(state)
    second = make()
    second.restore(state)
    assert [step(first) for _ in range(3)] == following
    assert [step(second) for _ in range(3)] == following


NO_STATE = [({}, "mass"), (None, "mass"), ({"mass": np.eye(2)}, "delta_theta_tilde")]


@pytest.mark.parametrize(("state", "missing"), NO_STATE)
def test_a_coupling_takes_only_what_its_state_gave(state, missing) -> None:
    adapter = mujoco_adapter()
    coupling = couple(make_scene(adapter.dt, adapter.gravity), adapter)
    message = rf"restore: give what coupling\.state\(\) returned; this has no '{missing}'"
    with pytest.raises(AdapterError, match=message):
        coupling.restore(state)


def test_the_warm_start_of_mujocos_solver_is_restored() -> None:
    first, second = mujoco_adapter(), mujoco_adapter()
    step(first)
    first.data.qacc_warmstart[:] += 1e-3  # not where the solver would end
    second.restore(first.state())
    assert second.data.qacc_warmstart.tobytes() == first.data.qacc_warmstart.tobytes()


def native_adapter() -> NativeAdapter:
    return driven(free=[CoupledBody("crate", np.eye(4), mass=1.0)])


@pytest.mark.parametrize("make", [mujoco_adapter, native_adapter])
def test_a_free_body_is_part_of_the_state(make) -> None:
    adapter = make()
    crate = adapter.describe().free[0]
    moved = crate.pose.copy()
    moved[:3, 3] += 0.1
    adapter.predict()
    adapter.commit(np.zeros(len(adapter.theta())), moved[None], np.zeros((1, 4, 4)))
    state = adapter.state()
    again = make()
    again.restore(state)
    np.testing.assert_allclose(again.describe().free[0].pose, moved, atol=1e-15)


@pytest.mark.parametrize(
    ("make", "state", "message"),
    [
        (mujoco_adapter, {"mujoco": np.zeros(3)}, r"of another model: it has 3 numbers, this model's has \d+"),
        (driven, {"q": np.zeros(3), "v": np.zeros(2)}, "of another model: q has 3 numbers, this model's 2"),
        (driven, {"q": np.zeros(2)}, "of another model: v has 0 numbers, this model's 2"),
        (loop_adapter, {"q": np.zeros(1)}, "of another model: q has 1 numbers, this model's"),
    ],
)
def test_a_state_of_another_model_is_refused(make, state, message: str) -> None:
    with pytest.raises(AdapterError, match=message):
        make().restore(state)


def test_an_adapter_that_cannot_tell_its_state_is_named() -> None:
    coupling = couple(make_scene(), Turntable())
    with pytest.raises(
        AdapterError,
        match=r"Turntable keeps no state: it has no method .state. or .restore.; see coupling\.adapter\.KeepsState",
    ):
        coupling.state()
