"""What the engine refuses of soft bodies, by name."""

import re

import numpy as np
import pytest
import trimesh
from uipc import geometry as meshes
from uipc import view
from uipc.constitution import (
    AffineBodyConstitution,
    AffineBodyExternalBodyForce,
    DiscreteShellBending,
    ElasticModuli,
    FiniteElementExternalForce,
    SoftPositionConstraint,
    SoftVertexStitch,
    StableNeoHookean,
)

from ipc_articulation.errors import DumpError, SceneError
from tests.engine.soft.soft_scenes import SoftScene, block, block_mesh, cloth, cloth_mesh, moved, rod, vertices


def rigid():
    mesh = trimesh.creation.box((0.1, 0.1, 0.1))
    geometry = meshes.trimesh(mesh.vertices.copy(), mesh.faces.copy())
    meshes.label_surface(geometry)
    AffineBodyConstitution().apply_to(geometry, 1e8)
    return geometry


def applied(mesh, constitution, *arguments):
    constitution.apply_to(mesh, *arguments)
    return mesh


FOREIGN = {
    "a force on vertices of an affine body": (
        lambda: applied(rigid(), FiniteElementExternalForce(), np.ones(3)),
        "geometry 0 has constitution 671 (FiniteElementExternalForce), which acts on soft bodies, but is none of them; "
        "apply a constitution of soft bodies to it, such as StableNeoHookean",
    ),
    "a force on a body that is soft": (
        lambda: applied(block(1), AffineBodyExternalBodyForce(), np.ones(12)),
        "which acts on affine bodies, but is none of them; apply a constitution of affine bodies to it",
    ),
    "bending without a membrane": (
        lambda: applied(cloth_mesh(2), DiscreteShellBending(), 1e-3),
        "geometry 0 has constitution 17 (DiscreteShellBending), which acts on soft bodies, but is none of them",
    ),
    "aims without a material": (
        lambda: applied(block_mesh(1), SoftPositionConstraint(), 100.0),
        "geometry 0 has constitution 14 (SoftPositionConstraint), which acts on soft bodies, but is none of them",
    ),
}


@pytest.mark.parametrize(("make", "message"), FOREIGN.values(), ids=FOREIGN)
def test_constitutions_of_other_bodies_are_refused(tmp_path, make, message):
    scene = SoftScene(tmp_path)
    scene.add_soft(make())
    with pytest.raises(SceneError, match=re.escape(message)):
        scene.start()


@pytest.mark.parametrize("number", [-1, 7])
@pytest.mark.parametrize(("name", "what"), [("contact_element_id", "contact"), ("subscene_element_id", "subscene")])
def test_elements_that_the_table_does_not_have_are_refused(tmp_path, number, name, what):
    scene = SoftScene(tmp_path)
    mesh = cloth(2)
    slot = mesh.meta().find(name) or mesh.meta().create(name, 0)
    view(slot)[:] = number
    scene.add_soft(mesh, "towel")
    scene.add_ground(-1.0)
    with pytest.raises(SceneError, match=rf"'towel' has {what} element {number}; the scene's table has 0 to 0"):
        scene.start()


def test_a_transform_that_mirrors_is_refused(tmp_path):
    scene, mesh = SoftScene(tmp_path), block(1)
    view(mesh.transforms())[0] = np.diag([-1.0, 1.0, 1.0, 1.0])
    scene.add_soft(mesh)
    with pytest.raises(
        SceneError, match=r"soft body 'soft' \(geometry 0\) has a transform that mirrors or flattens it"
    ):
        scene.start()


def test_elements_of_vertices_that_there_are_not_are_refused(tmp_path):
    scene, mesh = SoftScene(tmp_path), block(1)
    view(mesh.tetrahedra().topo())[2, 3] = 8
    scene.add_soft(mesh)
    with pytest.raises(
        SceneError, match=r"tetrahedron 2 \(.*, 8\) refers to vertices that there are not; it has 0 to 7"
    ):
        scene.start()


def test_d_hat_must_be_a_number(tmp_path):
    scene, mesh = SoftScene(tmp_path), block(1)
    mesh.meta().create("d_hat", float("nan"))
    scene.add_soft(mesh)
    with pytest.raises(SceneError, match=r"soft body 'soft' \(geometry 0\) has d_hat nan; it must be finite"):
        scene.start()


