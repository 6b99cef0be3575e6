import mujoco
import numpy as np
import pytest
import trimesh
from ipc_articulation.adapters.mujoco.shapes import geom_mesh

from ipc_articulation.coupling.solids import Facets, join
from ipc_articulation.errors import MeshError, UnsupportedError
from ipc_articulation.repairs import RepairWarning, strict

PI = np.pi
PRIMITIVES = {  # size attribute, exact volume
    "box": ("0.1 0.2 0.3", 0.048),
    "sphere": ("0.2", 4 / 3 * PI * 0.008),
    "ellipsoid": ("0.1 0.2 0.3", 4 / 3 * PI * 0.006),
    "capsule": ("0.1 0.3", PI * 0.01 * 0.6 + 4 / 3 * PI * 0.001),
    "cylinder": ("0.1 0.3", PI * 0.01 * 0.6),
}


def geom_model(geom, asset=""):
    return mujoco.MjModel.from_xml_string(f"<mujoco><asset>{asset}</asset><worldbody>{geom}</worldbody></mujoco>")


def solid(mesh):
    return trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)


@pytest.mark.parametrize("kind", PRIMITIVES)
def test_primitives_are_closed_and_as_large_as_they_should_be(kind):
    size, volume = PRIMITIVES[kind]
    mesh = geom_mesh(geom_model(f'<geom type="{kind}" size="{size}"/>'), 0)
    surface = solid(mesh)
    assert surface.is_watertight
    assert surface.is_winding_consistent
    inscribed = 1.0 if kind == "box" else 0.96
    assert inscribed * volume - 1e-12 <= surface.volume <= volume + 1e-12
    assert len(mesh.vertices) <= 300


@pytest.mark.parametrize("kind", PRIMITIVES)
def test_vertices_reach_the_bounds_along_the_axis(kind):
    size, _ = PRIMITIVES[kind]
    model = geom_model(f'<geom type="{kind}" size="{size}"/>')
    top = geom_mesh(model, 0).vertices[:, 2].max()
    assert top == pytest.approx(model.geom_aabb[0, 5])


TETRAHEDRON = "0 0 0  1 0 0  0 1 0  0 0 1"


def mesh_model(faces):
    asset = f'<mesh name="shard" vertex="{TETRAHEDRON}" face="{faces}" inertia="shell"/>'
    return geom_model('<geom type="mesh" mesh="shard"/>', asset)


def test_mesh_comes_in_the_frame_that_mujoco_gives_its_geom():
    model = mesh_model("0 2 1  0 1 3  0 3 2  1 2 3")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mesh = geom_mesh(model, 0)
    world = mesh.vertices @ data.geom_xmat[0].reshape(3, 3).T + data.geom_xpos[0]
    expected = np.fromstring(TETRAHEDRON, sep=" ").reshape(-1, 3)
    assert {tuple(row) for row in np.round(world, 6) + 0.0} == {tuple(row) for row in expected}
    assert solid(mesh).volume == pytest.approx(1 / 6)


def test_open_mesh_is_closed_and_refused_if_strict():
    model = mesh_model("0 2 1  0 1 3  0 3 2")
    fault = "mesh 'shard' of body 'world': not a closed surface: 3 of its 6 edges do not have two triangles"
    with pytest.warns(RepairWarning, match=f"{fault}; replaced by its convex hull"):
        assert solid(geom_mesh(model, 0)).volume == pytest.approx(1 / 6)
    with strict(), pytest.raises(MeshError, match=fault):
        geom_mesh(model, 0)
    assert solid(geom_mesh(model, 0, Facets("hull"))).volume == pytest.approx(1 / 6)


SDF = """<mujoco><extension><plugin plugin="mujoco.sdf.torus"><instance name="ring"/></plugin></extension>
  <asset><mesh name="ring"><plugin instance="ring"/></mesh></asset>
  <worldbody><geom name="land" type="sdf" mesh="ring"><plugin instance="ring"/></geom></worldbody></mujoco>"""


def test_signed_distance_field_is_refused():
    try:
        model = mujoco.MjModel.from_xml_string(SDF)
    except ValueError:
        pytest.skip("MuJoCo has no plugin for signed distance fields here")
    with pytest.raises(
        UnsupportedError, match="geom 'land' of body 'world' is of type sdf; IPC bodies are made of box"
    ):
        geom_mesh(model, 0)


def test_join_keeps_every_part_closed():
    box = geom_mesh(geom_model('<geom type="box" size="1 1 1"/>'), 0)
    away = np.eye(4)
    away[:3, 3] = [5.0, 0.0, 0.0]
    both = join([(box, np.eye(4)), (box, away)])
    assert solid(both).volume == pytest.approx(16.0)
    assert both.vertices[:, 0].max() == pytest.approx(6.0)
    assert both.faces.max() == len(both.vertices) - 1
