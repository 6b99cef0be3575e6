"""What contact does to a robot: the static force of an actuator against a wall, and what a bare M makes of it."""

from dataclasses import replace

import numpy as np
import pytest
from ipc_articulation.adapters.mujoco import MujocoAdapter

from tests.adapters.mujoco.driven import run_text
from tests.adapters.mujoco.models import mass_matrix

KP, TARGET, D_HAT = 200.0, 1.2, 2e-3

ARM_AND_WALL = """<mujoco>
  <option timestep="0.01" integrator="{integrator}"/>
  <worldbody>
    <geom name="wall" type="box" size="0.05 0.05 0.5" pos="0.3 0.4 0"/>
    <body name="arm"><joint name="hinge" axis="0 0 1" damping="2" armature="0.01"/>
      <geom type="box" size="0.25 0.03 0.03" pos="0.25 0 0" mass="1"/></body>
  </worldbody>
  <actuator><position joint="hinge" kp="200" kv="10"/></actuator>
</mujoco>"""


class BareMass(MujocoAdapter):
    """What other couplings do: the joint-space inertia without damping and gains."""

    def predict(self):
        M = mass_matrix(self.model, self._steps.scratch)
        return replace(super().predict(), mass=M)


def push(folder, integrator, adapter=MujocoAdapter):
    """Press on the wall until all is at rest; returns the run."""
    run = run_text(ARM_AND_WALL.format(integrator=integrator), folder, adapter=adapter, d_hat=D_HAT)
    run.data.ctrl[:] = TARGET
    run.step(150)
    assert abs(run.data.qvel[0]) < 1e-4
    return run


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_static_force_is_gain_times_position_error(integrator, tmp_path):
    run = push(tmp_path, integrator)
    assert 0.0 < run.coupling.minimum_distance < D_HAT
    force = KP * (run.data.qpos[0] - TARGET)
    assert force < -50.0  # the wall pushes back, against the actuator
    np.testing.assert_allclose(run.coupling.contact_force, [force], rtol=1e-3)


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_bare_mass_is_too_light_against_the_wall(integrator, tmp_path):
    run = push(tmp_path, integrator, BareMass)
    force = KP * (run.data.qpos[0] - TARGET)
    assert abs(run.coupling.contact_force[0]) < 0.9 * abs(force)


def test_force_vanishes_when_the_arm_lets_go(tmp_path):
    run = push(tmp_path, "implicitfast")
    run.data.ctrl[:] = 0.0
    run.step(100)
    np.testing.assert_allclose(run.data.qpos, 0.0, atol=1e-2)
    assert abs(run.coupling.contact_force[0]) < 1e-3


def test_drift_stays_far_below_the_barrier(tmp_path):
    run = push(tmp_path, "implicitfast")
    assert run.coupling.drift.max() < 0.01 * D_HAT
