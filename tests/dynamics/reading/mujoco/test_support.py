import re

import mujoco
import pytest

from ipc_articulation.dynamics.reading.mujoco.mechanism import mechanism_from_mujoco
from ipc_articulation.errors import UnsupportedError

MODEL = """<mujoco><compiler angle="radian"/><option {option}/><worldbody>
  <body name="arm" {arm}><joint name="elbow" {elbow}/><geom size="0.1"/>
    <body name="hand"><joint name="wrist" type="ball" {wrist}/><geom size="0.1"/></body>
  </body>
  <body name="stone"><joint name="loose" type="free" {loose}/><geom size="0.1" pos="9 0 0"/></body>
  {world}
</worldbody>{more}</mujoco>"""
PARTS = ("option", "arm", "elbow", "wrist", "loose", "world", "more")


def compiled(**parts):
    return mujoco.MjModel.from_xml_string(MODEL.format(**{part: parts.get(part, "") for part in PARTS}))


def tendon(attribute):
    return f'<tendon><fixed name="belt" {attribute}><joint joint="elbow" coef="1"/></fixed></tendon>'


def motor(attribute=""):
    return f'<actuator><motor name="push" joint="elbow" {attribute}/></actuator>'


FLEX = """<deformable><flex name="cloth" dim="1" body="arm hand" vertex="0 0 0  1 0 0" element="0 1"/></deformable>"""
FLUID = "the model moves in a fluid, which a mechanism does not know; set <option density> and viscosity to 0"
ELBOW, WRIST, LOOSE = (
    f"joint '{joint}' of body '{body}'" for joint, body in (("elbow", "arm"), ("wrist", "hand"), ("loose", "stone"))
)
BELT = "tendon 'belt' acts by itself"
BENT = f"{ELBOW} has a polynomial stiffness or damping; only the linear coefficient is supported"
REFUSED = [
    ({"option": 'density="1"'}, FLUID),
    ({"option": 'viscosity="1"'}, FLUID),
    ({"more": FLEX}, "flex 'cloth': deformable bodies of MuJoCo are not supported"),
    (
        {"world": '<body name="ghost" mocap="true"/>'},
        "body 'ghost' is a mocap body, which is no part of a mechanism; leave it out",
    ),
    (
        {"arm": 'gravcomp="0.5"'},
        "body 'arm' has gravcomp, but a mechanism feels all of gravity; set it to 0 and apply that force",
    ),
    ({"elbow": 'stiffness="1 2"'}, BENT),
    ({"elbow": 'damping="0 0 2"'}, BENT),
    (
        {"elbow": 'stiffness="1" springyield="2"'},
        f"{ELBOW} has springyield, a spring that gives way; only elastic springs are supported",
    ),
    (
        {"elbow": 'actuatorfrcrange="-1 2"'},
        f"{ELBOW} has actuatorfrcrange -1 2; a mechanism knows one effort for both directions",
    ),
    (
        {"wrist": 'range="0 1"'},
        f"{WRIST} is a ball joint with a range, which is not supported; only hinges and slides have limits",
    ),
    ({"wrist": 'frictionloss="1"'}, f"{WRIST} is a ball joint with frictionloss, which is not supported"),
    ({"loose": 'frictionloss="1"'}, f"{LOOSE} is a free joint with frictionloss, which is not supported"),
    ({"more": tendon('stiffness="1"')}, f"{BELT} (stiffness), which no part of a mechanism does; leave it out"),
    ({"more": tendon('damping="1"')}, f"{BELT} (damping), which no part of a mechanism does; leave it out"),
    ({"more": tendon('range="0 1"')}, f"{BELT} (limited), which no part of a mechanism does; leave it out"),
    ({"more": motor('armature="1"')}, "actuator 'push' has armature of its own; give it to the joint instead"),
    ({"more": motor('damping="1"')}, "actuator 'push' has damping of its own; give it to the joint instead"),
    ({"more": motor('damping="0 1"')}, "actuator 'push' has dampingpoly of its own; give it to the joint instead"),
]


@pytest.mark.parametrize(("parts", "message"), REFUSED)
def test_refused(parts, message):
    with pytest.raises(UnsupportedError, match=f"^{re.escape(message)}$"):
        mechanism_from_mujoco(compiled(**parts))


UNEVEN = [
    ("dof_frictionloss", 1, f"{WRIST} is a ball joint with frictionloss, which is not supported"),
    ("dof_damping", 2, f"{WRIST} has another damping about each axis, which is not supported; make the three equal"),
    ("dof_armature", 9, f"{LOOSE} has another armature about each axis, which is not supported; make the three equal"),
]


@pytest.mark.parametrize(("field", "dof", "message"), UNEVEN)
def test_uneven_rotations_are_refused(field, dof, message):
    model = compiled()
    getattr(model, field)[dof] = 1.0
    with pytest.raises(UnsupportedError, match=f"^{re.escape(message)}$"):
        mechanism_from_mujoco(model)


def test_plugins_are_refused():
    model = compiled()
    model.body_plugin[2] = 0
    with pytest.raises(UnsupportedError, match=r"^body 'hand' has a plugin, whose forces a mechanism does not know$"):
        mechanism_from_mujoco(model)


def test_motors_and_tendons_without_force_and_uneven_slides_of_a_free_body_are_no_obstacle():
    model = compiled(more=tendon("") + motor())
    model.dof_damping[4:7] = 1.0, 2.0, 3.0
    assert len(mechanism_from_mujoco(model).joints) == 3
