import re

import mujoco
import numpy as np
import pytest

from ipc_articulation.dynamics.model.parts import Mimic
from ipc_articulation.dynamics.reading.mujoco.equalities import mimics
from ipc_articulation.dynamics.reading.mujoco.mechanism import mechanism_from_mujoco
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.repairs import RepairWarning, strict

HAND = """<mujoco><compiler angle="radian"/><option>{flags}</option><worldbody>
  <body name="left"><joint name="a" ref="0.3"/><geom size="0.1"/></body>
  <body name="right"><joint name="b" ref="-0.5"/><geom size="0.1"/></body>
</worldbody><equality>{equalities}</equality></mujoco>"""

GEAR = '<joint name="gear" joint1="a" joint2="b" polycoef="0.1 -2 0 0 0"/>'


def hand(equalities, flags=""):
    return mujoco.MjModel.from_xml_string(HAND.format(equalities=equalities, flags=flags))


def test_linear_equality_is_a_mimic_that_leaves_mujoco_nothing_to_correct():
    model = hand(GEAR)
    mimic = mimics(model)["a"]
    assert (mimic.joint, mimic.multiplier) == ("b", -2.0)
    data = mujoco.MjData(model)
    data.qpos[1] = 0.7
    data.qpos[0] = mimic.multiplier * data.qpos[1] + mimic.offset
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.efc_pos[:1], 0.0, atol=1e-15)
    assert abs(mimic.offset) > 0.1


def test_mimics_come_with_the_joints():
    joints = {joint.name: joint for joint in mechanism_from_mujoco(hand(GEAR)).joints}
    assert joints["a"].mimic == Mimic("b", -2.0, pytest.approx(0.3 + 0.1 - 2.0 * 0.5))
    assert joints["b"].mimic is None


@pytest.mark.parametrize("flags", ['<flag equality="disable"/>', '<flag constraint="disable"/>'])
def test_disabled_equalities_are_left_out(flags):
    assert mimics(hand(GEAR, flags)) == {}


def test_equalities_that_start_inactive_are_left_out():
    assert mimics(hand('<weld body1="left" active="false"/>')) == {}


def test_a_weld_is_left_out_with_a_warning():
    weld = '<weld name="glue" body1="left" body2="right"/>'
    message = "equality constraint 'glue': it is a weld; linear equalities of two joints are read"
    with pytest.warns(RepairWarning, match=f"^{message}; left out$"):
        assert mimics(hand(weld)) == {}
    with strict(), pytest.raises(UnsupportedError, match=f"^{message}$"):
        mimics(hand(weld))


TENDON = '<tendon><fixed name="t"><joint joint="a" coef="0.5"/><joint joint="b" coef="2"/></fixed></tendon>'


def test_an_equality_of_a_fixed_tendon_is_a_mimic():
    text = HAND.format(equalities='<tendon tendon1="t" polycoef="0.1 0 0 0 0"/>', flags="")
    model = mujoco.MjModel.from_xml_string(text.replace("<equality>", TENDON + "<equality>"))
    mimic = mimics(model)["b"]
    data = mujoco.MjData(model)
    data.qpos[0] = 0.7
    data.qpos[1] = mimic.multiplier * data.qpos[0] + mimic.offset
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.efc_pos[:1], 0.0, atol=1e-15)
    assert mimic.joint == "a"


REFUSED = [
    (
        '<connect name="pin" body1="left" body2="right" anchor="0 0 0"/>',
        "equality constraint 'pin' is a connect, which closes a loop; a mechanism is a tree: leave it out",
    ),
    ('<joint joint1="a"/>', "equality constraint 'equality0' holds joint 'a' alone; take the joint out instead"),
    (
        '<joint name="cam" joint1="a" joint2="b" polycoef="0 1 0 0 0.5"/>',
        "equality constraint 'cam' is not linear: polycoef [0.0, 1.0, 0.0, 0.0, 0.5]",
    ),
    (
        GEAR + '<joint name="second" joint1="a" joint2="b"/>',
        "equality constraint 'second' is the second one for joint 'a'; a joint can follow one other",
    ),
]


@pytest.mark.parametrize(("equalities", "message"), REFUSED)
def test_refused(equalities, message):
    with pytest.raises(UnsupportedError, match=f"^{re.escape(message)}$"):
        mimics(hand(equalities))
