"""Contact pairs and contact priorities of a model, in the contact table of the scene."""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from ipc_articulation.coupling.adapter import ContactRule
from ipc_articulation.errors import AdapterError
from tests.adapters.mujoco.driven import Run, run_text

SLED = """<mujoco><option timestep="0.01" o_friction="0.25 0.2"><flag override="{override}"/></option>
  <default><geom friction="{friction}"/></default><worldbody>
  <geom name="floor" type="plane" size="0 0 1" {floor}/>
  <body name="sled" pos="0 0 0.0505"><freejoint/><geom name="sled" type="box" size="0.1 0.1 0.05" {sled}/></body>
</worldbody><contact>{contact}</contact></mujoco>"""

UNSEEN = 'contype="0" conaffinity="0"'
USUAL = {"friction": 1.0, "floor": "", "sled": "", "contact": "", "override": "disable"}
PAIR = '<pair geom1="floor" geom2="sled" friction="{} {} 0 0 0"/>'

# name: parts of the model, Coulomb coefficient
FRICTIONS = {
    "larger of both": ({"friction": 0.1, "sled": 'friction="0.4"'}, 0.4),
    "higher priority of the floor": ({"floor": 'friction="0.2" priority="1"', "sled": 'friction="0.4"'}, 0.2),
    "higher priority of the sled": ({"floor": 'friction="0.4"', "sled": 'friction="0.2" priority="1"'}, 0.2),
    "equal priorities": ({"floor": 'friction="0.2" priority="1"', "sled": 'friction="0.4" priority="1"'}, 0.4),
    "priority without friction": ({"floor": 'condim="1" priority="1"', "sled": 'friction="0.4"'}, 0.0),
    "pair": ({"friction": 0.9, "contact": PAIR.format(0.3, 0.3)}, 0.3),
    "pair without friction": ({"contact": PAIR.format(0.3, 0.3).replace("/>", ' condim="1"/>')}, 0.0),
    "pair before priority": ({"floor": 'friction="0.2" priority="1"', "contact": PAIR.format(0.3, 0.3)}, 0.3),
    "pair of geoms that do not collide": ({"floor": UNSEEN, "sled": UNSEEN, "contact": PAIR.format(0.3, 0.3)}, 0.3),
    "override": ({"override": "enable", "floor": 'priority="1"'}, 0.25),
    "override of a pair": ({"override": "enable", "contact": PAIR.format(0.3, 0.3)}, 0.25),
    "override without friction": ({"override": "enable", "friction": '0" condim="1'}, 0.0),
    "pair and exclude": (
        {"contact": '<exclude body1="world" body2="sled"/>' + PAIR.format(0.3, 0.3)},
        0.3,
    ),
}


@pytest.mark.parametrize(("parts", "friction"), FRICTIONS.values(), ids=FRICTIONS)
def test_sliding_box_is_braked_by_the_friction_that_mujoco_chooses(parts, friction, tmp_path):
    text = SLED.format(**{**USUAL, **parts})
    run = run_text(text, tmp_path, d_hat=1e-3)
    run.data.qvel[0] = 2.0
    run = Run(run.model, run.data, tmp_path, d_hat=1e-3)
    run.step(10)
    before = run.data.qvel[0]
    run.step(20)
    assert (before - run.data.qvel[0]) / 0.2 == pytest.approx(9.81 * friction, rel=0.02, abs=1e-3)
    assert run.data.qpos[2] == pytest.approx(0.05, abs=1e-3)


@pytest.mark.parametrize("edit", ["enableflags", "o_friction"])
def test_an_override_after_couple_is_refused_unless_it_changes_no_friction(edit):
    model = mujoco.MjModel.from_xml_string(SLED.format(**{**USUAL, "override": "enable"}))
    adapter = MujocoAdapter(model, mujoco.MjData(model))
    adapter.describe()
    kept = model.opt.enableflags
    if edit == "enableflags":
        model.opt.enableflags = 0
    else:
        model.opt.o_friction[0] = 0.5
    with pytest.raises(AdapterError, match=r"the friction of <flag override> was changed after `couple`, from \[0\.25"):
        adapter.predict()
    model.opt.enableflags, model.opt.o_friction[0] = kept, 0.25
    model.opt.o_margin = 1.0
    adapter.predict()


LIFT = """<mujoco><worldbody>
  <geom name="floor" type="plane" size="0 0 1" {floor}/>
  <body name="lift" pos="0 0 0.1"><joint name="rise" type="slide" axis="0 0 1"/>
    <geom name="lift" size="0.12" {lift}/><geom name="knob" size="0.02" pos="0 0 0.2"/></body>
  <body name="guest" pos="1 0 0.1"><joint type="slide" axis="0 0 1"/><geom name="guest" size="0.12"/></body>
</worldbody><contact><pair geom1="floor" geom2="lift"/><pair geom1="floor" geom2="guest"/></contact></mujoco>"""


def test_mujoco_computes_no_contact_of_pairs_that_ipc_computes():
    model = mujoco.MjModel.from_xml_string(LIFT.format(floor="", lift=""))
    data = mujoco.MjData(model)
    margins = model.pair_margin.copy()
    adapter = MujocoAdapter(model, data, ignore=["guest"])
    fall = -9.81 * model.opt.timestep**2
    assert adapter.predict().delta_theta_tilde == pytest.approx(fall)
    np.testing.assert_array_equal(model.pair_margin, margins)
    adapter.commit(np.array([0.0]), np.empty((0, 4, 4)), np.empty((0, 4, 4)))
    assert data.ncon == 0


def test_pairs_of_ignored_bodies_remain_mujocos():
    model = mujoco.MjModel.from_xml_string(LIFT.format(floor="", lift=""))
    data = mujoco.MjData(model)
    MujocoAdapter(model, data, ignore=["guest", "lift", "world"]).predict()
    adapter = MujocoAdapter(model, data, links=["lift"], ignore=["guest", "world"])
    adapter.predict()
    adapter.commit(np.array([0.0]), np.empty((0, 4, 4)), np.empty((0, 4, 4)))
    assert [sorted(pair) for pair in data.contact.geom.tolist()] == [[0, 3]]


@pytest.mark.parametrize(
    ("parts", "leaders"),
    [
        ({}, ()),
        ({"floor": 'priority="1"'}, (("world/floor", "sled"),)),
        ({"sled": 'priority="2"', "floor": 'priority="1"'}, (("sled", "world/floor"),)),
        ({"floor": 'priority="1"', "contact": PAIR.format(0.3, 0.3)}, ()),
    ],
)
def test_a_higher_priority_leads_unless_a_pair_has_its_own_friction(parts, leaders):
    text = SLED.format(**{**USUAL, **parts})
    model = mujoco.MjModel.from_xml_string(text)
    assert MujocoAdapter(model, mujoco.MjData(model)).describe().leaders == leaders


def test_rules_name_only_bodies_with_other_friction_than_the_larger():
    model = mujoco.MjModel.from_xml_string(SLED.format(**{**USUAL, "floor": 'priority="1"'}))
    assert MujocoAdapter(model, mujoco.MjData(model)).describe().contact_rules == ()
    model.geom_friction[0, 0] = 0.25
    (rule,) = MujocoAdapter(model, mujoco.MjData(model)).describe().contact_rules
    assert rule == ContactRule(frozenset({"sled"}), frozenset({"world/floor"}), friction=0.25)
