"""Numbers of an MJCF model that are not finite or too large are refused with body, joint or geom, and line."""

import re

import pytest
from ipc_articulation.adapters.mujoco import load_model

from ipc_articulation.errors import ModelError


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<joint name='j'/><geom size='1' mass='1e300'/>", "body 'b': mass 1e+300;"),
        ("<joint name='j'/><geom size='1' density='inf'/>", "body 'b': mass inf;"),
        (
            "<joint name='j'/><inertial pos='0 0 0' mass='1' diaginertia='1e308 1e308 1e308'/>",
            "body 'b': moments of inertia",
        ),
        ("<joint name='j' axis='nan 0 0'/><geom size='1'/>", "joint 'j': axis nan 0 0;"),
        ("<joint name='j' armature='1e308'/><geom size='1'/>", "joint 'j': armature 1e+308;"),
        ("<joint name='j'/><geom size='1' name='g' friction='nan 0 0'/>", "geom 'g': friction nan 0 0;"),
    ],
)
def test_numbers_are_finite_and_not_too_large(tmp_path, body, said):
    path = tmp_path / "robot.xml"
    path.write_text(f"<mujoco>\n<worldbody>\n<body name='b'>{body}</body></worldbody></mujoco>")
    with pytest.raises(ModelError, match=rf":3: {re.escape(said)}.* give finite numbers up to 1e\+20$"):
        load_model(path)


def test_inertias_that_are_not_finite_are_refused(tmp_path):
    path = tmp_path / "robot.xml"
    inertial = "<inertial pos='0 0 0' mass='1' diaginertia='nan 1 1'/>"
    path.write_text(f"<mujoco><worldbody><body name='b'><joint/>{inertial}</body></worldbody></mujoco>")
    with pytest.raises(ModelError, match=r"robot\.xml:1: body 'b': its mass and inertia must be finite"):
        load_model(path)


def test_gravity_is_finite(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text("<mujoco><option gravity='nan 0 1'/><worldbody><geom size='1'/></worldbody></mujoco>")
    with pytest.raises(
        ModelError, match=r"robot\.xml: <option> has gravity nan 0 1; give 3 finite numbers up to 1e\+20$"
    ):
        load_model(path)
