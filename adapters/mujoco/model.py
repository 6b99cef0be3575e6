"""Readers of MuJoCo models, from MJCF files and from URDF files with meshes in packages."""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib import metadata
from pathlib import Path

import mujoco

from ipc_articulation.dynamics.reading.mesh_paths import package_folders
from ipc_articulation.dynamics.reading.node import by_name, parse
from ipc_articulation.dynamics.reading.tree import only_root
from ipc_articulation.dynamics.reading.urdf import refuse_xacro
from ipc_articulation.errors import AdapterError

# Drawings are dropped (MuJoCo cannot read their formats anyway), paths stay whole, welded links keep their names.
_COMPILER = '<mujoco><compiler discardvisual="true" strippath="false" fusestatic="false"/></mujoco>'
_PACKAGE = re.compile(r"package://([^/\"']+)/([^\"']+)")
_READABLE = (".stl", ".obj", ".msh")


def load_model(path: str | Path, package_dirs: Collection[str | Path] = ()) -> mujoco.MjModel:
    """Read and compile a model file, MJCF (.xml) or URDF (.urdf).

    Args:
        path: The file.
        package_dirs: Folders that are searched for `package://NAME/...`: each is the package NAME or contains it.

    Raises:
        AdapterError: The file or one of its meshes does not exist, or MuJoCo cannot read it.
        ModelError: A URDF file is not well-formed, is a xacro file, two of its joints have the same name, or it has
            several root links.
    """
    spec = load_spec(path, package_dirs)
    try:
        return spec.compile()
    except ValueError as error:
        raise AdapterError(f"{path}: {error}") from error


def load_spec(path: str | Path, package_dirs: Collection[str | Path] = ()) -> mujoco.MjSpec:
    """Read a model file, to be changed before it is compiled; arguments and errors as in `load_model`."""
    path = Path(path)
    if not path.is_file():
        raise AdapterError(f"model file '{path}' does not exist")
    if path.suffix == ".osim":
        raise AdapterError(f"{path}: MuJoCo reads no OpenSim files; adapter native does")
    try:
        if path.suffix == ".urdf":
            _check_urdf(path)
            spec = mujoco.MjSpec.from_string(_prepare_urdf(path, [Path(d) for d in package_dirs]))
            spec.modelfiledir = str(path.parent)  # where relative mesh paths begin
            return spec
        return mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise AdapterError(f"{path}: {error}") from error


def find_package(name: str) -> Path:
    """Folder of an installed robot package such as `example-robot-data`, for `package_dirs`.

    Raises:
        AdapterError: The package is not installed.
    """
    try:
        folder = Path(str(metadata.distribution(name).locate_file(f"cmeel.prefix/share/{name}")))
    except metadata.PackageNotFoundError:
        folder = None
    if folder is None or not folder.is_dir():
        raise AdapterError(f"robot package '{name}' is not installed; try: pip install 'ipc_articulation[robots]'")
    return folder.resolve()


def _check_urdf(path: Path) -> None:
    """Refuse what MuJoCo would take silently: elements of xacro, two joints of one name, and a second root link."""
    robot = parse(path)
    refuse_xacro(robot)
    by_name(joint for joint in robot.children("joint") if joint.has("name"))
    children = {child.text("link") for joint in robot.children("joint") for child in joint.children("child")}
    links = [link.text("name") for link in robot.children("link")]
    if not children.issuperset(links):  # MuJoCo names a circle itself
        only_root(robot, links, children)


def _prepare_urdf(path: Path, package_dirs: list[Path]) -> str:
    """The URDF's text with absolute mesh paths and the compiler settings that an IPC model needs."""
    text = path.read_text()
    text = _PACKAGE.sub(lambda match: _resolve(match, path, package_dirs), text)
    if "<mujoco>" not in text:
        text = re.sub(r"(<robot\b[^>]*>)", rf"\1\n{_COMPILER}", text, count=1)
    return text


def _resolve(match: re.Match[str], urdf: Path, package_dirs: list[Path]) -> str:
    package, rest = match.groups()
    roots = package_folders(package, package_dirs)
    for root in roots:
        if (root / rest).is_file():
            return str(root / rest)
    if Path(rest).suffix.lower() not in _READABLE:
        return match.group()  # a drawing, which is dropped
    looked_in = ", ".join(str(root) for root in roots) or "no folder: package_dirs is empty"
    raise AdapterError(f"{urdf}: mesh '{match.group()}' does not exist; looked in {looked_in}")
