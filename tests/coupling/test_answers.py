import re
from dataclasses import replace

import numpy as np
import pytest
import uipc

from ipc_articulation import couple
from ipc_articulation.coupling.adapter import ClosedMesh, CoupledBody, HalfPlane, Restraints
from ipc_articulation.coupling.answers import Answers
from ipc_articulation.errors import AdapterError
from tests.coupling.worlds import Turntable, cube, make_scene, make_world


def test_equal_values_agree():
    Answers(Turntable(), make_scene())
    Answers(Turntable(), make_scene(dt=0.01 * (1 + 1e-15)))


def test_another_time_step():
    message = "time steps differ: the scene has dt = 0.02 s, the model 0.01 s; make them equal"
    with pytest.raises(AdapterError, match=re.escape(message)):
        couple(make_scene(dt=0.02), Turntable())


def test_another_gravity():
    message = "gravities differ: the scene was made with [0.0, -9.8, 0.0] m/s², the model has [0.0, 0.0, 0.0] m/s²"
    with pytest.raises(AdapterError, match=re.escape(message)):
        couple(make_scene(gravity=(0.0, -9.8, 0.0)), Turntable())


class Hostile(Turntable):
    """Some members of it give other answers, once it has been described if they are methods that take part later."""

    def __init__(self, **answers) -> None:
        super().__init__()
        self.answers = answers

    def __getattribute__(self, name):
        answers = {} if name == "answers" else object.__getattribute__(self, "__dict__").get("answers", {})
        if name not in answers:
            return super().__getattribute__(name)
        answer = answers[name]
        return answer if name in ("dt", "gravity") else lambda *_: answer

    def state(self):
        return {}

    def restore(self, state):
        pass


ROBOT = Turntable().describe()
LINK, HINGE, PREDICTION = ROBOT.links[0], ROBOT.joints[0], Turntable().predict()


def linked(**changes):
    return replace(ROBOT, links=(replace(LINK, **changes),))


def hinged(**changes):
    return replace(ROBOT, joints=(replace(HINGE, **changes),))


def predicted(**changes):
    return replace(PREDICTION, **changes)


def restrained(lower, upper):
    none = np.zeros(1)
    return predicted(restraints=Restraints(np.array([lower]), np.array([upper]), none, none, none))


