import mujoco
import numpy as np
import trimesh

from ipc_articulation.dynamics.reading.mujoco.height_fields import height_field

FIELD = """<mujoco><asset><hfield name="hills" nrow="4" ncol="6" size="1.5 0.8 0.5 0.2"/></asset>
  <worldbody><geom name="land" type="hfield" hfield="hills"/></worldbody></mujoco>"""


RNG = np.random.default_rng(0)


def hills(rng):
    model = mujoco.MjModel.from_xml_string(FIELD)
    model.hfield_data[:] = rng.uniform(size=model.hfield_data.size)
    return model


def test_the_surface_is_closed_and_outward():
    shape = height_field(hills(RNG), 0)
    mesh = trimesh.Trimesh(shape.vertices, shape.faces, process=False)
    assert mesh.is_watertight
    assert mesh.is_winding_consistent
    assert mesh.volume > 3.0 * 1.6 * 0.2
    np.testing.assert_allclose(mesh.bounds[:, :2], [[-1.5, -0.8], [1.5, 0.8]])
    assert mesh.bounds[0, 2] == -0.2


def test_its_top_is_mujocos():
    model = hills(RNG)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    shape = height_field(model, 0)
    for x, y in RNG.uniform(-1.0, 1.0, (50, 2)) * [1.49, 0.79]:
        down, hit = np.array([0.0, 0.0, -1.0]), np.zeros(1, dtype=np.int32)
        above = np.array([x, y, 3.0])
        distance = mujoco.mj_ray(model, data, above, down, None, 1, -1, hit)
        np.testing.assert_allclose(height_at(shape, x, y), 3.0 - distance, atol=1e-6)  # heights are float32


def height_at(shape, x, y):
    """The highest point of a surface above (x, y)."""
    heights = []
    for a, b, c in shape.vertices[shape.faces]:
        edges = np.column_stack([b - a, c - a])
        if abs(np.linalg.det(edges[:2])) < 1e-12:
            continue  # a wall
        u, v = np.linalg.solve(edges[:2], [x - a[0], y - a[1]])
        if min(u, v, 1.0 - u - v) >= -1e-12:
            heights.append(a[2] + edges[2] @ [u, v])
    return max(heights)
