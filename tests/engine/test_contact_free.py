"""Scenes that cannot touch take their steps in one compiled call; its results are those of the general step."""

import numpy as np
import pytest
import uipc
from uipc import view
from uipc.constitution import AffineBodyRevoluteJointLimit
from uipc.constitution import ExternalArticulationConstraint as ArticulationGeometry

from benchmarks.box_scenes import chain, hinge, hinges, row_of_boxes
from ipc_articulation import ExternalArticulationConstraint
from ipc_articulation.engine import Engine
from ipc_articulation.engine.newton.newton_report import NewtonResult
from ipc_articulation.errors import ArticulationError
from tests.engine.joints import add_ball, add_hinge, add_slider, add_weld
from tests.engine.scenes import BoxScene, translation, twist_rate
from tests.hinged_boxes import hinged_boxes

STEPS = 25


def driven(boxes):
    """Hinge and slider are moved by a coupled articulation, fast and to and fro."""
    constraint = ExternalArticulationConstraint.from_geometry(boxes.articulation, boxes.scene)

    def source(info):
        angle = 0.7 * np.sin(0.6 * info.frame())
        return np.array([[5.0, 1.0], [1.0, 3.0]]), np.array([angle, -0.02 * angle])

    boxes.scene.animator().insert(boxes.owner, constraint.animate(source))
    boxes.scene.contact_tabular().default_model(0.0, 1e9, False)
    return boxes.scene


def tumbling():
    """Two free bodies that turn fast, one of them with a hinge to a third; they converge after unequal iterations."""
    scene = BoxScene("unused", contact__enable=0)
    scene.add_box(np.eye(4), velocity=twist_rate(np.eye(4), angular=(3.0, 40.0, 5.0)))
    left, right = scene.add_box(translation(1, 0, 0)), translation(1.25, 0, 0)
    spun = scene.add_box(right, velocity=twist_rate(right, angular=(0, 8.0, 0)))
    add_hinge(scene, left, spun, [[1.125, -0.1, 0], [1.125, 0.1, 0]])
    base, sliding = scene.add_box(translation(3, 0, 0), is_fixed=1), scene.add_box(translation(4, 0, 0))
    add_slider(scene, base, sliding, [[3, 0, 0], [4, 0, 1]])
    return scene.scene


def two_articulations():
    """A row of hinges of which two are driven, each by an articulation of its own, and one swings."""
    scene, bodies = row_of_boxes(4)
    joints = hinges(scene, bodies, 3)
    for joint, mass in ((0, 9.0), (2, 0.5)):
        made = ArticulationGeometry().create_geometry([joints], [joint])
        owner = scene.objects().create(f"articulation {joint}")
        owner.geometries().create(made)
        constraint = ExternalArticulationConstraint.from_geometry(made, scene)
        scene.animator().insert(owner, constraint.animate(lambda info, M=mass: (np.array([[M]]), np.array([0.01 * M]))))
    return scene


SCENES = {
    "hinge": hinge,
    "chain": lambda: chain(4),
    "articulation": lambda: driven(hinged_boxes(turned=True)),
    "with references": lambda: driven(hinged_boxes(ref_dof_prev=np.r_[np.zeros(3), np.eye(3).ravel()])),
    "two articulations": two_articulations,
    "tumbling": tumbling,
}
SETTINGS = {
    "as it is": {},
    "bdf2": {"integrator/type": "bdf2"},
    "not semi-implicit": {"newton/semi_implicit/enable": 0},
    "ends early": {"newton/semi_implicit/K_min": 0, "newton/semi_implicit/beta_tol": 1.0, "newton/velocity_tol": 1e-9},
    "large steps": {"dt": 0.05, "newton/min_iter": 3},
}


