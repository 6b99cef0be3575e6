"""Scenes of deformable bodies, for both: a cloth over a fixed sphere, a block that is dropped, ten rods in a pile.

Rods have Young's modulus for stretch and bending. Each body has its thickness in contact too: surfaces repel each other
where they are closer than their radii and d̂.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import trimesh
import uipc
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from uipc import constitution
from uipc.constitution import ElasticModuli, ElasticModuli2D
from uipc.geometry import ground, label_surface, linemesh, tetmesh
from uipc.geometry import trimesh as uipc_trimesh

from benchmarks import box_scenes
from benchmarks.stark import cases
from benchmarks.stark.cases import D_HAT, Case, numbers
from ipc_articulation.contact.barrier import barrier

RADIUS, CENTRE = 0.25, 0.5  # of the sphere below the cloth [m]


@dataclass(frozen=True)
class SoftBody:
    """A solid of tetrahedra, a shell of triangles or a rod of edges: it has 4, 3 or 2 vertices an element."""

    x: NDArray[np.float64]  # (n, 3) at rest [m]
    elements: NDArray[np.int32]  # (m, 4), (m, 3) or (m, 2)
    density: float  # [kg/m³]
    young: float  # [Pa]
    poisson: float = 0.0
    radius: float = 0.0  # of a rod, or half the thickness of a shell [m]
    bending: float = 0.0  # of a shell [N m]; Young's modulus of a rod's bending [Pa]

    def geometry(self) -> uipc.geometry.SimplicialComplex:
        """The body for libuipc."""
        make = {4: tetmesh, 3: uipc_trimesh, 2: linemesh}[self.elements.shape[1]]
        mesh = make(self.x.copy(), self.elements)
        label_surface(mesh)
        if self.elements.shape[1] == 4:
            moduli = ElasticModuli.youngs_poisson(self.young, self.poisson)
            constitution.StableNeoHookean().apply_to(mesh, moduli, self.density)
        elif self.elements.shape[1] == 3:
            flat = ElasticModuli2D.youngs_poisson(self.young, self.poisson)
            constitution.NeoHookeanShell().apply_to(mesh, flat, self.density, self.radius)
            constitution.DiscreteShellBending().apply_to(mesh, self.bending)
        else:
            constitution.HookeanSpring().apply_to(mesh, self.young, self.density, self.radius)
            constitution.KirchhoffRodBending().apply_to(mesh, self.bending)
        return mesh

    def text(self) -> str:
        """The body for STARK."""
        kind = {4: "solid", 3: "shell", 2: "rod"}[self.elements.shape[1]]
        material = self.density, self.young, self.poisson, self.radius, self.bending
        mesh = f"{len(self.x)} {len(self.elements)} {numbers(self.x)} {numbers(self.elements)}"
        return f"{kind} {mesh} {numbers(material)}"


def soft_cases(quick: bool) -> list[Case]:
    """All of them; with few elements if quick."""
    cells, of_block, count, steps = (8, 3, 3, 30) if quick else (50, 10, 10, cases.STEPS)
    return [cloth_case(cells, steps), block_case(of_block, steps), rods_case(count, steps)]


def cloth_case(cells: int, steps: int) -> Case:
    """A cloth of so many cells along each side falls over a sphere."""
    sphere = trimesh.creation.icosphere(subdivisions=3, radius=RADIUS)
    return _case(f"cloth/{cells}x{cells}", [cloth(cells)], 1e8, 5e-4, steps, sphere)


def block_case(cells: int, steps: int) -> Case:
    """A block of so many cells along each side falls onto the ground."""
    return _case(f"block/{5 * cells**3}", [block(cells)], 1e10, 0.0, steps)


def rods_case(count: int, steps: int) -> Case:
    """So many rods fall onto each other."""
    return _case(f"rods/{count}", rods(count), 1e8, 1e-2, steps)


def cloth(cells: int) -> SoftBody:
    """A square of 1 m, 2 cm above the sphere: 1 mm thick, 0.2 kg, two triangles a cell."""
    g, n = np.linspace(-0.5, 0.5, cells + 1), cells + 1
    x = np.stack([*np.meshgrid(g, g, indexing="ij"), np.full((n, n), CENTRE + RADIUS + 0.02)], axis=-1).reshape(-1, 3)
    a = (np.arange(cells)[:, None] * n + np.arange(cells)).ravel()
    triangles = np.concatenate([np.stack([a, a + n, a + n + 1], 1), np.stack([a, a + n + 1, a + 1], 1)])
    return SoftBody(x, triangles.astype(np.int32), 200.0, 1e5, 0.3, 5e-4, 1e-4)


def block(cells: int) -> SoftBody:
    """A tilted cube of 0.2 m and 8 kg, its lowest corner 5 cm above the ground: five tetrahedra a cell."""
    g, n = np.linspace(-0.1, 0.1, cells + 1), cells + 1
    x = np.stack(np.meshgrid(g, g, g, indexing="ij"), axis=-1).reshape(-1, 3)
    cell = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    # Corners are numbered 4x + 2y + z; neighbours are mirrored, so that they share the diagonals of their faces.
    even = np.array([[0, 3, 5, 6], [0, 3, 1, 5], [0, 2, 3, 6], [0, 4, 6, 5], [3, 7, 5, 6]])
    corners = np.where((cell.sum(axis=1) % 2)[:, None, None] == 0, even, even ^ 1)
    places = cell[:, None, None] + np.stack([corners >> 2, corners >> 1 & 1, corners & 1], axis=-1)
    tetrahedra = (places @ [n * n, n, 1]).reshape(-1, 4)
    flip = np.linalg.det(x[tetrahedra[:, 1:]] - x[tetrahedra[:, :1]]) < 0.0
    tetrahedra[flip] = tetrahedra[flip][:, [0, 1, 3, 2]]
    x = x @ Rotation.from_euler("xy", (15, 10), degrees=True).as_matrix().T
    x[:, 2] += 0.05 - x[:, 2].min()
    return SoftBody(x, tetrahedra.astype(np.int32), 1000.0, 1e5, 0.4)


def rods(count: int, segments: int = 40, seed: int = 0) -> list[SoftBody]:
    """Rods of 0.5 m and 39 g, 1 cm thick, one above the other, each turned and moved at random."""
    rng, along = np.random.default_rng(seed), np.linspace(-0.25, 0.25, segments + 1)
    edges = np.stack([np.arange(segments), np.arange(1, segments + 1)], axis=1).astype(np.int32)
    bodies = []
    for i in range(count):
        angle, centre = rng.uniform(0.0, np.pi), rng.uniform(-0.05, 0.05, 2)
        x = along[:, None] * [np.cos(angle), np.sin(angle), 0.0] + [*centre, 0.02 + 0.025 * i]
        bodies.append(SoftBody(x, edges, 1000.0, 1e7, 0.0, 5e-3, 1e7))
    return bodies


def stiffness(resistance: float, thickness: float) -> float:
    """Of STARK's barrier k (d̂ - d)³/3 [N/m²], with the force of ours at nine tenths of d̂.

    Args:
        resistance: Of our barrier [Pa].
        thickness: The sum of both radii [m].
    """
    slope = barrier(0.9 * D_HAT, D_HAT, thickness)[1]
    return -resistance * slope / (0.1 * D_HAT) ** 2


def _case(
    name: str,
    bodies: Sequence[SoftBody],
    resistance: float,
    thickness: float,
    steps: int,
    fixed: trimesh.Trimesh | None = None,
) -> Case:
    """Bodies above a fixed one, or else above the ground; `thickness` is that of most pairs in contact."""
    at = np.eye(4)
    at[2, 3] = CENTRE

    def make() -> uipc.Scene:
        scene = box_scenes.empty_scene(D_HAT)
        scene.contact_tabular().default_model(cases.FRICTION, resistance)
        if fixed is None:
            scene.objects().create("ground").geometries().create(ground(0.0, np.array([0.0, 0.0, 1.0])))
        else:
            box_scenes.add_bodies(scene, fixed, at[None], fixed=1)
        for i, body in enumerate(bodies):
            scene.objects().create(f"soft {i}").geometries().create(body.geometry())
        return scene

    below = cases.floor_text() if fixed is None else cases.bodies_text(fixed, at[None], fixed=1)
    contact = cases.contact_text(stiffness(resistance, thickness))
    return Case(
        name, make, "\n".join([cases.time_text(steps), contact, below, *(body.text() for body in bodies)]), steps=steps
    )
