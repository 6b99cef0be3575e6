"""One step in which a corner of a box hits a plate, slides over it and turns it."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ipc_articulation.contact.materials import BY_LOAD
from ipc_articulation.engine.newton.newton_report import NewtonResult
from tests.engine.scenes import BoxScene, translation, twist_rate

PLATE, SIDE, D_HAT = (1.0, 0.6, 0.05), 0.2, 0.001


def hit(workspace, velocity, spin, resistance=1e9, semi_implicit=0):
    """The scene after the step; velocity [m/s] and spin [rad/s] of the box."""
    scene = BoxScene(
        workspace,
        gravity=(0, 0, 0),
        friction=0.0,
        resistance=resistance,
        contact__d_hat=D_HAT,
        newton__semi_implicit__enable=semi_implicit,
    )
    scene.add_box(np.eye(4), PLATE)
    T = translation(0.2, 0.1, 0.0)
    T[:3, :3] = Rotation.from_euler("xy", [0.7, 0.6]).as_matrix()
    T[2, 3] = 0.5 * (PLATE[2] + D_HAT + SIDE * np.abs(T[2, :3]).sum())
    scene.add_box(T, (SIDE,) * 3, velocity=twist_rate(T, velocity, spin))
    return scene.start().run()


@pytest.mark.parametrize(("velocity", "spin"), [((-5, -5, -3), (0, 10, 0)), ((10, 0, -3), (0, -10, 0))])
@pytest.mark.parametrize(("resistance", "most"), [(BY_LOAD, 40), (1e9, 40), (1e6, 100)])
def test_a_corner_that_slides_over_a_turning_plate_takes_few_iterations(tmp_path, velocity, spin, resistance, most):
    """Each step that opens the gap turns the plate into it; their number hangs on rounding, 29 to 61 with 1e6 Pa."""
    report = hit(tmp_path, velocity, spin, resistance).engine.statistics.newton
    assert report.result is NewtonResult.CONVERGED
    assert report.iterations < most


@pytest.mark.parametrize("resistance", [1e8, 1e7])
def test_boxes_that_fall_on_each_other_converge_with_a_resistance_that_is_too_small(tmp_path, resistance):
    """Gaps of three boxes at once are pressed to a millionth of d̂ while the boxes turn."""
    scene, rng = BoxScene(tmp_path, friction=0.4, resistance=resistance, contact__d_hat=D_HAT), np.random.default_rng(0)
    scene.add_box(np.eye(4), (2.0, 2.0, 0.1), is_fixed=True)
    for k in range(3):
        T = translation(*rng.uniform(-0.1, 0.1, 2), 0.3 + 0.35 * k)
        T[:3, :3] = Rotation.random(random_state=k).as_matrix()
        falling, spin = (0, 0, -rng.uniform(2, 6)), 3 * rng.normal(size=3)
        scene.add_box(T, (SIDE,) * 3, velocity=twist_rate(T, falling, spin))
    scene.start()
    for _ in range(60):
        report = scene.run().engine.statistics.newton
        assert report.result.is_success
        assert report.iterations < 200


@pytest.mark.parametrize(("velocity", "spin"), [((0, 0, -10), (0, 0, 0)), ((3, 3, -8), (0, 3, 0))])
def test_what_ends_early_has_its_forces_almost_in_balance(tmp_path, velocity, spin):
    """The velocities after the hit are those of a step that converges, to a fiftieth of the box's."""
    early, converged = (hit(tmp_path / name, velocity, spin, semi_implicit=on) for on, name in ((1, "on"), (0, "off")))
    assert early.engine.statistics.result.is_success
    assert converged.engine.statistics.result is NewtonResult.CONVERGED
    np.testing.assert_allclose(early.qdot, converged.qdot, atol=0.02 * np.linalg.norm(velocity))
