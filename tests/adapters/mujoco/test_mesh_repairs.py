"""Meshes and other files that MuJoCo cannot read: converted, found elsewhere, or left out by name."""

import mujoco
import numpy as np
import pytest
import trimesh
from ipc_articulation.adapters.mujoco import load_model
from ipc_articulation.adapters.mujoco.scene_model import SceneModel

from ipc_articulation import extras
from ipc_articulation.errors import AdapterError, IpcArticulationError, MeshError, MissingPackageError, ModelError
from ipc_articulation.repairs import RepairWarning, strict


def part() -> trimesh.Trimesh:
    """A closed L, not convex, away from the origin."""
    block = trimesh.creation.extrude_triangulation(
        [[0, 0], [3, 0], [3, 1], [1, 1], [1, 2], [0, 2]], [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], 0.5
    )
    block.apply_scale(0.1)
    block.apply_translation([0.1, 0.2, 0.3])
    return block


def write(folder, asset, geom="<geom type='mesh' mesh='part'/>", compiler="", more=""):
    path = folder / "robot.xml"
    path.write_text(
        f"<mujoco>{compiler}<asset>{asset}</asset><worldbody><body name='b'><joint/>{geom}</body></worldbody>{more}"
        "</mujoco>"
    )
    return path


@pytest.mark.parametrize("attributes", ["", "scale='1 -2 3' refpos='0.1 0 0' refquat='0.6 0.8 0 0'", "inertia='shell'"])
@pytest.mark.parametrize("suffix", ["ascii.stl", "ply", "off", "glb", "dae"])
def test_a_converted_mesh_is_as_mujoco_reads_its_own_format(tmp_path, suffix, attributes):
    mesh = part()
    mesh.export(tmp_path / "part.stl")
    if suffix == "ascii.stl":
        (tmp_path / "part.ascii.stl").write_text(trimesh.exchange.stl.export_stl_ascii(mesh))
    else:
        mesh.export(tmp_path / f"part.{suffix}")
    asset = "<mesh name='part' file='part.{}' " + attributes + "/>"
    wanted = load_model(write(tmp_path, asset.format("stl")))
    with strict():  # no repair
        found = load_model(write(tmp_path, asset.format(suffix)))
    for field in ("body_mass", "body_inertia", "body_ipos", "geom_pos"):
        np.testing.assert_allclose(getattr(found, field), getattr(wanted, field), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(np.abs(found.geom_quat), np.abs(wanted.geom_quat), atol=1e-5)
    assert found.mesh_facenum[0] == wanted.mesh_facenum[0]


def test_a_folder_of_meshes_may_have_backslashes(tmp_path):
    (tmp_path / "robot" / "deep").mkdir(parents=True)
    (tmp_path / "meshes").mkdir()
    part().export(tmp_path / "meshes" / "part.stl")
    compiler = "<compiler meshdir='..\\..\\meshes\\'/>"
    with strict():  # no repair
        assert load_model(write(tmp_path / "robot" / "deep", "<mesh file='part.stl'/>", compiler=compiler)).nmesh == 1


def test_a_unit_of_collada_is_used(tmp_path):
    text = part().export(file_type="dae").decode()
    (tmp_path / "part.dae").write_text(text.replace("<up_axis>", '<unit name="cm" meter="0.01"/><up_axis>'))
    part().apply_scale(0.01).export(tmp_path / "part.stl")
    masses = [load_model(write(tmp_path, f"<mesh file='part.{s}'/>")).body_mass[1] for s in ("dae", "stl")]
    assert masses[0] == pytest.approx(masses[1], rel=1e-5)


def test_a_package_that_collada_needs_is_named(tmp_path, monkeypatch):
    part().export(tmp_path / "part.dae")
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"pip install 'ipc_articulation\[robots\]'"):
        load_model(write(tmp_path, "<mesh file='part.dae'/>"))


BOX = "<geom type='box' size='1 1 1'/>"


