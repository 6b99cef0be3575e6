"""Scenes for the cases of libuipc's suite; what a test asks of them is read from their geometries: any engine."""

from __future__ import annotations

import numpy as np
import scipy.optimize
from scipy.spatial.transform import Rotation
from uipc import view
from uipc.constitution import AffineBodyConstitution
from uipc.geometry import label_surface, label_triangle_orient, tetmesh

from ipc_articulation import affine
from tests.engine.scenes import BoxScene, translation

DT, G = 0.01, 9.8  # [s], [m/s²]
DOWN = (0.0, 0.0, -G)
ZERO = (0.0, 0.0, 0.0)
EXACT = {"newton__velocity_tol": 1e-6, "newton__transrate_tol": 1e-6}  # answers that are compared to many digits


class CaseScene(BoxScene):
    """A `BoxScene` of any mesh and constitution, on the engine of its name."""

    def __init__(self, engine, workspace, **settings):
        super().__init__(workspace, **settings)
        self.engine_name = engine

    def add(self, mesh, at=ZERO, kappa=1e8, constitution=None, arguments=(1000.0,), extras=(), **flags):
        """Add a body.

        Args:
            mesh: Its geometry; the surface must be labelled already.
            at: Position [m] or transform (4, 4), or a list of either, an instance each.
            kappa: Stiffness [Pa].
            constitution: OrthoPotential by default.
            arguments: What `apply_to` takes after kappa.
            extras: Functions of the geometry, called before it enters the scene.
            flags: Values of instance attributes.
        """
        places = at if isinstance(at, list) else [at]
        mesh.instances().resize(len(places))
        (constitution or AffineBodyConstitution()).apply_to(mesh, kappa, *arguments)
        for transform, place in zip(view(mesh.transforms()), places, strict=True):
            transform[:] = place if np.ndim(place) == 2 else translation(*place)
        for name, value in flags.items():
            view(mesh.instances().find(name))[:] = value
        for extra in extras:
            extra(mesh)
        self.slots.append(self.scene.objects().create(f"body {len(self.slots)}").geometries().create(mesh)[0])
        return self.slots[-1]

    def animate(self, slot, callback):
        """Run callback(geometry, frame) before each step; `slot` holds a geometry of the scene."""
        owner = next(o for o in self._objects() if slot.id() in o.geometries().ids())
        self.scene.animator().insert(owner, lambda info: callback(info.geo_slots()[0].geometry(), info.frame()))

    def _objects(self):
        objects = self.scene.objects()
        return [objects.find(k) for k in range(objects.size())]

    def start(self):
        super().start(self.engine_name)
        assert self.world.is_valid(), "an invalid world moves nothing, and says so only in the log"
        return self

    def step_rates(self):
        """Run one step; its rates of all coordinates, (n, 12): what the engine's velocity is under backward Euler."""
        before = self.q
        return (self.run().q - before) / DT

    def spins(self):
        """Run one step; the angular velocities of all bodies, (n, 3) [rad/s]."""
        q = self.q
        return np.array([affine.twist_from_qdot(a, b)[1] for a, b in zip(q, self.step_rates(), strict=True)])


def transforms(slot):
    """Transforms of all instances, (k, 4, 4)."""
    return np.array(slot.geometry().transforms().view())


def mass(slot):
    """Mass of one instance [kg]."""
    return float(slot.geometry().meta().find("mass").view()[0])


def tetrahedron(points):
    """One tetrahedron with its centroid, which is its centre of mass, at the origin."""
    points = np.array(points, dtype=float, order="C")  # tetmesh misreads any other order
    points -= points.mean(axis=0)
    is_inverted = np.linalg.det(points[1:] - points[0]) < 0.0
    mesh = tetmesh(points, np.array([[0, 2, 1, 3] if is_inverted else [0, 1, 2, 3]]))
    label_surface(mesh)
    label_triangle_orient(mesh)
    return mesh


def fallen(n, gravity=G):
    """Height lost in n steps of backward Euler from rest [m]."""
    return gravity * DT**2 * n * (n + 1) / 2


def travelled(accelerations, dt=DT):
    """Way made from rest by backward Euler under an acceleration for each step, after each step."""
    return dt * np.cumsum(dt * np.cumsum(accelerations))


def barrier_force(gap, resistance=1e9, d_hat=0.01):
    """-κ dB/dd of one pair, B = -(D - D̂)² ln(D/D̂) of squared distances D [N]."""
    D, D_hat = gap**2, d_hat**2
    return resistance * 2 * gap * (D - D_hat) * (2 * np.log(D / D_hat) + (D - D_hat) / D)


def resting_gap(force, resistance=1e9, d_hat=0.01):
    """The gap at which one pair carries a force [m]."""
    return scipy.optimize.brentq(
        lambda d: barrier_force(d, resistance, d_hat) - force, 1e-9, d_hat * (1 - 1e-9), xtol=1e-15
    )


def turned(rotation_vector, position=ZERO):
    """The transform that turns by a rotation vector [rad], then moves [m]."""
    T = translation(*position)
    T[:3, :3] = Rotation.from_rotvec(rotation_vector).as_matrix()
    return T
