import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from ipc_articulation import spatial

RNG = np.random.default_rng(0)
ROTATIONS = Rotation.random(8, rng=RNG).as_matrix()
POSES = spatial.pose(ROTATIONS, RNG.normal(size=(8, 3)))
TWISTS = RNG.normal(size=(8, 6))
QUATERNIONS = RNG.normal(size=(8, 4))
UNIT = QUATERNIONS / np.linalg.norm(QUATERNIONS, axis=1, keepdims=True)
VECTORS = RNG.normal(size=(8, 3))


def hat(T):
    """[ω~ v; 0 0], the matrix of a twist on points, (4, 4)."""
    A = np.zeros((4, 4))
    A[:3, :3], A[:3, 3] = spatial.skew(T[:3]), T[3:]
    return A


def close(got, want, atol=1e-14):
    np.testing.assert_allclose(got, want, atol=atol, rtol=0.0)


def test_skew_is_the_cross_product():
    for x, y in zip(VECTORS, VECTORS[::-1], strict=True):
        close(spatial.skew(x) @ y, np.cross(x, y))


def test_pose_is_made_of_rotation_and_position():
    R, p = ROTATIONS[0], VECTORS[0]
    close(spatial.pose(R, p), np.block([[R, p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]), 0.0)
    close(spatial.pose(R), spatial.pose(R, np.zeros(3)), 0.0)
    close(spatial.pose(p=p), spatial.pose(np.eye(3), p), 0.0)
    close(spatial.pose(), np.eye(4), 0.0)


def test_inverse_undoes_a_pose():
    close(spatial.inverse(POSES) @ POSES, np.broadcast_to(np.eye(4), POSES.shape))


def test_inverse_of_a_rotation_shows_no_negative_zeros():
    assert not np.signbit(spatial.inverse(spatial.pose(np.eye(3)))).any()


def test_adjoint_takes_twists_to_the_other_frame():
    """(Ad(H) T)^ = H T^ H⁻¹."""
    for H, T in zip(POSES, TWISTS, strict=True):
        close(hat(spatial.adjoint(H) @ T), H @ hat(T) @ np.linalg.inv(H), 1e-13)


def test_cross_is_the_commutator():
    """(T × X)^ = T^ X^ - X^ T^."""
    for T, X in zip(TWISTS, TWISTS[::-1], strict=True):
        close(hat(spatial.cross(T) @ X), hat(T) @ hat(X) - hat(X) @ hat(T))


def test_rate_of_the_adjoint():
    """d/dt Ad(H) = Ad(H) ad(T) for the motion H exp(t T^)."""
    h = 1e-5
    for H, T in zip(POSES, TWISTS, strict=True):
        ahead, behind = (spatial.adjoint(H @ expm(t * hat(T))) for t in (h, -h))
        close((ahead - behind) / (2.0 * h), spatial.adjoint(H) @ spatial.cross(T), 1e-8)


def test_rotation_about_an_axis_is_the_exponential():
    for R, angle in zip(ROTATIONS, np.linspace(-7.0, 7.0, 8), strict=True):
        close(spatial.rotation_about(R[0], angle), expm(angle * spatial.skew(R[0])), 1e-13)


SIDES = [sign * e for sign in (1.0, -1.0) for e in np.eye(3)]
NEAR_POLES = [np.array([np.sin(t), 0.0, sign * np.cos(t)]) for t in (1e-3, 1e-8, 1e-12, 1e-300) for sign in (1, -1)]
EQUATOR = [np.array([0.6, 0.8, z]) for z in (1e-17, 0.0, -1e-17, -0.0)]


@pytest.mark.parametrize("axis", [*SIDES, *NEAR_POLES, *EQUATOR, *ROTATIONS[:, 0]], ids=str)
def test_rotation_to_any_direction(axis):
    R = spatial.rotation_to(axis)
    close(R[:, 2], axis, 1e-15)
    close(R @ R.T, np.eye(3), 1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)


def test_rotation_to_the_z_axis_is_none():
    close(spatial.rotation_to((0.0, 0.0, 1.0)), np.eye(3), 0.0)


def test_rotation_of_a_quaternion_of_any_length():
    close(spatial.rotation_from_quaternion(QUATERNIONS), Rotation.from_quat(QUATERNIONS, scalar_first=True).as_matrix())


HALF_TURNS = [np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]), np.diag([-1.0, -1.0, 1.0])]


