"""arboris-python: its documentation of joints as written, and the arm of its own tests."""

import doctest
import json
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation import spatial
from ipc_articulation.dynamics import (
    Mechanism,
    coriolis_forces,
    frame_poses,
    frame_velocities,
    jacobian,
    jacobian_rate,
    joints,
    mass_matrix,
)
from tests.dynamics.by_hand import assert_near
from tests.dynamics.random_trees import random_mechanism, random_states

# «Rigid mechanisms»; the first line imports our joints, and was `from arboris.all import *`.
DOCUMENTATION = """
>>> from numpy import dot; from ipc_articulation.dynamics import joints
>>> j = joints.RzJoint(gpos = 3.14/3, gvel = 2.)
>>> j.ndof
1
>>> j.gpos
array([ 1.04666667])
>>> j.gvel
array([ 2.])
>>> j.pose
array([[ 0.50045969, -0.86575984,  0.        ,  0.        ],
       [ 0.86575984,  0.50045969,  0.        ,  0.        ],
       [ 0.        ,  0.        ,  1.        ,  0.        ],
       [ 0.        ,  0.        ,  0.        ,  1.        ]])
>>> j.ipose
array([[ 0.50045969,  0.86575984,  0.        ,  0.        ],
       [-0.86575984,  0.50045969,  0.        ,  0.        ],
       [ 0.        ,  0.        ,  1.        ,  0.        ],
       [ 0.        ,  0.        ,  0.        ,  1.        ]])
>>> j.twist
array([ 0.,  0.,  2.,  0.,  0.,  0.])
>>> j.itwist
array([-0., -0., -2., -0., -0., -0.])
>>> j.jacobian
array([[ 0.],
       [ 0.],
       [ 1.],
       [ 0.],
       [ 0.],
       [ 0.]])
>>> all(j.twist == dot(j.jacobian, j.gvel))
True
"""


def test_documentation_as_written():
    """To the last digit and zero's sign, as numpy printed arrays then."""
    examples = doctest.DocTestParser().get_doctest(DOCUMENTATION, {}, "rigid_mechanisms", __file__, None)
    said = []
    with np.printoptions(legacy="1.13"):
        results = doctest.DocTestRunner(verbose=False).run(examples, out=said.append)
    assert results == (0, 11), "".join(said)


ARM = json.loads(Path(__file__).parents[1].joinpath("reference", "arboris_values.json").read_text())["simplearm"]
DIGITS = 5e-9  # arboris' numbers are given to eight decimals


@pytest.fixture(scope="module")
def arm():
    """Boxes along y, the first on the world, each on a hinge about z at the end of the one before."""
    mechanism = Mechanism("simplearm", gravity=(0.0, 0.0, 0.0))
    parent, end = "world", 0.0
    rows = zip(("arm", "forearm", "hand"), ARM["lengths"], ARM["masses"], ARM["half_extents"], strict=True)
    for name, length, mass, half in rows:
        x, y, z = np.square(half)
        mechanism.add_link(name, mass, (0.0, length / 2.0, 0.0), mass / 3.0 * np.array([y + z, z + x, x + y]))
        mechanism.add_joint(name, joints.RzJoint(), parent, name, origin=spatial.pose(p=(0.0, end, 0.0)))
        parent, end = name, length
    return mechanism.build()


def nonlinear_effects(model, q, v):
    """arboris' N = Σ Jᵀ (M_b dJ/dt + N_b J), N_b = [ω~, c~ ω~ - ω~ c~; 0, ω~] M_b, all in the bodies' axes."""
    N = np.zeros((model.nv, model.nv))
    for body in model.bodies:
        R = frame_poses(model, q, [body.name])[0, :3, :3]
        omega = spatial.skew(R.T @ frame_velocities(model, q, v, [body.name])[0, :3])
        to_body, turning = np.kron(np.eye(2), R.T), np.kron(np.eye(2), omega)
        J = to_body @ jacobian(model, q, body.name)
        J_rate = to_body @ jacobian_rate(model, q, v, body.name) - turning @ J
        c, M_b = spatial.skew(body.centre), spatial.spatial_inertia(body.mass, body.centre, body.inertia)
        N_b = np.block([[omega, c @ omega - omega @ c], [np.zeros((3, 3)), omega]]) @ M_b
        N += J.T @ (M_b @ J_rate + N_b @ J)
    return N


def test_mass_matrix_of_the_arm(arm):
    np.testing.assert_allclose(mass_matrix(arm, ARM["q"]), ARM["M"], atol=DIGITS, rtol=0.0)


def test_nonlinear_effects_of_the_arm(arm):
    np.testing.assert_allclose(nonlinear_effects(arm, ARM["q"], ARM["nu"]), ARM["N"], atol=DIGITS, rtol=0.0)
    forces = np.array(ARM["N"]) @ ARM["nu"]
    np.testing.assert_allclose(
        coriolis_forces(arm, ARM["q"], ARM["nu"]), forces, atol=DIGITS * np.abs(ARM["nu"]).sum(), rtol=0.0
    )


@pytest.mark.parametrize("seed", range(3))
def test_nonlinear_effects_of_random_trees(seed):
    model = random_mechanism(seed, floating=False).build()
    q, v, *_ = random_states(model, seed)
    assert_near(coriolis_forces(model, q, v), nonlinear_effects(model, q, v) @ v)


def test_twist_and_place_of_the_hand(arm):
    """The hand's origin is the wrist; its twist [ω; v] is in its own axes."""
    H = frame_poses(arm, ARM["q"], ["hand"])[0]
    velocity = frame_velocities(arm, ARM["q"], ARM["nu"], ["hand"])[0]
    twist = (velocity.reshape(2, 3) @ H[:3, :3]).ravel()
    np.testing.assert_allclose(twist, ARM["hand_twist"], atol=DIGITS, rtol=0.0)
    np.testing.assert_allclose(H[:3, 3], ARM["hand_position"], atol=DIGITS, rtol=0.0)
