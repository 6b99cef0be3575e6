"""Recordings for tests: a link that turns about z, a crate that slides along x, a wall, the ground."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import trimesh

from ipc_articulation.recording import Header, Recording, RecordingWriter, Scenery, Surface, Visual
from ipc_articulation.recording.contacts import NO_CONTACTS, Contacts

UP = np.array([0.0, 0.0, 1.0])
DT = 0.1


def box(name: str, role: str, x: float) -> Surface:
    mesh, pose = trimesh.creation.box((0.5, 0.4, 0.3)), np.eye(4)
    pose[:3, 3] = x, 0.0, 0.5
    return Surface(name, role, mesh.vertices, mesh.faces.astype(np.int32), pose)


def recording(
    rows: int = 11, slide: float = 0.8, forces: bool = True, ground: bool = True, **camera: tuple[float, float, float]
) -> Recording:
    """The link makes half a turn, the crate slides so far [m]; from the second row on two forces act on the crate."""
    surfaces = (box("link", "link", -1.0), box("a crate", "free", 0.0), box("wall", "fixed", 1.8))
    scenery = Scenery(surfaces, ((np.zeros(3), UP),) if ground else (), UP, **camera)
    terms, stages = ("kinetic", "contact"), ("assemble", "solve")
    extra = {"title": "A <title>", "engine": "cpu", "wall_time": 1.5}
    made = Recording("run", DT, rows - 1, ("turn",), ("link", "a crate"), ("a crate",), extra, scenery, terms, stages)
    made.rows = rows
    share = np.linspace(0.0, 1.0, rows)
    for name in made.buffers:
        if name not in ("time", "body_poses"):
            made.buffers[name][1:] = 0.001
    made.buffers["theta"][:, 0] = np.pi * share
    made.buffers["body_poses"][:] = poses(share, slide)
    made.buffers["minimum_distance"][:] = np.inf
    made.buffers["minimum_distance"][rows // 2] = 2e-3
    made.buffers["newton_iterations"][1:] = 3.0
    if forces:
        made.contact_names = ("a crate", "ground")
        made.contact_rows = {row: _contacts(made.body_poses[row, 1]) for row in range(1, rows)}
    return made


def poses(share: np.ndarray, slide: float) -> np.ndarray:
    """(rows, 2, 4, 4)."""
    made = np.tile(np.eye(4), (len(share), 2, 1, 1))
    c, s = np.cos(np.pi * share), np.sin(np.pi * share)
    made[:, 0, :2, :2] = np.moveaxis(np.array([[c, -s], [s, c]]), -1, 0)
    made[:, 0, :3, 3] = -1.0, 0.0, 0.5
    made[:, 1, 0, 3], made[:, 1, 2, 3] = slide * share, 0.5
    return made


def with_looks(made: Recording) -> Recording:
    """The link also has a red ball above it and a long grey rod for display."""
    ball, rod = trimesh.creation.icosphere(radius=0.3), trimesh.creation.box((0.1, 0.1, 2.0))
    ball.apply_translation((0.0, 0.0, 0.5))
    visual = Visual(ball.vertices, ball.faces, (0.9, 0.0, 0.0, 1.0)), Visual(rod.vertices, rod.faces)
    link, *others = made.scenery.surfaces
    made.__dict__["scenery"] = replace(made.scenery, surfaces=(replace(link, visual=visual), *others))
    return made


def save(made: Recording, folder: Path) -> Path:
    """Write it to disk as a run does."""
    names = made.joint_names, made.body_names, made.free_names, made.energy_terms, made.stages, made.contact_names
    header = Header(made.name, made.dt, *names, made.extra)
    writer = RecordingWriter.create(folder, header, made.scenery, made.rows)
    for row in range(made.rows):
        values = {name: buffer[row] for name, buffer in made.buffers.items()}
        writer.append(values, made.contact_rows.get(row, NO_CONTACTS))
    writer.close()
    return folder


def _contacts(pose: np.ndarray) -> Contacts:
    """Two corners of the crate are pushed up with 2 N, one of them as seen from the ground."""
    points = pose[:3, 3] + np.array([[0.25, 0.2, -0.15], [-0.25, -0.2, -0.15]])
    return Contacts(points, np.array([[0, 0, 2.0], [0, 0, -2.0]]), (("a crate", "ground"), ("ground", "a crate")))