@pytest.mark.parametrize("content", [None, b"version https://git-lfs.github.com/spec/v1"])
def test_a_mesh_that_is_missing_or_none_is_left_out_with_its_geoms(tmp_path, content):
    if content:
        (tmp_path / "part.stl").write_bytes(content)
    geoms = "<geom name='drawn' type='mesh' mesh='part' contype='0' conaffinity='0'/><geom type='mesh' mesh='part'/>"
    pair = "<contact><pair geom1='drawn' geom2='box'/></contact>"
    box = "<geom name='box' type='box' size='1 1 1'/>"
    path = write(tmp_path, "<mesh file='part.stl'/>", geoms + box, more=pair)
    fault = r"robot.xml:1: mesh 'part': file '.*part.stl' " + ("holds no triangles; " if content else "not found; ")
    with pytest.warns(RepairWarning, match=rf"{fault}.*geom 'drawn' of body 'b', and geom of body 'b', which collides"):
        model = load_model(path)
    assert (model.ngeom, model.nmesh, model.npair) == (1, 0, 0)
    with strict(), pytest.raises((ModelError, MeshError), match=r"mesh 'part': file '.*part.stl' "):
        load_model(path)


def test_files_are_found_where_mujoco_finds_them(tmp_path):
    (tmp_path / "meshes").mkdir()
    part().export(tmp_path / "meshes" / "part.stl")
    with strict():
        for compiler, file in (
            ("<compiler meshdir='meshes'/>", "part.stl"),
            ("<compiler assetdir='meshes'/>", "part.stl"),
            ("<compiler meshdir='meshes' strippath='true'/>", "other/folder/part.stl"),
            ("", "meshes/part.stl"),
            ("<compiler meshdir='meshes'/>", str(tmp_path / "meshes" / "part.stl")),
        ):
            assert load_model(write(tmp_path, f"<mesh file='{file}'/>", compiler=compiler)).nmesh == 1


def test_files_of_attached_models_are_found(tmp_path):
    folder = tmp_path / "hand" / "meshes"
    folder.mkdir(parents=True)
    part().export(folder / "part.stl")
    write(folder.parent, "<mesh file='part.stl'/>", compiler="<compiler meshdir='meshes'/>")
    path = tmp_path / "arm.xml"
    path.write_text(
        "<mujoco><asset><model name='hand' file='hand/robot.xml'/></asset><worldbody><body name='arm'>"
        "<attach model='hand' body='b' prefix='hand_'/></body></worldbody></mujoco>"
    )
    with strict():
        assert load_model(path).nmesh == 1


@pytest.mark.parametrize(
    ("place", "file"),
    [
        ("meshes", "part.stl"),
        ("deep/down", "wrong/part.stl"),
        (".", "meshes/part.stl"),
        ("../sisters", "sisters/part.stl"),
    ],
)
def test_a_file_in_another_folder_of_the_model_is_found(tmp_path, place, file):
    home = tmp_path / "home"
    home.mkdir()
    (home / place).mkdir(parents=True, exist_ok=True)
    part().export(home / place / "part.stl")
    path = write(home, f"<mesh file='{file}'/>")
    with pytest.warns(RepairWarning, match=rf"mesh 'part': file '{file}' not found; read from '.*part.stl'"):
        assert load_model(path).nmesh == 1


def test_missing_textures_height_fields_and_skins_are_left_out(tmp_path):
    asset = (
        "<texture name='wood' type='2d' file='wood.png'/><material name='desk' texture='wood' rgba='0 1 0 1'/>"
        "<texture name='sky' type='skybox' fileup='up.png' filedown='down.png'/>"
        "<hfield name='hills' file='hills.png' size='1 1 1 1'/><skin name='fur' file='fur.skn'/>"
    )
    path = write(tmp_path, asset, "<geom type='box' size='1 1 1' material='desk'/><geom type='hfield' hfield='hills'/>")
    with pytest.warns(RepairWarning) as said:
        model = load_model(path)
    assert (model.ntex, model.nhfield, model.nskin, model.ngeom, model.nmat) == (0, 0, 0, 1, 1)
    np.testing.assert_array_equal(model.mat_rgba[0], [0, 1, 0, 1])
    texts = " ".join(str(warning.message) for warning in said)
    for what in ("texture 'wood': file 'wood.png'", "texture 'sky': file 'down.png'", "height field 'hills'", "'fur'"):
        assert what in texts


def test_files_outside_are_not_read(tmp_path):
    path = write(tmp_path, "<texture name='t' type='2d' file='/etc/hostname'/>", BOX)
    with pytest.warns(
        RepairWarning, match="robot.xml:1: texture 't': file '/etc/hostname' may not be read: .*; left out"
    ):
        assert load_model(path).ntex == 0


FLAT = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])


