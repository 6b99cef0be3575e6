"""What wrong loops of a URDF file are answered with."""

import pytest

from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import strict
from tests.dynamics.reading.loop_documents import FOUR_BAR, coupling, hinge, loop, read

PLAIN = tuple(part.replace('independent="true"', "").replace('independent="false"', "") for part in FOUR_BAR[:3])
CLOSING = FOUR_BAR[3]
BARS = "joints 'driver', 'output', 'support'"


def message(*parts, **options):
    with strict(), pytest.raises(ModelError) as raised:
        read(*parts, **options)
    return str(raised.value)


def ball(name, parent, child):
    return hinge(name, parent, child, "0.1 0 0", kind="spherical")


@pytest.mark.parametrize(
    ("closing", "expected"),
    [
        (
            loop("bar2", "2 0 0", "bar3", "0.41 0 0"),
            f"cannot be closed: a gap of 0.94 m remains at best ({BARS})",
        ),
        (
            loop("bar2", "0.25 0 0", "bar3", "0.41 0 0.003"),
            f"cannot be closed: a gap of 0.003 m remains at best ({BARS})",
        ),
        (
            loop("bar1", "0.4 0 0", "bar2", "0 0 0"),
            "holds nothing that joints 'output' and what else is between them do not hold already; leave it out",
        ),
        (loop("bar1", "0.4 0 0", "base", "0.4 0 0"), "leaves no motion: 1 conditions on joints 'driver'"),
        (
            loop("bar", "0 0 0", "bar3", "0 0 0"),
            "unknown link 'bar'; did you mean 'bar3'? links: bar1, bar2, bar3, base",
        ),
        (
            loop("bar2", "0.25 0 0", "bar2", "0 0 0"),
            "links 'bar2' and 'bar2' do not move relative to each other; leave it out",
        ),
        (
            loop("bar2", "0.25 0 0", "bar3", "0.41 0 0", kind="prismatic"),
            "type 'prismatic' is not supported, as a loop holds a point; valid: continuous, revolute, spherical",
        ),
        (loop("bar2", "0.25 0", "bar3", "0.41 0 0"), '<origin> has xyz="0.25 0"; give 3 finite numbers'),
        ('<loop name="closing"><predecessor link="bar2"/></loop>', "<loop> lacks <successor>"),
    ],
)
def test_loop(closing, expected):
    assert message(*PLAIN, closing) == f"<text>:6: loop 'closing': {expected}"


@pytest.mark.parametrize(
    ("gear", "expected"),
    [
        (coupling("bar1", "bar3", 0), "the ratio for joint 'driver' must be finite and not zero; it is 0"),
        (coupling("bar1", "bar3", "inf"), '<ratio> has value="inf"; give a finite number'),
        (coupling("bar1", "rotor", 2), "unknown link 'rotor'; links: bar1, bar2, bar3, base"),
        (
            '<coupling name="gear"><predecessor link="bar1"/><successor link="bar3"/></coupling>',
            "<coupling> lacks <ratio>",
        ),
    ],
)
def test_coupling(gear, expected):
    assert message(*PLAIN, gear) == f"<text>:6: coupling 'gear': {expected}"


def test_mimics_that_contradict_a_coupling():
    follower = hinge("support", "base", "bar3", inside='<mimic joint="driver" multiplier="2" offset="0.5"/>')
    expected = "cannot be closed: a gap of 0.25 rad or m remains at best (joints 'driver', 'support')"
    got = message(PLAIN[0], follower, coupling("bar1", "bar3", 2))
    assert got == f"<text>:4: joint 'support'; <text>:5: coupling 'gear': {expected}"


def test_couplings_that_contradict_each_other():
    gears = coupling("bar1", "bar3", 2, "one"), coupling("bar1", "bar3", 3, "other")
    assert message(*PLAIN, *gears) == (
        "<text>:6: coupling 'one'; <text>:7: coupling 'other': "
        "leaves no motion: 2 conditions on joints 'driver', 'support'"
    )


def test_loop_given_twice():
    twice = CLOSING, CLOSING.replace("closing", "again")
    assert message(*PLAIN, *twice) == (
        f"<text>:7: loop 'again': holds nothing that {BARS} and what else is between them do not hold already; "
        "leave it out"
    )


