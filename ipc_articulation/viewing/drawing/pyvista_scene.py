"""Bodies, ground, shadows and forces in a pyvista plotter; they are made once and then moved, soft ones by vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.extras import need
from ipc_articulation.recording import Surface
from ipc_articulation.viewing.bodies import placed
from ipc_articulation.viewing.drawing.camera import KEY, add_lights, aim, direction, look_as
from ipc_articulation.viewing.drawing.shots import Shot, Shots
from ipc_articulation.viewing.drawing.strain_look import STRAIN, strain_look
from ipc_articulation.viewing.ground import GROUND, TILE, cell_width, foot, plane_coordinates
from ipc_articulation.viewing.marks import AXIS, FRAME, MIDDLE, Marks
from ipc_articulation.viewing.meshes import DrawnMesh
from ipc_articulation.viewing.palette import FORCE, rgb
from ipc_articulation.viewing.soft_surfaces import SoftSurface

_SHADOW, _SKY, _LINES = "#b9c2cd", "#f7f9fb", "#20242a"
_SHARP = 25.0  # degrees between faces from which an edge is drawn


@dataclass(frozen=True)
class _Body:
    surface: Surface
    actors: tuple[Any, ...]  # shapes and edges, in the body's frame
    shadows: tuple[_Shadow, ...]


@dataclass(frozen=True)
class _SoftBody:
    surface: SoftSurface
    own: slice  # of the vertices of all soft bodies
    mesh: Any
    shadows: tuple[tuple[Any, Array, Array], ...]  # flat mesh, point and normal of its half-plane


@dataclass(frozen=True)
class _Shadow:
    mesh: Any  # flat, on the half-plane
    vertices: Array  # (V, 3) [m] in the body's frame
    point: Array  # of the half-plane
    normal: Array


class PyvistaScene:
    """What is seen; `show` moves it to a moment.

    Args:
        shots: The moments to come.

    Attributes:
        plotter: The pyvista plotter, off-screen.
    """

    def __init__(self, shots: Shots) -> None:
        pyvista = need("pyvista")
        self.plotter = pyvista.Plotter(off_screen=True, window_size=list(shots.size), lighting="none")
        self.plotter.set_background(_SKY)
        scenery = shots.scenery
        self._names, self._to_light = shots.names, direction(scenery.up, KEY)
        low, high = shots.bounds
        middle, size = 0.5 * (low + high), float(np.linalg.norm(high - low))
        for point, normal in scenery.planes:
            self._add_plane(point, normal, middle, size)
        self._bodies = [self._add_body(body, shots.meshes[body.name], scenery.planes) for body in scenery.surfaces]
        self._strain_scale = shots.strain_scale
        soft = zip(scenery.soft, shots.soft_slices, strict=True)
        self._soft = [self._add_soft(SoftSurface(shape), own, scenery.planes) for shape, own in soft]
        self._top: Any = None  # a layer over the bodies
        self._forces = self._on_top(FORCE) if any(len(shot.arrows) for shot in shots.shots) else None
        aim(self.plotter, scenery, shots.outline, 1.0 if shots.marks is None else MIDDLE)
        if shots.marks is not None:
            self._add_marks(shots.marks)
        add_lights(self.plotter, scenery.up, middle)
        self.plotter.enable_anti_aliasing("ssaa" if len(shots.shots) == 1 else "fxaa")

    def show(self, shot: Shot) -> None:
        """Move everything to where it is at a moment."""
        for body in self._bodies:
            is_moved = body.surface.name in self._names
            pose = shot.poses[self._names.index(body.surface.name)] if is_moved else body.surface.pose
            for actor in body.actors:
                actor.user_matrix = pose
            for shadow in body.shadows:
                points = placed(shadow.vertices, pose)
                shadow.mesh.points = _shadow(points, shadow.point, shadow.normal, self._to_light)
        for soft in self._soft:
            soft.mesh.points = points = soft.surface.vertices(shot.soft[soft.own])
            if self._strain_scale is not None:
                soft.mesh.point_data[STRAIN] = shot.strain[soft.own][soft.surface.sources]
            _update_normals(soft.mesh)
            for flat, point, normal in soft.shadows:
                flat.points = _shadow(points, point, normal, self._to_light)
        if self._forces is not None:
            _show_arrows(self._forces, shot.arrows)
        if shot.look is not None:
            look_as(self.plotter, shot.look)
        self.plotter.renderer.reset_camera_clipping_range()

    def _add_body(self, surface: Surface, meshes: list[DrawnMesh], planes: tuple[tuple[Array, Array], ...]) -> _Body:
        actors, shadows = [], []
        for drawn in meshes:
            mesh = need("pyvista").PolyData.from_regular_faces(drawn.vertices, drawn.faces)
            actors += self._add_shape(mesh, drawn)
            for point, normal in planes:
                flat = mesh.copy()
                self.plotter.add_mesh(flat, color=_SHADOW, lighting=False)
                shadows.append(_Shadow(flat, drawn.vertices, point, normal))
        return _Body(surface, tuple(actors), tuple(shadows))

    def _add_soft(self, surface: SoftSurface, own: slice, planes: tuple[tuple[Array, Array], ...]) -> _SoftBody:
        vertices = surface.vertices(surface.shape.vertices)
        mesh = need("pyvista").PolyData.from_regular_faces(vertices, surface.faces)
        _update_normals(mesh)
        look = {"color": surface.colour}
        if self._strain_scale is not None:
            mesh.point_data[STRAIN] = np.zeros(len(vertices))
            look = strain_look(self._strain_scale)
        self.plotter.add_mesh(mesh, smooth_shading=True, specular=0.1, ambient=0.3, **look)
        shadows = []
        for point, normal in planes:
            flat = need("pyvista").PolyData.from_regular_faces(vertices, surface.faces)
            self.plotter.add_mesh(flat, color=_SHADOW, lighting=False)
            shadows.append((flat, point, normal))
        return _SoftBody(surface, own, mesh, tuple(shadows))

    def _add_shape(self, mesh: Any, drawn: DrawnMesh) -> list[Any]:
        """The surface, and lines along its sharp edges."""
        smooth = mesh.compute_normals(split_vertices=True, feature_angle=_SHARP)
        look = {"color": drawn.colour, "opacity": drawn.opacity, "specular": 0.1, "ambient": 0.3}
        actors = [self.plotter.add_mesh(smooth, smooth_shading=True, **look)]
        if not drawn.has_lines:
            return actors
        edges = mesh.extract_feature_edges(_SHARP, boundary_edges=False, non_manifold_edges=False)
        if edges.n_points:
            actors.append(self.plotter.add_mesh(edges, color=_LINES, line_width=2.0, lighting=False))
        return actors

    def _add_plane(self, point: Array, normal: Array, middle: Array, size: float) -> None:
        """A wide disc of the half-plane under the scene, with tiles of two colours."""
        pyvista, below = need("pyvista"), foot(point, normal, middle)
        disc = pyvista.Disc(center=below, inner=0.0, outer=20.0 * size, normal=normal, c_res=96)
        places = plane_coordinates(np.asarray(disc.points), point, normal)
        disc.active_texture_coordinates = places / (2.0 * cell_width(size))
        texture = pyvista.Texture(_tiles())
        texture.repeat, texture.mipmap, texture.interpolate = True, True, True
        self.plotter.add_mesh(disc, texture=texture, lighting=False)

    def _add_marks(self, marks: Marks) -> None:
        """Axes of joints, and frames of links."""
        arrows = {AXIS: marks.axes}
        for k, colour in enumerate(FRAME):
            ends = np.stack(
                [marks.frames[:, :3, 3], marks.frames[:, :3, 3] + marks.size * marks.frames[:, :3, k]], axis=1
            )
            arrows[colour] = ends.reshape(-1, 2, 3)
        for colour, ends in arrows.items():
            _show_arrows(self._on_top(colour), ends)

    def _on_top(self, colour: str) -> Any:
        """An actor for arrows in a separate layer, so that those inside or behind bodies are visible."""
        pyvista, vtk = need("pyvista"), need("vtkmodules.vtkRenderingCore")
        mapper = pyvista.DataSetMapper(_arrows(np.array([[[0.0] * 3, [0.0, 0.0, 1.0]]])))
        actor = pyvista.Actor(mapper=mapper)
        mapper.scalar_visibility = False
        actor.prop.color, actor.prop.ambient, actor.visibility = colour, 0.4, False
        if self._top is None:
            self._top = vtk.vtkRenderer()
            self._top.SetLayer(1)
            self._top.SetActiveCamera(self.plotter.renderer.GetActiveCamera())
            self.plotter.render_window.SetNumberOfLayers(2)
            self.plotter.render_window.AddRenderer(self._top)
        self._top.AddActor(actor)
        return actor


def _update_normals(mesh: Any) -> None:
    """Normals of a mesh's points, from its faces as they are."""
    keep = {"auto_orient_normals": False, "consistent_normals": False, "split_vertices": False, "cell_normals": False}
    mesh.point_data["Normals"] = mesh.compute_normals(**keep).point_data["Normals"]
    mesh.point_data.active_normals_name = "Normals"