def stl(triangles):
    """A binary STL file of triangles (n, 3, 3)."""
    corners = np.asarray(triangles, dtype="<f4").reshape(-1, 9)
    faces = b"".join(bytes(12) + nine.tobytes() + bytes(2) for nine in corners)
    return bytes(80) + len(corners).to_bytes(4, "little") + faces


@pytest.mark.parametrize(
    "corners", [[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 0], [1, 0, 0], [2, 0, 0]], 3 * [[0, 0, 0]]]
)
def test_a_triangle_a_line_and_a_point_are_left_out(tmp_path, corners):
    (tmp_path / "part.stl").write_bytes(stl([corners]))
    with pytest.warns(
        RepairWarning, match=r"robot\.xml: mesh 'part': file '.*part\.stl' is flat; left out, and geom of body"
    ):
        assert (
            load_model(write(tmp_path, "<mesh file='part.stl'/>", "<geom type='mesh' mesh='part'/>" + BOX)).ngeom == 1
        )


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_triangles_with_corners_that_are_not_finite_are_left_out(tmp_path, value):
    box = trimesh.creation.box((1, 1, 1))
    triangles = np.array(box.vertices[box.faces])
    triangles[0, 0, 0] = value
    (tmp_path / "part.stl").write_bytes(stl(triangles))
    assert load_model(write(tmp_path, "<mesh file='part.stl'/>")).mesh_facenum[0] == 11


@pytest.mark.parametrize("scale", ["0 0 0", "1e-300 1e-300 1e-300"])
def test_a_mesh_without_size_is_left_out(tmp_path, scale):
    part().export(tmp_path / "part.stl")
    with pytest.warns(RepairWarning, match="mesh 'part': .*has no volume, or vertices that are not finite; left out"):
        assert load_model(write(tmp_path, f"<mesh file='part.stl' scale='{scale}'/>", BOX)).nmesh == 0


def test_a_scale_that_is_not_finite_is_refused(tmp_path):
    part().export(tmp_path / "part.stl")
    with pytest.raises(ModelError, match=r"robot\.xml:1: mesh 'part': its scale is nan 1 1; give 3 finite numbers$"):
        load_model(write(tmp_path, "<mesh file='part.stl' scale='nan 1 1'/>"))


@pytest.mark.parametrize("file", ["t.png", "t.jpg"])
@pytest.mark.parametrize("content", [b"version https://git-lfs.github.com/spec/v1", b"\x89PNG\r\n\x1a\n" + bytes(40)])
def test_textures_that_are_no_pictures_are_left_out(tmp_path, file, content):
    (tmp_path / file).write_bytes(content)
    asset = f"<texture name='t' type='2d' file='{file}'/><material name='m' texture='t'/>"
    with pytest.warns(RepairWarning, match=rf"robot\.xml(:1)?: texture 't': file '.*{file}' is no .*; left out$"):
        assert load_model(write(tmp_path, asset, BOX)).ntex == 0


def test_pictures_of_too_many_pixels_are_left_out(tmp_path):
    header = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + 2 * (60_000).to_bytes(4, "big")
    (tmp_path / "t.png").write_bytes(header + bytes(100))
    asset = "<texture name='t' type='2d' file='t.png'/><hfield name='h' file='t.png' size='1 1 1 1'/>"
    with pytest.warns(RepairWarning) as said:
        load_model(write(tmp_path, asset, BOX))
    texts = [str(warning.message) for warning in said]
    assert [
        ": file 't.png' has 60000 x 60000 pixels" in t or "t.png' has 60000 x 60000 pixels" in t for t in texts
    ] == [True, True]


def test_a_flat_mesh_is_drawn_only_and_has_the_mass_of_a_shell(tmp_path):
    FLAT.export(tmp_path / "part.stl")
    part = "<geom type='mesh' mesh='part'/>"
    path = write(tmp_path, "<mesh file='part.stl'/>", part)
    alone = "body 'b': none of its geoms that collide has a volume: it would pass through"
    with pytest.warns(RepairWarning, match="it is flat"), pytest.raises(MeshError, match=alone):
        load_model(path)
    path = write(tmp_path, "<mesh file='part.stl'/>", f"{part}<geom size='0.1' mass='0'/>")
    with pytest.warns(RepairWarning) as said:
        model = load_model(path)
    texts = {str(warning.message) for warning in said}
    assert f"{path}: mesh 'part' of body 'b': it is flat; left out of contact" in texts
    assert f"{path}: mesh 'part': encloses no volume; its mass is that of a shell" in texts
    assert model.geom_contype[0] == model.geom_conaffinity[0] == 0
    assert model.body_mass[1] == pytest.approx(1000.0)
    with strict(), pytest.raises(MeshError, match="mesh 'part' of body 'b': it is flat"):
        load_model(path)


