"""Draws the bodies of a scene off-screen with pyvista."""

from __future__ import annotations

import pickle
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.recording.scenery import Scenery, Surface

Array = NDArray[np.float64]
Point = tuple[float, float, float]

_SIZE = (1600, 1000)  # pixels
_COLOURS = {"link": "#ffffff", "free": "#f0a050", "fixed": "#8fa3bd"}
_GROUND, _SHADOW, _SKY, _LINES = "#dde3ea", "#b9c2cd", "#f7f9fb", "#20242a"
_KEY, _FILL = (0.7, -0.7, 1.6), (-1.0, -0.6, 0.5)  # where light comes from: right, back, up
_SHARP = 25.0  # degrees between faces from which an edge is drawn


@dataclass(frozen=True)
class Still:
    """Everything that one picture shows."""

    scenery: Scenery
    poses: dict[str, Array]  # (4, 4) of the bodies that move, by name


def render(still: Still, file: str) -> None:
    """Write a PNG."""
    import pyvista

    plotter = pyvista.Plotter(off_screen=True, window_size=list(_SIZE), lighting="none")
    plotter.set_background(_SKY)
    scenery = still.scenery
    meshes = [(surface, _placed(surface, still.poses.get(surface.name, surface.pose))) for surface in scenery.surfaces]
    for surface, mesh in meshes:
        _add_body(plotter, mesh, _COLOURS[surface.role])
    low, high = _bounds([mesh for _, mesh in meshes])
    for point, normal in scenery.planes:
        _add_plane(plotter, point, normal, 0.5 * (low + high), float(np.linalg.norm(high - low)))
        for _, mesh in meshes:
            _add_shadow(plotter, mesh, point, normal, _direction(scenery.up, _KEY))
    _aim(plotter, scenery, low, high)
    _light(plotter, scenery, 0.5 * (low + high))
    plotter.enable_anti_aliasing("ssaa")
    plotter.screenshot(file)
    plotter.close()


def main() -> None:
    """Render the pickled `Still` on standard input to the file named by the first argument; for `pictures`."""
    render(pickle.load(sys.stdin.buffer), sys.argv[1])


def _placed(surface: Surface, pose: Array) -> Any:
    import pyvista

    points = surface.vertices @ pose[:3, :3].T + pose[:3, 3]
    return pyvista.PolyData.from_regular_faces(points, surface.faces)


def _add_body(plotter: Any, mesh: Any, colour: str) -> None:
    smooth = mesh.compute_normals(split_vertices=True, feature_angle=_SHARP)
    plotter.add_mesh(smooth, color=colour, smooth_shading=True, specular=0.1, ambient=0.3)
    edges = mesh.extract_feature_edges(_SHARP, boundary_edges=False, non_manifold_edges=False)
    if edges.n_points:
        plotter.add_mesh(edges, color=_LINES, line_width=2.0, lighting=False)


def _add_plane(plotter: Any, point: Array, normal: Array, center: Array, size: float) -> None:
    """A wide disc of the half-plane under the scene, of one colour."""
    import pyvista

    below = center - np.dot(center - point, normal) * normal
    disc = pyvista.Disc(center=below, inner=0.0, outer=20.0 * size, normal=normal, c_res=96)
    plotter.add_mesh(disc, color=_GROUND, lighting=False)


def _add_shadow(plotter: Any, mesh: Any, point: Array, normal: Array, to_light: Array) -> None:
    """The mesh projected onto the plane along the light: x - (n·(x - p) / n·l) l, lifted by a hair."""
    shadow = mesh.copy()
    heights = (mesh.points - point) @ normal
    shadow.points = mesh.points - np.outer(heights / np.dot(normal, to_light), to_light) + 5e-4 * normal
    plotter.add_mesh(shadow, color=_SHADOW, lighting=False)


def _bounds(meshes: list[Any]) -> tuple[Array, Array]:
    """Lowest and highest corner of everything."""
    points = np.concatenate([mesh.points for mesh in meshes]) if meshes else np.array([[-1.0] * 3, [1.0] * 3])
    return points.min(axis=0), points.max(axis=0)


def _aim(plotter: Any, scenery: Scenery, low: Array, high: Array) -> None:
    """The camera of the file; what it leaves out looks at the middle of everything from the front right, from above."""
    target = 0.5 * (low + high) if scenery.target is None else np.array(scenery.target)
    up = _unit(scenery.up)
    eye = target + 1.9 * np.linalg.norm(high - low) * _direction(up, (0.9, -1.3, 0.6))
    plotter.camera.position = tuple(eye if scenery.eye is None else scenery.eye)
    plotter.camera.focal_point, plotter.camera.up = tuple(target), tuple(up)
    plotter.camera.view_angle = 30.0
    plotter.renderer.reset_camera_clipping_range()


def _light(plotter: Any, scenery: Scenery, middle: Array) -> None:
    """A key light and a weaker one from the other side."""
    import pyvista

    for towards, intensity in ((_KEY, 0.75), (_FILL, 0.4)):
        position = middle + _direction(scenery.up, towards)
        plotter.add_light(pyvista.Light(position=position, focal_point=middle, intensity=intensity))


def _direction(up: Array, towards: Point) -> Array:
    """Unit vector of components to the right, to the back and up."""
    side, back = _across(_unit(up))
    return _unit(towards[0] * side + towards[1] * back + towards[2] * _unit(up))


def _across(up: Array) -> tuple[Array, Array]:
    """Two horizontal unit vectors, x and y where up is z."""
    start = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    side = _unit(start - np.dot(start, up) * up)
    return side, np.cross(up, side)


def _unit(vector: Array) -> Array:
    return vector / np.linalg.norm(vector)
