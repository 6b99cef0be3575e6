"""Random trees beside MuJoCo.

It gives rotational velocities in other axes than we do, v = T qvel, with the inverse of the T of `conventions.MUJOCO`.
T is orthogonal: forces and accelerations are mapped by T too, and M = T M_mujoco Tᵀ, J = J_mujoco Tᵀ.
"""

import mujoco
import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import conventions as conv
from ipc_articulation.dynamics.reading.mujoco.mechanism import mechanism_from_mujoco
from tests.adapters.mujoco.models import mass_matrix
from tests.derivatives import relative_error
from tests.dynamics.random_mjcf import random_mjcf, random_state

TOLERANCE = 1e-10
TREES, STATES = 5, 100


class Twins:
    """The same tree and state here and there."""

    def __init__(self, tree, model, seed):
        self.mujoco, self.model, self.data = tree, model, mujoco.MjData(tree)
        self.data.qpos[:], self.data.qvel[:] = random_state(self.mujoco, seed)
        rng = np.random.default_rng(seed)
        self.data.qfrc_applied[:] = rng.normal(size=self.mujoco.nv)
        self.data.xfrc_applied[1:] = rng.normal(size=(self.mujoco.nbody - 1, 6))
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


@pytest.fixture(scope="module", params=range(TREES))
def twins(request):
    """Many states of one tree."""
    tree = mujoco.MjModel.from_xml_string(random_mjcf(request.param))
    tree.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model = mechanism_from_mujoco(tree).build()
    return [Twins(tree, model, seed) for seed in range(STATES)]


def test_velocities_lead_to_the_same_positions(twins):
    for twin in twins:
        qpos = twin.q.copy()
        mujoco.mj_integratePos(twin.mujoco, qpos, twin.data.qvel, 0.7)
        np.testing.assert_allclose(dyn.integrate(twin.model, twin.q, twin.v, 0.7), qpos, atol=1e-13)


def test_mass_matrix(twins):
    for twin in twins:
        M = twin.T @ mass_matrix(twin.mujoco, twin.data) @ twin.T.T
        assert relative_error(dyn.mass_matrix(twin.model, twin.q), M) < TOLERANCE


def test_bias_forces(twins):
    for twin in twins:
        h = twin.ours(twin.data.qfrc_bias)
        assert relative_error(dyn.bias_forces(twin.model, twin.q, twin.v), h) < TOLERANCE


def test_forward_dynamics(twins):
    """Springs and dampers of MuJoCo's are handed over as forces."""
    for twin in twins:
        force = twin.ours(twin.data.qfrc_applied + twin.data.qfrc_passive)
        a = dyn.forward_dynamics(twin.model, twin.q, twin.v, force, twin.wrenches())
        assert relative_error(a, twin.ours(twin.data.qacc_smooth)) < TOLERANCE


def test_inverse_dynamics(twins):
    for twin in twins:
        data = twin.data
        a = np.random.default_rng(1).normal(size=twin.mujoco.nv)
        data.qacc[:] = a
        mujoco.mj_inverse(twin.mujoco, data)
        tau = dyn.inverse_dynamics(twin.model, twin.q, twin.v, twin.ours(a))
        assert relative_error(tau, twin.ours(data.qfrc_inverse + data.qfrc_passive)) < TOLERANCE


def test_jacobians_of_points(twins):
    for twin in twins:
        point = np.array([0.3, -0.2, 0.5])
        for b in range(1, twin.mujoco.nbody):
            J = np.zeros((6, twin.mujoco.nv))
            x = twin.data.xmat[b].reshape(3, 3) @ point + twin.data.xpos[b]
            mujoco.mj_jac(twin.mujoco, twin.data, J[3:], J[:3], x, b)
            ours = dyn.jacobian(twin.model, twin.q, twin.mujoco.body(b).name, point)
            np.testing.assert_allclose(ours, J @ twin.T.T, atol=TOLERANCE)


def test_jacobians_of_sites(twins):
    for twin in twins:
        for s in range(twin.mujoco.nsite):
            J = np.zeros((6, twin.mujoco.nv))
            mujoco.mj_jacSite(twin.mujoco, twin.data, J[3:], J[:3], s)
            ours = dyn.jacobian(twin.model, twin.q, twin.mujoco.site(s).name)
            np.testing.assert_allclose(ours, J @ twin.T.T, atol=TOLERANCE)


def test_energies(twins):
    """MuJoCo counts the weight of what is fixed to the world, and springs."""
    for twin in twins:
        fixed = twin.mujoco.body_weldid == 0
        heights = -twin.data.xipos @ twin.mujoco.opt.gravity
        potential, kinetic = twin.data.energy
        ours = dyn.potential_energy(twin.model, twin.q) + dyn.spring_energy(twin.model, twin.q)
        assert ours == pytest.approx(potential - twin.mujoco.body_mass[fixed] @ heights[fixed], rel=TOLERANCE)
        assert dyn.kinetic_energy(twin.model, twin.q, twin.v) == pytest.approx(kinetic, rel=TOLERANCE)