def test_a_mesh_turned_inside_out_has_the_mass_of_its_hull(tmp_path):
    box = trimesh.creation.box((1, 2, 3))
    box.invert()
    box.export(tmp_path / "part.stl")
    with pytest.warns(
        RepairWarning, match="mesh 'part': its triangles are not oriented outwards; its mass is its hull's"
    ):
        model = load_model(write(tmp_path, "<mesh file='part.stl' inertia='exact'/>"))
    assert model.body_mass[1] == pytest.approx(6000.0, rel=1e-6)


def test_other_errors_of_the_compiler_are_said_with_the_file(tmp_path):
    path = write(tmp_path, "", "<geom type='hfield' hfield='none'/>")
    with pytest.raises(AdapterError, match=r"robot\.xml: MuJoCo cannot compile the model: Error: .*hfield 'none'"):
        load_model(path)


def test_a_material_that_does_not_exist_is_left_out(tmp_path):
    path = write(tmp_path, "", "<geom type='box' size='1 1 1' material='none' rgba='0 1 0 1'/>")
    with pytest.warns(RepairWarning, match=r"robot\.xml: material 'none': there is none of this name; left out"):
        np.testing.assert_array_equal(load_model(path).geom_rgba[0], [0, 1, 0, 1])


@pytest.mark.parametrize("size", ["memory='1024'", "njmax='8000' nconmax='4000'"])
def test_the_memory_is_what_the_model_needs_and_not_what_its_file_says(tmp_path, size):
    with strict():
        model = load_model(write(tmp_path, "", BOX, compiler=f"<size {size}/>"))
    assert model.narena < 1e8
    mujoco.mj_forward(model, mujoco.MjData(model))


@pytest.mark.parametrize("suffix", ["xml", "mjcf"])
@pytest.mark.parametrize(("collision", "remedy"), [("all", "left out"), ("predefined", "no geoms collide")])
def test_attributes_of_older_versions_are_left_out_with_their_line(tmp_path, collision, remedy, suffix):
    path = write(tmp_path, "", BOX, compiler=f"\n<option\n collision='{collision}' timestep='0.005'/>")
    path = path.rename(tmp_path / f"robot.{suffix}")
    fault = rf'robot.{suffix}:2: <option> has collision="{collision}", which MuJoCo [0-9.]+ does not know; {remedy}'
    with pytest.warns(RepairWarning, match=fault):
        model = load_model(path)
    assert model.opt.timestep == 0.005
    assert model.geom_contype[0] == (collision == "all")
    with strict(), pytest.raises(ModelError, match="<option> has collision"):
        load_model(path)


def test_other_attributes_that_mujoco_does_not_know_are_errors_if_strict(tmp_path):
    path = write(tmp_path, "", BOX, compiler="<option colision='all'/>")
    with strict(), pytest.raises(IpcArticulationError, match="colision"):
        load_model(path)


def test_attributes_that_mujoco_will_remove_work_without_a_warning(tmp_path, recwarn):
    model = load_model(write(tmp_path, "", BOX, compiler="<compiler settotalmass='14'/>"))
    assert model.body_mass.sum() == pytest.approx(14.0)
    assert not recwarn.list


def test_a_scene_reads_a_mesh_that_mujoco_cannot(tmp_path):
    part().export(tmp_path / "part.ply")
    assert SceneModel(write(tmp_path, "<mesh file='part.ply'/>"), ()).spec.compile().nmesh == 1
    assert mujoco.MjSpec.from_file(str(tmp_path / "robot.xml")).meshes[0].file == "part.ply"


def test_a_mesh_without_triangles_is_left_out_and_its_file_named_once(tmp_path):
    (tmp_path / "part.off").write_text("OFF\n0 0 0\n")
    path = write(tmp_path, "<mesh file='part.off'/>", "<geom type='mesh' mesh='part'/><geom size='0.1'/>")
    with pytest.warns(RepairWarning) as warned:
        load_model(path)
    text = next(str(warning.message) for warning in warned if "mesh 'part'" in str(warning.message))
    assert f"mesh 'part': file '{tmp_path.resolve() / 'part.off'}' " in text
    assert text.count("part.off") == 1
    assert "formats" not in text
