"""A recording's bodies, ground and contact forces in a viser scene; `show` moves them to a row."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import quote

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.recording import Recording, Surface
from ipc_articulation.spatial import quaternion_from_rotation, rotation_to
from ipc_articulation.viewing.bodies import bounds, rigid_parts
from ipc_articulation.viewing.drawing.camera import VIEW_ANGLE, eye_and_target
from ipc_articulation.viewing.forces import NONE, ForceArrows
from ipc_articulation.viewing.palette import FORCE, By, colours, rgb

_SHARP = np.radians(25.0)  # between faces from which an edge is seen
_SEE_THROUGH = 0.45  # opacity of bodies that forces are seen through
_SKY = np.array([[[247, 249, 251]]], dtype=np.uint8)
_GROUND, _LINES = (221, 227, 234), (200, 208, 217)


class ViserScene:
    """The scene in the browser. Only changes from one row to the next are sent.

    Args:
        server: A `viser.ViserServer`.
        recording: What is shown; it begins at row 0.
        by: Meaning of a body's colour.
        forces: The contact forces.
    """

    def __init__(self, server: Any, recording: Recording, by: By, forces: ForceArrows) -> None:
        self._server, self._forces, self._lock = server, forces, threading.Lock()
        self._surfaces = recording.scenery.surfaces
        self._positions, self._quaternions = rigid_parts(recording.body_poses)  # (rows, n, 3), (rows, n, 4)
        self._shows_forces, self.row = forces.note is None, 0
        self._prepare(recording)
        self._bodies = {surface.name: self._add_body(surface) for surface in self._surfaces}
        self._moving = [(k, self._bodies[name]) for k, name in enumerate(recording.body_names) if name in self._bodies]
        self._labels = [self._add_label(surface) for surface in self._surfaces]
        self._arrows = self._add_arrows()
        self.colour_by(by)
        self._move(0, everything=True)

    def show(self, row: int) -> None:
        """Move everything to a row."""
        with self._lock, self._server.atomic():
            self._move(row)

    def colour_by(self, by: By) -> None:
        """Colour the bodies."""
        for name, colour in colours(self._surfaces, by).items():
            self._bodies[name].color = rgb(colour)

    def show_forces(self, visible: bool) -> None:
        """Draw contact forces, or not."""
        with self._lock, self._server.atomic():
            self._shows_forces = visible
            self._move(self.row)

    def see_through(self, is_on: bool) -> None:
        """Make bodies transparent, or not: forces act inside and behind them."""
        for body in self._bodies.values():
            body.opacity = _SEE_THROUGH if is_on else None

    def show_names(self, visible: bool) -> None:
        """Write each body's name beside its origin, or not."""
        for label in self._labels:
            label.visible = visible

    def _move(self, row: int, everything: bool = False) -> None:
        for k, body in self._moving:
            now, before = self._positions[row, k], self._positions[self.row, k]
            if everything or not np.array_equal(now, before):
                body.position = now
            turn, turn_before = self._quaternions[row, k], self._quaternions[self.row, k]
            if everything or not np.array_equal(turn, turn_before):
                body.wxyz = turn
        self._draw_forces(self._forces.at(row) if self._shows_forces else NONE)
        self.row = row

    def _draw_forces(self, arrows: Array) -> None:
        if len(arrows):
            self._arrows.points = np.asarray(arrows, dtype=np.float32)
        self._arrows.visible = bool(len(arrows))

    def _prepare(self, recording: Recording) -> None:
        """Background, camera, light and ground."""
        scene, scenery = self._server.scene, recording.scenery
        low, high = bounds(recording)
        eye, target = eye_and_target(scenery, low, high)
        scene.set_up_direction(tuple(scenery.up))
        scene.set_background_image(_SKY)
        camera = self._server.initial_camera
        camera.position, camera.look_at, camera.up = eye, target, scenery.up
        camera.fov = np.radians(VIEW_ANGLE)
        size, middle = float(np.linalg.norm(high - low)), 0.5 * (low + high)
        cell = 10.0 ** np.floor(np.log10(0.3 * size))
        for k, (point, normal) in enumerate(scenery.planes):
            scene.add_grid(
                f"/ground/{k}",
                width=10.0 * size,
                height=10.0 * size,
                cell_size=cell,
                section_size=10.0 * cell,
                cell_color=_LINES,
                section_color=_LINES,
                plane_color=_GROUND,
                plane_opacity=1.0,
                shadow_opacity=0.25,
                position=middle - np.dot(middle - point, normal) * normal,
                wxyz=quaternion_from_rotation(rotation_to(normal)),
            )

    def _add_body(self, surface: Surface) -> Any:
        import trimesh

        mesh = trimesh.Trimesh(surface.vertices, surface.faces, process=False)
        mesh = trimesh.graph.smooth_shade(mesh, angle=_SHARP)
        position, quaternion = rigid_parts(surface.pose)
        return self._server.scene.add_mesh_simple(
            _node(surface.name), mesh.vertices, mesh.faces, position=position, wxyz=quaternion
        )

    def _add_arrows(self) -> Any:
        """Forces, none yet."""
        radius = 0.03 * self._forces.ordinary
        return self._server.scene.add_arrows(
            "/forces",
            np.zeros((1, 2, 3)),
            rgb(FORCE),
            shaft_radius=radius,
            head_radius=2.5 * radius,
            head_length=6.0 * radius,
            visible=False,
        )

    def _add_label(self, surface: Surface) -> Any:
        middle = 0.5 * (surface.vertices.min(axis=0) + surface.vertices.max(axis=0))
        return self._server.scene.add_label(
            f"{_node(surface.name)}/name", surface.name, position=middle, visible=False, anchor="center-center"
        )


def _node(name: str) -> str:
    """A body's place in viser's tree, where slashes part levels."""
    return f"/bodies/{quote(name, safe=' ')}"
