"""Environments are subscenes; what is in none is in all."""

import numpy as np

from ipc_articulation.coupling.adapter import CoupledBody, CoupledRobot, HalfPlane
from ipc_articulation.coupling.contact_elements import make_environments
from tests.coupling.worlds import make_scene


def test_bodies_of_two_environments_do_not_touch_and_shared_ones_touch_all():
    scene = make_scene()
    bodies = tuple(CoupledBody(name, np.eye(4), environment=name[0]) for name in ("x1", "x2", "y1"))
    floor = HalfPlane("floor", np.zeros(3), np.array([0.0, 0.0, 1.0]))
    elements = make_environments(scene, CoupledRobot((), (), free=bodies, planes=(floor,)))
    tabular = scene.subscene_tabular()

    def touch(a, b):
        return tabular.at(elements[a].id(), elements[b].id()).is_enabled()

    assert touch("x1", "x2")
    assert not touch("x1", "y1")
    assert touch("floor", "x1")
    assert touch("floor", "y1")
