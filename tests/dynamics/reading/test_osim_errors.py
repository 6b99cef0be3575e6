"""What a wrong OpenSim file is answered with."""

from itertools import pairwise

import pytest

from ipc_articulation.dynamics.reading.osim import read_osim
from ipc_articulation.errors import ModelError
from tests.dynamics.reading.osim_documents import (
    IDENTITY,
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

PIN = joint("PinJoint", "j", [coordinate("y")])


def message(path_or_text, **options):
    with pytest.raises(ModelError) as raised:
        read_osim(path_or_text, **options)
    return str(raised.value)


def with_function(function, coordinates="y"):
    return document(bodies(body("b", custom("j", "y", axis("rotation1", "1 0 0", function, coordinates)))))


def points(kind, x, y):
    return f"<{kind}><x>{x}</x><y>{y}</y></{kind}>"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            "<Sine/>",
            "unknown function <Sine>; valid: Constant, LinearFunction, MultiplierFunction, NaturalCubicSpline, "
            "PiecewiseLinearFunction, PolynomialFunction, SimmSpline",
        ),
        (
            "<SimSpline/>",
            "unknown function <SimSpline>; did you mean 'SimmSpline'? valid: Constant, LinearFunction, "
            "MultiplierFunction, NaturalCubicSpline, PiecewiseLinearFunction, PolynomialFunction, SimmSpline",
        ),
        ("<LinearFunction/>", "<LinearFunction> lacks <coefficients>"),
        (IDENTITY.replace("1 0", "1"), "<coefficients> holds '1'; give 2 finite numbers"),
        (IDENTITY.replace("1 0", ""), "<coefficients> of <LinearFunction> is empty"),
        (IDENTITY.replace("1 0", "1 nan"), "<coefficients> holds '1 nan'; give 2 finite numbers"),
        (IDENTITY * 2, "<TransformAxis> has more than one function; give one"),
        ("<Constant><value>x</value></Constant>", "<value> holds 'x'; give a finite number"),
        ("<MultiplierFunction/>", "<MultiplierFunction> lacks <function>"),
        (
            points("SimmSpline", "0 1e-320 1", "0 1 2"),
            "<SimmSpline>: points of a function are too close together, or too far apart, for its slopes",
        ),
        (
            points("PiecewiseLinearFunction", "0 1e-300 1", "0 1e300 2"),
            "<PiecewiseLinearFunction>: points of a function are too close together, or too far apart, for its slopes",
        ),
        (points("SimmSpline", "0 a", "0 1"), "<x> holds '0 a'; give only finite numbers"),
        (
            points("SimmSpline", "0 0", "0 1"),
            "<SimmSpline>: x of a function must increase; 0 is followed by 0",
        ),
        (
            points("PiecewiseLinearFunction", "0 1 2", "0 1"),
            "<PiecewiseLinearFunction>: a function has 3 x and 2 y; give as many of both, at least two",
        ),
    ],
)
def test_a_function(function, expected):
    assert message(with_function(function)) == f"<text>:2: joint 'j': {expected}"


