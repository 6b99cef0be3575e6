"""Bodies, ground and contact forces in a viser scene, which recordings and live views move."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import numpy as np

from ipc_articulation.arrays import Array, Ints
from ipc_articulation.recording import Scenery, Surface
from ipc_articulation.spatial import quaternion_from_rotation, rotation_to
from ipc_articulation.viewing.bodies import rigid_parts
from ipc_articulation.viewing.drawing.camera import VIEW_ANGLE, eye_and_target
from ipc_articulation.viewing.forces import NONE
from ipc_articulation.viewing.ground import GROUND, LINES, cell_width, foot
from ipc_articulation.viewing.meshes import DrawnMesh, Show, drawn_meshes
from ipc_articulation.viewing.palette import FORCE, PictureBy, colours, of_bodies, rgb
from ipc_articulation.viewing.replaying.soft_nodes import SoftNode
from ipc_articulation.viewing.soft_strain import StrainScale
from ipc_articulation.viewing.soft_surfaces import SoftSurface

_SHARP = np.radians(25.0)  # between faces from which an edge is seen
_SEE_THROUGH = 0.45  # opacity of bodies that forces are seen through
_SKY = np.array([[[247, 249, 251]]], dtype=np.uint8)
_ASPECT = 1.0  # of the page beside its panel, about
_SEEN_FROM = 10.0  # times the scene's size: from there on the ground's lines fade

_NO_VERTICES, _NO_STRAIN = np.zeros((0, 3)), np.zeros(0)

_Shading = dict[tuple[bytes, bytes], tuple[Array, Ints]]  # what is drawn of a mesh, by its vertices and faces


class ViserScene:
    """The scene in the browser. Only changes from one moment to the next are sent.

    Args:
        server: A `viser.ViserServer`.
        scenery: What is shown.
        names: The bodies that move, in the order of `place`.
        points: Points about the bodies that the camera sees, (k, 3) [m].
        arrow: Length of an ordinary force's arrow [m].
        by: Meaning of a body's colour; by strain, `place` needs strain.
        show: Which surfaces of the bodies.
        scale: Meaning of the colours of strain, if there are any.

    Attributes:
        has_visuals: Whether a body has visual surfaces.
    """

    def __init__(
        self,
        server: Any,
        scenery: Scenery,
        names: tuple[str, ...],
        points: Array,
        arrow: float,
        by: PictureBy,
        show: Show,
        scale: StrainScale | None = None,
    ) -> None:
        self._server, self._lock = server, threading.RLock()
        self._by, self._show, self._shows_names, self._shows_forces = by, show, False, True
        self._is_see_through, self._scale = False, scale
        self._last = _NO_VERTICES, _NO_STRAIN  # vertices of soft bodies and their strain
        self.has_visuals = any(surface.visual for surface in scenery.surfaces)
        self._bodies: dict[str, _Body] = {}
        self._soft: list[SoftNode] = []
        self._shading: _Shading = {}
        self._forces = NONE
        self._prepare(scenery, points)
        self._arrows = self._add_arrows(arrow)
        self.replace(scenery, names)

    def replace(self, scenery: Scenery, names: tuple[str, ...]) -> None:
        """Show the bodies of another scenery; those that are in both stay as they are."""
        with self._lock, self._server.atomic():
            self._surfaces = {surface.name: surface for surface in scenery.surfaces}
            for name in list(self._bodies):
                if name not in self._surfaces or not self._bodies[name].shows(self._surfaces[name]):
                    self._bodies.pop(name).remove()
            for name, surface in self._surfaces.items():
                if name not in self._bodies:
                    self._bodies[name] = _Body(self._server.scene, surface, self._shading)
                    self._bodies[name].show_name(self._shows_names)
                self._bodies[name].place(*rigid_parts(surface.pose))
            self._replace_soft(scenery)
            self._moving = [(k, self._bodies[name]) for k, name in enumerate(names) if name in self._bodies]
            self._draw_bodies()

    def place(
        self,
        positions: Array,
        quaternions: Array,
        arrows: Array,
        soft: Array = _NO_VERTICES,
        strain: Array = _NO_STRAIN,
    ) -> None:
        """Move the bodies, and show these forces.

        Args:
            positions: (n, 3) [m] of the bodies that move.
            quaternions: (n, 4), as (w, x, y, z).
            arrows: Beginning and end of each force, (k, 2, 3) [m].
            soft: Vertices of all soft bodies, one body after the other, (V, 3) [m].
            strain: At these vertices, (V,); not needed where colours do not show it.
        """
        with self._lock, self._server.atomic():
            for k, body in self._moving:
                body.place(positions[k], quaternions[k])
            self._last = soft, strain
            self._place_soft()
            self._forces = arrows
            self._draw_forces()

    def draw_as(self, meshes: Mapping[str, list[DrawnMesh]]) -> None:
        """Draw these meshes of the bodies, by name, instead of those that colours and choices give."""
        with self._lock, self._server.atomic():
            for name, own in meshes.items():
                self._bodies[name].draw(own, 1.0)

    def colour_by(self, by: PictureBy) -> None:
        """Colour the bodies; by strain, from the next `place` with strain on."""
        with self._lock:
            self._by = by
            self._draw_bodies()
            self._place_soft()

    def show(self, show: Show) -> None:
        """Draw these surfaces of the bodies."""
        with self._lock:
            self._show = show
            self._draw_bodies()

    def show_forces(self, visible: bool) -> None:
        """Draw contact forces, or not."""
        with self._lock, self._server.atomic():
            self._shows_forces = visible
            self._draw_forces()

    def see_through(self, is_on: bool) -> None:
        """Make bodies transparent, or not: forces act inside and behind them."""
        with self._lock:
            self._is_see_through = is_on
            self._draw_bodies()

    def show_names(self, visible: bool) -> None:
        """Write each body's name beside its origin, or not."""
        with self._lock:
            self._shows_names = visible
            for body in self._bodies.values():
                body.show_name(visible)

    def _replace_soft(self, scenery: Scenery) -> None:
        for node in self._soft:
            node.remove()
        self._soft = [SoftNode(self._server.scene, surface) for surface in map(SoftSurface, scenery.soft)]

    def _place_soft(self) -> None:
        soft, strain = self._last
        begin, shows_strain = 0, self._by == "strain" and len(strain) == len(soft)
        for node in self._soft if len(soft) else ():
            end = begin + len(node.surface.shape.vertices)
            node.place(soft[begin:end], strain[begin:end] if shows_strain else None, self._scale)
            begin = end

    def _draw_bodies(self) -> None:
        for node in self._soft:
            node.see_through(_SEE_THROUGH if self._is_see_through else None)
        most = _SEE_THROUGH if self._is_see_through else 1.0
        with self._server.atomic():
            for name, colour in colours(self._surfaces.values(), of_bodies(self._by)).items():
                self._bodies[name].draw(
                    drawn_meshes(self._surfaces[name], self._show, of_bodies(self._by), colour), most
                )

    def _draw_forces(self) -> None:
        arrows = self._forces if self._shows_forces else NONE
        if len(arrows):
            self._arrows.points = np.asarray(arrows, dtype=np.float32)
        self._arrows.visible = bool(len(arrows))

    def _prepare(self, scenery: Scenery, points: Array) -> None:
        """Background, camera, light and ground."""
        scene, low, high = self._server.scene, points.min(axis=0), points.max(axis=0)
        eye, target = eye_and_target(scenery, points, _ASPECT)
        scene.set_up_direction(tuple(scenery.up))
        scene.set_background_image(_SKY)
        camera = self._server.initial_camera
        camera.position, camera.look_at, camera.up = eye, target, scenery.up
        camera.fov = np.radians(VIEW_ANGLE)
        size, middle = float(np.linalg.norm(high - low)), 0.5 * (low + high)
        cell = cell_width(size)
        for k, (point, normal) in enumerate(scenery.planes):
            scene.add_grid(
                f"/ground/{k}",
                infinite_grid=True,
                fade_distance=_SEEN_FROM * size,
                cell_size=cell,
                section_size=10.0 * cell,
                cell_color=rgb(LINES),
                section_color=rgb(LINES),
                plane_color=rgb(GROUND),
                plane_opacity=1.0,
                shadow_opacity=0.25,
                position=foot(point, normal, middle),
                wxyz=quaternion_from_rotation(rotation_to(normal)),
            )

    def _add_arrows(self, length: float) -> Any:
        """Forces, none yet."""
        radius = 0.03 * length
        return self._server.scene.add_arrows(
            "/forces",
            np.zeros((1, 2, 3)),
            rgb(FORCE),
            shaft_radius=radius,
            head_radius=2.5 * radius,
            head_length=6.0 * radius,
            visible=False,
        )


