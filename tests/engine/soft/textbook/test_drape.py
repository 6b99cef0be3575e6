"""Square cloth that falls over a ball, and cloth that is held at its centre, keep the symmetry of their meshes."""

import numpy as np
import pytest
import trimesh
from uipc.constitution import DiscreteShellBending, ElasticModuli2D, NeoHookeanShell

from ipc_articulation.engine.newton.newton_report import NewtonResult
from tests.engine.soft.soft_scenes import SoftScene, moved, vertices
from tests.engine.soft.textbook.statics import points, strip_mesh

CELLS, SIZE, RADIUS = 10, 0.6, 0.15
MIRRORS = {"x": np.diag([-1.0, 1, 1]), "y": np.diag([1.0, -1, 1]), "x = y": np.eye(3)[[1, 0, 2]]}


def square(height, mirrored=True):
    """Cloth; with mirrored diagonals it has the eight symmetries of a square."""
    mesh = moved(strip_mesh((CELLS, CELLS), (SIZE, SIZE), mirrored=mirrored), -SIZE / 2, -SIZE / 2, height)
    NeoHookeanShell().apply_to(mesh, ElasticModuli2D.youngs_poisson(1e5, 0.4), 200.0, 5e-4)
    DiscreteShellBending().apply_to(mesh, 1e-4)
    return mesh


def ball():
    """A ball with the symmetries of an octahedron."""
    octahedron = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1.0]])
    mesh = trimesh.Trimesh(octahedron, trimesh.Trimesh(octahedron).convex_hull.faces, process=False)
    for _ in range(2):
        mesh = mesh.subdivide()
    return trimesh.Trimesh(RADIUS * mesh.vertices / np.linalg.norm(mesh.vertices, axis=1)[:, None], mesh.faces)


def images(X):
    """For each mirror, the number of each vertex's image at rest."""
    centred = X - X.mean(axis=0) * [1, 1, 0]
    return {
        name: np.argmin(np.linalg.norm(centred[:, None] - centred @ M.T, axis=2), axis=0) for name, M in MIRRORS.items()
    }


def asymmetry(x, image):
    """The largest distance of a vertex from the mirror image of its image [m]."""
    return max(np.abs(x[image[name]] - x @ M.T).max() for name, M in MIRRORS.items())


def asymmetries(scene, steps):
    """The asymmetry after each step [m]."""
    x, found = scene.start().x(), []
    image = images(x)
    for _ in range(steps):
        scene.run()
        assert scene.report.result in (NewtonResult.CONVERGED, NewtonResult.SEMI_IMPLICIT)
        found.append(asymmetry(scene.x(), image))
    return np.array(found)


EXACT = {"newton__velocity_tol": 1e-4, "newton__transrate_tol": 1e-3, "newton__semi_implicit__enable": False}


@pytest.mark.slow
@pytest.mark.parametrize(("settings", "tolerance"), [({}, 5e-5), (EXACT, 1e-8)])
def test_cloth_falls_over_a_ball_symmetrically(tmp_path, settings, tolerance):
    """With friction and folds that touch, to a fortieth of d̂: that is what Newton's tolerances leave."""
    scene = SoftScene(tmp_path, friction=0.3, resistance=1e8, **settings)
    scene.add_soft(square(RADIUS + 0.01))
    scene.add_mesh(ball(), np.eye(4), is_fixed=1)
    found = asymmetries(scene, 50)
    assert found.max() < tolerance
    assert scene.x()[:, 2].min() < -0.1


def held(workspace, **kind):
    scene, mesh = SoftScene(workspace), square(0.0, **kind)
    middle = np.abs(points(mesh)[:, :2]).max(axis=1) < 1.5 * SIZE / CELLS
    scene.add_soft(vertices(mesh, is_fixed=middle.astype(np.int32)))
    return scene


def test_cloth_that_is_held_at_its_centre_hangs_symmetrically(tmp_path):
    """To rounding until its folds touch, then to 1 µm."""
    scene = held(tmp_path)
    found = asymmetries(scene, 60)
    assert found[:25].max() < 1e-12
    assert found.max() < 1e-6
    assert scene.x()[:, 2].min() < -0.1


def test_cloth_whose_mesh_is_not_symmetric_hangs_otherwise(tmp_path):
    """The tests above see it."""
    assert asymmetries(held(tmp_path, mirrored=False), 25).max() > 1e-3