def _tiles() -> Any:
    """Two times two tiles, (128, 128, 3)."""
    light, dark = rgb(GROUND), rgb(TILE)
    return np.kron(np.array([[light, dark], [dark, light]]), np.ones((64, 64, 1))).astype(np.uint8)


def _shadow(points: Array, point: Array, normal: Array, to_light: Array) -> Array:
    """Points projected onto a plane along the light: x - (n·(x - p) / n·l) l, lifted by 0.5 mm."""
    heights = (points - point) @ normal
    return points - np.outer(heights / np.dot(normal, to_light), to_light) + 5e-4 * normal


def _show_arrows(actor: Any, arrows: Array) -> None:
    if len(arrows):
        actor.mapper.SetInputData(_arrows(arrows))
    actor.visibility = bool(len(arrows))


def _arrows(arrows: Array) -> Any:
    """One mesh of all arrows (k, 2, 3) [m]."""
    pyvista = need("pyvista")
    tails = pyvista.PolyData(arrows[:, 0])
    tails["force"] = arrows[:, 1] - arrows[:, 0]
    shape = pyvista.Arrow(tip_length=0.25, tip_radius=0.07, shaft_radius=0.025, tip_resolution=24, shaft_resolution=16)
    return tails.glyph(orient="force", scale="force", geom=shape)
