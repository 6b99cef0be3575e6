"""Rajagopal's full-body model: what is read of it, and its dynamics against nimblephysics."""

import json
from pathlib import Path

import numpy as np
import pytest

from ipc_articulation import dynamics as dyn
from ipc_articulation.dynamics import conventions as conv
from ipc_articulation.dynamics import forward_dynamics
from ipc_articulation.dynamics.reading.osim import read_osim
from ipc_articulation.spatial import inverse, pose, rotation_about

ROOT = Path(__file__).parents[3]
FILE = ROOT / "models" / "Rajagopal2015.osim"
VALUES = json.loads((ROOT / "tests" / "reference" / "rajagopal_values.json").read_text())
TOLERANCE = 1e-10  # relative to the largest entry

pytestmark = [
    pytest.mark.skipif(not FILE.exists(), reason="needs models/Rajagopal2015.osim: make fetch-models"),
    pytest.mark.filterwarnings("ignore:.*link 'toes_[lr]'", "ignore:.*not read, so that"),
]

STATES = [
    VALUES["reference"] | {"id": "reference"},
    *(state | {"id": f"state {i}"} for i, state in enumerate(VALUES["states"])),
]


class Projected:
    """A tree on the manifold q = γ(x), q̇ = G ẏ, q̈ = G ÿ + g of its clusters, with x = y in the order of `names`."""

    def __init__(self, osim, names):
        self.model = osim.mechanism.build(unphysical="warn").spanning_tree
        self.names, joints = list(names), list(self.model.joint_names)
        self.clusters = [
            (cluster.constraint, [joints.index(name) for name in cluster.joints], self.columns(cluster.coordinates))
            for cluster in osim.clusters
        ]
        clustered = {joint for cluster in osim.clusters for joint in cluster.joints}
        self.alone = [(i, name) for i, name in enumerate(joints) if name not in clustered]

    def columns(self, coordinates):
        return [self.names.index(name) for name in coordinates]

    def stacked(self, y, y_dot):
        """q, G and g, (n,), (n, m), (n,)."""
        n = self.model.nv
        q, G, g = np.zeros(n), np.zeros((n, len(self.names))), np.zeros(n)
        for row, name in self.alone:
            column = self.names.index(name)
            q[row], G[row, column] = y[column], 1.0
        for constraint, rows, columns in self.clusters:
            q[rows], g[rows] = constraint.spanning(y[columns]), constraint.g(y[columns], y_dot[columns])
            G[np.ix_(rows, columns)] = constraint.G(y[columns])
        return q, G, g

    def dynamics(self, y, y_dot):
        """M_y = Gᵀ M G and C_y = Gᵀ (h + M g); kinetic energy and centre of mass."""
        q, G, g = self.stacked(y, y_dot)
        M = dyn.mass_matrix(self.model, q)
        h = dyn.bias_forces(self.model, q, G @ y_dot)
        energy = dyn.kinetic_energy(self.model, q, G @ y_dot)
        return G.T @ M @ G, G.T @ (h + M @ g), energy, dyn.centre_of_mass(self.model, q)


@pytest.fixture(scope="module")
def with_patellae():
    return read_osim(FILE)


@pytest.fixture(scope="module")
def without_patellae():
    return read_osim(FILE, couplers=False)


@pytest.fixture(scope="module")
def projected(without_patellae):
    return Projected(without_patellae, VALUES["dofs"])


@pytest.fixture(scope="module")
def loop_model(without_patellae):
    """The robot, and the names of nimble's coordinates."""
    robot = without_patellae.mechanism.build(unphysical="warn")
    return robot, VALUES["dofs"]


def assert_close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=TOLERANCE * np.abs(expected).max())


