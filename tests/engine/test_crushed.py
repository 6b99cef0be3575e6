"""A body that a load crushes is named once, because what is flat once may stay flat."""

import logging

import numpy as np
import pytest

from ipc_articulation.contact.materials import BY_LOAD
from ipc_articulation.engine.newton.crushed import crushed
from tests.engine.scenes import BoxScene, translation, twist_rate


def coordinates(*diagonals):
    q = np.zeros((len(diagonals), 12))
    q[:, 3::4] = diagonals
    return q


def test_of_the_affine_bodies_those_are_named_that_have_just_lost_half_of_their_volume():
    before = coordinates((1, 1, 1), (1, 1, 1), (1, 1, 0.4), (0.9, 1, 0.6), (1, 1, 1))
    after = coordinates((1, 0.8, 0.7), (1, 0.3, 0.5), (1, 1, 0.1), (-0.1, 1, 1), (0.1, 1, 1))
    found = crushed(before, after, np.array([1, 1, 1, 1, 0], dtype=bool), "abcde")
    assert [warning.partition(" of its volume")[0] for warning in found] == [
        "'b' is crushed to 0.15",
        "'d' is crushed to -0.1",
    ]


@pytest.mark.parametrize(("density", "is_crushed"), [(1e3, False), (1e8, True)])
def test_a_body_too_heavy_for_its_stiffness_and_speed_is_named_once(tmp_path, caplog, density, is_crushed):
    caplog.set_level(logging.WARNING)
    scene = BoxScene(tmp_path, resistance=BY_LOAD, contact__d_hat=0.001)
    scene.add_ground()
    start = translation(0, 0, 0.12)
    scene.add_box(start, density=density, velocity=twist_rate(start, (0, 0, -5.0)))
    scene.start().run(10)
    named = [record.getMessage() for record in caplog.records if "crushed" in record.getMessage()]
    assert len(named) == is_crushed
    assert not named or "raise its stiffness (kappa)" in named[0]
