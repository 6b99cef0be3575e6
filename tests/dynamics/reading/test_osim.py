"""What is read of small OpenSim files."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics.joints import FixedJoint, PrismaticJoint, RevoluteJoint
from ipc_articulation.dynamics.reading.osim import read_osim
from ipc_articulation.errors import ModelError
from ipc_articulation.spatial import inverse, pose, rotation_about
from tests.dynamics.reading.osim_documents import (
    IDENTITY,
    INERTIA_4,
    PARABOLA,
    axis,
    bodies,
    body,
    constraints,
    coordinate,
    coupler,
    custom,
    document,
    document_4,
    joint,
    joint_4,
    offset,
)

X, Y, Z = np.eye(3)


def line(slope, offset):
    return f"<LinearFunction><coefficients>{slope} {offset}</coefficients></LinearFunction>"


def turned(roll, pitch, yaw):
    return rotation_about(X, roll) @ rotation_about(Y, pitch) @ rotation_about(Z, yaw)


PARENT, CHILD = pose(turned(0.1, 0.2, 0.3), (1, 2, 3)), pose(p=(0, 0, 1))


def one_joint(kind, count, inside=""):
    names = [f"y{i}" for i in range(count)]
    return read_osim(document(bodies(body("b", joint(kind, "j", [coordinate(name) for name in names], inside)))))


def body_pose(osim, name="b", **values):
    """The pose of a link where coordinates have these values and others are zero."""
    model = osim.mechanism.build().spanning_tree
    q = np.zeros(model.nq)
    for name_of_joint in set(values) & set(model.joint_names):
        q[model.positions(name_of_joint)] = values[name_of_joint]
    for cluster in osim.clusters:
        y = np.array([values.get(name, 0.0) for name in cluster.coordinates])
        for joint_name, value in zip(cluster.joints, cluster.constraint.spanning(y), strict=True):
            q[model.positions(joint_name)] = value
    return dyn.frame_poses(model, q)[model.frame(name)]


def test_a_body():
    osim = one_joint("PinJoint", 1)
    (link,) = osim.mechanism.links
    assert (link.name, link.mass, list(link.centre)) == ("b", 2.0, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(link.inertia, [[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]])
    assert osim.mechanism.name == "m"
    assert osim.clusters == ()


MOTIONS = {
    "PinJoint": (1, lambda y: pose(rotation_about(Z, y[0]))),
    "SliderJoint": (1, lambda y: pose(p=(y[0], 0, 0))),
    "UniversalJoint": (2, lambda y: pose(rotation_about(X, y[0]) @ rotation_about(Y, y[1]))),
    "PlanarJoint": (3, lambda y: pose(rotation_about(Z, y[0]), (y[1], y[2], 0))),
    "BallJoint": (3, lambda y: pose(turned(*y))),
    "GimbalJoint": (3, lambda y: pose(turned(*y))),
    "FreeJoint": (6, lambda y: pose(turned(*y[:3]), y[3:])),
}


@pytest.mark.parametrize("kind", MOTIONS)
def test_each_type_of_joint(kind):
    count, motion = MOTIONS[kind]
    osim = one_joint(kind, count)
    y = np.random.default_rng(0).uniform(-1, 1, count)
    assert sorted(placed.name for placed in osim.mechanism.joints) == [f"y{i}" for i in range(count)]
    assert [c.name for c in osim.coordinates] == [f"y{i}" for i in range(count)]
    assert osim.clusters == ()
    found = body_pose(osim, **{f"y{i}": value for i, value in enumerate(y)})
    np.testing.assert_allclose(found, PARENT @ motion(y) @ inverse(CHILD), atol=1e-15)


def test_a_weld():
    pin = joint("PinJoint", "p", [coordinate("y")], parent="a")
    osim = read_osim(document(bodies(body("a", joint("WeldJoint", "w")), body("b", pin))))
    weld, hinge = osim.mechanism.joints
    assert (weld.name, weld.parent, weld.child, type(weld.joint)) == ("w", "world", "a", FixedJoint)
    assert (hinge.name, hinge.parent, hinge.child, type(hinge.joint)) == ("y", "a", "b", RevoluteJoint)
    np.testing.assert_allclose(body_pose(osim, "a"), PARENT @ inverse(CHILD), atol=1e-15)


AXES = (
    axis("rotation1", "0 0 2", IDENTITY, "y"),
    axis("rotation2", "1 0 0", "<Constant><value>0.3</value></Constant>"),
    axis("rotation3", "0 1 0", PARABOLA, "y"),
    axis("translation1", "0 1 0", "<Constant><value>0.7</value></Constant>", "y"),
    axis("translation2", "1 0 0", line(2, 0.1), "y"),
    axis("translation3", "0 0 1", line(-1, 0.4), "z"),
)


def moved(y, z):
    R = rotation_about(Z, y) @ rotation_about(X, 0.3) @ rotation_about(Y, 0.5 * y**2 + 0.2 * y)
    return PARENT @ pose(R, (2 * y + 0.1, 0.7, 0.4 - z)) @ inverse(CHILD)


def test_a_custom_joint_is_a_chain_with_a_cluster():
    osim = read_osim(document(bodies(body("b", custom("j", "yz", *AXES)))))
    described = [(p.name, type(p.joint), p.parent, p.child) for p in osim.mechanism.joints]
    assert described == [
        ("j/translation2", PrismaticJoint, "world", "b/translation2"),
        ("z", PrismaticJoint, "b/translation2", "b/translation3"),
        ("y", RevoluteJoint, "b/translation3", "b/rotation1"),
        ("j/rotation3", RevoluteJoint, "b/rotation1", "b"),
    ]
    (cluster,) = osim.clusters
    assert cluster.joints == ("j/translation2", "z", "y", "j/rotation3")
    assert cluster.coordinates == ("y", "z")
    assert osim.mechanism.loops == [(cluster.joints, cluster.constraint)]
    np.testing.assert_allclose(body_pose(osim, y=0.6, z=-0.2), moved(0.6, -0.2), atol=1e-15)


def test_the_order_of_axes_in_the_file_does_not_matter():
    osim = read_osim(document(bodies(body("b", custom("j", "yz", *AXES[::-1])))))
    np.testing.assert_allclose(body_pose(osim, y=0.6, z=-0.2), moved(0.6, -0.2), atol=1e-15)


def test_a_sign_and_an_offset_go_into_axis_and_origin():
    osim = read_osim(document(bodies(body("b", custom("j", "y", axis("rotation2", "1 0 0", line(-1, 0.4), "y"))))))
    (placed,) = osim.mechanism.joints
    assert placed.name == "y"
    assert osim.clusters == ()
    expected = PARENT @ pose(rotation_about(X, 0.4 - 0.6)) @ inverse(CHILD)
    np.testing.assert_allclose(body_pose(osim, y=0.6), expected, atol=1e-15)


def test_two_axes_that_move_as_one_coordinate():
    twice = axis("rotation1", "1 0 0", IDENTITY, "y"), axis("translation1", "1 0 0", IDENTITY, "y")
    osim = read_osim(document(bodies(body("b", custom("j", "y", *twice)))))
    assert [placed.name for placed in osim.mechanism.joints] == ["y", "j/rotation1"]
    np.testing.assert_array_equal(osim.clusters[0].constraint.G(np.zeros(1)), [[1], [1]])


def test_a_multiple():
    half = f"<MultiplierFunction><function>{PARABOLA}</function><scale>0.5</scale></MultiplierFunction>"
    osim = read_osim(document(bodies(body("b", custom("j", "y", axis("translation1", "1 0 0", half, "y"))))))
    expected = PARENT @ pose(p=(0.5 * (0.5 * 0.36 + 0.12), 0, 0)) @ inverse(CHILD)
    np.testing.assert_allclose(body_pose(osim, y=0.6), expected, atol=1e-15)


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ("", (0.0, -np.inf, np.inf)),
        ("<default_value>0.2</default_value><range>-1 2</range><clamped>true</clamped>", (0.2, -1, 2)),
        ("<range>-1 2</range><clamped>false</clamped>", (0.0, -np.inf, np.inf)),
        ("<default_value>0.2</default_value><range>-1 2</range><locked>true</locked>", (0.2, 0.2, 0.2)),
    ],
)
def test_a_coordinates_limits(inside, expected):
    osim = read_osim(document(bodies(body("b", joint("PinJoint", "j", [coordinate("y", inside)])))))
    (found,), (placed,) = osim.coordinates, osim.mechanism.joints
    assert (found.default, found.lower, found.upper) == expected
    assert (placed.lower, placed.upper) == expected[1:]
    assert osim.mechanism.build().spanning_tree.coordinates.lower == expected[1]


def test_gravity_and_markers():
    marker = '<Marker name="k"><body>b</body><location>1 2 3</location></Marker>'
    fixed = '<Marker name="g"><body>ground</body><location>4 5 6</location></Marker>'
    sets = f"<gravity>1 2 3</gravity><MarkerSet><objects>{marker}{fixed}</objects></MarkerSet>"
    pin = joint("PinJoint", "j", [coordinate("y")])
    osim = read_osim(document(bodies(body("b", pin)) + sets))
    model = osim.mechanism.build().spanning_tree
    np.testing.assert_array_equal(model.gravity, [1, 2, 3])
    poses = dyn.frame_poses(model, [0.3])
    np.testing.assert_allclose(poses[model.frame("k")], poses[model.frame("b")] @ pose(p=(1, 2, 3)), atol=1e-15)
    np.testing.assert_allclose(poses[model.frame("g")], pose(p=(4, 5, 6)))
    assert tuple(read_osim(document(bodies(body("b", pin)))).mechanism.gravity) == (0.0, -9.80665, 0.0)


def two_pins(*given, parent="ground"):
    first = joint("PinJoint", "j", [coordinate("y")])
    second = joint("PinJoint", "k", [coordinate("z")], parent=parent)
    return document(bodies(body("a", first), body("b", second)) + constraints(*given))


def test_a_coupled_coordinate_joins_its_drivers_cluster():
    osim = read_osim(two_pins(coupler("z", "y", PARABOLA, "<scale_factor>2</scale_factor>")))
    assert [c.name for c in osim.coordinates] == ["y"]
    (cluster,) = osim.clusters
    assert (cluster.joints, cluster.coordinates) == (("y", "k/rotation1"), ("y",))
    np.testing.assert_allclose(cluster.constraint.spanning(np.array([0.6])), [0.6, 0.36 + 0.24])


@pytest.mark.parametrize(("function", "value"), [(line(2, 0.1), 0.2), (PARABOLA, 1.04**0.5 - 0.2)])
def test_a_locked_dependent_coordinate_locks_its_driver(function, value):
    """In OpenSim 4.6 z = 2 y + 0.1, locked at 0.5, holds y at 0.2."""
    text = two_pins(coupler("z", "y", function)).replace("</Coordinate>", "<default_value>0.3</default_value>&", 1)
    locked = "<default_value>0.5</default_value><locked>true</locked></Coordinate>"
    text = text.replace('<Coordinate name="z"></Coordinate>', f'<Coordinate name="z">{locked}')
    osim = read_osim(text.replace("&", "</Coordinate>"))
    (found,), (placed, _) = osim.coordinates, osim.mechanism.joints
    assert (placed.name, placed.lower, placed.upper) == ("y", found.default, found.default)
    assert (found.default, found.locked) == (pytest.approx(value, abs=1e-12), True)


def test_couplings_of_coupled_coordinates():
    third = body("c", joint("PinJoint", "l", [coordinate("w")]))
    text = two_pins(coupler("z", "y", line(2, 0.1)), coupler("w", "z", line(3, 0)))
    osim = read_osim(text.replace("</objects></BodySet>", f"{third}</objects></BodySet>"))
    (cluster,) = osim.clusters
    assert (cluster.joints, cluster.coordinates) == (("y", "k/rotation1", "l/rotation1"), ("y",))
    np.testing.assert_allclose(cluster.constraint.spanning(np.array([0.5])), [0.5, 1.1, 3.3])


def test_without_couplers_coupled_bodies_are_left_out():
    marker = (
        '<MarkerSet><objects><Marker name="k"><body>b</body><location>0 0 0</location></Marker></objects></MarkerSet>'
    )
    text = two_pins(coupler("z", "y")).replace("</Model>", f"{marker}</Model>")
    osim = read_osim(text, couplers=False)
    assert [link.name for link in osim.mechanism.links] == ["a"]
    assert (osim.clusters, osim.mechanism.frames) == ((), [])


@pytest.mark.filterwarnings("ignore:.*isDisabled, a tag of older versions .line 2.")
@pytest.mark.parametrize(
    ("version", "switch", "is_on"),
    [
        (3, "<isDisabled>true</isDisabled>", False),
        (4, "<isEnforced>false</isEnforced>", False),
        (4, "<isDisabled>true</isDisabled>", True),
    ],
)
def test_a_constraint_that_is_switched_off(version, switch, is_on):
    """OpenSim 4.6 enforces the last one."""
    given = constraints(coupler("z", "y", more=switch))
    pins = [joint_4("PinJoint", k, "/ground", f"/bodyset/{k}", [coordinate(c)]) for k, c in ("ay", "bz")]
    osim = read_osim(two_pins(coupler("z", "y", more=switch)) if version == 3 else document_4("ab", *pins, more=given))
    assert [c.name for c in osim.coordinates] == (["y"] if is_on else ["y", "z"])


def test_version_4_has_the_same_model():
    frames = offset("in_ground", "/ground", "1 2 3", "0.1 0.2 0.3"), offset("in_b", "/bodyset/b", "0 0 1")
    axes = "".join(AXES).replace("<function><PolynomialFunction>", '<PolynomialFunction name="function">')
    axes = axes.replace("</PolynomialFunction></function>", "</PolynomialFunction>")
    knee = joint_4(
        "CustomJoint",
        "j",
        "in_ground",
        "/jointset/j/in_b",
        [coordinate("y"), coordinate("z")],
        frames,
        f"<SpatialTransform>{axes}</SpatialTransform>",
    )
    marker = "<socket_parent_frame>/bodyset/b/sensor</socket_parent_frame><location>1 0 0</location>"
    markers = f'<MarkerSet><objects><Marker name="k">{marker}</Marker></objects></MarkerSet>'
    osim = read_osim(document_4(["b"], knee, more=markers, components=offset("sensor", "..", "0 1 0")))
    old = read_osim(document(bodies(body("b", custom("j", "yz", *AXES)))))
    assert [p.name for p in osim.mechanism.joints] == [p.name for p in old.mechanism.joints]
    np.testing.assert_array_equal(osim.mechanism.links[0].inertia, old.mechanism.links[0].inertia)
    np.testing.assert_allclose(body_pose(osim, y=0.6, z=-0.2), moved(0.6, -0.2), atol=1e-15)
    np.testing.assert_allclose(osim.mechanism.frames[0].pose, pose(p=(1, 1, 0)))


def test_class_names_of_cpp_as_tags():
    """Files with contact of feet have them; a `::` is no XML."""
    parameters = "<HuntCrossleyForce::ContactParametersSet><objects/></HuntCrossleyForce::ContactParametersSet>"
    force = f'<ForceSet><objects><HuntCrossleyForce name="f">{parameters}</HuntCrossleyForce></objects></ForceSet>'
    same = bodies(body("a", joint("PinJoint", "j", [coordinate("x")])))
    assert [link.name for link in read_osim(document(force + same)).mechanism.links] == ["a"]


FORCES = """<ForceSet><objects><SpringGeneralizedForce name="s"/><BushingForce name="u"/><BushingForce name="v"/>
<CoordinateLimitForce name="l"><isDisabled>true</isDisabled></CoordinateLimitForce></objects></ForceSet>"""


def test_one_warning_names_all_that_is_not_read():
    inside = "<default_speed_value>1.5</default_speed_value><prescribed>true</prescribed>"
    text = two_pins('<WeldConstraint name="w"/>', coupler("z", "y")).replace(
        "</Coordinate>", f"{inside}</Coordinate>", 1
    )
    actuator = in_components('<PointActuator name="p"/>')
    more = f"{FORCES}<credits>me</credits>{actuator}<friction>3</friction></Model>"
    with pytest.warns(UserWarning, match="not read") as caught:
        read_osim(text.replace("</Model>", more))
    assert [str(one.message) for one in caught] == [
        "<text>:1: not read, so that the model moves as without: PointActuator 'p' (line 4); "
        "WeldConstraint 'w' (line 2); SpringGeneralizedForce 's' (line 3); BushingForce 'u', 'v' (line 3); "
        "friction (line 4); prescribed motion of coordinate 'y' (line 2); "
        "default_speed_value of coordinate 'y' (line 2)"
    ]


def test_a_function_without_a_name_is_that_of_its_axis():
    """In OpenSim 4.6 the translation is 2 · 0.25 + 5."""
    text = document(bodies(body("b", custom("j", "y", axis("translation1", "1 0 0", line(2, 5), "y")))))
    osim = read_osim(text.replace("<function>", "").replace("</function>", ""))
    expected = PARENT @ pose(p=(5.5, 0, 0)) @ inverse(CHILD)
    np.testing.assert_allclose(body_pose(osim, y=0.25), expected, atol=1e-15)


# Paths in joint «a» and, by OpenSim 4.6, where its parent frame then is.
PATHS = {
    "/bodyset/a": (0, 0, 0),
    "../../bodyset/a": (0, 0, 0),
    "/bodyset/a/p": (1, 0, 0),
    "/bodyset/a/q": (3, 0, 0),
    "p": (0, 5, 0),
    "../a/p": (0, 5, 0),
    "/jointset/a/p": (0, 5, 0),
    "r": (1, 0, 1),
    "/jointset/i/s": (0, 6, 0),
    "/ground/g": (0, 0, 7),
    "/t": (0, 0, 8),
}


@pytest.mark.parametrize("path", PATHS)
def test_the_whole_path_of_a_frame_counts(path):
    own = offset("p", "/bodyset/a", "0 5 0"), offset("r", "/bodyset/a/p", "0 0 1")
    first = joint_4(
        "PinJoint", "i", "/ground", "/bodyset/a", [coordinate("x")], [offset("s", "/jointset/a/p", "0 1 0")]
    )
    second = joint_4("SliderJoint", "a", path, "/bodyset/b", [coordinate("y")], own)
    on_ground = in_components(offset("g", "..", "0 0 7"))
    more = f'<Ground name="ground">{on_ground}</Ground>{in_components(offset("t", "/bodyset/a", "0 0 8"))}'
    inside = offset("p", "..", "1 0 0") + offset("q", "../p", "2 0 0")
    osim = read_osim(document_4(["a", "b"], first, second, more=more, components=inside))
    np.testing.assert_allclose(body_pose(osim, "b"), pose(p=PATHS[path]), atol=1e-15)


def in_components(*parts):
    return f"<components>{''.join(parts)}</components>"


def test_what_is_among_the_components_of_a_model_is_read():
    """OpenSim 4.6 has a mass of 5 kg, and accelerations z̈ = 2 ÿ."""
    pin = joint_4("PinJoint", "j", "/ground", "/bodyset/a", [coordinate("y")])
    slide = joint_4("SliderJoint", "k", "/bodyset/a", "/b", [coordinate("z")])
    second = f'<Body name="b"><mass>3</mass><mass_center>0 0 0</mass_center>{INERTIA_4}</Body>'
    marker = '<Marker name="m"><socket_parent_frame>/b</socket_parent_frame><location>1 0 0</location></Marker>'
    parts = in_components(second, slide, coupler("z", "y", line(2, 0.1)), marker)
    osim = read_osim(document_4(["a"], pin, more=parts))
    assert [(link.name, link.mass) for link in osim.mechanism.links] == [("a", 2.0), ("b", 3.0)]
    assert [c.name for c in osim.coordinates] == ["y"]
    assert [frame.name for frame in osim.mechanism.frames] == ["m"]
    expected = pose(rotation_about(Z, 0.25), 0.6 * np.array([np.cos(0.25), np.sin(0.25), 0]))
    np.testing.assert_allclose(body_pose(osim, y=0.25), expected, atol=1e-15)


@pytest.mark.parametrize("function", [line(2, 0.1), PARABOLA])
def test_what_hangs_on_a_coordinate_has_a_joint_even_if_no_axis_is_the_coordinate_itself(function):
    knee = custom("j", "y", axis("rotation1", "1 0 0", function, "y"), axis("translation1", "0 1 0", PARABOLA, "y"))
    inside = "<default_value>0.4</default_value><range>-1 2</range><clamped>true</clamped>"
    osim = read_osim(document(bodies(body("b", knee.replace("</Coordinate>", f"{inside}</Coordinate>")))))
    robot = osim.mechanism.build()
    assert (robot.dof_names, robot.start) == (("y",), [0.4])
    tree = robot.spanning_tree
    at = tree.dofs("y")
    assert (tree.coordinates.lower[at], tree.coordinates.upper[at]) == (-1, 2)
    angle = {line(2, 0.1): 1.3, PARABOLA: 0.3}[function]
    expected = PARENT @ pose(rotation_about(X, angle), (0, 0.3, 0)) @ inverse(CHILD)
    np.testing.assert_allclose(body_pose(osim, y=0.6), expected, atol=1e-15)


def test_defaults_of_the_model_are_those_of_its_elements():
    """In OpenSim 4.6 too, where those of sets have no effect."""
    defaults = (
        '<defaults><Coordinate name="default"><default_value>0.4</default_value><locked>true</locked></Coordinate>'
    )
    pins = two_pins().replace("</Coordinate>", "<default_value>0.1</default_value></Coordinate>", 1)
    osim = read_osim(pins.replace("<BodySet>", f"{defaults}</defaults><BodySet>"))
    assert [(c.default, c.locked) for c in osim.coordinates] == [(0.1, True), (0.4, True)]


def test_a_set_in_another_file(tmp_path):
    """OpenSim 4.6 has one constraint too."""
    file = tmp_path / "model.osim"
    file.write_text(two_pins().replace(constraints(), '<ConstraintSet file="more.xml"/>'))
    with pytest.raises(ModelError, match=r"file '.*more.xml' is no file in the model's folder"):
        read_osim(file)
    more = f'<OpenSimDocument Version="40000">{constraints(coupler("z", "y"))}</OpenSimDocument>'
    (tmp_path / "more.xml").write_text(more)
    assert [c.name for c in read_osim(file).coordinates] == ["y"]


def test_markers_may_have_the_name_of_a_body():
    given = "".join(f'<Marker name="{name}"><body>b</body><location>1 0 0</location></Marker>' for name in "bkk")
    markers = f"<MarkerSet><objects>{given}</objects></MarkerSet>"
    osim = read_osim(document(bodies(body("b", joint("PinJoint", "j", [coordinate("y")]))) + markers))
    assert [frame.name for frame in osim.mechanism.frames] == ["b (1)", "k (1)", "k (2)"]
    osim.mechanism.build()


def test_a_natural_cubic_spline_is_a_simm_spline():
    """The value at 0.25 is that of OpenSim 4.6."""
    spline = "<NaturalCubicSpline><x>0 1 2 4</x><y>0 1 0 2</y></NaturalCubicSpline>"
    osim = read_osim(document(bodies(body("b", custom("j", "y", axis("translation1", "1 0 0", spline, "y"))))))
    expected = PARENT @ pose(p=(0.57421875, 0, 0)) @ inverse(CHILD)
    np.testing.assert_allclose(body_pose(osim, y=0.25), expected, atol=1e-15)


def test_frames_of_joints_in_another_file(tmp_path):
    pin = joint_4("PinJoint", "j", "/ground", "tip", [coordinate("y")], [offset("tip", "/bodyset/b", "0 0 1")])
    text, joints = document_4(["b"], pin), f"<JointSet><objects>{pin}</objects></JointSet>"
    (tmp_path / "model.osim").write_text(text.replace(joints, '<JointSet file="more.xml"/>'))
    (tmp_path / "more.xml").write_text(f'<OpenSimDocument Version="40000">{joints}</OpenSimDocument>')
    np.testing.assert_allclose(body_pose(read_osim(tmp_path / "model.osim")), pose(p=(0, 0, -1)))