@pytest.mark.parametrize("state", STATES, ids=lambda state: state["id"])
def test_dynamics_is_that_of_nimblephysics(projected, state):
    y, y_dot, tau = (np.array(state[key]) for key in ("q", "u", "tau"))
    M, C, energy, centre = projected.dynamics(y, y_dot)
    expected = np.zeros_like(M)
    expected[np.triu_indices(len(M))] = state["mass_matrix"]
    assert_close(np.triu(M), expected)
    assert_close(M, M.T)
    assert_close(C, np.array(state["coriolis_and_gravity"]))
    assert_close(energy, np.array(state["kinetic_energy"]))
    assert_close(centre, np.array(state["centre_of_mass"]))
    assert_close(np.linalg.solve(M, tau - C), np.array(state["acceleration"]))


@pytest.mark.parametrize("state", STATES, ids=lambda state: state["id"])
def test_its_loop_model_accelerates_as_nimblephysics(loop_model, state):
    """Cluster ABA and projection, on independent velocities in the order of the tree, which is not nimble's."""
    robot, names = loop_model
    x = conv.position_from(conv.NIMBLE, robot, state["q"])
    assert x[robot.q_names.index("pelvis_ty")] == state["q"][names.index("pelvis_ty")]
    np.testing.assert_array_equal(conv.position_to(conv.NIMBLE, robot, x), state["q"])
    y_dot, tau = (
        conv.velocity_from(conv.NIMBLE, robot, x, state["u"]),
        conv.force_from(conv.NIMBLE, robot, x, state["tau"]),
    )
    expected = conv.acceleration_from(conv.NIMBLE, robot, x, y_dot, state["acceleration"])
    assert_close(forward_dynamics(robot, x, y_dot, tau), expected)
    scale = np.abs(state["coriolis_and_gravity"]).max()
    np.testing.assert_allclose(dyn.inverse_dynamics(robot, x, y_dot, expected), tau, atol=TOLERANCE * scale)


def test_sizes_and_names(with_patellae, without_patellae):
    for osim, bodies, links, mass in ((with_patellae, 22, 51, 75.337), (without_patellae, 20, 45, VALUES["mass"])):
        model = osim.mechanism.build(unphysical="warn").spanning_tree
        assert sum(body.mass > 0.0 for body in model.bodies) == bodies
        assert model.nv == len(osim.mechanism.links) == links
        assert model.mass == pytest.approx(mass, abs=1e-10)
        assert {c.name for c in osim.coordinates} == set(VALUES["dofs"])
        assert len(osim.mechanism.frames) == 66
        np.testing.assert_array_equal(model.gravity, VALUES["gravity"])
    named = {link.name for link in without_patellae.mechanism.links if link.mass}
    assert named == set(VALUES["bodies"])


def test_clusters_are_the_knees_with_their_patellae(with_patellae, without_patellae):
    knee = [
        "walker_knee_r/translation1",
        "walker_knee_r/translation2",
        "knee_angle_r",
        "walker_knee_r/rotation2",
        "walker_knee_r/rotation3",
    ]
    patella = ["patellofemoral_r/translation1", "patellofemoral_r/translation2", "patellofemoral_r/rotation1"]
    assert [cluster.coordinates for cluster in with_patellae.clusters] == [("knee_angle_r",), ("knee_angle_l",)]
    assert list(with_patellae.clusters[0].joints) == knee + patella
    assert list(without_patellae.clusters[0].joints) == knee


def test_eight_locked_coordinates_stay_degrees_of_freedom(without_patellae):
    locked = {c.name[:-2] for c in without_patellae.coordinates if c.locked}
    assert locked == {"subtalar_angle", "mtp_angle", "wrist_flex", "wrist_dev"}
    assert sum(c.locked for c in without_patellae.coordinates) == 8
    limits = without_patellae.mechanism.build(unphysical="warn").coordinates
    assert (limits.lower == limits.upper).sum() == 8
    (height,) = (c for c in without_patellae.coordinates if c.name == "pelvis_ty")
    assert (height.default, height.lower, height.upper) == (0.94, -1.0, 2.0)


