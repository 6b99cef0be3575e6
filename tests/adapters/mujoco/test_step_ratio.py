import re

import numpy as np
import pytest
import uipc
from ipc_articulation.adapters.mujoco.step_ratio import step_count

from ipc_articulation.errors import AdapterError
from tests.adapters.mujoco.driven import run_text

HINGE = """<mujoco><option timestep="{}" gravity="0 0 0"/><worldbody>
  <body><joint name="hinge"/><geom size="0.1" pos="0.3 0 0"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("dt", "h", "k"), [(0.01, 0.01, 1), (0.005, 0.001, 5), (0.01, 1e-4, 100), (0.3, 0.1, 3)])
def test_whole_ratios(dt, h, k):
    assert step_count(dt, h) == k
    assert step_count(dt * (1.0 + 4e-10), h) == k


BOTH = "time steps differ: the scene has dt = {} s, the model {} s, and dt must be a whole multiple of the model's; {}"


@pytest.mark.parametrize(
    ("dt", "h", "advice"),
    [
        (0.01, 0.004, "set dt to 0.008 or 0.012, or opt.timestep to 0.01/2 or 0.01/3"),
        (0.0011, 0.001, "set dt to 0.001 or 0.002, or opt.timestep to 0.0011/1 or 0.0011/2"),
        (0.002, 0.01, "set dt to 0.01, or opt.timestep to 0.002 and keep the controls for 5 steps"),
        (0.004, 0.01, "set dt to 0.01, or opt.timestep to 0.004 and keep the controls for several steps"),
        (0.01000001, 0.01, "set dt to 0.01 or 0.02, or opt.timestep to 0.01/1 or 0.01/2"),
    ],
)
def test_other_ratios_are_refused_with_what_would_fit(dt, h, advice):
    with pytest.raises(AdapterError, match=re.escape(BOTH.format(dt, h, advice)) + "$"):
        step_count(dt, h)


def test_couple_refuses_a_ratio_that_is_not_whole(tmp_path):
    with pytest.raises(AdapterError, match=re.escape("the scene has dt = 0.005 s, the model 0.002 s, and dt must")):
        run_text(HINGE.format(0.002), tmp_path, count=2.5)
    with pytest.raises(AdapterError, match=r"or opt\.timestep to 0\.002 and keep the controls for 5 steps"):
        run_text(HINGE.format(0.01), tmp_path, count=0.2)


def test_either_time_step_may_change_between_steps(tmp_path):
    run = run_text(HINGE.format(0.001), tmp_path, count=4)
    run.data.qvel[:] = 1.0
    run.step()
    run.model.opt.timestep = 0.002  # now 2 in a step
    run.step()
    uipc.view(run.scene.config().find("dt"))[0] = 0.006  # and 3
    run.step()
    assert run.coupling.adapter.step_count == 3
    np.testing.assert_allclose([run.data.time, run.data.qpos[0]], 0.014, rtol=1e-9)
    run.model.opt.timestep = 0.005
    with pytest.raises(AdapterError, match=r"set dt to 0\.005 or 0\.01, or opt\.timestep to 0\.006/1 or 0\.006/2"):
        run.step()
    np.testing.assert_allclose([run.data.time, run.data.qpos[0]], 0.014, rtol=1e-9)


@pytest.mark.parametrize("h", [0.0, -0.001, float("nan"), float("inf")])
def test_what_is_no_time_step_is_refused(h):
    message = f"the scene has dt = 0.01 s, the model {h!r} s; time steps must be finite and above 0"
    with pytest.raises(AdapterError, match=re.escape(message) + "$"):
        step_count(0.01, h)


@pytest.mark.parametrize("h", [1e-7, 1e-300, 5e-324])
def test_at_most_a_thousand_steps_are_taken_at_once(h):
    with pytest.raises(AdapterError, match=r"has at most 1000 steps of MuJoCo: set opt\.timestep to 1e-05 or more$"):
        step_count(0.01, h)
    assert step_count(0.01, 1e-5) == 1000
