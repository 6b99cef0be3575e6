"""Reading and writing the vertices of soft bodies between steps."""

import numpy as np
import pytest
from uipc import view

from ipc_articulation.errors import EngineError, SceneError
from ipc_articulation.frontend import read_once
from tests.engine.soft.soft_scenes import SoftScene, block, moved, particles


@pytest.fixture
def scene(tmp_path):
    scene = SoftScene(tmp_path)
    scene.add_soft(moved(block(1), 0, 0, 1.0), "block")
    scene.add_soft(particles(np.arange(9.0).reshape(3, 3) + 2.0), "dust")
    return scene.start()


def state(scene, *arguments):
    accessor = scene.engine.vertex_accessor
    geometry = accessor.create_geometry(*arguments)
    geometry.vertices().create("velocity", np.zeros(3))
    accessor.copy_to(geometry)
    return geometry


def column(geometry, name):
    return geometry.vertices().find(name).view()[:, :, 0].copy()


def test_vertices_are_read_body_after_body(scene):
    scene.run(3)
    assert scene.engine.vertex_accessor.vertex_count() == 11
    whole, part = state(scene), state(scene, 8, 3)
    for name, of in (("position", scene.x), ("velocity", scene.v)):
        np.testing.assert_array_equal(column(whole, name), np.concatenate([of(0), of(1)]))
        np.testing.assert_array_equal(column(part, name), of(1))


def test_what_is_written_is_the_state_and_the_rest_keeps_its_bits(scene):
    scene.run(3)
    rest, geometry = scene.x(0).tobytes(), state(scene, 8)
    view(geometry.vertices().find("position"))[1, :, 0] = [5.0, 6.0, 7.0]
    view(geometry.vertices().find("velocity"))[1, :, 0] = [1.0, 0.0, 0.0]
    scene.engine.vertex_accessor.copy_from(geometry)
    scene.world.retrieve()
    np.testing.assert_allclose(scene.x(1)[1], [5.0, 6.0, 7.0], rtol=1e-14)
    assert scene.x(0).tobytes() == rest
    scene.run()
    np.testing.assert_allclose(scene.v(1)[1], [1.0, 0.0, -0.098], atol=1e-9)


def test_a_state_that_is_written_back_gives_the_same_motion(scene):
    scene.run(5)
    geometry = state(scene)
    scene.run(5)
    first = scene.x(0)
    scene.engine.vertex_accessor.copy_from(geometry)
    scene.run(5)
    np.testing.assert_allclose(scene.x(0), first, atol=1e-12)


def test_fixed_vertices_may_be_put_elsewhere(tmp_path):
    scene = SoftScene(tmp_path)
    mesh = particles(np.arange(6.0).reshape(2, 3))
    view(mesh.vertices().find("is_fixed"))[:] = 1
    scene.add_soft(mesh)
    scene.start().run()
    geometry = state(scene)
    view(geometry.vertices().find("position"))[0, :, 0] = [0.1, 0.2, 0.3]
    scene.engine.vertex_accessor.copy_from(geometry)
    scene.run()
    np.testing.assert_allclose(scene.x()[0], [0.1, 0.2, 0.3], rtol=1e-14)
    np.testing.assert_array_equal(scene.x()[1], [3.0, 4.0, 5.0])


def test_faults_are_named_and_change_nothing(scene):
    scene.run()
    before, geometry = scene.x(1).tobytes(), state(scene)
    view(geometry.vertices().find("position"))[9, 0, 0] = np.nan
    message = r"the position written for vertex 1 of soft body 'dust' \(geometry 1\) is "
    with pytest.raises(SceneError, match=message + "not finite"):
        scene.engine.vertex_accessor.copy_from(geometry)
    view(geometry.vertices().find("position"))[9, 0, 0] = -1e300
    with pytest.raises(SceneError, match=message + r"above 1e\+09"):
        scene.engine.vertex_accessor.copy_from(geometry)
    scene.world.retrieve()
    assert scene.x(1).tobytes() == before
    with pytest.raises(SceneError, match="vertices 9 to 12 were asked for; the soft bodies of the scene have 11"):
        scene.engine.vertex_accessor.create_geometry(9, 4)


@pytest.mark.parametrize("copy", ["copy_from", "copy_to"])
def test_what_is_no_geometry_of_a_state_is_named(scene, copy):
    accessor = scene.engine.vertex_accessor
    copy, valid = getattr(accessor, copy), "; it must be one of the accessor's create_geometry"
    with pytest.raises(SceneError, match=f"without 'backend_fem_vertex_offset' in its meta{valid}"):
        copy(block(1))
    with pytest.raises(SceneError, match=f"the geometry of a state is None{valid}"):
        copy(None)
    geometry = accessor.create_geometry()
    geometry.vertices().create("velocity", 1.0)
    with pytest.raises(SceneError, match="'velocity' of its vertices is a number each; it must be a vector of 3"):
        copy(geometry)
    with pytest.raises(SceneError, match="vertex_offset is 'a'; it must be a whole number"):
        accessor.create_geometry("a")
    with pytest.raises(SceneError, match="vertex_count is 'b'; it must be a whole number"):
        accessor.create_geometry(0, "b")


def test_there_is_none_before_the_scene(tmp_path):
    from ipc_articulation import Engine

    with pytest.raises(EngineError, match=r"has no vertex accessor before world\.init"):
        _ = Engine("cpu", str(tmp_path)).vertex_accessor


@pytest.mark.parametrize("name", ["position", "velocity"])
def test_what_is_written_into_the_geometry_is_said_once_to_have_no_effect(tmp_path, monkeypatch, caplog, name):
    monkeypatch.setattr(read_once, "_RARELY", 0.0)
    scene = SoftScene(tmp_path)
    slot = scene.add_soft(moved(block(1), 0.1, 0, 1.0), "block")
    view(slot.geometry().vertices().find("is_fixed"))[:2] = 1
    scene.start().run(3)
    assert "has no effect" not in caplog.text
    view(slot.geometry().vertices().find(name))[3] += 0.01
    view(slot.geometry().tetrahedra().topo())[0] = 0
    scene.run(3)
    told = [line for line in caplog.messages if "has no effect" in line]
    assert len(told) == 2
    assert told[0].startswith("step 4: 'topo' of the tetrahedra of soft body 'block' (geometry 0) was written, which")
    assert told[1].startswith(f"step 4: '{name}' of soft body 'block' (geometry 0) was written, which has no effect")
    assert told[1].endswith("engine.vertex_accessor writes it between steps")
