"""Small scenes of rigid-ipc itself; they come with tools/fetch_rigid_ipc.py."""

import numpy as np
import pytest

from benchmarks.rigid_ipc.fixture import fixture_files, read_fixture
from benchmarks.rigid_ipc.judge import Judge
from tests.benchmarks.rigid_ipc.fixtures import run

FILES = fixture_files()
needs_scenes = pytest.mark.skipif(not FILES, reason="the scenes of rigid-ipc come with tools/fetch_rigid_ipc.py")

SMALL = (
    "unit-tests/tet-corner",
    "unit-tests/vertex-face",
    "unit-tests/erleben/spikes",
    "unit-tests/erleben/spike-in-crack",
    "codimensional/points/tet-hole",
    "codimensional/edges/tet-hole",
    "examples/kinematic",
)


@needs_scenes
@pytest.mark.parametrize("name", SMALL)
def test_small_scenes_never_intersect(name):
    fixture = read_fixture(FILES[f"3D/{name}"])
    judge, moved = Judge(fixture), run(fixture, 60)
    assert not any(judge.intersect(transforms) for transforms in moved)
    free = [n for n, body in enumerate(fixture.bodies) if body.type == "dynamic"]
    assert np.linalg.norm(moved[-1, free, :3, 3] - moved[0, free, :3, 3], axis=1).max() > 0.1


@needs_scenes
def test_every_scene_with_its_meshes_is_read():
    unread = {"3D/mechanisms/expanding-lock-box"}  # its meshes are not in the repository
    assert len(FILES) > 150
    for name in [name for name in FILES if "scalability" not in name and name not in unread]:
        assert read_fixture(FILES[name]).bodies
