"""`attributes.writable` against libuipc's own `view`."""

import numpy as np
from uipc import geometry, view

from ipc_articulation.frontend.attributes import writable


def _points():
    return geometry.pointcloud(np.arange(6.0).reshape(2, 3))


def test_what_is_written_is_in_the_geometry():
    points = _points()
    writable(points.positions())[0, :, 0] = [7.0, 8.0, 9.0]
    assert points.positions().view()[0, :, 0].tolist() == [7.0, 8.0, 9.0]
    assert (writable(points.positions()) == view(points.positions())).all()


def test_a_copy_of_a_geometry_keeps_its_values():
    points = _points()
    copy = points.copy() if hasattr(points, "copy") else geometry.SimplicialComplex(points)
    writable(points.positions())[:] = -1.0
    assert copy.positions().view()[..., 0].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


def test_vertices_that_come_later_are_written_too():
    points = _points()
    writable(points.positions())
    points.vertices().resize(500)
    writable(points.positions())[499, :, 0] = 5.0
    assert points.positions().view()[499, :, 0].tolist() == [5.0, 5.0, 5.0]
