"""Both adapters read the same robot from a URDF file: masses, inertias, axes and placements."""

import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import load_model, load_spec

from ipc_articulation.dynamics.model.parts import WORLD
from ipc_articulation.dynamics.reading import read_urdf
from ipc_articulation.repairs import RepairWarning, collected

FOLDER = Path(__file__).parents[3] / "models" / "pybullet_data"
ROBOTS = [
    "TwoJointRobot_w_fixedJoints.urdf",
    "bicycle/bike.urdf",
    "biped/biped2d_pybullet.urdf",
    "cartpole.urdf",
    "cube_no_rotation.urdf",
    "differential/diff_ring.urdf",
    "franka_panda/panda.urdf",
    "husky/husky.urdf",
    "laikago/laikago_toes.urdf",
    "mini_cheetah/mini_cheetah.urdf",
    "quadruped/minitaur.urdf",
    "quadruped/quadruped.urdf",
    "quadruped/spirit40newer.urdf",
    "r2d2.urdf",
    "racecar/racecar.urdf",
    "xarm/xarm6_with_gripper.urdf",
]


@pytest.fixture(scope="module", params=ROBOTS, ids=lambda path: Path(path).stem)
def robot(request):
    """Our mechanism and MuJoCo's model, without shapes."""
    if not FOLDER.is_dir():
        pytest.skip("the robots come with tools/fetch_robots.py")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RepairWarning)
        mechanism, spec = read_urdf(FOLDER / request.param), load_spec(FOLDER / request.param)
    for geom in list(spec.geoms):
        spec.delete(geom)
    for mesh in list(spec.meshes):
        spec.delete(mesh)
    return mechanism, spec.compile()


def test_masses_and_inertias(robot):
    mechanism, model = robot
    for link in mechanism.links:
        body = model.body(link.name)
        assert body.mass == pytest.approx(link.mass, abs=2e-9), link.name
        if link.mass > 1e-9:
            np.testing.assert_allclose(body.ipos, link.centre, atol=1e-9, err_msg=link.name)
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, body.iquat)
            tensor = R.reshape(3, 3) @ np.diag(body.inertia) @ R.reshape(3, 3).T
            added = 0.0 if np.any(link.inertia) else 1.01e-6 * link.mass  # MuJoCo refuses point masses
            atol = 2e-6 * np.abs(link.inertia).max() + added
            np.testing.assert_allclose(tensor, link.inertia, atol=atol, err_msg=link.name)


def test_placements_and_axes(robot):
    mechanism, model = robot
    for joint in mechanism.joints:
        if joint.parent == WORLD:
            continue
        body, pose = model.body(joint.child), np.eye(4)
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, body.quat)
        pose[:3, :3], pose[:3, 3] = R.reshape(3, 3), body.pos
        np.testing.assert_allclose(pose, joint.origin, atol=1e-9, err_msg=joint.name)
        if joint.joint.ndof == 1:
            theirs = model.joint(joint.name)
            (element,) = joint.joint.elements
            np.testing.assert_allclose(theirs.axis, element.axis, atol=1e-9, err_msg=joint.name)
            ours = (joint.lower, joint.upper) if np.isfinite(joint.lower) else (0.0, 0.0)
            np.testing.assert_allclose(theirs.range, ours, atol=1e-9, err_msg=joint.name)


def test_blanks_around_names_are_no_part_of_them(tmp_path):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    file = tmp_path / "robot.urdf"
    file.write_text(
        f'<robot name="r"><link name=" base"/><link name="arm ">{inertial}</link><joint name="hip " type="continuous">'
        '<parent link="base "/><child link=" arm"/></joint></robot>'
    )
    spec = load_spec(file)
    assert [joint.name for joint in spec.joints] == ["hip"]
    assert read_urdf(file).joints[-1].name == "hip"
    assert "arm" in [body.name for body in spec.bodies]


OF_MASSES = ('boundmass="2"', 'boundinertia="0.5"', 'settotalmass="7"', 'inertiafromgeom="true"')
PART = '<link name="{}"><inertial><mass value="{}"/>{}</inertial>{}</link>'
INERTIA = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
BOX = '<collision><geometry><box size="0.3 0.1 0.1"/></geometry></collision>'
ENDS = '<parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>'
WELD = '<joint name="weld" type="fixed"><parent link="arm"/><child link="tool"/></joint>'


@pytest.mark.parametrize("setting", ["", 'balanceinertia="true"', 'boundmass="0.0"', *OF_MASSES])
def test_settings_for_mujoco_alone_leave_masses_as_all_adapters_have_them(tmp_path, setting):
    """What would change them is left out by name; links that are welded keep their names."""
    parts = [PART.format(name, mass, INERTIA, BOX) for name, mass in (("base", 3), ("arm", 1), ("tool", 0.5))]
    own = f"<mujoco>\n<compiler {setting}/></mujoco>"
    file = tmp_path / "arm.urdf"
    hinge = f'<joint name="hinge" type="continuous">{ENDS}</joint>'
    file.write_text(f'<robot name="r">{own}{"".join(parts)}{hinge}{WELD}</robot>')
    with collected() as said:
        model = load_model(file)
    for link in read_urdf(file).links:
        assert model.body(link.name).mass == link.mass
        np.testing.assert_allclose(model.body(link.name).inertia, np.diag(link.inertia))
    assert said == [
        f"{file}:2: <compiler> has {given}, which changes masses or inertias in MuJoCo alone; it is left out, as with "
        "other adapters"
        for given in OF_MASSES
        if given == setting
    ]
