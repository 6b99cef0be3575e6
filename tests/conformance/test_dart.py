"""A floating link, and on it a ball joint and a hinge, beside DART, with `conv.DART` between them."""

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation import spatial
from ipc_articulation.dynamics import conventions as conv
from ipc_articulation.dynamics import joints

dartpy = pytest.importorskip("dartpy")

PLACE, MASS, CENTRE, INERTIA = (0.3, 0.1, 0.2), 1.3, (0.1, 0.2, -0.3), (0.2, 0.3, 0.4)
KINDS = {"Free": joints.FloatingJoint(), "Ball": joints.SphericalJoint(), "Revolute": joints.RevoluteJoint((0, 0, 1))}


def test_energy_mass_and_bias_are_those_of_dart():
    mechanism, skeleton, parent, body = dyn.Mechanism("hanging"), dartpy.dynamics.Skeleton("hanging"), "world", None
    H = dartpy.math.Isometry3()
    H.set_translation(PLACE)
    for kind, joint in KINDS.items():
        mechanism.add_link(kind, MASS, CENTRE, INERTIA)
        mechanism.add_joint(f"to {kind}", joint, parent, kind, origin=spatial.pose(p=PLACE))
        placed, body = getattr(skeleton, f"create{kind}JointAndBodyNodePair")(body)
        placed.setTransformFromParentBodyNode(H)
        body.setInertia(dartpy.dynamics.Inertia(MASS, np.array(CENTRE), np.diag(INERTIA)))
        parent = kind
    model, rng = mechanism.build(), np.random.default_rng(3)
    q = dyn.integrate(model, model.neutral, rng.normal(size=model.nv))
    v = rng.normal(size=model.nv)
    skeleton.setGravity(model.gravity)
    skeleton.setPositions(conv.position_to(conv.DART, model, q))
    skeleton.setVelocities(conv.velocity_to(conv.DART, model, q, v))
    M, h = dyn.mass_matrix(model, q), dyn.bias_forces(model, q, v)
    assert skeleton.computeKineticEnergy() == pytest.approx(dyn.kinetic_energy(model, q, v), rel=1e-12)
    np.testing.assert_allclose(conv.mass_matrix_to(conv.DART, model, q, M), skeleton.getMassMatrix(), atol=1e-12)
    bias = conv.bias_to(conv.DART, model, q, v, M, h)
    np.testing.assert_allclose(bias, skeleton.getCoriolisAndGravityForces(), atol=1e-10)