@pytest.mark.parametrize("flags", ["true false true", "false false false"])
def test_wrong_number_of_independent_joints(flags):
    parts = [
        part.replace(f'name="{name}"', f'name="{name}" independent="{flag}"')
        for part, name, flag in zip(PLAIN, ("driver", "output", "support"), flags.split(), strict=True)
    ]
    count, listed = (2, "'driver', 'support'") if "true" in flags else (0, "none")
    assert message(*parts, CLOSING) == (
        f"<text>:6: loop 'closing': {count} of {BARS} are independent ({listed}), but 2 conditions leave 1; "
        'give the others independent="false"'
    )


def test_independent_joints_that_do_not_determine_the_others():
    """q₁ and q₂ follow each other, q₃ + q₄ follows q₂."""
    flags = ("true", "true", "false", "false")
    parents = ("base", "base", "base", "l3")
    parts = [
        hinge(f"q{k}", parent, f"l{k}", more=f'independent="{flag}"')
        for k, flag, parent in zip((1, 2, 3, 4), flags, parents, strict=True)
    ]
    gears = coupling("l1", "l2", 2, "one"), coupling("l2", "l4", 2, "other")
    assert message(*parts, *gears) == (
        "<text>:7: coupling 'one'; <text>:8: coupling 'other': the independent joints 'q1', 'q2' do not determine "
        "the others of joints 'q1', 'q2', 'q3', 'q4'"
    )


def test_loop_through_a_joint_of_several_degrees_of_freedom():
    assert message(PLAIN[0], ball("ball", "bar1", "bar2"), PLAIN[2], CLOSING) == (
        "<text>:6: loop 'closing': goes through joint 'ball', a SphericalJoint with 3 degrees of freedom; "
        "joints of a loop have one"
    )


def test_loop_to_the_world_of_a_robot_that_floats():
    closing = loop("bar1", "0.1 0 0", "world", "0.1 0 0")
    assert message(*PLAIN, closing, floating_base=True) == (
        "<text>:6: loop 'closing': goes through joint 'root_joint', a FloatingJoint with 6 degrees of freedom; "
        "joints of a loop have one"
    )


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        ('<mimic joint="driver" multiplier="0"/>', "the ratio for joint 'driver' must be finite and not zero; it is 0"),
        ('<mimic joint="support"/>', "mimics itself"),
        (
            '<mimic joint="ball"/>',
            "mimics 'ball'; both must be joints with one degree of freedom; valid: driver, support",
        ),
    ],
)
def test_mimic(inside, expected):
    follower = hinge("support", "base", "bar3", inside=inside)
    assert message(PLAIN[0], ball("ball", "bar1", "bar2"), follower) == f"<text>:5: joint 'support': {expected}"


def test_independent_is_true_or_false():
    part = hinge("driver", "base", "bar1", more='independent="yes"')
    assert message(part) == "<text>:3: joint 'driver': <joint> has independent=\"yes\"; give true or false"


@pytest.mark.parametrize(
    ("nominal", "inside", "expected"),
    [
        ("0 0", "<pin/>", "nominal_config has 2 numbers; the joints have 3: 'driver' (1), 'output' (1), 'support' (1)"),
        ("0 0 x", "<pin/>", '<constraints> has nominal_config="0 0 x"; give 3 finite numbers'),
        ("", "<pin/>", '<constraints> lacks nominal_config="…"'),
        ("0 0 0", "<pins/>", "<constraints> has the unknown element <pins>; did you mean 'pin'? valid: equality, pin"),
        ("0 0 0", '<pin body1="bar2"/>', '<pin> lacks body2="…"'),
        (
            "0 0 0",
            '<pin body1="bar2" body2="bar4" anchor="0 0 0"/>',
            "pin of 'bar2' and 'bar4': unknown link 'bar4'; did you mean 'bar3'? links: bar1, bar2, bar3, base",
        ),
        (
            "0 0 0",
            '<equality body1="bar2" body2="bar3" anchor="0 0 0"/>',
            "equality of 'bar2' and 'bar3': <equality> has 0 axes; give one or two, or a <pin>",
        ),
        (
            "0 0 0",
            '<equality body1="bar2" body2="bar3" anchor="0 0 0"><axis xyz="1 0 0"/><axis xyz="-2 0 0"/></equality>',
            "equality of 'bar2' and 'bar3': axes must have a length, and must not be parallel; "
            "they are [[1.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]",
        ),
    ],
)
def test_constraints_of_raisim(nominal, inside, expected):
    text = f'<constraints nominal_config="{nominal}">{inside}</constraints>'
    assert message(*PLAIN, text) == f"<text>:6: {expected}"