@pytest.mark.parametrize("other", [{"young": 2e5}, {"bending": 2e-3}])
def test_a_dump_of_another_material_is_of_another_scene(tmp_path, other):
    first = SoftScene(tmp_path)
    first.add_soft(moved(cloth(2), 0, 0, 1))
    first.start().run(2).world.dump()
    second = SoftScene(tmp_path)
    second.add_soft(moved(cloth(2, **other), 0, 0, 1))
    second.start()
    with pytest.raises(DumpError, match=r"is of another scene: .*elements of soft bodies"):
        second.world.recover(2)


def test_a_body_that_stitches_hold_is_not_destroyed_alone(tmp_path):
    scene = SoftScene(tmp_path)
    first, second = scene.add_soft(moved(block(1), 0, 0, 1), "first"), scene.add_soft(block(1), "second")
    pairs = np.array([[0, 1]], dtype=np.int32)
    seam = SoftVertexStitch().create_geometry((first, second), pairs, 1e3)
    scene.scene.objects().create("seam").geometries().create(seam)
    scene.start().run(1)
    scene.scene.objects().destroy(scene.scene.objects().find("second")[0].id())
    message = (
        r"soft body 'second' \(geometry 1\) was destroyed, but stitch geometry 2 still joins it; destroy the object of "
        "that stitch too"
    )
    with pytest.raises(SceneError, match=message):
        scene.run(1)
    scene.scene.objects().destroy(scene.scene.objects().find("seam")[0].id())
    assert scene.run(1).world.frame() == 2


@pytest.mark.parametrize("speed", [2e9, 1e100, -1e300])
def test_what_is_too_fast_is_refused(tmp_path, speed):
    scene, mesh = SoftScene(tmp_path), block(1)
    velocity = np.zeros((8, 3))
    velocity[5, 1] = speed
    scene.add_soft(vertices(mesh, velocity=velocity))
    text = f"soft body 'soft' (geometry 0): vertex 5 has a velocity of {abs(speed):g} m/s; at most 1e+09 m/s"
    with pytest.raises(SceneError, match=re.escape(text)):
        scene.start()


@pytest.mark.parametrize("height", [2e9, 1e20, -1e300])
def test_what_is_too_far_away_is_refused(tmp_path, height):
    scene, mesh = SoftScene(tmp_path), cloth(1)
    T = np.eye(4)
    T[2, 3] = height
    view(mesh.transforms())[0] = T
    scene.add_soft(mesh)
    text = f"soft body 'soft' (geometry 0): vertex 0 has a position of {abs(height):g} m; at most 1e+09 m"
    with pytest.raises(SceneError, match=re.escape(text)):
        scene.start()


STIFF = {
    "block": (lambda young: block(2, young=young), r"element \d+ of its stable neo-Hookean \(\d+, \d+, \d+, \d+\)"),
    "cloth": (lambda young: cloth(2, young=young), r"element \d+ of its neo-Hookean shell \(\d+, \d+, \d+\)"),
    "rod": (
        lambda young: rod([[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0.01]], young=young),
        r"element 0 of its springs \(0, 1\)",
    ),
}


@pytest.mark.parametrize(("make", "text"), STIFF.values(), ids=STIFF)
def test_what_is_so_stiff_that_it_would_not_fall_is_refused(tmp_path, make, text):
    scene = SoftScene(tmp_path)
    scene.add_soft(make(1e17))
    before = scene.start().x()
    fallen = np.mean((scene.run(5).x() - before)[:, 2])
    assert fallen == pytest.approx(-9.8 * 15e-4, rel=1e-2)
    for young in (1e21, 1e300):
        scene = SoftScene(tmp_path)
        scene.add_soft(make(young))
        scene.start()
        message = (
            rf"soft body 'soft' \(geometry 0\): {text} is so stiff that its inertia is lost: in a step of dt 0.01 s"
        )
        with pytest.raises(SceneError, match=message):
            scene.run(1)


