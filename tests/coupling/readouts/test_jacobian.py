"""Jacobians of links, for the robots and engines that all adapters share."""

from dataclasses import replace

import numpy as np
import pytest

from ipc_articulation import affine
from ipc_articulation.coupling.adapter import CoupledJoint, CoupledRobot
from ipc_articulation.coupling.readouts.jacobian import RobotTree, rigid_motions
from ipc_articulation.coupling.readouts.momentum import mass_matrices
from ipc_articulation.errors import ArticulationError
from tests.adapters.shared.engines import cases, side
from tests.adapters.shared.robots import DT, UNITS
from tests.coupling.readouts.chains import Chain


@pytest.mark.parametrize(("engine", "robot"), cases())
def test_the_inertia_of_the_links_is_that_of_the_joints(engine, robot):
    """Σ Jᵀ I J = M, which the engine gives with the damping of the joints, and for δθ of a step that begins at rest."""
    adapter = side(engine).make(replace(robot, speed=0.0))
    described, prediction = adapter.describe(), adapter.predict()
    q = affine.q_from_transform(prediction.link_poses)
    moved = np.einsum("nki,nkm->nim", rigid_motions(q), RobotTree(described).jacobian(q, q))  # ∂q/∂θ
    M = np.einsum("nim,nij,njk->mk", moved, mass_matrices(described.links), moved)
    damping = np.repeat([part.damping for part in robot.parts], [UNITS[part.kind] for part in robot.parts])
    np.testing.assert_allclose(M, prediction.mass - DT * np.diag(damping), atol=2e-3)


def test_links_that_carry_each_other_are_refused():
    described = Chain("revolute").describe()
    anchor, (first, second) = np.zeros(3), described.joints
    circle = CoupledRobot(described.links, (CoupledJoint("back", "revolute", 1, 0, anchor), second))
    with pytest.raises(ArticulationError, match="link 'one' is carried by joints that form a circle"):
        _ = RobotTree(circle).order
    assert RobotTree(CoupledRobot(described.links[::-1], (first, CoupledJoint("on", "fixed", 0, 1, anchor)))).order
