"""The callback mjcb_control is called once for each step of MuJoCo, as by mj_step."""

from collections.abc import Iterator

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from tests.adapters.mujoco.driven import Run

ARM = """<mujoco><size nuserdata="1"/><option timestep="0.01"/>
  <worldbody><body name="arm"><joint name="turn" axis="0 1 0"/>
  <geom type="capsule" fromto="0.1 0 0 0.4 0 0" size="0.02"/></body></worldbody>
  <actuator><motor joint="turn" gear="2"/></actuator></mujoco>"""


@pytest.fixture
def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(ARM)


@pytest.fixture
def calls(model) -> Iterator[list[float]]:
    """Times of the calls of a callback with a state; while a model is compiled, MuJoCo would call it too."""
    times: list[float] = []

    def control(model, data) -> None:
        times.append(data.time)
        data.userdata[0] += 0.1
        data.ctrl[0] = np.sin(data.userdata[0]) - 0.2 * data.qvel[0]

    mujoco.set_mjcb_control(control)
    yield times
    mujoco.set_mjcb_control(None)


@pytest.mark.parametrize("count", [1, 3])
def test_a_callback_with_a_state_ends_as_with_mujoco(count, model, calls, tmp_path):
    data, own = mujoco.MjData(model), mujoco.MjData(model)
    model.opt.timestep /= count
    run = Run(model, data, tmp_path, count=count)
    calls.clear()  # `couple` predicted a step, without a change of `data`
    run.step(5)
    run.coupling.set_state(run.world, theta=data.qpos.copy(), theta_dot=data.qvel.copy())
    run.step(5)
    times = calls.copy()
    mujoco.mj_step(model, own, 10 * count)
    np.testing.assert_array_equal(times, calls[len(times) :])
    for name in ("qpos", "qvel", "ctrl", "userdata"):
        np.testing.assert_allclose(getattr(data, name), getattr(own, name), atol=1e-9)


def test_so_it_is_for_many_robots(model, calls):
    adapters = [MujocoAdapter(model, mujoco.MjData(model)) for _ in range(3)]
    batch = MujocoAdapter.batch_of(adapters)
    for adapter in adapters:
        adapter.describe()
    moved = batch.predict().delta_theta_tilde
    none = np.empty((3, 0, 4, 4))
    batch.commit(moved, none, none)
    assert calls == [0.0, 0.0, 0.0]
    assert [adapter.data.userdata[0] for adapter in adapters] == [0.1, 0.1, 0.1]