@pytest.mark.parametrize(
    ("joint", "expected"),
    [
        (
            joint("PinJoin", "j"),
            "unknown type <PinJoin>; did you mean 'PinJoint'? valid: BallJoint, CustomJoint, FreeJoint, GimbalJoint, "
            "PinJoint, PlanarJoint, SliderJoint, UniversalJoint, WeldJoint",
        ),
        (joint("PinJoint", "j"), "a PinJoint has 1 coordinates, not 0"),
        (joint("CustomJoint", "j"), "<CustomJoint> lacks <SpatialTransform>"),
        (custom("j", "y"), "coordinate 'y' moves nothing"),
        (
            custom("j", "y", *[axis("rotation1", "1 0 0", IDENTITY, "y")] * 2),
            "<SpatialTransform> has axes rotation1, rotation1; give each once",
        ),
        (
            custom("j", "y", axis("rotation4", "1 0 0", IDENTITY, "y")),
            "unknown axis 'rotation4'; did you mean 'rotation3'? valid: rotation1, rotation2, rotation3, translation1, "
            "translation2, translation3",
        ),
        (
            custom("j", "y", axis("rotation1", "0 0 0", IDENTITY, "y")),
            "axis 'rotation1': a joint axis must be three finite numbers, not all zero; it is [0.0, 0.0, 0.0]",
        ),
        (
            custom("j", "y", axis("rotation1", "1 0 0", IDENTITY)),
            "axis 'rotation1' is a function of 0 coordinates; give one",
        ),
        (
            custom("j", "y", axis("rotation1", "1 0 0", IDENTITY, "z")),
            "axis 'rotation1': unknown coordinate 'z'; valid: y",
        ),
        (joint("PinJoint", "j", [coordinate("y")], parent="c"), "unknown body 'c'; bodies: b, ground"),
        (
            joint("PinJoint", "j", [coordinate("y")], "<reverse>true</reverse>"),
            "a reversed joint, whose motion is that of the parent in the child, is not read",
        ),
        (
            joint("PinJoint", "j", [coordinate("y")], at="1 2"),
            "<location_in_parent> holds '1 2'; give 3 finite numbers",
        ),
        (
            joint("PinJoint", "j", [coordinate("y", "<locked>maybe</locked>")]),
            "coordinate 'y': <locked> holds 'maybe'; give true or false",
        ),
        (joint("PinJoint", "j", [coordinate("y", "<range>2 1</range>")]), "coordinate 'y': <range> 2 1 is empty"),
    ],
)
def test_a_joint(joint, expected):
    assert message(document(bodies(body("b", joint)))) == f"<text>:2: joint 'j': {expected}"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([body("b", "")], "body 'b': has 0 joints; give one"),
        ([body("b", PIN)] * 2, "body 'b': line 2 has the same name; give each body its own"),
        ([body("b", PIN, mass="heavy")], "body 'b': <mass> holds 'heavy'; give a finite number"),
        ([body("a", PIN), body("b", PIN)], "joint 'j': another joint has the same name; give each its own"),
        (
            [body("a", PIN), body("b", PIN.replace('"j"', '"k"'))],
            "joint 'k': joint 'j' has a coordinate 'y' too; give each its own name",
        ),
    ],
)
def test_bodies(given, expected):
    assert message(document(bodies(*given))) == f"<text>:2: {expected}"


def test_a_marker_on_no_body():
    marker = '<MarkerSet><objects><Marker name="k"><body>c</body></Marker></objects></MarkerSet>'
    expected = "<text>:2: marker 'k': unknown body 'c'; bodies: b, ground"
    assert message(document(bodies(body("b", PIN)) + marker)) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([coupler("w", "y")], "constraint 'c_w': unknown coordinate 'w'; valid: y, z"),
        ([coupler("z", "w")], "constraint 'c_z': unknown coordinate 'w'; valid: y, z"),
        (
            [coupler("z", "y z")],
            "constraint 'c_z': depends on 'y z'; a CoordinateCouplerConstraint is of one independent coordinate",
        ),
        (
            [coupler("z", "y", "")],
            "constraint 'c_z': <CoordinateCouplerConstraint> lacks <coupled_coordinates_function>",
        ),
        ([coupler("z", "y")] * 2, "constraint 'c_z': coordinate 'z' already depends on 'y'"),
        (
            [coupler("z", "y"), coupler("y", "z")],
            "constraint 'c_y': coordinates 'z', 'y' depend on each other in a circle",
        ),
    ],
)
def test_a_coupler(given, expected):
    second = body("b", joint("PinJoint", "k", [coordinate("z")], parent="a"))
    assert message(document(bodies(body("a", PIN), second) + constraints(*given))) == f"<text>:2: {expected}"


@pytest.mark.parametrize(("function", "lock"), [(IDENTITY, "true"), ("<Constant><value>2</value></Constant>", "false")])
def test_locks_that_contradict_a_coupler(function, lock):
    locked = "<default_value>0.5</default_value><locked>true</locked>"
    first = body("a", joint("PinJoint", "j", [coordinate("y", f"<locked>{lock}</locked>")]))
    second = body("b", joint("PinJoint", "k", [coordinate("z", locked)], parent="a"))
    expected = "<text>:2: constraint 'c_z': coordinate 'z' is locked at 0.5, where 'y' cannot put it; unlock one"
    assert message(document(bodies(first, second) + constraints(coupler("z", "y", function)))) == expected


