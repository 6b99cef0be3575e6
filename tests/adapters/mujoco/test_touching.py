import mujoco
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from tests.adapters.mujoco.models import arm


def untouchable(model):
    mechanism = MujocoAdapter(model, mujoco.MjData(model)).describe()
    return {tuple(sorted(pair)) for pair in mechanism.untouchable}


def test_links_touch_neither_parent_nor_the_base_but_floor_and_wall():
    assert untouchable(arm()[0]) == {
        ("upper", "wrist"),
        ("base", "upper"),
        ("base", "wrist"),  # the base is on the wrist's chain to the world
        ("base",),
        ("world/floor",),
        ("world/wall",),
        ("base", "world/floor"),
        ("base", "world/wall"),
        ("world/floor", "world/wall"),
    }


TWO = """<mujoco><worldbody>
  <body name="a"><joint/><geom size="0.1" {a}/><body name="inner"><geom size="0.1" {inner}/></body></body>
  <body name="b" pos="1 0 0"><joint/><geom size="0.1" {b}/></body>
</worldbody><contact>{exclude}</contact></mujoco>"""


def two(a="", b="", inner="", exclude=""):
    return untouchable(mujoco.MjModel.from_xml_string(TWO.format(a=a, b=b, inner=inner, exclude=exclude)))


@pytest.mark.parametrize(
    ("bits", "touch"),
    [
        ({}, True),
        ({"a": 'contype="2" conaffinity="2"', "inner": 'contype="2" conaffinity="2"'}, False),
        ({"a": 'contype="2" conaffinity="2"'}, True),  # one of a's geoms may still touch b
        ({"a": 'contype="2" conaffinity="0"', "inner": 'contype="2" conaffinity="0"', "b": 'conaffinity="3"'}, True),
    ],
)
def test_contype_and_conaffinity(bits, touch):
    assert two(**bits) == (set() if touch else {("a", "b")})


def test_excluded_pair():
    both = '<exclude body1="a" body2="b"/><exclude body1="b" body2="inner"/>'
    assert two(exclude=both) == {("a", "b")}
    assert two(exclude='<exclude body1="a" body2="b"/>') == set()  # inner may still touch b


def test_filterparent_flag():
    model, _ = arm()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_FILTERPARENT
    assert ("upper", "wrist") not in untouchable(model)


@pytest.mark.parametrize(
    "masks",
    [
        {"a": 'name="a" contype="2" conaffinity="2"', "b": 'name="b"', "inner": 'name="inner"'},
        {"a": 'name="a"', "b": 'name="b"', "exclude": '<exclude body1="a" body2="b"/>'},
    ],
)
def test_geoms_that_touch_because_others_of_their_bodies_do_are_named(masks):
    with pytest.warns(UserWarning, match="^geom 'a' of 'a' and geom 'b' of 'b' will touch, although contype"):
        two(**masks)


def test_geoms_that_touch_alike_are_not_warned_of(recwarn):
    two(a='contype="2" conaffinity="2"', inner='contype="2" conaffinity="2"')
    arm()
    assert not recwarn