AT_COUPLING = [
    ("dt", None, "Hostile.dt is None, must be a positive number of seconds"),
    ("dt", -0.01, "Hostile.dt is -0.01, must be a positive number of seconds"),
    ("dt", np.nan, "Hostile.dt is nan, must be a positive number of seconds"),
    ("gravity", None, "Hostile.gravity is None, must be finite numbers of shape (3,)"),
    ("gravity", [0.0, -9.8], "Hostile.gravity is shape (2,), must be finite numbers of shape (3,)"),
    ("gravity", [0.0, 0.0, np.inf], "Hostile.gravity is inf at (2,), must be finite numbers of shape (3,)"),
    ("describe", None, "Hostile.describe is None, must be a CoupledRobot"),
    ("describe", {"links": ()}, "Hostile.describe is a dict, must be a CoupledRobot"),
    (
        "describe",
        linked(pose=np.eye(3)),
        "Hostile.describe(): pose of 'cube' is shape (3, 3), must be finite numbers of",
    ),
    ("describe", linked(mass=np.nan), "Hostile.describe(): mass of 'cube' is nan at (), must be a finite number"),
    ("describe", linked(inertia="big"), "Hostile.describe(): inertia of 'cube' is a str, must be finite numbers"),
    (
        "describe",
        linked(mesh=ClosedMesh(np.zeros((4, 2)), np.zeros((4, 3), dtype=np.int32))),
        "Hostile.describe(): mesh.vertices of 'cube' is shape (4, 2), must be finite numbers of shape (4, 3)",
    ),
    (
        "describe",
        linked(mesh=ClosedMesh(cube(0.1).vertices, cube(0.1).faces + 4)),
        "Hostile.describe(): mesh.faces of 'cube' is numbers beyond them, must be of 8 vertices",
    ),
    (
        "describe",
        hinged(axis=None),
        "Hostile.describe(): axis of 'hinge' is None, must be finite numbers of shape (3,)",
    ),
    (
        "describe",
        hinged(child=1),
        "Hostile.describe(): joint 'hinge' is between the parent -1 and the child 1, must be numbers of its 1 links",
    ),
    (
        "describe",
        replace(ROBOT, static=(CoupledBody("cube", np.eye(4)),)),
        "Hostile.describe is 2 parts called 'cube', must be parts with names of their own",
    ),
    (
        "describe",
        replace(ROBOT, planes=(HalfPlane("floor", np.zeros(3), np.array([0.0, np.nan, 0.0])),)),
        "Hostile.describe(): normal of 'floor' is nan at (1,), must be finite numbers of shape (3,)",
    ),
]
AT_A_STEP = [
    ("predict", None, "Hostile.predict is None, must be a Prediction"),
    ("predict", (PREDICTION.mass, PREDICTION.delta_theta_tilde), "Hostile.predict is a tuple, must be a Prediction"),
    (
        "predict",
        predicted(mass=np.eye(2)),
        "Hostile.predict().mass is shape (2, 2), must be finite numbers of shape (1, 1)",
    ),
    ("predict", predicted(mass=None), "Hostile.predict().mass is None, must be finite numbers of shape (1, 1)"),
    ("predict", predicted(delta_theta_tilde=[np.nan]), "Hostile.predict().delta_theta_tilde is nan at (0,), must be"),
    ("predict", predicted(link_poses=np.zeros((0, 4, 4))), "Hostile.predict().link_poses is shape (0, 4, 4), must be"),
    ("predict", predicted(link_poses=np.full((1, 4, 4), np.nan)), "Hostile.predict().link_poses is nan at (0, 0, 0)"),
    (
        "predict",
        restrained(np.nan, 1.0),
        "Hostile.predict().restraints of joint 'hinge' is nan to 1, must be two numbers or infinities, the lower one",
    ),
    ("predict", restrained(1.0, -1.0), "Hostile.predict().restraints of joint 'hinge' is 1 to -1, must be two numbers"),
    (
        "predict",
        predicted(restraints=Restraints(np.zeros(2), *np.zeros((4, 1)))),
        "Hostile.predict().restraints.lower is shape (2,), must be 1 numbers or infinities",
    ),
    ("dt", 0.02, "time steps differ: the scene has dt = 0.01 s, the model 0.02 s; make them equal"),
    (
        "gravity",
        [0.0, 0.0, -9.81],
        "gravities differ: the scene was made with [0.0, 0.0, 0.0] m/s², the",
    ),
]
AT_A_LOOK = [
    ("link_poses", None, lambda c: c.drift, "Hostile.link_poses is None, must be finite numbers of shape (1, 4, 4)"),
    (
        "link_poses",
        [],
        lambda c: c.drift,
        "Hostile.link_poses is shape (0,), must be finite numbers of shape (1, 4, 4)",
    ),
    ("theta", None, lambda c: c.theta, "Hostile.theta is None, must be finite numbers of shape (1,)"),
    ("theta", [1.0, 2.0], lambda c: c.theta, "Hostile.theta is shape (2,), must be finite numbers of shape (1,)"),
    ("theta_dot", [np.nan], lambda c: c.theta_dot, "Hostile.theta_dot is nan at (0,), must be finite numbers of shape"),
    ("state", None, lambda c: c.state(), "Hostile.state is None, must be a Mapping"),
    ("state", {"angle": None}, lambda c: c.state(), "Hostile.state()['angle'] is None, must be a finite number"),
]


@pytest.mark.parametrize(
    ("upper", "rows", "message"),
    [
        ([1.0], [[0.5]], "Hostile.predict().restraints.upper is shape (1,), must be 2 numbers or infinities"),
        ([1.0, -1.0], [[0.5]], "Hostile.predict().restraints of tendon 'rope' is 0 to -1, must be two numbers or"),
        ([1.0, 1.0], [0.5], "Hostile.predict().restraints.rows is shape (1,), must be finite numbers of shape (1, 1)"),
        ([1.0, 1.0], [[np.nan]], "Hostile.predict().restraints.rows is nan at (0, 0), must be finite numbers"),
    ],
)
def test_wrong_rows_are_refused_by_name(upper, rows, message):
    held = Restraints(np.zeros(2), np.array(upper), *np.zeros((3, 2)), rows=np.array(rows))
    answers = Answers(
        Hostile(describe=replace(ROBOT, rows=("tendon 'rope'",)), predict=predicted(restraints=held)), make_scene()
    )
    answers.describe()
    with pytest.raises(AdapterError, match=re.escape(message)):
        answers.predict()


@pytest.mark.parametrize(("member", "answer", "message"), AT_COUPLING)
def test_wrong_answers_are_refused_by_couple(member, answer, message):
    with pytest.raises(AdapterError, match=re.escape(message)):
        couple(make_scene(), Hostile(**{member: answer}))


