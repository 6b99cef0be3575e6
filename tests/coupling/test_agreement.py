import re

import pytest

from ipc_articulation.coupling.agreement import require_agreement
from ipc_articulation.errors import AdapterError
from tests.coupling.worlds import Turntable, make_scene


def test_equal_values_agree():
    require_agreement(make_scene(), Turntable())
    require_agreement(make_scene(dt=0.01 * (1 + 1e-15)), Turntable())


def test_another_time_step():
    message = "time steps differ: the scene has dt = 0.02 s, the model 0.01 s; make them equal"
    with pytest.raises(AdapterError, match=re.escape(message)):
        require_agreement(make_scene(dt=0.02), Turntable())


def test_another_gravity():
    message = "gravities differ: the scene has [0.0, -9.8, 0.0] m/s², the model [0.0, 0.0, 0.0] m/s²; make them equal"
    with pytest.raises(AdapterError, match=re.escape(message)):
        require_agreement(make_scene(gravity=(0.0, -9.8, 0.0)), Turntable())
