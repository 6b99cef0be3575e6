"""Links of a URDF file that are drawn and have no surface: they are named, or touch with their drawings."""

import importlib
from pathlib import Path

import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import load_model

from ipc_articulation.checking import check_file
from ipc_articulation.coupling.robots import RobotSetup
from ipc_articulation.errors import AdapterError

ADAPTERS = {"native": "native", "mujoco": "mujoco", "pinocchio": "pinocchio", "dart": "dartpy"}
INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'


def shape(kind: str, size: str) -> str:
    return (
        f'<{kind} name="{kind}"><origin xyz="0.2 0 0"/><geometry><box size="{size}"/></geometry>'
        f'<material name="red"><color rgba="1 0 0 1"/></material></{kind}>'
    )


def hinge(child: str, parent: str) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>'
    return f'<joint name="to_{child}" type="continuous">{ends}</joint>'


ARM = f"""<robot name="arm">
<link name="base">{shape("visual", "0.3 0.1 0.1")}</link>
<link name="upper">{INERTIAL}{shape("visual", "0.3 0.1 0.1")}</link>
<link name="lower">{INERTIAL}{shape("visual", "0.3 0.2 0.2")}{shape("collision", "0.2 0.1 0.1")}</link>
<link name="tip">{INERTIAL}</link>
{hinge("upper", "base")}{hinge("lower", "upper")}{hinge("tip", "lower")}</robot>"""
SCENE = """adapter: native
dt: 0.01
steps: 10
robot:
  model: arm.urdf
  base: fixed
  pose: {position: [0, 0, 0.07]}
ground: {}
"""


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    file = tmp_path / "arm.urdf"
    file.write_text(ARM)
    return file


def extents(adapter: str, file: Path, **options) -> dict[str, list[float] | None]:
    """Lengths of the box around each surface, by body."""
    pytest.importorskip(ADAPTERS[adapter].replace("native", "numpy"))
    module = importlib.import_module(f"ipc_articulation.adapters.{adapter}.scene_model")
    setup = RobotSetup(0.01, np.array([0.0, 0.0, -9.81]), "implicitfast")
    robot = module.SceneModel(file, [], **options).build(setup).adapter.describe()
    bodies = (*robot.links, *robot.static)
    return {b.name: None if b.mesh is None else np.ptp(b.mesh.vertices, axis=0).round(9).tolist() for b in bodies}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_drawings_are_surfaces_where_there_are_no_others(adapter: str, urdf: Path) -> None:
    own = {"upper": [0.3, 0.1, 0.1], "lower": [0.2, 0.1, 0.1], "tip": None, "base": [0.3, 0.1, 0.1]}
    assert extents(adapter, urdf, surfaces="visual") == own
    without = extents(adapter, urdf)
    assert [without["upper"], without["lower"], without.get("base")] == [None, own["lower"], None]


def warnings_of(urdf: Path, *changes: tuple[str, str], scene: str = SCENE) -> list[str]:
    for old, new in changes:
        assert old in scene
        scene = scene.replace(old, new)
    file = urdf.with_name("scene.yaml")
    file.write_text(scene)
    report = check_file(file)
    assert report.errors == ()
    return [fault.message for fault in report.warnings]


def test_links_without_a_surface_are_named_with_the_remedy(urdf: Path) -> None:
    (said,) = warnings_of(urdf)
    assert said == (
        f"{urdf}: no <collision> in what moves as 'upper', so it touches nothing; write 'surfaces: visual' under "
        "'robot' to let it touch with its <visual>, or 'surfaces: collision' if that is meant"
    )
    assert warnings_of(urdf, ("  base: fixed", "  base: fixed\n  surfaces: collision")) == []


def test_nothing_is_said_where_there_is_nothing_to_touch(urdf: Path) -> None:
    urdf.write_text(ARM.replace(shape("collision", "0.2 0.1 0.1"), ""))
    assert "'upper', 'lower', so" in warnings_of(urdf)[0]
    assert warnings_of(urdf, ("ground: {}\n", "")) == []


def test_a_scene_takes_drawings_as_surfaces(urdf: Path) -> None:
    """The upper arm, which begins in the ground."""
    urdf.write_text(ARM.replace(shape("visual", "0.3 0.1 0.1"), shape("visual", "0.3 0.1 0.2")))
    file = urdf.with_name("scene.yaml")
    file.write_text(SCENE)
    assert check_file(file).errors == ()
    file.write_text(SCENE.replace("  base: fixed", "  base: fixed\n  surfaces: visual"))
    assert [fault.message for fault in check_file(file).errors] == [
        "'upper' and the ground overlap at the start; move them apart"
    ]


def test_other_files_have_no_drawings_to_take(urdf: Path) -> None:
    model = '<mujoco><worldbody><body name="b"><joint name="j"/><geom size="0.1"/></body></worldbody></mujoco>'
    urdf.with_name("arm.xml").write_text(model)
    file = urdf.with_name("scene.yaml")
    file.write_text(SCENE.replace("arm.urdf", "arm.xml").replace("  base: fixed", "  surfaces: visual"))
    with pytest.raises(AdapterError, match=r"arm\.xml: only URDF files have drawings that can be surfaces; leave out"):
        load_model(urdf.with_name("arm.xml"), surfaces="visual")
    (fault,) = check_file(file).errors
    assert fault.message == "only URDF files have drawings that can be surfaces; in MJCF a geom with a contype is one"
