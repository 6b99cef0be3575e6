"""Height fields of static bodies are closed surfaces in the scene."""

import mujoco
import numpy as np
import pytest

from ipc_articulation.errors import AdapterError
from tests.adapters.mujoco.driven import Run

HILLS = """<mujoco><option timestep="0.01"/>
  <asset><hfield name="valley" nrow="5" ncol="5" size="1 1 0.5 0.1"/></asset>
  <worldbody><geom name="land" type="hfield" hfield="valley" friction="0.1"/>
  <body name="ball" pos="0.2 0.1 0.3"><freejoint/><geom size="0.1" friction="0.1"/></body></worldbody></mujoco>"""


def valley():
    """A bowl that is 0.5 m high at the edge."""
    model = mujoco.MjModel.from_xml_string(HILLS)
    x = np.abs(np.linspace(-1.0, 1.0, 5))
    model.hfield_data[:] = np.maximum(x[:, None], x[None, :]).ravel()
    return model, mujoco.MjData(model)


@pytest.mark.slow
def test_a_ball_rolls_to_the_lowest_point(tmp_path):
    model, data = valley()
    run = Run(model, data, tmp_path)
    for _ in range(100):
        run.step()
        assert run.coupling.minimum_distance > 0.0
    x, y, z = data.body("ball").xpos
    assert np.hypot(x, y) < 0.2
    assert 0.09 < z < 0.16


def test_heights_may_not_change(tmp_path):
    model, data = valley()
    run = Run(model, data, tmp_path)
    model.hfield_data[12] = 0.5
    with pytest.raises(AdapterError, match=r"^hfield_data of hfield 'valley' was changed after `couple`"):
        run.step()
