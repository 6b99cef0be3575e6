import re

import mujoco
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation.errors import UnsupportedError

MODEL = """<mujoco><option {option}/><worldbody>
  <body name="arm"><joint name="elbow"/>{arm}<geom size="0.1" {geom}/></body>
  <body name="other"><joint name="knee"/><geom size="0.1"/></body>
  <body name="stone" {stone}><joint type="free" {free}/><geom name="pebble" size="0.1" pos="9 0 0"/>{inside}</body>
  {world}
</worldbody>{more}</mujoco>"""

PARTS = ("option", "arm", "geom", "stone", "free", "inside", "world", "more")


def couple(**parts):
    model = mujoco.MjModel.from_xml_string(MODEL.format(**{part: parts.get(part, "") for part in PARTS}))
    return MujocoAdapter(model, mujoco.MjData(model))


def motor(target):
    return f'<actuator><motor name="push" {target}/></actuator>'


REFUSED = [
    (
        {"option": 'integrator="RK4"'},
        "integrator RK4 is not supported; set <option integrator> to Euler or implicitfast",
    ),
    ({"more": '<option><flag sleep="enable"/></option>'}, "sleeping (<flag sleep>) is not supported"),
    ({"option": 'integrator="implicit"'}, "integrator IMPLICIT is not supported"),
    (
        {"arm": '<joint name="b2"/><body><joint name="hip" type="ball"/><geom size="0.1"/></body>'},
        "joint 'hip' of body 'body2' is a ball joint; the coupling knows hinge and slide joints",
    ),
    (
        {"arm": '<joint name="hip" range="1 -1"/>'},
        "joint 'hip' has the limits 1 to -1, which MuJoCo ignores; give the lower one first",
    ),
    ({"geom": 'name="first" priority="1"'}, "geom 'first' of body 'arm' has a contact priority"),
    (
        {"inside": '<body name="leg"><joint/><geom size="0.1"/></body>'},
        "free body 'stone' carries joints (body 'leg'): floating bases are not supported",
    ),
    ({"stone": 'gravcomp="1"'}, "free body 'stone' would feel a fluid or gravity compensation"),
    ({"option": 'density="1"'}, "free body 'stone' would feel a fluid or gravity compensation"),
    ({"free": 'damping="1"'}, "free body 'stone' has stiffness, damping, friction loss or armature on its free joint"),
    (
        {"world": '<body name="hand" mocap="true"><geom size="0.1"/></body>'},
        "body 'hand' is a mocap body, which is not supported; name it under 'ignore'",
    ),
    (
        {"more": '<tendon><fixed name="belt"><joint joint="elbow" coef="1"/></fixed></tendon>'},
        "tendon 'belt': tendons that couple joints are not supported",
    ),
    (
        {"more": '<equality><weld name="glue" body1="arm" body2="stone"/></equality>'},
        "equality constraint 'glue' is a weld; only joint equalities are supported",
    ),
    (
        {"more": '<contact><pair name="duo" geom1="pebble" geom2="pebble2"/></contact>', "geom": 'name="pebble2"'},
        "contact pair 'duo': <contact><pair> is not supported",
    ),
    (
        {"more": '<actuator><adhesion name="glove" body="arm" ctrlrange="0 1"/></actuator>'},
        "actuator 'glove' is an adhesion actuator",
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


def test_joint_equalities_and_all_else_are_welcome():
    couple(more='<equality><joint joint1="elbow" joint2="knee"/></equality>' + motor('joint="elbow"').strip())


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