def test_the_right_knees_motion(projected):
    """T = T_parent [Rx(q) Rz(f2) Ry(f3), (0, f4, f5)] T_child⁻¹, with the functions' values at 0.8."""
    q, f2, f3, f4, f5 = 0.8, 0.0337818799, 0.2000172322, 0.0013136805, 0.0038988472
    x, y, z = np.eye(3)

    def turned(a, b, c):
        return rotation_about(x, a) @ rotation_about(y, b) @ rotation_about(z, c)

    angles = (-1.64156849, 1.4461808, 1.57079633)
    parent = pose(turned(*angles), (-0.00809, -0.40796, -0.00275))
    child = pose(turned(*angles), (-0.00808954, -0.0035348, -0.00148474))
    motion = pose(rotation_about(x, q) @ rotation_about(z, f2) @ rotation_about(y, f3), (0.0, f4, f5))
    y = np.zeros(37)
    y[projected.names.index("knee_angle_r")] = q
    spanning, _, _ = projected.stacked(y, y)
    poses = dyn.frame_poses(projected.model, spanning)
    femur, tibia = (poses[projected.model.frame(name)] for name in ("femur_r", "tibia_r"))
    np.testing.assert_allclose(inverse(femur) @ tibia, parent @ motion @ inverse(child), atol=1e-10)


def test_the_patella_moves_with_the_knee(with_patellae):
    """T = T_parent [Rz(f11), (f9, f10, 0.00275)], at a knot of its splines."""
    projection = Projected(with_patellae, VALUES["dofs"])
    y = np.zeros(37)
    y[projection.names.index("knee_angle_r")] = 1.0472
    poses = dyn.frame_poses(projection.model, projection.stacked(y, y)[0])
    femur, patella = (poses[projection.model.frame(name)] for name in ("femur_r", "patella_r"))
    expected = pose(p=(-0.00809, -0.40796, -0.00275)) @ pose(p=(0.0136, -0.0408, 0.00275))
    expected[:3, :3] = rotation_about((0.0, 0.0, 1.0), -0.747244)
    np.testing.assert_allclose(inverse(femur) @ patella, expected, atol=1e-14)


def test_reference_state(projected):
    """Figures that were written down from nimblephysics by hand, not by the script."""
    state = VALUES["reference"]
    y, y_dot = np.array(state["q"]), np.array(state["u"])
    M, C, energy, centre = projected.dynamics(y, y_dot)
    assert np.trace(M) == pytest.approx(279.722176405, abs=1e-8)
    assert M.sum() == pytest.approx(332.330570625, abs=1e-8)
    assert np.linalg.norm(C) == pytest.approx(740.689120296, abs=1e-8)
    assert energy == pytest.approx(1.661652853, abs=1e-8)
    np.testing.assert_allclose(centre, [-0.1004327197, 0.9379860997, -0.0008202216], atol=1e-9)
    pelvis = [-0.071123992, 0.0181334249, -0.0302557876, -0.0051819318, -9.8063020663, -0.0001956588]
    np.testing.assert_allclose(np.linalg.solve(M, -C)[:6], pelvis, atol=1e-9)


def test_it_starts_where_the_file_says(with_patellae):
    """The pelvis 0.94 m up, the others at zero; the knees' joints follow their coordinates."""
    robot = with_patellae.mechanism.build(unphysical="warn")
    x = dyn.Skeleton(robot).positions
    assert (robot.nq, robot.nv) == (37, 37)
    assert {name: value for name, value in robot.defaults.items() if value} == {"pelvis_ty": 0.94}
    assert dyn.frame_poses(robot, x, ["pelvis"])[0, 1, 3] == pytest.approx(0.94)
    moved = robot.spanning(x + 0.5)
    assert moved[robot.spanning_tree.positions("hip_flexion_r")][0] == 0.5


def test_ends_of_segments_are_where_joints_are(with_patellae):
    """The femur: hip, knee, patella; a hand ends at its wrist."""
    segments = with_patellae.segments
    knee = [-0.00809, -0.40796, -0.00275]
    np.testing.assert_allclose(segments["femur_r"], [[0.0, 0.0, 0.0], knee, knee])
    assert len(segments["pelvis"]) == 4  # its own joint, both hips, the back
    assert len(segments["hand_l"]) == 1
