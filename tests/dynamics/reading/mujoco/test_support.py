import re

import mujoco
import pytest

from ipc_articulation.dynamics.reading.mujoco.mechanism import mechanism_from_mujoco
from ipc_articulation.errors import UnsupportedError
from ipc_articulation.repairs import RepairWarning, strict

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
ELBOW, WRIST, LOOSE = (
    f"joint '{joint}' of body '{body}'" for joint, body in (("elbow", "arm"), ("wrist", "hand"), ("loose", "stone"))
)
BELT = "tendon 'belt': it acts on joints by itself"
ROPE = """<tendon><spatial name="rope" range="0 1"><site site="palm"/><site site="rim"/></spatial></tendon>"""
BENT = f"{ELBOW} has a polynomial stiffness or damping; only the linear coefficient is supported"
REFUSED = [
    ({"more": FLEX}, "flex 'cloth': deformable bodies of MuJoCo are not supported"),
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
    (
        {"world": '<site name="palm"/><body><joint/><geom size="1"/><site name="rim"/></body>', "more": ROPE},
        "tendon 'rope' is a rope of limited length, which no part of a mechanism is; leave it out, or use adapter "
        "mujoco",
    ),
    ({"more": motor('armature="1"')}, "actuator 'push' has armature of its own; give it to the joint instead"),
    ({"more": motor('damping="1"')}, "actuator 'push' has damping of its own; give it to the joint instead"),
    ({"more": motor('damping="0 1"')}, "actuator 'push' has dampingpoly of its own; give it to the joint instead"),
]


@pytest.mark.parametrize(("parts", "message"), REFUSED)
def test_refused(parts, message):
    with pytest.raises(UnsupportedError, match=f"^{re.escape(message)}$"):
        mechanism_from_mujoco(compiled(**parts))


LEFT_OUT = [
    ({"option": 'density="1"'}, "<option>: the model moves in a fluid (density or viscosity); the fluid is left out"),
    ({"option": 'viscosity="1"'}, "<option>: the model moves in a fluid (density or viscosity); the fluid is left out"),
    ({"world": '<body name="ghost" mocap="true"/>'}, "body 'ghost': it is a mocap body; it stands still"),
    ({"more": tendon('stiffness="1"')}, f"{BELT} (stiffness); left out"),
    ({"more": tendon('damping="1" frictionloss="2"')}, f"{BELT} (damping, frictionloss); left out"),
    ({"more": tendon('range="0 1"')}, f"{BELT} (limited); left out"),
]


@pytest.mark.parametrize(("parts", "message"), LEFT_OUT)
def test_left_out_with_a_warning(parts, message):
    with pytest.warns(RepairWarning, match=f"^{re.escape(message)}$"):
        mechanism_from_mujoco(compiled(**parts))
    with strict(), pytest.raises(UnsupportedError, match=re.escape(message.rpartition(";")[0])):
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
