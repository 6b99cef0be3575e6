import re

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation.errors import UnsupportedError
from ipc_articulation.repairs import RepairWarning, strict

MODEL = """<mujoco><option {option}/><worldbody>
  <body name="arm"><joint name="elbow"/>{arm}<geom size="0.1" {geom}/></body>
  <body name="other"><joint name="knee"/><geom size="0.1"/></body>
  <body name="stone" {stone}><joint type="free" {free}/><geom name="pebble" size="0.1" pos="9 0 0"/>{inside}</body>
  {world}
</worldbody>{more}</mujoco>"""

PARTS = ("option", "arm", "geom", "stone", "free", "inside", "world", "more")


def couple(**parts):
    """The stone is IPC's, whatever acts on it."""
    model = model_with(**parts)
    return MujocoAdapter(model, mujoco.MjData(model), free=["stone"])


def model_with(**parts):
    return mujoco.MjModel.from_xml_string(MODEL.format(**{part: parts.get(part, "") for part in PARTS}))


def motor(target):
    return f'<actuator><motor name="push" {target}/></actuator>'


ROPE = '<tendon><spatial name="rope" {}><site site="palm"/><site site="nose"/></spatial></tendon>'
MOTOR_ON_ROPE = motor('tendon="rope"')

REFUSED = [
    (
        {"option": 'integrator="RK4"'},
        "integrator RK4 is not supported; set <option integrator> to Euler or implicitfast",
    ),
    ({"more": '<option><flag sleep="enable"/></option>'}, "sleeping (<flag sleep>) is not supported"),
    ({"option": 'integrator="implicit"'}, "integrator IMPLICIT is not supported"),
    (
        {"arm": '<joint name="hip" range="1 -1"/>'},
        "joint 'hip' has the limits 1 to -1, which MuJoCo ignores; give the lower one first",
    ),
    ({"stone": 'gravcomp="1"'}, "free body 'stone' has gravity compensation, which IPC does not know; set"),
    ({"free": 'stiffness="1"'}, "free body 'stone' has a spring on its free joint, which IPC does not know"),
    (
        {"world": '<body name="hand" mocap="true"><body name="finger"><joint/><geom size="0.1"/></body></body>'},
        "body 'finger' has joints on the mocap body 'hand': moving bases are not supported; name it under 'ignore'",
    ),
    (
        {"world": '<body name="hand" mocap="true"><geom name="palm" type="plane" size="1 1 1"/></body>'},
        "mocap body 'hand' has the plane 'palm'; planes do not move, use a box",
    ),
    (
        {"more": '<equality><weld name="glue" body1="arm" body2="stone"/></equality>'},
        "equality constraint 'glue' acts on free body 'stone', which IPC moves without it; make it inactive: coupl",
    ),
    (
        {
            "inside": '<site name="nose"/>',
            "arm": '<site name="palm"/>',
            "more": '<equality><weld name="glue" site1="palm" site2="nose"/></equality>',
        },
        "equality constraint 'glue' acts on free body 'stone'",
    ),
    (
        {"inside": '<site name="nose"/>', "arm": '<site name="palm"/>', "more": ROPE.format('stiffness="3"')},
        "tendon 'rope' acts on free body 'stone', which IPC moves without it",
    ),
    (
        {"inside": '<site name="nose"/>', "arm": '<site name="palm"/>', "more": ROPE.format("") + MOTOR_ON_ROPE},
        "actuator 'push' drives a free body, which IPC moves",
    ),
    ({"free": 'name="flight"', "more": motor('joint="flight"')}, "actuator 'push' drives a free body, which IPC moves"),
    (
        {"inside": '<site name="nose"/>', "more": motor('site="nose"')},
        "actuator 'push' drives a free body, which IPC moves",
    ),
]


@pytest.mark.parametrize(("parts", "message"), REFUSED, ids=[message[:30] for _, message in REFUSED])
def test_refused_by_name(parts, message):
    with pytest.raises(UnsupportedError, match=re.escape(message)):
        couple(**parts)


ACTS_ON_STONE = [parts for parts, message in REFUSED if "free body" in message]


@pytest.mark.parametrize("parts", ACTS_ON_STONE, ids=str)
def test_a_free_body_on_which_the_model_acts_is_a_link_unless_it_is_named(parts):
    model = model_with(**parts)
    adapter = MujocoAdapter(model, mujoco.MjData(model))
    robot = adapter.describe()
    assert ("stone" in [link.name for link in robot.links], robot.free) == (True, ())
    adapter.predict()