@pytest.mark.parametrize("R", [np.eye(3), *HALF_TURNS, *ROTATIONS], ids=lambda R: str(np.diag(R)))
def test_quaternion_of_a_rotation_and_back(R):
    q = spatial.quaternion_from_rotation(R)
    close(spatial.rotation_from_quaternion(q), R)
    assert q[0] >= 0.0
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-15)


def test_rotation_of_a_product_is_the_product_of_rotations():
    a, b = UNIT, UNIT[::-1]
    R = spatial.rotation_from_quaternion
    close(R(spatial.quaternion_product(a, b)), R(a) @ R(b))


def test_conjugate_is_the_inverse():
    one = np.broadcast_to([1.0, 0.0, 0.0, 0.0], UNIT.shape)
    close(spatial.quaternion_product(UNIT, spatial.quaternion_conjugate(UNIT)), one)


@pytest.mark.parametrize("length", [0.0, 1e-300, 1e-9, 0.1, 1.0, 3.0, np.pi - 1e-9])
def test_exponential_of_a_rotation_vector_and_back(length):
    for x in VECTORS:
        x = length * x / np.linalg.norm(x)
        q = spatial.quaternion_exp(x)
        close(spatial.rotation_from_quaternion(q), expm(spatial.skew(x)))
        close(spatial.quaternion_log(q), x)
        close(spatial.quaternion_log(-q), x)


def test_logarithm_keeps_the_digits_of_small_rotations():
    x = 1e-9 * VECTORS[0]
    np.testing.assert_allclose(spatial.quaternion_log(spatial.quaternion_exp(x)), x, rtol=1e-14)


def test_logarithm_of_long_rotations_takes_the_short_way():
    x = np.array([0.0, 0.0, 1.5 * np.pi])
    close(spatial.quaternion_log(spatial.quaternion_exp(x)), [0.0, 0.0, -0.5 * np.pi])


def test_spatial_inertia_gives_momentum():
    """[L; p] about the origin, p = m (v + ω × c), L = I ω + c × p."""
    mass, centre, inertia = 2.5, VECTORS[0], ROTATIONS[0] @ np.diag([1.0, 2.0, 2.5]) @ ROTATIONS[0].T
    omega, v = TWISTS[0, :3], TWISTS[0, 3:]
    p = mass * (v + np.cross(omega, centre))
    momentum = spatial.spatial_inertia(mass, centre, inertia) @ TWISTS[0]
    close(momentum, [*(inertia @ omega + np.cross(centre, p)), *p], 1e-13)


BATCHES = {
    "skew": (VECTORS,),
    "pose": (ROTATIONS, VECTORS),
    "inverse": (POSES,),
    "adjoint": (POSES,),
    "cross": (TWISTS,),
    "rotation_from_quaternion": (QUATERNIONS,),
    "quaternion_from_rotation": (ROTATIONS,),
    "quaternion_product": (UNIT, UNIT[::-1]),
    "quaternion_conjugate": (UNIT,),
    "quaternion_exp": (VECTORS,),
    "quaternion_log": (UNIT,),
}


@pytest.mark.parametrize("name", BATCHES)
def test_leading_axes(name):
    function, arrays = getattr(spatial, name), BATCHES[name]
    each = [function(*one) for one in zip(*arrays, strict=True)]
    batch = function(*(x.reshape(2, 4, *x.shape[1:]) for x in arrays))
    assert batch.shape == (2, 4, *each[0].shape)
    close(batch.reshape(8, *each[0].shape), each, 1e-15)


def test_leading_axes_fit_together():
    close(spatial.pose(ROTATIONS, VECTORS[0])[3], spatial.pose(ROTATIONS[3], VECTORS[0]), 0.0)
    one = spatial.quaternion_product(UNIT[3], UNIT[0])
    close(spatial.quaternion_product(UNIT, UNIT[:1])[3], one, 0.0)
