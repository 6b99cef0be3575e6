"""Robots with loops in the scene: contact on any bar reaches the joint that drives it."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.frontend.worlds import ENGINES
from tests.adapters.native.linkages import (
    DT,
    KP,
    PIN,
    driven,
    linkage_adapter,
    press,
    press_model,
    surface_forces,
)
from tests.adapters.native.mechanisms import Run

TARGET, D_HAT = 1.4, 2e-3


class Pressed:
    """The press run until all is at rest; the smallest distance and the largest gap at the pin on the way."""

    def __init__(self, folder) -> None:
        self.run = Run(press(press_model(), TARGET), folder, D_HAT)
        distances, gaps = [], []
        for _ in range(160):
            self.run.step()
            distances.append(self.run.coupling.minimum_distance)
            gaps.append(pin_gap(self.run))
        self.nearest, self.gap = min(distances), max(gaps)
        self.adapter, self.coupling = self.run.adapter, self.run.coupling


def pin_gap(run: Run) -> float:
    """How far coupler and rocker are apart at their pin in the scene [m]."""
    poses = dict(zip(run.coupling.link_names, run.coupling.body_poses, strict=False))
    first, second = (
        poses[name] @ np.r_[at, 1.0] for name, at in ((PIN.first, PIN.on_first), (PIN.second, PIN.on_second))
    )
    return float(np.linalg.norm(first - second))


@pytest.fixture(scope="module")
def pressed(tmp_path_factory) -> Pressed:
    return Pressed(tmp_path_factory.mktemp("press"))


def rate(adapter, height) -> float:
    """∂/∂θ of a function of spanning positions q and links' poses, the crank moved and the loop closed."""
    ends = []
    for step in (-1e-5, 1e-5):
        moved = linkage_adapter(adapter.model)
        moved.q = dyn.integrate(adapter.model, adapter.q, [step])
        ends.append(height(moved))
    return (ends[1] - ends[0]) / 2e-5


def pressing_point(coupling) -> np.ndarray:
    """The vertex of the coupler that is nearest to the wall, in its frame."""
    k = coupling.link_names.index("coupler")
    vertices, pose = coupling.robot.links[k].mesh.vertices, coupling.adapter.link_poses()[k]
    return vertices[(vertices @ pose[0, :3]).argmax()]


@pytest.mark.slow
def test_nothing_interpenetrates_and_the_loop_stays_closed(pressed):
    assert 0.0 < pressed.nearest < 0.5 * D_HAT
    assert pressed.gap < 1e-7
    assert np.abs(pressed.adapter.model.loops[0].constraint.phi(pressed.adapter.q)).max() < 1e-11
    assert pressed.coupling.drift.max() < 0.02 * D_HAT


def test_force_on_the_driven_joint_is_the_walls_by_virtual_work(pressed):
    """τ_c = -F ∂x/∂θ, with F what the wall's barrier says and x the pressing point along the wall's normal."""
    forces = surface_forces(ENGINES[pressed.run.world].cpu)
    np.testing.assert_allclose(forces["wall"][0], -forces["coupler"][0], rtol=1e-4)
    point = pressing_point(pressed.coupling)
    dx = rate(pressed.adapter, lambda moved: (moved.link_poses()[2] @ np.r_[point, 1.0])[0])
    assert forces["wall"][0] > 150.0
    np.testing.assert_allclose(pressed.coupling.contact_force, [-forces["wall"][0] * dx], rtol=2e-3)


def test_force_on_the_driven_joint_balances_drive_and_gravity(pressed):
    adapter = pressed.adapter
    gravity = rate(adapter, lambda moved: dyn.potential_energy(moved.model, moved.q))
    drive = KP * (TARGET - adapter.theta()[0])
    assert abs(gravity) > 1e-3 * drive  # ten times the tolerance
    np.testing.assert_allclose(pressed.coupling.contact_force, [gravity - drive], rtol=1e-4)


@pytest.mark.slow
def test_the_same_run_gives_the_same_bits(pressed, tmp_path):
    again = Pressed(tmp_path)
    np.testing.assert_array_equal(again.adapter.q, pressed.adapter.q)
    np.testing.assert_array_equal(again.coupling.contact_force, pressed.coupling.contact_force)


@pytest.mark.parametrize("independent", [0, 1])
def test_motion_without_contact_is_the_engines_own(independent, tmp_path):
    """A geared flap swings beside; its rotor is not in the scene, but moves with it."""
    robot = press_model(rotor=True, independent=independent)
    adapter = linkage_adapter(robot)
    adapter.drive = driven(robot, 1.3)
    x, y_dot = adapter.q, adapter.v
    for _ in range(60):
        step = dyn.implicit(robot, x, y_dot, DT, adapter.drive)
        x, y_dot = step.q, step.v
    run = Run(adapter, tmp_path)
    run.step(60)
    assert run.coupling.link_names == ("crank", "rocker", "coupler", "flap")
    assert np.abs(adapter.q - linkage_adapter(robot).q).max() > 0.3
    np.testing.assert_allclose(adapter.q, x, rtol=0, atol=1e-8)
    np.testing.assert_allclose(adapter.v, y_dot, rtol=0, atol=1e-6)
    assert np.abs(run.coupling.contact_force).max() < 1e-3
    assert pin_gap(run) < 1e-7
