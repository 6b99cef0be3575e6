"""A DART adapter: what of the world is in the scene, which edits it follows, and what is wrong is named."""

from pathlib import Path

import dartpy
import numpy as np
import pytest
import trimesh
from ipc_articulation.adapters.dart import DartAdapter

from ipc_articulation.coupling.adapter import CoupledBody
from ipc_articulation.coupling.contact_elements import make_contact_elements
from ipc_articulation.errors import AdapterError, UnsupportedError
from tests.adapters.dart.worlds import D, add_body, add_box, chain, empty, isometry, placement
from tests.coupling.worlds import cube, make_scene

NONE = np.zeros((0, 4, 4))
SHAPES = {
    "box": (lambda: D.BoxShape([0.2, 0.4, 0.6]), (0.1, 0.2, 0.3)),
    "sphere": (lambda: D.SphereShape(0.2), (0.2, 0.2, 0.2)),
    "ellipsoid": (lambda: D.EllipsoidShape([0.2, 0.4, 0.6]), (0.1, 0.2, 0.3)),
    "cylinder": (lambda: D.CylinderShape(0.1, 0.6), (0.1, 0.1, 0.3)),
    "capsule": (lambda: D.CapsuleShape(0.1, 0.6), (0.1, 0.1, 0.4)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_has_its_size(name) -> None:
    make, half = SHAPES[name]
    world, place = chain("Ball"), placement(8)
    node = world.getSkeleton(0).getBodyNode(0).createShapeNode(make())
    node.createCollisionAspect()
    node.setRelativeTransform(isometry(place))
    mesh = DartAdapter(world).describe().links[0].mesh
    inside = (mesh.vertices - place[:3, 3]) @ place[:3, :3]
    np.testing.assert_allclose(np.abs(inside).max(axis=0), half, rtol=0.02)


URDF = """<robot name="r"><link name="world"/><link name="arm">
  <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><mesh filename="file://{}" scale="0.1 0.2 0.3"/></geometry></collision></link>
  <joint name="hinge" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""


def test_a_mesh_of_a_urdf_file_is_a_surface(tmp_path: Path) -> None:
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "box.stl")
    (tmp_path / "robot.urdf").write_text(URDF.format(tmp_path / "box.stl"))
    world = empty()
    world.addSkeleton(dartpy.utils.DartLoader().parseSkeleton(str(tmp_path / "robot.urdf")))
    robot = DartAdapter(world).describe()
    assert [(joint.name, joint.kind) for joint in robot.joints] == [("hinge", "revolute")]
    np.testing.assert_allclose(np.abs(robot.links[0].mesh.vertices).max(axis=0), [0.05, 0.1, 0.15])


def test_bodies_that_are_welded_move_as_one() -> None:
    world = chain("Ball")
    skeleton = world.getSkeleton(0)
    for k in range(4):
        add_box(skeleton.getBodyNode(k))
    robot = DartAdapter(world).describe()
    assert [link.name for link in robot.links] == ["first", "middle", "last"]
    assert [joint.parent for joint in robot.joints] == [-1, 0, 1]
    middle, bodies = robot.links[1], [skeleton.getBodyNode(k) for k in (1, 2)]
    assert len(middle.mesh.vertices) == 16
    assert middle.mass == pytest.approx(sum(body.getMass() for body in bodies))
    centre = sum(body.getMass() * np.array(body.getCOM()) for body in bodies) / middle.mass
    np.testing.assert_allclose((middle.pose @ np.append(middle.center, 1.0))[:3], centre, atol=1e-14)
    R, p = middle.pose[:3, :3], centre
    about = np.zeros((3, 3))
    for body in bodies:
        S, d = body.getWorldTransform().matrix()[:3, :3], np.array(body.getCOM()) - p
        about += S @ body.getInertia().getMoment() @ S.T + body.getMass() * (d @ d * np.eye(3) - np.outer(d, d))
    np.testing.assert_allclose(R @ middle.inertia @ R.T, about, atol=1e-14)


def surrounded() -> dartpy.simulation.World:
    """A chain that stands on a welded foot, and an immobile skeleton with a wall and a floor."""
    world = chain("Ball")
    skeleton = world.getSkeleton(0)
    for k in range(4):
        add_box(skeleton.getBodyNode(k), friction=(0.1, 0.2, 0.3, 0.4)[k])
    add_box(add_body(skeleton, None, "Weld", "foot", 20))
    room = D.Skeleton("room")
    wall = add_body(room, None, "Free", "wall", 21)
    add_box(wall)
    floor = add_body(room, None, "Weld", "floor", 22).createShapeNode(D.PlaneShape([0.0, 0.6, 0.8], 0.5))
    floor.createCollisionAspect()
    room.setMobile(False)
    world.addSkeleton(room)
    return world


def test_what_is_fixed_is_static_or_a_half_plane() -> None:
    world = surrounded()
    robot = DartAdapter(world).describe()
    assert [body.name for body in robot.static] == ["chain/foot", "room/wall"]
    (floor,) = robot.planes
    T = placement(22) @ np.linalg.inv(placement(72))
    np.testing.assert_allclose(floor.normal, T[:3, :3] @ [0.0, 0.6, 0.8], atol=1e-12)
    np.testing.assert_allclose((floor.point - T[:3, 3]) @ floor.normal, 0.5, atol=1e-12)


LINKS = ("chain/first", "chain/middle", "chain/last", "chain/foot")
CHAIN = {frozenset(pair) for pair in (LINKS[:2], LINKS[1:3])}
ALL = {frozenset({a, b}) for a in LINKS for b in LINKS if a != b}


@pytest.mark.parametrize(
    ("own", "adjacent", "untouchable"), [(False, False, ALL), (True, False, CHAIN), (True, True, set())]
)
def test_bodies_of_a_skeleton_touch_as_darts_checks_say(own, adjacent, untouchable) -> None:
    world = surrounded()
    skeleton = world.getSkeleton(0)
    skeleton.setSelfCollisionCheck(own)
    skeleton.setAdjacentBodyCheck(adjacent)
    robot = DartAdapter(world).describe()
    assert {pair for pair in robot.untouchable if pair <= set(LINKS) and len(pair) == 2} == untouchable
    assert not any("room/wall" in pair and pair & set(LINKS[:3]) for pair in robot.untouchable)


def test_friction_is_that_of_the_shapes_or_of_the_caller() -> None:
    def friction(**given) -> dict[str, float]:
        robot = DartAdapter(surrounded(), **given).describe()
        return {part.name: part.friction for part in (*robot.links, *robot.static)}

    assert friction() == {
        "chain/first": 0.1, "chain/middle": 0.3, "chain/last": 0.4, "chain/foot": 1.0, "room/wall": 1.0
    }  # fmt: skip
    assert set(friction(friction=0.2).values()) == {0.2}
    assert friction(friction={"chain/last": 0.7})["chain/last"] == 0.7


def test_shapes_of_one_body_have_each_their_own_friction() -> None:
    """The parts are in the mesh, and in the scene's table of contacts; the caller's friction is for all of a body."""
    world = surrounded()
    for friction in (0.4, 0.1):
        add_box(world.getSkeleton(0).getBodyNode(0), 0.3, friction).setName(f"of {friction}")
    robot = DartAdapter(world).describe()
    first, middle, last = robot.links
    assert first.friction == 0.4
    assert [part.friction for part in first.surface_parts] == [0.1, 0.4]
    assert first.surface_parts[1].name == "chain/first/of 0.4"
    large = np.abs(first.mesh.vertices).max(axis=1) > 0.1
    np.testing.assert_array_equal(large, [*8 * [False], *16 * [True]])
    assert [part.vertices.tolist() for part in first.surface_parts] == [[*range(8), *range(16, 24)], [*range(8, 16)]]
    assert [part.friction for part in middle.surface_parts] == [0.2, 0.3]
    assert last.surface_parts == ()
    room = world.getSkeleton(1).getBodyNode(0).getShapeNode(0)
    room.createDynamicsAspect()
    room.getDynamicsAspect().setFrictionCoeff(0.2)
    scene, robot = make_scene(), DartAdapter(world).describe()
    elements = make_contact_elements(scene, robot)
    rates = [
        scene.contact_tabular().at(elements[part.name].id(), elements["room/wall"].id()).friction_rate()
        for part in robot.links[0].surface_parts
    ]
    assert rates == [0.2, 0.4]
    assert not any(link.surface_parts for link in DartAdapter(world, friction=0.5).describe().links)


def test_what_does_not_collide_is_no_surface() -> None:
    world = surrounded()
    world.getSkeleton(0).getBodyNode(0).setCollidable(False)
    world.getSkeleton(0).getBodyNode(3).getShapeNode(0).getCollisionAspect().setCollidable(False)
    assert [link.mesh is None for link in DartAdapter(world).describe().links] == [True, False, True]


def test_masses_gains_and_gravity_may_be_edited() -> None:
    world = chain("Revolute")
    adapter, skeleton = DartAdapter(world), world.getSkeleton(0)
    before = adapter.predict().mass
    skeleton.getBodyNode(3).setMass(5.0)
    skeleton.getJoint(0).setDampingCoefficient(0, 10.0)
    after = adapter.predict().mass
    assert after[2, 2] - before[2, 2] > 2.0
    world.setGravity([0.0, 0.0, 1.0])
    np.testing.assert_array_equal(adapter.gravity, [0.0, 0.0, 1.0])


def move_joint(world) -> None:
    world.getSkeleton(0).getJoint(1).setTransformFromParentBodyNode(isometry(placement(30)))


def move_shape(world) -> None:
    world.getSkeleton(0).getBodyNode(0).getShapeNode(0).setRelativeTranslation([0.1, 0.0, 0.0])


def add_shape(world) -> None:
    add_box(world.getSkeleton(0).getBodyNode(0))


def turn_floor(world) -> None:
    world.getSkeleton(1).getBodyNode(1).getShapeNode(0).getShape().setOffset(0.7)


def add_skeleton(world) -> None:
    world.addSkeleton(chain("Ball").getSkeleton(0).clone())


EDITS = {
    move_joint: "the placement of joint 'to middle' was edited; the scene was built from it",
    move_shape: "shape '.*' of body 'chain/first' was edited",
    add_shape: "shape '.*' of body 'chain/first' was edited",
    turn_floor: "shape '.*' of body 'room/floor' was edited",
    add_skeleton: "the number of its bodies was edited",
}


@pytest.mark.parametrize(("edit", "message"), EDITS.items())
def test_an_edit_of_what_the_scene_was_built_from_is_refused(edit, message) -> None:
    world = surrounded()
    adapter = DartAdapter(world)
    edit(world)
    with pytest.raises(AdapterError, match=message):
        adapter.predict()


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(AdapterError, match="DartAdapter: world is 'robot', must be a World"):
        DartAdapter("robot")
    with pytest.raises(AdapterError, match="two bodies are called 'last'"):
        DartAdapter(chain("Ball"), static=[CoupledBody("last", np.eye(4), cube(0.1))])
    adapter = DartAdapter(chain("Ball"))
    with pytest.raises(AdapterError, match="'world' of a DartAdapter cannot be changed: the scene is built from it"):
        adapter.world = adapter.world
    adapter.world.getSkeleton(0).setVelocity(0, np.inf)
    with pytest.raises(AdapterError, match=r"DART's own step from t = 0 s is not finite; use a smaller time step"):
        adapter.predict()


def test_a_cone_is_refused_by_name() -> None:
    world = chain("Ball")
    world.getSkeleton(0).getBodyNode(0).createShapeNode(D.ConeShape(0.1, 0.2)).createCollisionAspect()
    with pytest.raises(
        UnsupportedError, match=r"shape '.*' of body 'first' is a Cone; IPC bodies are made of box, sphere"
    ):
        DartAdapter(world)


def test_constraints_of_the_solver_are_refused() -> None:
    world = chain("Ball")
    adapter = DartAdapter(world)
    last = world.getSkeleton(0).getBodyNode(3)
    world.getConstraintSolver().addConstraint(dartpy.constraint.BallJointConstraint(last, [0.0, 0.0, 0.0]))
    with pytest.raises(UnsupportedError, match="the world's solver has 1 constraints of its own"):
        adapter.predict()


def test_a_free_body_of_the_caller_goes_where_it_is_told() -> None:
    adapter = DartAdapter(chain("Ball"), free=[CoupledBody("crate", np.eye(4), cube(0.1), 1.0)])
    adapter.commit(adapter.predict().delta_theta_tilde, placement(4)[None], np.zeros((1, 4, 4)))
    np.testing.assert_array_equal(adapter.describe().free[0].pose, placement(4))


def test_a_state_is_the_whole_state() -> None:
    adapter = DartAdapter(chain("Free"))
    state = adapter.state()
    adapter.commit(adapter.predict().delta_theta_tilde, NONE, NONE)
    assert adapter.world.getTime() > 0.0
    adapter.restore(state)
    assert adapter.world.getTime() == 0.0
    for key, value in adapter.state().items():
        np.testing.assert_array_equal(value, state[key])
    with pytest.raises(AdapterError, match="of another model: q has 3 numbers, this model's 8"):
        adapter.restore({**state, "q": np.zeros(3)})


def test_an_empty_world_has_no_joints() -> None:
    robot = DartAdapter(empty()).describe()
    assert robot.links == robot.joints == ()
