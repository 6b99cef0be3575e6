import numpy as np
import pytest

from ipc_articulation.coupling.adapter import CoupledJoint
from ipc_articulation.coupling.stiffness import AXIS_LENGTH, Stiffness, choose_stiffness, inertia_scale
from tests.coupling.worlds import Turntable


def joint(kind):
    return CoupledJoint("j", kind, -1, 0, np.zeros(3), np.array([0.0, 0.0, 1.0]))


def test_scale_is_the_largest_inertia_and_masses_count_by_the_square_of_the_size():
    mass = np.array([[2.0, 1.0], [1.0, 5.0]])
    assert inertia_scale(mass, [joint("revolute"), joint("revolute")], 0.5) == 5.0
    assert inertia_scale(mass, [joint("revolute"), joint("prismatic")], 0.5) == 2.0
    assert inertia_scale(np.zeros((0, 0)), [], 0.5) == 0.0


def test_strain_and_joint_turn_are_the_wanted_share_of_joint_motion():
    """Force balances of the module's docstring, taken from the energies themselves."""
    scale, dt, ratio, motion = 3.0, 0.01, 1e3, 1e-2
    torque = scale * motion
    volume, masses, h = 2e-3, 7.0, 1e-7
    stiffness = Stiffness(scale, dt, ratio)
    kappa, gamma = stiffness.link_kappa(volume), stiffness.joint_strength(masses)

    def shape(strain):
        A = (1.0 + strain) * np.diag([1.0, 0.0, 0.0]) + np.diag([0.0, 1.0, 1.0])
        return dt**2 * volume * kappa * np.sum((A @ A.T - np.eye(3)) ** 2)

    def penalty(angle):
        gap = 0.5 * AXIS_LENGTH * np.sin(angle)
        return 0.5 * gamma * masses * 2.0 * gap**2

    for energy in (shape, penalty):
        error = motion / ratio
        assert (energy(error + h) - energy(error - h)) / (2 * h) == pytest.approx(torque, rel=1e-3)


def test_stiffness_of_a_mechanism():
    table = Turntable()
    assert choose_stiffness(table.describe(), np.array([[2.0]]), 0.01) == Stiffness(2.0, 0.01, 1e3)
