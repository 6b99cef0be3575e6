"""One animated binary glTF file (GLB): one node per body, with samplers for its translation and rotation.

A node's pose is rigid in glTF, a body's in a recording very nearly so: what is written is A's rotation of the polar
decomposition. glTF is y up: the whole scene is turned there from its own up.

A soft body's mesh has a morph target for each moment after the first, the displacements of its vertices, and an
animation of their weights: between two moments the vertices move on straight lines. Where vertices have their own
colours, these are morphed too, which some viewers leave out: they keep the colours of the first moment.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ipc_articulation.arrays import Array
from ipc_articulation.errors import ViewingError
from ipc_articulation.spatial import pose, rotation_to
from ipc_articulation.viewing.bodies import nearest_rigid, placed, rigid_parts
from ipc_articulation.viewing.exporting.film import Actor, Film, distinct, linear

Bytes = NDArray[np.float32]

_FLOAT = 5126  # glTF's number for float32
_WHITE = (255, 255, 255)  # colours of vertices are multiplied by that of the material


def write_gltf(film: Film, file: Path, show: Callable[[int], None]) -> str:
    """Write the file.

    Returns:
        What was done, in words, with how far a vertex is off because a pose is made rigid.

    Raises:
        ViewingError: The file's ending is not .glb.
    """
    if file.suffix != ".glb":
        raise ViewingError(f"{file.name}: glTF is written as a binary .glb file")
    from trimesh.exchange.gltf import export_glb

    data = export_glb(_scene(film), buffer_postprocessor=lambda buffers, tree: _animate(film, buffers, tree))
    file.write_bytes(data)
    show(len(film.time))
    off = max((_off(actor) for actor in film.actors), default=0.0)
    return f"{file}: {film.time[-1] - film.time[0]:g} s; rigid poses put vertices up to {off:.1g} m off"


def _scene(film: Film) -> Any:
    """Shapes and where they begin, below a node that turns the scene's up to y."""
    import trimesh

    *_, world, root = distinct([*(actor.surface.name for actor in film.actors), "world", "scene"])
    scene = trimesh.Scene(base_frame=world)
    y_up = rotation_to(np.array([0.0, 1.0, 0.0])) @ rotation_to(film.up).T
    scene.graph.update(frame_to=root, matrix=pose(y_up))
    for actor in film.actors:
        body = actor.surface
        mesh = trimesh.Trimesh(body.vertices, body.faces, process=False)
        material = trimesh.visual.material.PBRMaterial(name=body.name)
        mesh.visual = trimesh.visual.TextureVisuals(material=material)
        start = body.pose if actor.poses is None else actor.poses[0]
        scene.add_geometry(mesh, node_name=body.name, geom_name=body.name, parent_node_name=root, transform=start)
    return scene


def _animate(film: Film, buffers: Any, tree: Any) -> None:
    """Add an animation to glTF's tree, and its numbers to the buffers."""
    nodes = {node["name"]: index for index, node in enumerate(tree["nodes"])}
    animation: dict[str, Any] = {"name": film.name, "channels": [], "samplers": []}
    time = _accessor(film.time - film.time[0], "SCALAR", buffers, tree)
    for actor in film.actors:
        _paint(actor, nodes[actor.surface.name], tree)
        if actor.points is not None:
            _morph(actor, (time, nodes[actor.surface.name]), animation, buffers, tree)
        if actor.poses is None:
            continue
        index = nodes[actor.surface.name]
        positions, quaternions = rigid_parts(actor.poses)
        tree["nodes"][index].pop("matrix", None)
        motion = {
            "translation": (positions, "VEC3"),
            "rotation": (np.roll(_steady(quaternions), -1, axis=1), "VEC4"),  # (x, y, z, w)
        }
        for path, (values, kind) in motion.items():
            output = _accessor(values, kind, buffers, tree)
            tree["nodes"][index][path] = values[0].tolist()
            animation["channels"].append(
                {"sampler": len(animation["samplers"]), "target": {"node": index, "path": path}}
            )
            animation["samplers"].append({"input": time, "output": output, "interpolation": "LINEAR"})
    if animation["channels"]:
        tree["animations"] = [animation]


def _paint(actor: Actor, node: int, tree: Any) -> None:
    """The material, which trimesh would round; soft bodies may be sheets, which have two sides."""
    (primitive,) = tree["meshes"][tree["nodes"][node]["mesh"]]["primitives"]
    colour = linear(actor.colour if actor.shades is None else _WHITE).tolist()
    tree["materials"][primitive["material"]] = {
        "name": actor.surface.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*colour, actor.opacity],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.7,
        },
        "alphaMode": "OPAQUE" if actor.opacity == 1.0 else "BLEND",
        "doubleSided": actor.points is not None,
    }


def _morph(actor: Actor, of: tuple[int, int], animation: dict[str, Any], buffers: Any, tree: Any) -> None:
    """Add morph targets of a soft body, and their weights over time, to the accessor and node `of`."""
    (time, node), points = of, actor.points
    assert points is not None
    mesh = tree["meshes"][tree["nodes"][node]["mesh"]]
    primitive, moving = mesh["primitives"][0], {"POSITION": points}
    if actor.shades is not None:
        moving["COLOR_0"] = linear(actor.shades)
        primitive["attributes"]["COLOR_0"] = _accessor(moving["COLOR_0"][0], "VEC3", buffers, tree)
    targets = [
        {key: _accessor(values[k] - values[0], "VEC3", buffers, tree) for key, values in moving.items()}
        for k in range(1, len(points))
    ]
    if not targets:
        return
    primitive["targets"], mesh["weights"] = targets, [0.0] * len(targets)
    weights = _accessor(np.eye(len(points), len(targets), -1).ravel(), "SCALAR", buffers, tree)
    animation["channels"].append({"sampler": len(animation["samplers"]), "target": {"node": node, "path": "weights"}})
    animation["samplers"].append({"input": time, "output": weights, "interpolation": "LINEAR"})


def _accessor(values: Array, kind: str, buffers: Any, tree: Any) -> int:
    """Append numbers to the buffers; the index of the accessor that reads them."""
    data = np.ascontiguousarray(values, dtype="<f4")
    key = f"animation {len(buffers)}"
    buffers[key] = data.tobytes()
    tree["accessors"][key] = {
        "bufferView": len(buffers) - 1,
        "componentType": _FLOAT,
        "count": len(data),
        "type": kind,
        "min": np.atleast_1d(data.min(axis=0)).tolist(),
        "max": np.atleast_1d(data.max(axis=0)).tolist(),
    }
    return len(tree["accessors"]) - 1


def _steady(quaternions: Array) -> Array:
    """Signs such that no two in a row are more than a right angle apart: (moments, 4)."""
    turns = np.sum(quaternions[1:] * quaternions[:-1], axis=1) < 0.0
    signs = np.where(np.concatenate([[0], np.cumsum(turns)]) % 2, -1.0, 1.0)
    return signs[:, None] * quaternions


def _off(actor: Actor) -> float:
    """How far the farthest vertex is from where the recording has it [m]."""
    if actor.poses is None:
        return 0.0
    vertices = actor.surface.vertices
    difference = placed(vertices, actor.poses) - placed(vertices, nearest_rigid(actor.poses))
    return float(np.linalg.norm(difference, axis=-1).max())
