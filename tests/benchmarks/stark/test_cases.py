"""The scenes of `benchmarks.stark`: the text for STARK has the numbers of the libuipc scene."""

import numpy as np
import pytest
import uipc

from benchmarks import box_scenes
from benchmarks.stark.cases import STEPS, Case, cases, converging
from benchmarks.stark.running import WARM_UP, run_ours

CASES = {case.name: case for case in cases(quick=False)}


def lines(case, keyword):
    """The numbers of each line with a keyword."""
    found = [line.split() for line in case.text.splitlines()]
    return np.array([[float(number) for number in words[1:]] for words in found if words[0] == keyword])


def test_bodies_have_the_mass_inertia_and_pose_of_ours():
    case = CASES["tumbled/10"]
    (inertia,) = lines(case, "inertia")
    assert inertia[0] == pytest.approx(8.0)
    np.testing.assert_allclose(inertia[1:].reshape(3, 3), np.eye(3) * 8.0 * 0.2**2 / 6.0, rtol=1e-12, atol=1e-15)
    poses, expected = lines(case, "body"), box_scenes.tumbled(10)
    np.testing.assert_array_equal(poses[:, 0], 0.0)
    np.testing.assert_array_equal(poses[:, 1:4], expected[:, :3, 3])
    np.testing.assert_array_equal(poses[:, 4:].reshape(-1, 3, 3), expected[:, :3, :3])


def test_the_chain_has_eight_moving_boxes_and_a_hinge_between_each_two():
    case = CASES["chain/8"]
    bodies, hinges = lines(case, "body"), lines(case, "hinge")
    assert bodies[:, 0].tolist() == [1.0] + [0.0] * 8
    np.testing.assert_array_equal(hinges[:, :2], [[i, i + 1] for i in range(8)])
    np.testing.assert_allclose(hinges[:, 2], 0.5 * (bodies[1:, 1] + bodies[:-1, 1]))
    assert [slot.geometry().instances().size() for slot in geometries(case.make(), "bodies")] == [9]


def geometries(scene, name):
    (found,) = scene.objects().find(name)
    return [scene.geometries().find(number)[0] for number in found.geometries().ids()]


def test_scenes_of_the_comparison_must_converge():
    scene = converging(box_scenes.free_box())
    wanted = {"newton/velocity_tol": 1e-3, "newton/transrate_tol": 1e-3, "newton/semi_implicit/enable": 0}
    assert {key: uipc.view(scene.config().find(key))[0] for key in wanted} == wanted


def test_a_run_has_the_steps_that_count():
    run = run_ours(CASES["free box"], 1)
    assert len(run.milliseconds) == len(run.iterations) == STEPS - WARM_UP
    fallen = 9.81 * 0.01**2 * STEPS * (STEPS + 1) / 2  # of backward Euler
    assert run.height == pytest.approx(0.15 - fallen, abs=1e-9)


def test_a_step_that_does_not_converge_is_an_error():
    def hasty():
        scene = CASES["tumbled/10"].make()
        uipc.view(scene.config().find("newton/max_iter"))[:] = 1
        return scene

    with pytest.raises(RuntimeError, match="step 1 of hasty did not converge: max iterations"):
        run_ours(Case("hasty", hasty, ""), 1)
