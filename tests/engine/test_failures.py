"""Steps that fail: a named result or an error that names what and where; the state of before the step is kept."""

import itertools
import os
import signal
import sys
from contextlib import contextmanager

import numpy as np
import pytest
import uipc
from scipy.spatial.transform import Rotation
from uipc import view

from ipc_articulation import Engine
from ipc_articulation.compiled import compiled
from ipc_articulation.engine.newton import newton
from ipc_articulation.engine.newton.newton_report import NewtonResult
from ipc_articulation.engine.terms.term import Term
from ipc_articulation.errors import EngineError, SceneError, SolverError
from tests.engine.parts import core_of
from tests.engine.scenes import BoxScene, translation, twist_rate


def spinning(workspace, has_ground=False, **config):
    scene = BoxScene(workspace, **config)
    if has_ground:
        scene.add_ground(-0.105)
    scene.add_box(translation(5, 0, 0))
    scene.add_box(np.eye(4), velocity=twist_rate(np.eye(4), angular=(0, 0, 60.0)))
    return scene.start()


def test_iterations_that_do_not_suffice(tmp_path, caplog):
    report = spinning(tmp_path, newton__max_iter=1).run(1).engine.statistics.newton
    assert report.result is NewtonResult.MAX_ITERATIONS
    assert not report.converged
    velocity, rate = report.unmet
    assert (velocity.criterion, rate.criterion) == ("newton/velocity_tol", "newton/transrate_tol")
    assert velocity.bodies == rate.bodies == ("box 1",)
    assert velocity.value > velocity.bound == pytest.approx(0.05)
    assert "step 1: Newton stopped after newton/max_iter = 1 iterations (max iterations): " in caplog.text
    assert "the last iteration still changed the velocity of 'box 1' by " in caplog.text
    assert " m/s, newton/velocity_tol is 0.05: try a smaller dt" in caplog.text
    assert velocity.excess == velocity.value / velocity.bound > 1.0


@compiled
def cut_short(work, fraction):
    """Let the last iteration have moved nothing, as it was allowed to take a fraction (B,) only."""
    work.motion, work.change, work.fraction = np.zeros(2), np.zeros(2), fraction


def test_a_step_that_nothing_near_cuts_short_names_the_body_that_it_moves(tmp_path):
    core = core_of(spinning(tmp_path, newton__max_iter=1).run(1))
    cut_short(core.work, np.array([1.0, 1e-3]))
    unmet = newton._unmet(core)
    assert [str(criterion).partition(", newton")[0] for criterion in unmet] == [
        "collisions of 'box 1' left only the fraction 0.001 of the last iteration"
    ]
    assert unmet[0].excess == pytest.approx(unmet[0].bound / 1e-3)


@pytest.mark.parametrize("most", [5, 200])
def test_line_searches_that_find_nothing_are_told_only_where_the_step_did_not_converge(tmp_path, caplog, most):
    """Each kind of warning once; steps that converged in the end are exact, and say nothing."""
    scene = BoxScene(tmp_path, line_search__max_iter=1, newton__max_iter=most)
    scene.add_ground()
    for k in range(3):
        T = translation(0.05 * k, 0, 0.2 + 0.35 * k)
        T[:3, :3] = Rotation.from_rotvec([0.5, 0.3 * k, 0.2]).as_matrix()
        scene.add_box(T, velocity=twist_rate(T, linear=(0, 0, -3.0), angular=(3.0, 9.0, 1.0)))
    scene.start()
    reports = [scene.run(1).engine.statistics.newton for _ in range(20)]
    assert most == 5 or any(report.exhausted_searches for report in reports if report.converged)
    for report in reports:
        assert [text.startswith("Newton stopped after") for text in report.warnings] == [True] * (not report.converged)
    told = [line for line in caplog.messages if "line search" in line]
    kinds = {report.result for report in reports if report.exhausted_searches and not report.converged}
    assert 0 < len(told) <= len(kinds) if most == 5 else not told
    assert all("line searches found no decrease" in line and "logged at level INFO" in line for line in told)


