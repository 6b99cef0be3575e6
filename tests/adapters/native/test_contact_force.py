"""What contact does to a robot of our own dynamics: at rest against a wall it takes what the drive asks for."""

from dataclasses import replace

import numpy as np
import pytest
from ipc_articulation.adapters.native import NativeAdapter

from ipc_articulation.dynamics import mass_matrix
from ipc_articulation.dynamics.integrators import PD, Drive, Scheme
from tests.adapters.native.mechanisms import Run, block, ram

KP, TARGET, D_HAT = 2000.0, 0.3, 2e-3


class BareMass(NativeAdapter):
    """Hands over the joint-space inertia without damping and gains."""

    def predict(self):
        return replace(super().predict(), mass=mass_matrix(self.model, self.q))


def press(folder, scheme=Scheme.FULL, adapter=NativeAdapter, limit: float = np.inf) -> Run:
    """A ram presses on a wall that stands 1 cm away, until all is at rest."""
    mechanism = ram()
    mechanism.joints[0].effort = limit
    model = mechanism.build()
    pressing = adapter(model, 0.01, scheme=scheme, static=[block("wall", 0.21)])
    pressing.drive = Drive(pd=PD.to(model, TARGET, KP, 100.0))
    run = Run(pressing, folder, D_HAT)
    run.step(200)
    assert abs(pressing.v[0]) < 1e-5
    assert 0.0 < run.coupling.minimum_distance < D_HAT
    return run


@pytest.mark.parametrize("scheme", Scheme)
def test_static_force_is_gain_times_position_error(scheme, tmp_path):
    run = press(tmp_path, scheme)
    force = KP * (run.adapter.q[0] - TARGET)
    assert force < -500.0  # the wall pushes back, against the drive
    np.testing.assert_allclose(run.coupling.contact_force, [force], rtol=1e-5)
    assert run.coupling.drift.max() < 0.02 * D_HAT


@pytest.mark.slow
def test_static_force_is_at_most_the_effort_limit(tmp_path):
    np.testing.assert_allclose(press(tmp_path, limit=80.0).coupling.contact_force, [-80.0], rtol=1e-5)


@pytest.mark.slow
def test_bare_mass_is_too_light_against_the_wall(tmp_path):
    run = press(tmp_path, adapter=BareMass)
    force = KP * (run.adapter.q[0] - TARGET)
    assert abs(run.coupling.contact_force[0]) < 0.9 * abs(force)


@pytest.mark.slow
def test_force_vanishes_when_the_ram_lets_go(tmp_path):
    run = press(tmp_path)
    run.adapter.drive = Drive(pd=PD.to(run.adapter.model, -0.05, KP, 100.0))
    run.step(100)
    np.testing.assert_allclose(run.adapter.q, -0.05, atol=1e-4)
    assert abs(run.coupling.contact_force[0]) < 1e-3
