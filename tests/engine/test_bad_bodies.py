"""Bodies that cannot be simulated are named at `world.init`, with what would be valid."""

import numpy as np
import pytest
import trimesh
from uipc import view
from uipc.constitution import AffineBodyConstitution

from ipc_articulation.errors import SceneError
from tests.engine.bodies import ProxyScene
from tests.engine.scenes import BoxScene, translation


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("kappa", -5.0, "has a negative kappa; a stiffness is 0 Pa or more"),
        ("kappa", np.nan, "has a kappa that is not finite"),
        ("velocity", np.inf, "has a velocity that is not finite"),
        ("transform", np.nan, "has a transform that is not finite"),
    ],
)
def test_instance_attributes(tmp_path, name, value, message):
    scene = BoxScene(tmp_path, contact__enable=0, sanity_check__enable=0)
    slot = scene.add_box(translation(0, 0, 0))
    view(slot.geometry().instances().find(name))[0] = value
    with pytest.raises(SceneError, match=rf"body 'box 0' \(affine-body geometry 0\) {message}"):
        scene.start()


@pytest.mark.parametrize(("speed", "spin"), [(2e9, 0.0), (0.0, 2e10)])
def test_velocity(tmp_path, speed, spin):
    scene = BoxScene(tmp_path, contact__enable=0)
    rate = np.zeros((4, 4))
    rate[0, 3], rate[0, 1] = speed, spin
    scene.add_box(np.eye(4), velocity=rate)
    with pytest.raises(SceneError, match=r"body 'box 0': vertex 0 has a velocity of 2e\+09 m/s; at most 1e\+09 m/s"):
        scene.start()


@pytest.mark.parametrize("scale", [(1.0, 1.0, -1.0), (1.0, 0.0, 1.0)])
def test_mirrored_and_flattened_instance(tmp_path, scale):
    scene = BoxScene(tmp_path, contact__enable=0, sanity_check__enable=0)
    scene.add_box(np.diag([*scale, 1.0]))
    with pytest.raises(SceneError, match=r"has a transform that mirrors or flattens it; its determinant must be pos"):
        scene.start()


@pytest.mark.parametrize(
    ("density", "message"),
    [
        (-1000.0, r"affine-body geometry 0 has mass -8 kg; density and volume must be positive"),
        (np.nan, r"affine-body geometry 0 has a mass that is not finite; are its density and its vertices\?"),
    ],
)
def test_density(tmp_path, density, message):
    scene = BoxScene(tmp_path, contact__enable=0)
    scene.add_box(np.eye(4), density=density)
    with pytest.raises(SceneError, match=message):
        scene.start()


def test_inverted_and_flat_meshes_are_refused_by_libuipc(tmp_path):
    """Should it ever let them pass, their volume or mass is not positive, which we refuse."""
    scene = BoxScene(tmp_path)
    with pytest.raises(Exception, match="Volume of the mesh is non-positive"):
        scene.add_box(np.eye(4), size=(0.2, 0.2, 0.0))
    with pytest.raises(Exception, match="Volume of the mesh is non-positive"):
        scene.add_box(np.eye(4), size=(0.2, -0.2, 0.2))


def test_volume(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0, sanity_check__enable=0)
    slot = scene.add_box(np.eye(4))
    view(slot.geometry().meta().find("volume"))[0] = -1.0
    with pytest.raises(SceneError, match=r"body 'box 0' \(affine-body geometry 0\) has a volume that is not pos"):
        scene.start()


def test_impossible_inertia(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(mass=1.0, center=(1.0, 0, 0), inertia=(1.0, 1.0, 3.0))
    with pytest.raises(SceneError, match=r"geometry 0 has an impossible inertia.*eigenvalue -0\.5 kg·m²; no principal"):
        scene.start()


def test_negative_mass(tmp_path):
    scene = ProxyScene(tmp_path)
    scene.add_proxy(mass=-1.0)
    with pytest.raises(SceneError, match=r"affine-body geometry 0 has mass -1 kg; density and volume must be positive"):
        scene.start()


def test_second_instance_is_named(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0)
    proxy = AffineBodyConstitution().create_proxy(1e8, 1.0, np.zeros(3), np.eye(3), 0.1)
    proxy.instances().resize(2)
    view(proxy.instances().find("kappa"))[1] = -1.0
    scene.scene.objects().create("pair").geometries().create(proxy)
    with pytest.raises(SceneError, match=r"body 'pair instance 1' \(affine-body geometry 0\) has a negative kap"):
        scene.start()


def test_a_face_that_is_turned_over(tmp_path):
    """libuipc computes 0.83 of the volume."""
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    box.faces[3] = box.faces[3][::-1]
    scene = BoxScene(tmp_path)
    scene.add_mesh(trimesh.Trimesh(box.vertices, box.faces, process=False), translation(0, 0, 1))
    with pytest.raises(SceneError, match=r"body 'box 0' .* has faces that are oriented differently at its"):
        scene.start()


@pytest.mark.parametrize("stretch", [np.diag([2.0, 2.0, 2.0]), np.eye(3) + 0.1 * np.eye(3, k=1)])
def test_a_transform_that_scales_or_shears_is_warned_of(tmp_path, caplog, stretch):
    scene = BoxScene(tmp_path)
    for height, is_fixed in ((1, 0), (4, 1)):
        transform = translation(0, 0, height)
        transform[:3, :3] = stretch
        scene.add_box(transform, is_fixed=is_fixed)
    scene.start()
    assert ["'box 0' starts with a transform that scales or shears it" in text for text in caplog.messages] == [True]
