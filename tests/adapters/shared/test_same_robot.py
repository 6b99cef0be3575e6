"""What a URDF file leaves open, or says wrongly, is the same robot with every adapter, or refused by name."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.same_robots import ADAPTERS, RobotReading, same
from ipc_articulation.errors import MeshError

LINK = """<link name="{}"><inertial><origin xyz="0.1 0 0.02"/><mass value="{}"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0" iyz="0"/></inertial>{}</link>"""
JOINT = """<joint name="hinge" type="{}"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>{}</joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="hand"/><axis xyz="1 0.2 0"/>
    <origin xyz="0.3 0 0" rpy="0.3 0 0.1"/><limit lower="-0.1" upper="0.2" effort="9" velocity="1"/></joint>"""
LIMIT = '<limit lower="-1" upper="2" effort="9" velocity="1"/>'
SHAPE = '<collision><origin xyz="0.1 0 0" rpy="0 1.5 0"/><geometry>{}</geometry></collision>'
BOX = SHAPE.format('<box size="0.1 0.05 0.2"/>')
TWO_OBJECTS = """o first
v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4
o second
v 2 0 0\nv 3 0 0\nv 2 1 0\nv 2 0 1\nf 5 7 6\nf 5 6 8\nf 6 7 8\nf 7 5 8
"""
FILES = {
    "a box": {},
    "a capsule": {"shape": SHAPE.format('<capsule radius="0.05" length="0.2"/>')},
    "a mesh of two objects": {"shape": SHAPE.format('<mesh filename="two.obj" scale="0.1 0.1 0.2"/>')},
    "no moments of inertia": {"arm": '<link name="arm"><inertial><mass value="1"/></inertial></link>'},
    "a link without mass at the end": {"hand": f'<link name="hand">{BOX}</link>'},
    "a welded link without mass": {
        "more": '<link name="tool"/><joint name="weld" type="fixed"><parent link="hand"/><child link="tool"/></joint>'
    },
    "no limit": {"inside": ""},
    "a limit without effort": {"inside": '<limit lower="-1" upper="1"/>'},
    "a limit without bounds": {"inside": '<limit effort="9" velocity="1"/>'},
    "equal bounds": {"inside": '<limit lower="0.3" upper="0.3" effort="9" velocity="1"/>'},
    "an upper bound alone": {"inside": '<limit upper="1" effort="9" velocity="1"/>'},
    "effort 0": {"inside": '<limit lower="-1" upper="1" effort="0" velocity="1"/>'},
    "empty dynamics": {"inside": f"{LIMIT}<dynamics/>"},
    "negative damping": {"inside": f'{LIMIT}<dynamics damping="-1"/>'},
    "damping": {"inside": f'{LIMIT}<dynamics damping="0.7"/>'},
    "a continuous joint with limits": {"kind": "continuous"},
    "a planar joint": {"kind": "planar", "inside": f'{LIMIT}<dynamics damping="0.3"/>'},
    "a floating joint": {"kind": "floating", "inside": ""},
    "a floating link with damping": {"kind": "floating", "inside": '<dynamics damping="0.7"/>'},
    "a spring": {"inside": f'{LIMIT}<dynamics stiffness="7"/>'},
    "a rotor": {"inside": f'{LIMIT}<dynamics rotor_inertia="0.1"/>'},
    "no axis": {"axis": ""},
    "an axis of length zero": {"axis": '<axis xyz="0 0 0"/>'},
    "impossible moments of inertia": {"arm": LINK.format("arm", 1, BOX).replace('izz="0.025"', 'izz="0.3"')},
}
REFUSED = {"a spring": ["pinocchio", "dart"], "a rotor": ["dart"]}


@pytest.mark.parametrize("what", FILES)
def test_a_file_is_one_robot(what, tmp_path: Path) -> None:
    for adapter in ADAPTERS:
        pytest.importorskip(f"tests.adapters.shared.{adapter}_side")
    (tmp_path / "two.obj").write_text(TWO_OBJECTS)
    file = tmp_path / "robot.urdf"
    file.write_text(urdf(**FILES[what]))
    said = {adapter: text for adapter, text in same(file).items() if text}
    refused = {adapter for adapter, text in said.items() if re.match("refused: .*joint 'hinge'", text)}
    assert said.keys() - refused == set(), said
    assert refused == set(REFUSED.get(what, ())), said


BARE = {  # collision elements of a link, none of which has a surface
    "a missing mesh": '<mesh filename="none.stl"/>',
    "a file that is no mesh": '<mesh filename="robot.urdf.stl"/>',
    "a flat mesh": '<mesh filename="flat.obj"/>',
    "a box without thickness": '<box size="0.1 0 0.2"/>',
    "an unknown shape": '<cone radius="1"/>',
}