def test_a_free_body_on_which_nothing_acts_may_be_a_link():
    model = model_with()
    robot = MujocoAdapter(model, mujoco.MjData(model), links=["arm", "stone"]).describe()
    assert ([link.name for link in robot.links], robot.free) == (["arm", "stone"], ())


ACCEPTED = [
    {"more": '<equality><joint joint1="elbow" joint2="knee"/></equality>' + motor('joint="elbow"')},
    {"more": '<equality><weld body1="arm" body2="other"/></equality>'},
    {"more": '<equality><weld body1="arm" body2="stone" active="false"/></equality>'},
    {"more": '<option><flag equality="disable"/></option><equality><weld body1="arm" body2="stone"/></equality>'},
    {
        "world": '<body name="rock1"/><body name="rock2"/>',
        "more": '<equality><connect body1="rock1" body2="rock2" anchor="0 0 0"/></equality>',
    },
    {"inside": '<site name="nose"/>', "arm": '<site name="palm"/>', "more": ROPE.format("")},
    {"more": '<tendon><fixed name="belt" damping="1"><joint joint="elbow" coef="1"/></fixed></tendon>'},
]


@pytest.mark.parametrize("parts", ACCEPTED, ids=str)
def test_accepted(parts):
    couple(**parts).predict()


def test_an_equality_on_a_free_body_that_becomes_active_is_refused_when_the_step_comes():
    adapter = couple(more='<equality><weld name="glue" body1="arm" body2="stone" active="false"/></equality>')
    adapter.data.eq_active[0] = True
    message = r"equality constraint 'glue' acts on free body 'stone', .*: coupling\.attach\(part, link\) joins them"
    with pytest.raises(UnsupportedError, match=message):
        adapter.predict()


WITHOUT_EFFECT = [
    ({"free": 'damping="1" armature="2"'}, "free body 'stone': its free joint has damping and armature; left out, bec"),
    ({"free": 'frictionloss="1"'}, "free body 'stone': its free joint has friction loss; left out, because IPC moves"),
    ({"option": 'density="1"'}, "free body 'stone': it moves in a fluid (<option density> or viscosity); IPC moves"),
]


@pytest.mark.parametrize(("parts", "message"), WITHOUT_EFFECT)
def test_what_has_no_effect_on_free_bodies_is_reported(parts, message):
    with pytest.warns(RepairWarning, match=f"^{re.escape(message)}"):
        couple(**parts)
    with strict(), pytest.raises(UnsupportedError, match=re.escape(message.partition(";")[0])):
        couple(**parts)


def test_an_ignored_body_may_be_anything():
    model = mujoco.MjModel.from_xml_string(
        MODEL.format(**dict.fromkeys(PARTS, "")).replace('name="elbow"', 'name="elbow" type="ball"')
    )
    MujocoAdapter(model, mujoco.MjData(model), ignore=["arm"])


@pytest.mark.parametrize("field", ["xfrc_applied", "qfrc_applied"])
def test_force_on_a_free_body_is_refused_when_the_step_comes(field):
    adapter = couple()
    forces = adapter.data.xfrc_applied[3] if field == "xfrc_applied" else adapter.data.qfrc_applied[2:]
    forces[0] = 1.0
    with pytest.raises(UnsupportedError, match="a force is applied to free body 'stone'"):
        adapter.predict()


@pytest.mark.parametrize("body", ["arm", "stone"])
def test_adhesion_is_left_out_with_a_warning_that_names_it_and_moves_nothing(body):
    """The stone touches the arm, so that adhesion moves the arm in MuJoCo's own step."""
    adhesion = f'<actuator><adhesion name="glove" body="{body}" ctrlrange="0 1" gain="50"/></actuator>'
    parts = {"geom": 'pos="0 1 0"', "inside": '<geom size="0.1" pos="0.19 1 0"/>', "more": adhesion}
    said = "actuator 'glove': it is an adhesion actuator, and IPC contact does not know adhesion"
    with pytest.warns(RepairWarning, match=f"^{said}; left out$"):
        adapter = couple(**parts)
    resting, own = adapter.predict().delta_theta_tilde, mujoco.MjData(adapter.model)
    mujoco.mj_forward(adapter.model, own)
    accelerated = own.qacc.copy()
    own.ctrl[0] = adapter.data.ctrl[0] = 1.0
    mujoco.mj_forward(adapter.model, own)
    assert not np.allclose(own.qacc, accelerated, atol=1e-3)
    assert np.array_equal(adapter.predict().delta_theta_tilde, resting)
    with strict(), pytest.raises(UnsupportedError, match=said):
        couple(**parts)