def test_strict_mode_keeps_the_state(tmp_path):
    scene = spinning(tmp_path, newton__max_iter=1, extras__strict_mode__enable=1)
    state = scene.engine.cpu.state
    with pytest.raises(SolverError, match=r"step 1: Newton stopped after newton/max_iter = 1 .*'box 1'"):
        scene.run(1)
    assert scene.engine.cpu.state is state
    assert scene.world.frame() == 0
    assert scene.world.is_valid()


def test_semi_implicit_is_a_result_of_its_own(tmp_path, caplog):
    scene = spinning(tmp_path, newton__semi_implicit__enable=1, newton__semi_implicit__beta_tol=1.0)
    assert scene.run(1).engine.statistics.result is NewtonResult.SEMI_IMPLICIT
    assert not [message for message in caplog.messages if not message.startswith("first run")]


def test_collision_detection_that_cuts_the_last_step(tmp_path):
    """A box falls against a wall: the one step that is allowed ends at the wall."""
    scene = BoxScene(tmp_path, newton__max_iter=1, gravity=(5000.0, 0, 0))
    scene.add_box(translation(0.25, 0, 0), is_fixed=1)
    scene.add_box(np.eye(4))
    report = scene.start().run(1).engine.statistics.newton
    unmet = {unmet.criterion: unmet for unmet in report.unmet}
    assert report.ccd_step < 1.0
    assert unmet["newton/ccd_tol"].bodies == ("box 0", "box 1")
    assert "try a smaller dt" in str(unmet["newton/ccd_tol"])


class BrokenTerm(Term):
    """A term that a callback has broken: not finite at the second body."""

    name = "broken"

    def __init__(self, energy=0.0, gradient=0.0, hessian=0.0):
        self.values = energy, gradient, hessian

    def add_energies(self, x, moving, E):
        E[1] += self.values[0]

    def add_derivatives(self, x, to):
        add_to_second(*self.values[1:], to)


@compiled
def add_to_second(gradient, hessian, to):
    to.g[4] += gradient  # its first node
    to.matrix.numbers[to.matrix.own[1]] += hessian


@contextmanager
def broken(scene, *terms):
    """A scene whose potential has more terms."""
    core = core_of(scene)
    core.terms += terms
    core.others += terms
    yield
    for of in (core.terms, core.others):
        del of[-len(terms) :]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"energy": np.nan}, r"step 2: the energy of the broken term is not finite at body 'box 1'; look at"),
        ({"gradient": np.nan}, r"step 2: the gradient of the broken term is not finite at body 'box 1'; look at"),
        ({"gradient": np.inf}, r"step 2: the gradient of the broken term is not finite at body 'box 1'"),
        ({"hessian": np.nan}, r"step 2: the Hessian of the broken term is not finite at body 'box 1'"),
        (
            {"energy": np.inf, "gradient": np.nan},
            r"step 2: the gradient of the broken term is not finite at body 'box 1'",
        ),
    ],
)
@pytest.mark.parametrize("has_ground", [False, True])
def test_not_finite(tmp_path, has_ground, values, message):
    """The error names term and body; once the cause is gone, the run goes on as if nothing had been."""
    scene, undisturbed = (spinning(tmp_path / name, has_ground) for name in ("scene", "undisturbed"))
    state = scene.run(1).engine.cpu.state
    with broken(scene, BrokenTerm(**values)), pytest.raises(SolverError, match=message):
        scene.run(1)
    assert scene.engine.cpu.state is state
    assert scene.world.frame() == 1
    assert np.array_equal(scene.run(3).q, undisturbed.run(4).q)
    assert scene.world.frame() == 4


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_sum_that_is_not_finite_names_the_body(tmp_path):
    scene = spinning(tmp_path).run(1)
    message = r"step 2: the sum of all terms' gradient is not finite at body 'box 1'"
    with broken(scene, *[BrokenTerm(gradient=1.7e308)] * 2), pytest.raises(SolverError, match=message):
        scene.run(1)


