"""The same scenes on both engines: what moves freely agrees to 1e-6, gaps at rest to 5 % of d̂."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from uipc import view
from uipc.constitution import AffineBodyRevoluteJoint

from ipc_articulation import affine
from ipc_articulation.engine.engine import has_gpu
from tests.conformance.cuda_differences import BARRIER, SOLID
from tests.conformance.libuipc.case_scene import CaseScene, turned
from tests.conformance.libuipc.contact import cube
from tests.conformance.libuipc.driven_joints import articulated, reference_follows
from tests.conformance.libuipc.linked_boxes import ARM, ASIDE, Z_AXIS, joined, two_boxes
from tests.conformance.libuipc_fem.soft_scene import (
    SoftBodies,
    chain,
    marked,
    membrane,
    rope,
    rubber,
    sheet,
    tetrahedron,
)
from tests.engine.scenes import translation, twist_rate

pytestmark = pytest.mark.gpu

D_HAT = 0.01
ALIKE = 1e-6  # [m] of what nothing touches, and of the columns of its transforms
UNLIKE = pytest.mark.xfail(reason=SOLID, strict=True)
RESTING = 0.05 * D_HAT  # [m]
PRECISE = {
    "newton__velocity_tol": 1e-7,
    "newton__transrate_tol": 1e-7,
    "newton__semi_implicit__enable": 0,
    "linear_system__tol_rate": 1e-8,  # of CUDA's conjugate gradients
}


@pytest.fixture
def run_both(tmp_path):
    """A function that builds a scene for each engine, runs some steps and returns both."""
    if not has_gpu():
        pytest.skip("no NVIDIA GPU")
    count = itertools.count()

    def run(build, steps, **settings):
        found = []
        for engine in ("cpu", "cuda"):
            scene = CaseScene(engine, tmp_path / str(next(count)), **{**PRECISE, **settings})
            read = build(scene)
            found.append(read(scene.start().run(steps)))
        return found

    return run


def require_alike(found, tolerance):
    """Both results are alike; prints how much they differ."""
    ours, theirs = (np.asarray(each, dtype=float) for each in found)
    difference = float(np.abs(ours - theirs).max())
    print(f"differ by {difference:.3g} m")
    assert np.isfinite(theirs).all()
    assert difference < tolerance


def spinning_bricks(scene):
    for k, spin in enumerate(([3.0, 0.0, 0.0], [0.0, 2.0, 1.0], [1.0, -2.0, 4.0])):
        slot = scene.add_box(turned([0.1 * k, 0.2, 0.0], [k, 0.0, 0.0]), size=(0.1, 0.2, 0.4))
        view(slot.geometry().instances().find("velocity"))[0] = twist_rate(
            translation(k, 0, 0), linear=(0.1, 0.3, 2.0), angular=spin
        )
    return lambda s: s.q


def swinging_hinges(scene):
    """A chain of three boxes that swings under its weight."""
    bodies = [scene.add_box(translation(0.5 * k, 0, 0), kappa=1e9, is_fixed=int(k == 0)) for k in range(4)]
    axes = [np.array([[0.5 * k + 0.25, -0.3, 0], [0.5 * k + 0.25, 0.3, 0]]) for k in range(3)]
    joined(scene, AffineBodyRevoluteJoint(), axes, bodies[:-1], bodies[1:])
    return lambda s: s.q


def articulation_of_two_hinges(scene):
    first, second = two_boxes(scene), two_boxes(scene, (-ARM, 1, 0), (ARM, 1, 0))
    for slot in first + second:
        reference_follows(scene, slot)
    hinges = joined(
        scene, AffineBodyRevoluteJoint(), [Z_AXIS, Z_AXIS + ASIDE], [first[0], second[0]], [first[1], second[1]]
    )
    articulated(scene, [hinges, hinges], [0, 1], [[64.0, 8.0], [8.0, 32.0]], [0.01, -0.005])
    return lambda s: s.q


@pytest.mark.parametrize("build", [spinning_bricks, swinging_hinges, articulation_of_two_hinges])
def test_affine_bodies_that_nothing_touches_move_alike(run_both, build):
    require_alike(run_both(build, 60, contact__enable=0), ALIKE)


def soft(*meshes):
    def build(scene):
        bodies = SoftBodies(scene)
        for mesh, values in meshes:
            bodies.add(mesh(), **values)
        return lambda _: np.concatenate(bodies.x)

    return build


SOFT = {
    "solid": (lambda: rubber(tetrahedron()), {"is_fixed": marked(4, 0)}),
    "cloth": (lambda: membrane(sheet(4)), {"is_fixed": marked(25, 0, 4)}),
    "rope": (lambda: rope(chain(8)), {"is_fixed": marked(8, 0)}),
}


@pytest.mark.parametrize("name", [pytest.param("solid", marks=UNLIKE), "cloth", "rope"])
def test_soft_bodies_that_hang_freely_move_alike(run_both, name):
    require_alike(run_both(soft(SOFT[name]), 40, contact__enable=0), ALIKE)


def tower(scene):
    """Four cubes on the ground, each turned a little against the one below."""
    scene.add_ground()
    z = 0.008
    for k, side in enumerate((0.3, 0.25, 0.2, 0.15)):
        scene.add(cube(side), at=turned([0, 0, 0.1 * k], [0, 0, z + side / 2]))
        z += side + 0.0085
    sides = np.array([0.3, 0.25, 0.2, 0.15])
    return lambda s: np.diff(s.q[:, 2], prepend=0.0) - 0.5 * (sides + np.concatenate([[0.0], sides[:-1]]))


def soft_on_the_ground(scene):
    scene.add_ground()
    bodies = SoftBodies(scene)
    bodies.add(rubber(tetrahedron(0.3 * np.eye(4, 3)), young=1e6), at=(0, 0, 0.008))
    return lambda _: np.concatenate(bodies.x)[:, 2]


@pytest.mark.xfail(reason=BARRIER, strict=True)
@pytest.mark.parametrize("build", [tower, soft_on_the_ground])
def test_gaps_at_rest_agree(run_both, build):
    ours, theirs = run_both(build, 100)
    print(f"gaps or heights [m]: ours {ours}, CUDA's {theirs}")
    require_alike((ours, theirs), RESTING)


def test_what_slides_comes_to_rest_alike(run_both):
    """Friction: a plate stops on the ground after v²/(2 μ g) = 0.26 m, in both within 5 %."""

    def build(scene):
        scene.add_ground()
        slot = scene.add_box(translation(0, 0, 0.0347), size=(0.4, 0.4, 0.05))
        view(slot.geometry().instances().find("velocity"))[0] = twist_rate(np.eye(4), linear=(1.0, 0, 0))
        return lambda s: s.q[0, 0]

    ours, theirs = run_both(build, 80, friction=0.2)
    print(f"way [m]: ours {ours:.6f}, CUDA's {theirs:.6f}")
    assert [ours, theirs] == pytest.approx([1.0 / (2 * 0.2 * 9.8)] * 2, rel=0.05)


def test_free_fall_in_each_engine_is_the_same_parabola(run_both):
    def build(scene):
        scene.add_box(translation(0, 0, 10.0))
        return lambda s: s.q

    found = run_both(build, 100, contact__enable=0)
    require_alike(found, ALIKE)
    assert found[0][0, 2] == pytest.approx(10.0 - 9.8 * 0.01**2 * 100 * 101 / 2, abs=1e-9)
    np.testing.assert_allclose(affine.linear_part(found[1][0]), np.eye(3), atol=1e-9)
