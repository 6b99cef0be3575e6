"""`world.features()` on the CPU engine: scripts of libuipc find what they find on its CUDA engine."""

import numpy as np
import pytest
import uipc
from uipc import builtin, view
from uipc.core import (
    AffineBodyStateAccessorFeature,
    ContactSystemFeature,
    DistanceDiagnoserFeature,
    Feature,
    FiniteElementStateAccessorFeature,
)

from ipc_articulation.engine import Engine
from ipc_articulation.errors import EngineError, UnsupportedError
from tests.engine.scenes import BoxScene, translation
from tests.engine.soft.soft_scenes import SoftScene, moved, particles


def test_transforms_of_bodies_as_in_libuipcs_sample(tmp_path):
    scene = BoxScene(tmp_path)
    slot = scene.add_box(translation(0, 0, 1))
    scene.start()
    accessor = scene.world.features().find(AffineBodyStateAccessorFeature)
    state = accessor.create_geometry()
    state.instances().create(builtin.transform, uipc.Matrix4x4.Zero())
    scene.run(2)
    accessor.copy_to(state)
    np.testing.assert_array_equal(view(state.instances().find(builtin.transform)), view(slot.geometry().transforms()))
    assert scene.engine.features().find("core/affine_body_state_accessor") is accessor
    for copy in (accessor.copy_transform_to, accessor.copy_velocity_to):
        with pytest.raises(UnsupportedError, match="use create_geometry and copy_to"):
            copy(uipc.backend.BufferView())


def test_positions_of_vertices_as_in_libuipcs_sample(tmp_path):
    scene = SoftScene(tmp_path)
    scene.add_soft(moved(particles(np.arange(9.0).reshape(3, 3)), 0, 0, 1.0), "dust")
    scene.start()
    accessor = scene.world.features().find(FiniteElementStateAccessorFeature)
    state = accessor.create_geometry()
    position = state.vertices().create(builtin.position, uipc.Vector3.Zero())
    velocity = state.vertices().create(builtin.velocity, uipc.Vector3.Zero())
    scene.run(2)
    accessor.copy_to(state)
    np.testing.assert_array_equal(position.view()[..., 0], scene.x(0))
    view(velocity)[:] = [[1.0], [0.0], [0.0]]
    accessor.copy_from(state)
    scene.run(1)
    assert scene.x(0)[0, 0] > position.view()[0, 0, 0] + 0.005


@pytest.mark.parametrize(
    ("feature", "instead"),
    [
        (
            ContactSystemFeature,
            r"has no feature 'core/contact_system': engine\.statistics\.contacts has",
        ),
        (
            DistanceDiagnoserFeature,
            r"has no feature 'core/distance_diagnoser': engine\.statistics\.min",
        ),
    ],
)
def test_features_that_the_cpu_engine_has_by_other_means(tmp_path, feature, instead):
    scene = BoxScene(tmp_path).start()
    with pytest.raises(UnsupportedError, match=instead):
        scene.world.features().find(feature)


@pytest.mark.parametrize("wrong", ["nope", 3, None, Feature])
def test_what_is_no_feature(tmp_path, wrong):
    valid = "'core/affine_body_state_accessor', 'core/finite_element_state_accessor', which may be given as libuipc's"
    with pytest.raises(UnsupportedError, match=rf"has no feature {wrong!r}; it has {valid} classes, too"):
        BoxScene(tmp_path).start().world.features().find(wrong)


def test_features_before_there_is_a_world_and_of_other_engines(tmp_path):
    world = uipc.World(Engine("cpu", str(tmp_path)))
    with pytest.raises(EngineError, match=r"before world\.init"):
        world.features().find(AffineBodyStateAccessorFeature)
    other = Engine("none", str(tmp_path))
    assert other.features().find(AffineBodyStateAccessorFeature) is None
    assert uipc.World(other).features().to_json() == []
