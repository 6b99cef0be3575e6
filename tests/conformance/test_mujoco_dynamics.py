"""Random trees beside MuJoCo.

It gives rotational velocities in other axes than we do, v = T qvel, with the inverse of the T of `conventions.MUJOCO`.
T is orthogonal: forces and accelerations are mapped by T too, and M = T M_mujoco Tᵀ, J = J_mujoco Tᵀ.
"""

import mujoco
import numpy as np
import pytest
from ipc_articulation.adapters.mujoco.to_mechanism import mechanism_from_mujoco

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import conventions as conv
from tests.adapters.mujoco.models import mass_matrix
from tests.derivatives import relative_error
from tests.dynamics.random_mjcf import random_mjcf, random_state

TOLERANCE = 1e-10
SEEDS = range(5)


class Twins:
    """The same tree and state here and there."""

    def __init__(self, seed):
        self.mujoco = mujoco.MjModel.from_xml_string(random_mjcf(seed))
        self.model = mechanism_from_mujoco(self.mujoco).build()
        self.data = mujoco.MjData(self.mujoco)
        self.data.qpos[:], self.data.qvel[:] = random_state(self.mujoco, 100 + seed)
        rng = np.random.default_rng(seed)
        self.data.qfrc_applied[:] = rng.normal(size=self.mujoco.nv)
        self.data.xfrc_applied[1:] = rng.normal(size=(self.mujoco.nbody - 1, 6))
        self.mujoco.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        mujoco.mj_forward(self.mujoco, self.data)
        self.q = self.data.qpos.copy()
        self.v = conv.velocity_from(conv.MUJOCO, self.model, self.q, self.data.qvel)
        self.T = conv.velocity_map(conv.MUJOCO, self.model, self.q, self.v).T.T

    def ours(self, vector):
        """A force or an acceleration."""
        return self.T @ vector

    def wrenches(self):
        """Forces on bodies at their centres, as wrenches about the world's origin on ours, (nb, 6)."""
        total = np.zeros((len(self.model.bodies), 6))
        for b in range(1, self.mujoco.nbody):
            force, moment = self.data.xfrc_applied[b].reshape(2, 3)
            index = self.model.body(self.mujoco.body(b).name)
            total[index] += [*(moment + np.cross(self.data.xipos[b], force)), *force]
        return total


@pytest.fixture(scope="module", params=SEEDS)
def twins(request):
    return Twins(request.param)


def test_velocities_lead_to_the_same_positions(twins):
    qpos = twins.q.copy()
    mujoco.mj_integratePos(twins.mujoco, qpos, twins.data.qvel, 0.7)
    np.testing.assert_allclose(dyn.integrate(twins.model, twins.q, twins.v, 0.7), qpos, atol=1e-13)


def test_mass_matrix(twins):
    M = twins.T @ mass_matrix(twins.mujoco, twins.data) @ twins.T.T
    assert relative_error(dyn.mass_matrix(twins.model, twins.q), M) < TOLERANCE


def test_bias_forces(twins):
    h = twins.ours(twins.data.qfrc_bias)
    assert relative_error(dyn.bias_forces(twins.model, twins.q, twins.v), h) < TOLERANCE


def test_forward_dynamics(twins):
    """Springs and dampers of MuJoCo's are handed over as forces."""
    force = twins.ours(twins.data.qfrc_applied + twins.data.qfrc_passive)
    a = dyn.forward_dynamics(twins.model, twins.q, twins.v, force, twins.wrenches())
    assert relative_error(a, twins.ours(twins.data.qacc_smooth)) < TOLERANCE


def test_inverse_dynamics(twins):
    data = twins.data
    a = np.random.default_rng(1).normal(size=twins.mujoco.nv)
    data.qacc[:] = a
    mujoco.mj_inverse(twins.mujoco, data)
    tau = dyn.inverse_dynamics(twins.model, twins.q, twins.v, twins.ours(a))
    assert relative_error(tau, twins.ours(data.qfrc_inverse + data.qfrc_passive)) < TOLERANCE


def test_jacobians_of_points(twins):
    point = np.array([0.3, -0.2, 0.5])
    for b in range(1, twins.mujoco.nbody):
        J = np.zeros((6, twins.mujoco.nv))
        x = twins.data.xmat[b].reshape(3, 3) @ point + twins.data.xpos[b]
        mujoco.mj_jac(twins.mujoco, twins.data, J[3:], J[:3], x, b)
        ours = dyn.jacobian(twins.model, twins.q, twins.mujoco.body(b).name, point)
        np.testing.assert_allclose(ours, J @ twins.T.T, atol=TOLERANCE)


def test_jacobians_of_sites(twins):
    for s in range(twins.mujoco.nsite):
        J = np.zeros((6, twins.mujoco.nv))
        mujoco.mj_jacSite(twins.mujoco, twins.data, J[3:], J[:3], s)
        ours = dyn.jacobian(twins.model, twins.q, twins.mujoco.site(s).name)
        np.testing.assert_allclose(ours, J @ twins.T.T, atol=TOLERANCE)


def test_energies(twins):
    """MuJoCo counts the weight of what is fixed to the world, and springs."""
    fixed = twins.mujoco.body_weldid == 0
    heights = -twins.data.xipos @ twins.mujoco.opt.gravity
    potential, kinetic = twins.data.energy
    ours = dyn.potential_energy(twins.model, twins.q) + dyn.spring_energy(twins.model, twins.q)
    assert ours == pytest.approx(potential - twins.mujoco.body_mass[fixed] @ heights[fixed], rel=TOLERANCE)
    assert dyn.kinetic_energy(twins.model, twins.q, twins.v) == pytest.approx(kinetic, rel=TOLERANCE)
