"""Limits of joints that contradict themselves, in MJCF files."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter, load_model
from ipc_articulation.adapters.native.scene_model import SceneModel

from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import collected, strict

ROBOT = """<mujoco>
<worldbody><body name="arm">
<joint name="hip" {}/>
<geom size="0.1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("limited", ["", 'limited="true"', 'limited="auto"'])
def test_a_lower_limit_above_the_upper_one_is_left_out(tmp_path, limited):
    file = tmp_path / "robot.xml"
    file.write_text(ROBOT.format(f'range="90 -45" {limited}'))
    with collected() as texts:
        model = load_model(file)
    fault = f"{file}:3: joint 'hip': its lower limit is above its upper limit: 90 and -45"
    assert texts == [f"{fault}; it has no limits, as in MuJoCo"]
    assert not model.jnt_limited[0]
    assert [joint.name for joint in MujocoAdapter(model, mujoco.MjData(model)).describe().joints] == ["hip"]
    assert SceneModel(file, []).joint_names == ["hip"]
    with strict(), pytest.raises(ModelError) as error:
        load_model(file)
    assert str(error.value) == fault


def test_limits_that_are_switched_off_are_no_fault(tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(ROBOT.format('range="90 -45" limited="false"'))
    with strict():
        assert not load_model(file).jnt_limited[0]


def test_limits_in_order_stay(tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(ROBOT.format('range="-45 90"'))
    with strict():
        np.testing.assert_allclose(load_model(file).jnt_range[0], np.radians([-45, 90]))
