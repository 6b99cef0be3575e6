"""Textures of a MuJoCo model, which only pictures show: those that cannot be read are left out."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import mujoco
from ipc_articulation.adapters.mujoco.asset_paths import AssetPaths
from ipc_articulation.adapters.mujoco.sizes import PIXELS

from ipc_articulation.coupling.mesh_files import LARGEST, TOO_LARGE
from ipc_articulation.repairs import repair

_PNG = b"\x89PNG\r\n\x1a\n"
_SIZE = struct.Struct(">8x8xII")  # width and height in the first bytes of a PNG file


def repair_texture(spec: mujoco.MjSpec, texture: Any, paths: AssetPaths) -> None:
    """Make the paths of a texture's files whole; leave it out if one cannot be read.

    Raises:
        ModelError: Repairs are refused, and a file is missing, may not be read or is no picture.
    """
    folder = texture.compiler.texturedir
    found = {name: paths.expected(name, folder) for name in sorted({texture.file, *texture.cubefiles} - {""})}
    for name, file in found.items():
        fault = paths.fault(name) if file is None else fault_of_picture(file, PIXELS)
        if fault is not None:
            leave_out_texture(spec, texture, paths.place("texture", texture), f"file '{name}' {fault}")
            return
    whole = {name: str(file.resolve()) for name, file in found.items() if file is not None}
    texture.file = whole.get(texture.file, "")
    texture.cubefiles = [whole.get(name, "") for name in texture.cubefiles]


def fault_of_picture(file: Path, most: int) -> str | None:
    """What is wrong with a file of pixels, for messages; None: nothing is known to be wrong.

    Args:
        file: The file.
        most: The largest number of pixels.
    """
    if file.stat().st_size > LARGEST:
        return TOO_LARGE
    if file.suffix.lower() != ".png":
        return None
    with file.open("rb") as stream:
        header = stream.read(_SIZE.size)
    if len(header) < _SIZE.size or not header.startswith(_PNG):
        return "is no PNG file"
    width, height = _SIZE.unpack(header)
    return f"has {width} x {height} pixels; the most are {most}" if width * height > most else None


def leave_out_texture(spec: mujoco.MjSpec, texture: Any, place: str, fault: str) -> None:
    """Leave out a texture; materials keep their colours.

    Raises:
        ModelError: Repairs are refused.
    """
    repair(f"texture '{texture.name}'", fault, "left out", at=place)
    for material in spec.materials:
        material.textures = ["" if name == texture.name else name for name in material.textures]
    spec.delete(texture)


def leave_out_unknown_materials(spec: mujoco.MjSpec, path: Path) -> None:
    """Leave out materials that the model names and does not have.

    Raises:
        ModelError: Repairs are refused.
    """
    known = {"", *(material.name for material in spec.materials)}
    users = [*spec.geoms, *spec.sites]
    for name in sorted({user.material for user in users} - known):
        repair(f"material '{name}'", "there is none of this name", "left out", at=path)
    for user in users:
        if user.material not in known:
            user.material = ""
