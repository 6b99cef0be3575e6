"""Steps so long that bodies would pass through each other with all their parts."""

import ipctk
import numpy as np
import pytest
import trimesh

from ipc_articulation.engine.newton.newton_report import NewtonResult
from tests.engine.scenes import BoxScene, twist_rate

BALL = trimesh.creation.icosphere(subdivisions=4, radius=0.1)  # 5120 triangles
SHELL = trimesh.util.concatenate(
    [trimesh.creation.icosphere(subdivisions=4, radius=0.18), trimesh.creation.icosphere(subdivisions=4, radius=0.15)]
)
SHELL.faces[5120:] = SHELL.faces[5120:, ::-1]  # its hollow


def positions(scene):
    """Vertices of the ball, and of the shell."""
    return [m.vertices @ q[3:].reshape(3, 3).T + q[:3] for m, q in zip((BALL, SHELL), scene.q, strict=True)]


def intersect(scene):
    """Whether they intersect, by ipctk."""
    faces = np.concatenate([BALL.faces, SHELL.faces + len(BALL.vertices)])
    x = np.concatenate(positions(scene))
    return ipctk.has_intersections(ipctk.CollisionMesh(x, ipctk.edges(faces), faces), x)


@pytest.mark.slow
def test_a_ball_that_would_fly_through_its_shell_takes_it_along(tmp_path):
    """By 100 m; to search all that the whole step leads through takes minutes, and gigabytes."""
    scene = BoxScene(tmp_path, gravity=(0, 0, 0), dt=1.0, friction=0.0, newton__semi_implicit__enable=0)
    scene.add_mesh(BALL, np.eye(4), velocity=twist_rate(np.eye(4), (50.0, 60.0, 62.0)))
    scene.add_mesh(SHELL, np.eye(4))
    scene.start()
    momentum = scene.linear_momentum()
    scene.run()
    assert scene.engine.statistics.newton.result is NewtonResult.CONVERGED
    assert not intersect(scene)
    ball, shell = positions(scene)
    assert np.linalg.norm(ball - shell.mean(axis=0), axis=1).max() < 0.15, "it is still inside"
    np.testing.assert_allclose(scene.linear_momentum(), momentum, rtol=1e-6)