class _Body:
    """A body's nodes: its frame and, below it, its meshes and its name.

    Attributes:
        frame: Where the body is.
    """

    def __init__(self, scene: Any, surface: Surface, shading: _Shading) -> None:
        self._scene, self._surface, self._shading, self._label = scene, surface, shading, None
        self._position, self._quaternion = rigid_parts(surface.pose)
        self._node = f"/bodies/{quote(surface.name, safe=' ')}"  # slashes separate levels of viser's tree
        self._meshes: list[tuple[DrawnMesh, Any]] = []
        self.frame = scene.add_frame(self._node, show_axes=False, position=self._position, wxyz=self._quaternion)

    def show_name(self, is_shown: bool) -> None:
        """Write the body's name, or not."""
        if self._label is not None:
            self._label.visible = is_shown
        elif is_shown:
            points, node = self._surface.points, f"{self._node}/name"
            middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
            self._label = self._scene.add_label(node, self._surface.name, position=middle, anchor="center-center")

    def shows(self, surface: Surface) -> bool:
        """Whether this is the body that is shown, wherever it is."""
        own = self._surface
        return np.array_equal(own.faces, surface.faces) and np.array_equal(own.points, surface.points)

    def draw(self, meshes: list[DrawnMesh], most: float) -> None:
        """Show these meshes, `most` opaque at most; only changes are sent."""
        shown = [mesh.vertices for mesh, _ in self._meshes]
        if len(shown) != len(meshes) or any(old is not new.vertices for old, new in zip(shown, meshes, strict=True)):
            for _, handle in self._meshes:
                handle.remove()
            self._meshes = [(mesh, self._add(k, mesh)) for k, mesh in enumerate(meshes)]
        for mesh, (_, handle) in zip(meshes, self._meshes, strict=True):
            handle.color = rgb(mesh.colour)
            opacity = min(mesh.opacity, most)
            handle.opacity = None if opacity == 1.0 else opacity

    def _add(self, number: int, mesh: DrawnMesh) -> Any:
        key = mesh.vertices.tobytes(), mesh.faces.tobytes()
        if key not in self._shading:
            self._shading[key] = _shaded(mesh)
        return self._scene.add_mesh_simple(f"{self._node}/{number}", *self._shading[key])

    def place(self, position: Array, quaternion: Array) -> None:
        """Move the body, if it is elsewhere."""
        if not np.array_equal(position, self._position):
            self.frame.position = self._position = position
        if not np.array_equal(quaternion, self._quaternion):
            self.frame.wxyz = self._quaternion = quaternion

    def remove(self) -> None:
        """Remove the nodes."""
        self.frame.remove()  # and what is below it


def _shaded(mesh: DrawnMesh) -> tuple[Array, Ints]:
    """Vertices and faces of a mesh that looks round except along its sharp edges."""
    import trimesh

    smooth = trimesh.graph.smooth_shade(trimesh.Trimesh(mesh.vertices, mesh.faces, process=False), angle=_SHARP)
    return smooth.vertices, smooth.faces