def start(make, folder, settings):
    scene = make()
    for key, value in settings.items():
        view(scene.config().find(key))[0] = value
    engine = Engine("cpu", folder)
    world = uipc.World(engine)
    world.init(scene)
    return engine, world, scene


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("make", SCENES.values(), ids=SCENES)
def test_same_as_the_general_step(tmp_path, make, settings):
    ours, world, _ = start(make, tmp_path / "ours", settings)
    general, other, _ = start(make, tmp_path / "general", settings)
    assert ours.cpu.workspace.contact_free is not None
    general.cpu.workspace.contact_free = None
    for _ in range(STEPS):
        world.advance()
        other.advance()
        world.retrieve()
        other.retrieve()
        for name, mine, theirs in zip(ours.cpu.state._fields, ours.cpu.state, general.cpu.state, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=0.0, atol=1e-9 * (100.0 if "dot" in name else 1.0))
        mine, theirs = ours.statistics, general.statistics
        assert mine.stages["newton"] > mine.stages["assemble"] == 0.0
        assert theirs.stages["assemble"] > theirs.stages["newton"] == 0.0
        assert (mine.result, mine.newton.iterations, mine.newton.line_search_steps, mine.awake) == (
            theirs.result,
            theirs.newton.iterations,
            theirs.newton.line_search_steps,
            theirs.awake,
        )
        assert mine.energies == pytest.approx(theirs.energies, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("is_limited", [True, False])
def test_other_terms_take_the_general_step(tmp_path, is_limited):
    scene = BoxScene(tmp_path, contact__enable=0)
    left, right = scene.add_box(translation(0, 0, 0), is_fixed=1), scene.add_box(translation(0.3, 0, 0))
    limits = [(AffineBodyRevoluteJointLimit(), -1.0, 1.0, 1e3)] if is_limited else []
    add_hinge(scene, left, right, [[0.15, -0.1, 0.0], [0.15, 0.1, 0.0]], *limits)
    assert (scene.start().engine.cpu.workspace.contact_free is None) == is_limited


@pytest.mark.parametrize("add", [add_ball, add_weld])
def test_joints_of_all_kinds_take_the_compiled_step(tmp_path, add):
    """A box that hangs on a wall by a ball or a weld; the general step gives the same."""
    results = []
    for is_compiled in (True, False):
        scene = BoxScene(tmp_path / str(is_compiled), contact__enable=0)
        left, right = scene.add_box(translation(0, 0, 0), is_fixed=1), scene.add_box(translation(0.3, 0, 0))
        add(scene, left, right, *([[0.15, 0.0, 0.0]] if add is add_ball else []))
        assert scene.start().engine.cpu.workspace.contact_free is not None
        if not is_compiled:
            scene.engine.cpu.workspace.contact_free = None
        results.append(scene.run(STEPS).q)
    np.testing.assert_allclose(*results, rtol=1e-6, atol=1e-9)


def test_bodies_that_may_touch_take_the_general_step(tmp_path):
    scene = BoxScene(tmp_path)
    scene.add_box(translation(0, 0, 0))
    scene.add_ground(height=-1.0)
    assert scene.start().engine.cpu.workspace.contact_free is None


def spinning(folder, **config):
    scene = BoxScene(folder, contact__enable=0, gravity=(0, 0, 0), **config)
    scene.add_box(np.eye(4), velocity=twist_rate(np.eye(4), angular=(0, 0, 90.0)))
    return scene.start()


def test_iterations_that_do_not_suffice_are_told_by_the_general_step(tmp_path, caplog):
    statistics = spinning(tmp_path, newton__max_iter=1).run().engine.statistics
    assert statistics.result is NewtonResult.MAX_ITERATIONS
    assert statistics.newton.iterations == 1
    assert "step 1: Newton stopped after newton/max_iter = 1 iterations (max iterations): " in caplog.text
    assert "'box 0'" in caplog.text


def test_nothing_to_move(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0)
    scene.add_box(np.eye(4), is_fixed=1)
    assert scene.start().run(2).engine.statistics.newton.iterations == 0
    np.testing.assert_array_equal(scene.engine.cpu.state.q[0], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1])


def test_a_body_at_rest_sleeps(tmp_path):
    scene = BoxScene(tmp_path, contact__enable=0, gravity=(0, 0, 0))
    scene.add_box(np.eye(4))
    scene.start().run(3)
    before = scene.engine.cpu.state
    assert scene.run().engine.statistics.awake == 0
    np.testing.assert_array_equal(scene.engine.cpu.state.q, before.q)


def test_an_articulation_that_is_refused_keeps_the_state(tmp_path):
    boxes = hinged_boxes()
    boxes.scene.contact_tabular().default_model(0.0, 1e9, False)
    mass = np.eye(2)
    geometry = boxes.slot.geometry()

    def write(info):
        view(geometry["joint_joint"].find("mass"))[:] = mass.ravel()
        view(geometry["joint"].find("delta_theta_tilde"))[:] = 0.01

    boxes.scene.animator().insert(boxes.owner, write)
    engine = Engine("cpu", tmp_path)
    world = uipc.World(engine)
    world.init(boxes.scene)
    world.advance()
    state = engine.cpu.state
    for bad, message in ((-np.eye(2), "must be positive definite"), (np.full((2, 2), np.nan), "must be finite")):
        mass = bad
        with pytest.raises(ArticulationError, match=message):
            world.advance()
        assert engine.cpu.state is state
    mass = np.eye(2)
    world.advance()
    assert world.frame() == 2
    assert engine.statistics.stages["newton"] > 0.0


def test_an_articulation_made_by_hand_without_a_mass_is_refused(tmp_path):
    boxes = hinged_boxes()
    boxes.scene.contact_tabular().default_model(0.0, 1e9, False)
    world = uipc.World(engine := Engine("cpu", tmp_path))
    world.init(boxes.scene)
    with pytest.raises(ArticulationError, match="it is all zero: does no animator callback write it"):
        world.advance()
    assert engine.cpu.statistics is None