@pytest.mark.parametrize("what", BARE)
def test_a_link_that_would_pass_through_everything_is_refused(what, tmp_path: Path) -> None:
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "robot.urdf.stl").write_text("nothing")
    file = tmp_path / "robot.urdf"
    file.write_text(urdf(shape=SHAPE.format(BARE[what])))
    for adapter in ADAPTERS:
        pytest.importorskip(f"tests.adapters.shared.{adapter}_side")
        with (
            pytest.warns(UserWarning, match="arm"),
            pytest.raises(MeshError, match=r"(link|body) 'arm': none of its .* pass through"),
        ):
            RobotReading(adapter, file, []).built()


def test_a_follower_of_a_follower_starts_where_both_lines_put_it(tmp_path: Path) -> None:
    follows = f'{LIMIT}<mimic joint="{{}}" multiplier="0.5" offset="0.1"/>'
    chain = '<joint name="{}" type="revolute"><parent link="base"/><child link="{}"/>{}</joint>'
    more = "".join(
        LINK.format(name, 1, "") + chain.format(name, name, follows.format(leader))
        for name, leader in (("last", "middle"), ("middle", "hinge"))
    )
    (tmp_path / "robot.urdf").write_text(urdf(more=more))
    for adapter in ("native", "mujoco", "pinocchio"):
        pytest.importorskip(f"tests.adapters.shared.{adapter}_side")
        driven, _ = RobotReading(adapter, tmp_path / "robot.urdf", []).built(start={"hinge": 0.4})
        robot = driven.adapter.describe()
        turns = {link.name: np.arctan2(link.pose[2, 1], link.pose[1, 1]) for link in robot.links}
        assert [turns["middle"], turns["last"]] == pytest.approx([0.3, 0.25], abs=1e-9), adapter


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_root_link_called_world_is_touched_by_what_hangs_on_it(adapter, tmp_path: Path) -> None:
    pytest.importorskip(f"tests.adapters.shared.{adapter}_side")
    text = urdf().replace('"base"', '"world"').replace('<link name="world">', f'<link name="world">{BOX}', 1)
    (tmp_path / "robot.urdf").write_text(text)
    robot = RobotReading(adapter, tmp_path / "robot.urdf", []).built()[0].adapter.describe()
    assert [body.name for body in robot.static] == ["world_link"]
    assert frozenset({"arm", "world_link"}) not in robot.untouchable


def test_a_floating_link_counts_from_what_carries_it(tmp_path: Path) -> None:
    text = urdf(kind="floating", inside='<origin xyz="0.1 0 -0.4" rpy="0.3 0 0"/>', shape="")
    foot = (
        LINK.format("foot", 1, "")
        + '<joint name="foot" type="fixed"><parent link="base"/><child link="foot"/>{}</joint>'
    )
    foot = foot.format('<origin xyz="0 0 0.1"/>')
    text = text.replace('<parent link="base"/>', '<parent link="foot"/>').replace("</robot>", f"{foot}</robot>")
    (tmp_path / "robot.urdf").write_text(text)
    for adapter in ADAPTERS:
        pytest.importorskip(f"tests.adapters.shared.{adapter}_side")
        driven, _ = RobotReading(adapter, tmp_path / "robot.urdf", []).built()
        found = dict(zip(driven.joints, driven.adapter.theta(), strict=True))
        wanted = {"x": 0.1, "y": 0.0, "z": -0.3, "rx": 0.3}
        assert {k: found[f"hinge/{k}"] for k in wanted} == pytest.approx(wanted, abs=1e-12), adapter


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_start_beyond_limits_is_named(adapter, tmp_path: Path) -> None:
    pytest.importorskip(f"tests.adapters.shared.{adapter}_side")
    file = tmp_path / "robot.urdf"
    file.write_text(urdf())
    with pytest.warns(UserWarning, match=r"joint 'hinge' starts at 2.3, beyond its limits -1 to 2: .*first steps"):
        RobotReading(adapter, file, []).built(start={"hinge": 2.3})


def urdf(shape=BOX, kind="revolute", inside=LIMIT, arm="", hand="", more="", axis='<axis xyz="0 1 0"/>') -> str:
    links = LINK.format("base", 2, ""), arm or LINK.format("arm", 1, shape), hand or LINK.format("hand", 0.5, shape)
    joints = JOINT.format(kind, inside).replace('<axis xyz="0 1 0"/>', axis)
    return f'<robot name="r">{"".join(links)}{joints}{more}</robot>'