@pytest.mark.parametrize(("member", "answer", "message"), AT_COUPLING[:3] + AT_A_STEP)
def test_wrong_answers_are_refused_by_a_step(member, answer, message, tmp_path):
    scene, hostile = make_scene(), Hostile()
    coupling = couple(scene, hostile)
    world = make_world(scene, tmp_path)
    coupling.step(world)
    hostile.answers = {member: answer}
    with pytest.raises(AdapterError, match=re.escape(message)):
        coupling.step(world)
    assert world.frame() == len(hostile.commits) == 1
    hostile.answers = {}
    coupling.step(world)
    assert hostile.angle == pytest.approx(0.02, abs=1e-6)


@pytest.mark.parametrize(("member", "answer", "look", "message"), AT_A_LOOK)
def test_wrong_answers_are_refused_where_they_are_looked_at(member, answer, look, message):
    hostile = Hostile()
    coupling = couple(make_scene(), hostile)
    hostile.answers = {member: answer}
    with pytest.raises(AdapterError, match=re.escape(message)):
        look(coupling)


def test_something_that_is_no_adapter():
    with pytest.raises(AdapterError, match=r"object has no 'commit'; see coupling\.adapter\.Adapter"):
        couple(make_scene(), object())


def test_the_scenes_time_step_may_change_with_the_models(tmp_path):
    scene, table = make_scene(), Turntable()
    coupling = couple(scene, table)
    world = make_world(scene, tmp_path)
    coupling.step(world)
    table.dt = 0.005
    uipc.view(scene.config().find("dt"))[0] = 0.005
    coupling.step(world)
    assert table.angle == pytest.approx(0.02, abs=1e-6)


FIELDS = {
    **dict.fromkeys(("mass", "delta_theta_tilde", "link_poses"), "predict().{}"),
    **dict.fromkeys(("limit_force", "friction", "friction_force", "ties"), "predict().restraints.{}"),
}


def plain(field=None, value=np.nan):
    """A prediction with restraints of which one array has a bad number."""
    arrays = {name: np.full((1, 1) if name == "ties" else 1, 0.5) for name in FIELDS if "restraints" in FIELDS[name]}
    robot = {"mass": np.eye(1), "delta_theta_tilde": np.zeros(1), "link_poses": np.eye(4)[None]}
    if field is not None:
        {**arrays, **robot}[field].flat[-1] = value
    none = np.empty((0, 1))
    held = Restraints(np.array([-np.inf]), np.ones(1), **arrays, tie_units=("rad",), rows=none)
    return replace(PREDICTION, **robot, restraints=held)


@pytest.fixture
def answers():
    given = Answers(Turntable(), make_scene())
    given.describe()
    return given


def test_a_plain_prediction_is_taken_as_it_is(answers):
    given = plain()
    assert answers.checked(given) is given
    assert answers.checked(PREDICTION) is PREDICTION


def test_a_plain_prediction_without_ties_is_taken_as_it_is(answers):
    held = Restraints(-np.ones(1), np.ones(1), *np.zeros((3, 1)))
    given = replace(PREDICTION, restraints=held)
    assert answers.checked(given) is given


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("field", FIELDS)
def test_a_bad_number_in_a_plain_prediction_is_found(answers, field, value):
    with pytest.raises(AdapterError, match=re.escape(f"Turntable.{FIELDS[field].format(field)} is {value}")):
        answers.checked(plain(field, value))


@pytest.mark.parametrize("field", ["lower", "upper"])
def test_bad_ends_in_a_plain_prediction_are_found(answers, field):
    given = plain()
    bad = replace(given, restraints=replace(given.restraints, **{field: np.array([np.nan])}))
    with pytest.raises(AdapterError, match="two numbers or infinities, the lower one first"):
        answers.checked(bad)


@pytest.mark.parametrize("field", [*FIELDS, "lower", "upper"])
def test_a_bare_number_in_a_plain_prediction_is_refused_by_name(answers, field):
    given, bare = plain(), np.array(0.5)
    of_robot = field in ("mass", "delta_theta_tilde", "link_poses")
    changes = {field: bare} if of_robot else {"restraints": replace(given.restraints, **{field: bare})}
    with pytest.raises(AdapterError, match=re.escape(f"{field} is shape ()")):
        answers.checked(replace(given, **changes))


def test_arrays_that_are_no_plain_ones_are_made_so(answers):
    given = plain()
    wide = np.full((1, 8, 8), 9.0)
    wide[:, ::2, ::2] = np.eye(4)
    found = answers.checked(replace(given, mass=[[1]], link_poses=wide[:, ::2, ::2]))
    assert found.mass.dtype == float
    np.testing.assert_array_equal(found.link_poses, np.eye(4)[None])