def test_what_no_term_tells_is_an_error_of_the_step(tmp_path):
    """Contact is asked, too."""
    scene = spinning(tmp_path, has_ground=True)
    core_of(scene).others.append(BrokenTerm(gradient=np.nan))
    with pytest.raises(SolverError, match="step 1: the Newton step is not finite"):
        scene.run(1)


def test_callbacks_see_the_frame_again_after_a_failure(tmp_path):
    """The frame counter does not run ahead of the state."""
    scene, frames = BoxScene(tmp_path), []
    slot = scene.add_box(np.eye(4))
    owner = scene.scene.objects().find(0)
    scene.scene.animator().insert(owner, lambda info: frames.append(info.frame()))
    scene.start().run(1)
    gravity = scene.scene.config().find("dt")
    view(gravity)[0] = np.nan
    with pytest.raises(Exception, match="dt"):
        scene.run(1)
    view(gravity)[0] = 0.01
    scene.run(1)
    assert frames == [1, 2, 2]
    assert slot.id() == 0


def test_a_geometry_that_was_resized_is_refused(tmp_path):
    scene = spinning(tmp_path)
    scene.slots[1].geometry().instances().resize(2)
    with pytest.raises(SceneError, match=f"affine-body geometry {scene.slots[1].id()} has 2 instances now, but had 1"):
        scene.world.advance()
    assert scene.world.frame() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize("call", range(2))
def test_ctrl_c_in_init_is_raised_when_the_world_is_initialised(tmp_path, call):
    """The signal comes at one of the first Python calls within world.init: before the engine's own code begins."""
    scene = BoxScene(tmp_path)
    scene.add_box(np.eye(4))
    world, calls = uipc.World(Engine("cpu", str(tmp_path))), itertools.count()

    def interrupt(frame, event, argument):
        if event == "call" and frame.f_code.co_name == "inner" and next(calls) == call:
            os.kill(os.getpid(), signal.SIGINT)

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore the signal
    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            world.init(scene.scene)
    finally:
        sys.setprofile(None)
        signal.signal(signal.SIGINT, handler)
    world.init(scene.scene)
    world.advance()
    assert world.frame() == 1


def test_a_world_whose_init_failed_says_so(tmp_path):
    scene = BoxScene(tmp_path, sanity_check__enable=0)
    scene.add_box(np.eye(4))
    scene.add_box(np.eye(4))
    world = uipc.World(Engine("cpu", str(tmp_path)))
    with pytest.raises(SceneError, match="intersect"):
        world.init(scene.scene)
    with pytest.raises(EngineError, match=r"an earlier world\.init of this world has failed; make a new Engine"):
        world.init(scene.scene)


def test_a_world_takes_no_second_scene(tmp_path):
    scene, other = BoxScene(tmp_path), BoxScene(tmp_path)
    scene.add_box(np.eye(4))
    other.add_box(np.eye(4))
    world = uipc.World(Engine("cpu", str(tmp_path)))
    world.init(scene.scene)
    world.init(scene.scene)
    with pytest.raises(EngineError, match=r"^world\.init: this world has another scene already; make a new Engine and"):
        world.init(other.scene)


def test_bodies_that_intersect_at_the_start_are_an_error_of_world_init(tmp_path):
    scene = BoxScene(tmp_path)  # with libuipc's own check, which makes the world invalid and only logs why
    scene.add_box(np.eye(4)).geometry().instances().resize(2)
    message = r"^'box 0 instance 0' and 'box 0 instance 1' intersect at the start, 0.2 m deep; move them apart"
    with pytest.raises(SceneError, match=message):
        scene.start()
    with pytest.raises(SceneError, match=r"^'box 0 instance 0' and 'box 0 instance 1' intersect"):
        scene.world.init(scene.scene)


def test_what_only_libuipcs_own_check_refuses_is_an_error_of_world_init(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_box(np.eye(4))
    scene.add_box(np.eye(4))
    with pytest.raises(SceneError, match=r"^the world is not valid: 'box 0' intersects with 'box 1'"):
        scene.start("none")
