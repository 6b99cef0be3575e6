"""Names of what has none in the file: they step aside for those that the user has given."""

import mujoco
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter
from ipc_articulation.adapters.mujoco.scene_model import SceneModel

from ipc_articulation.dynamics.reading.mujoco.names import name_of

PARTLY_NAMED = """<mujoco><worldbody>
  <geom type="box" size="9 9 0.1" pos="0 0 -1"/><geom name="geom0" type="box" size="0.1 0.1 0.1" pos="5 0 0"/>
  <body><joint axis="0 1 0"/><joint axis="1 0 0"/><geom size="0.1"/></body>
  <body name="body1" pos="2 0 0"><joint name="joint0" axis="0 1 0"/><geom size="0.1"/></body>
  <body name="world/geom0" pos="4 0 2"><freejoint/><geom size="0.1"/></body>
  <body name="body1 (1)/joint0 (1)" pos="6 0 2"><freejoint/><geom size="0.1"/></body>
</worldbody></mujoco>"""


def described(text):
    model = mujoco.MjModel.from_xml_string(text)
    return MujocoAdapter(model, mujoco.MjData(model)).describe()


def test_made_up_names_step_aside_for_given_ones():
    robot = described(PARTLY_NAMED)
    assert [link.name for link in robot.links] == ["body1 (1)/joint0 (1) (1)", "body1 (1)", "body1"]
    assert [joint.name for joint in robot.joints] == ["joint0 (1)", "joint1", "joint0"]
    names = [body.name for body in robot.free + robot.static]
    assert names == ["world/geom0", "body1 (1)/joint0 (1)", "world/geom0 (1)", "world/geom0 (2)"]


def test_made_up_names_are_kind_and_number_where_these_are_free():
    robot = described(PARTLY_NAMED.replace('"body1"', '"arm"').replace('"joint0"', '"hinge"'))
    assert [link.name for link in robot.links] == ["body1/joint0", "body1", "arm"]
    assert [joint.name for joint in robot.joints] == ["joint0", "joint1", "hinge"]


@pytest.mark.parametrize("base", [None, "free"])
def test_a_robots_file_gets_the_same_names(base, tmp_path):
    file = tmp_path / "robot.xml"
    inner = '<body name="body1"><joint name="joint0"/><joint name="root_joint" axis="0 1 0"/><geom size="0.1"/></body>'
    arm = f'<body><geom size="0.1" pos="0 0 1"/>{inner}<body><joint/><geom size="0.1"/></body></body>'
    file.write_text(f"<mujoco><worldbody>{arm}</worldbody></mujoco>")
    model = SceneModel(file, (), base=base).spec.compile()
    assert [name_of(model, "body", b) for b in range(model.nbody)] == ["world", "body1 (1)", "body1", "body3"]
    roots = ["root_joint (1)"] if base else []
    assert [name_of(model, "joint", j) for j in range(model.njnt)] == [*roots, "joint0", "root_joint", "joint2"]