@pytest.mark.slow
@pytest.mark.parametrize("is_soft", [True, False], ids=["soft", "affine"])
def test_stitches_so_stiff_that_what_they_hold_would_not_fall_are_refused(tmp_path, is_soft):
    pairs = np.array([[0, 1], [2, 3]], dtype=np.int32)
    for stiffness in (1e13, 1e21):
        scene = SoftScene(tmp_path)
        other = scene.add_soft(moved(block(1), 0, 0, 1), "block") if is_soft else scene.add_soft(rigid(), "box")
        seam = SoftVertexStitch().create_geometry((scene.add_soft(moved(cloth(1), 0, 0, 2)), other), pairs, stiffness)
        scene.scene.objects().create("seam").geometries().create(seam)
        scene.start()
        if stiffness < 1e14:
            assert scene.run(1).world.frame() == 1
            continue
        with pytest.raises(
            SceneError, match=r"stitch geometry 2: stitch \d is so stiff that its inertia is lost: in a st"
        ):
            scene.run(1)


@pytest.mark.parametrize(
    ("uid", "said"),
    [(np.nan, "nan"), (10.0, "10.0"), (-1, "-1"), ("ten", "ten"), (np.ones(3), r"\[1. 1. 1.\]")],
    ids=["nan", "float", "negative", "text", "vector"],
)
def test_a_uid_that_is_no_whole_number_is_refused(tmp_path, uid, said):
    mesh = cloth_mesh(2)
    mesh.meta().create("constitution_uid", uid)
    scene = SoftScene(tmp_path)
    scene.add_soft(mesh)
    with pytest.raises(SceneError, match=rf"the 'constitution_uid' {said}; it must be the number of a constitution"):
        scene.start()


@pytest.mark.parametrize("aim", [1e300, -2e9])
def test_aims_that_are_too_far_away_are_refused(tmp_path, aim):
    scene, mesh = SoftScene(tmp_path), block(1)
    SoftPositionConstraint().apply_to(mesh, 100.0)
    slot = scene.add_soft(mesh)
    scene.start().run()
    view(slot.geometry().vertices().find("aim_position"))[3] = aim
    with pytest.raises(SceneError, match="the 'aim_position' of vertex 3 is above 1e\\+09"):
        scene.run()


@pytest.mark.parametrize("force", [1e20, -1e308])
def test_forces_that_no_mass_withstands_are_refused(tmp_path, force):
    scene, mesh = SoftScene(tmp_path), block(1)
    FiniteElementExternalForce().apply_to(mesh, np.zeros(3))
    scene.add_soft(moved(cloth(1), 0, 0, 2))
    slot = scene.add_soft(mesh, "sponge")
    scene.start().run()
    view(slot.geometry().vertices().find("external_force"))[3, 1] = force
    text = f"'sponge' (geometry 1): the 'external_force' of vertex 3 is {abs(force):g} N, which would bring 0."
    with pytest.raises(SceneError, match=re.escape(text)):
        scene.run()
    view(slot.geometry().vertices().find("external_force/is_constrained"))[:] = 0
    assert scene.run().world.frame() == 2


@pytest.mark.parametrize("d_hat", [5e-324, 1e300])
def test_a_d_hat_without_a_barrier_is_refused(tmp_path, d_hat):
    mesh = block(1)
    mesh.meta().create("d_hat", d_hat)
    scene = SoftScene(tmp_path)
    scene.add_soft(mesh, "sponge")
    with pytest.raises(SceneError, match=re.escape(f"'sponge' has the d_hat {d_hat:g} m; valid: 1e-12 to 1e+09 m")):
        scene.start()


def test_a_body_without_labels_is_warned_of(tmp_path, caplog):
    mesh = meshes.tetmesh(np.vstack([np.zeros(3), np.eye(3)]), np.array([[0, 1, 2, 3]], dtype=np.int32))
    StableNeoHookean().apply_to(mesh, ElasticModuli.youngs_poisson(1e5, 0.4), 1000.0)
    scene = SoftScene(tmp_path)
    scene.add_soft(mesh, "sponge")
    scene.add_soft(moved(block(1), 0, 0, 3), "block")
    scene.add_ground(-1.0)
    with caplog.at_level("WARNING", logger="ipc_articulation"):
        scene.start()
    assert [record.args for record in caplog.records] == [("sponge",)]