def test_a_long_chain_of_couplers():
    names = [f"q{i}" for i in range(102)]
    chain = [body(f"b{name}", joint("PinJoint", f"j{name}", [coordinate(name)])) for name in names]
    couplers = [coupler(dependent, independent) for independent, dependent in pairwise(names)]
    expected = "coordinate 'q101' depends on another one through more than 100 constraints"
    assert message(document(bodies(*chain) + constraints(*couplers))).endswith(expected)


def test_what_hangs_on_a_coupled_body():
    first = body("a", PIN), body("b", joint("PinJoint", "k", [coordinate("z")]))
    third = body("c", joint("PinJoint", "l", [coordinate("w")], parent="b"))
    text = document(bodies(*first, third) + constraints(coupler("z", "y")))
    expected = "<text>:2: joint 'l': its parent, body 'b', is left out by couplers=False; set couplers=True"
    assert message(text, couplers=False) == expected


def pin_4(parent="/ground", child="/bodyset/b", **more):
    return joint_4("PinJoint", "j", parent, child, [coordinate("y")], **more)


@pytest.mark.parametrize(
    ("joints", "expected"),
    [
        (
            [pin_4(child="/bodyset/c")],
            "joint 'j': unknown frame '/bodyset/c'; did you mean '/bodyset/b'? frames: /bodyset/b, /ground",
        ),
        (
            [pin_4(child="/bodyset/c/tip", frames=[offset("tip", "/bodyset/b")])],
            "joint 'j': unknown frame '/bodyset/c/tip'; did you mean '/bodyset/b'? "
            "frames: /bodyset/b, /ground, /jointset/j/tip",
        ),
        (
            [pin_4(child="tip", frames=[offset("tip", "../tap"), offset("tap", "../tip")])],
            "frames '/jointset/j/tip', '/jointset/j/tap' are placed in each other in a circle",
        ),
        (
            [pin_4(child="tip", frames=[offset("tap", "/bodyset/b")])],
            "joint 'j': unknown frame 'tip'; frames: /bodyset/b, /ground, /jointset/j/tap",
        ),
        (
            [pin_4(parent="/bodyset/b", child="/ground")],
            "joint 'j': its child is the ground; exchange parent and child",
        ),
        ([], "body 'b': is the child of no joint; give it one, a FreeJoint if it moves freely"),
        (
            [pin_4(), pin_4().replace('"j"', '"k"').replace('"y"', '"z"')],
            "joint 'k': body 'b' is the child of joint 'j' too",
        ),
    ],
)
def test_version_4(joints, expected):
    assert message(document_4(["b"], *joints)) == f"<text>:2: {expected}"


@pytest.mark.parametrize("version", [10000, 20301, 30500, 39999])
def test_a_version_that_is_not_read(version):
    assert message(document("", version)) == (
        f"<text>:1: version {version} is not read; 20302 to 30499 and 40000 or more are: "
        "OpenSim saves what it opens in its own version"
    )


def test_the_file_and_the_line_are_named(tmp_path):
    file = tmp_path / "model.osim"
    file.write_text(with_function("<Sine/>").replace("<Sine/>", "\n\n<Sine/>"))
    assert message(file).startswith(f"{file}:4: joint 'j': unknown function <Sine>")


def test_a_file_of_another_kind(tmp_path):
    expected = "<text>:1: the outermost element is <robot>; that of an OpenSim file is <OpenSimDocument>"
    assert message("<robot/>") == expected
    missing = tmp_path / "missing.osim"
    assert message(missing) == f"{missing}: No such file or directory; give an OpenSim file, or its text"


def test_a_set_in_a_file_outside_the_models_folder_is_refused(tmp_path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "sets.osim").write_text("<OpenSimDocument/>")
    file = tmp_path / "own" / "model.osim"
    text = '<OpenSimDocument Version="40000"><Model name="m"><BodySet file="../sets.osim"/></Model></OpenSimDocument>'
    file.write_text(text)
    with pytest.raises(ModelError, match=r"model\.osim:1: .*file '.*sets\.osim' is no file in the model's folder"):
        read_osim(file)
