"""The files that make an MJCF model: its own, those that it includes, and models that it attaches."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from ipc_articulation.dynamics.reading.node import XmlNode
from ipc_articulation.dynamics.reading.readable import Readable
from ipc_articulation.dynamics.reading.repairing.document import parsed, text_of
from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import collected, strict

READ = ("include", "model", "flexcomp")  # elements whose file MuJoCo reads before its compiler begins
FOLDERS = {"mesh": "meshdir", "texture": "texturedir", "hfield": "assetdir", "skin": "assetdir"}  # of assets' files
_ENTITY = re.compile(r"<!ENTITY\b")
_LONG = 80  # characters of a name in messages


@dataclass
class Part:
    """One file."""

    file: Path
    root: XmlNode
    text: str  # for MuJoCo
    plain: bool  # MuJoCo reads the same from the disk

    @property
    def elements(self) -> Iterator[etree._Element]:
        return self.root.element.iter(etree.Element)

    def node(self, element: etree._Element) -> XmlNode:
        return XmlNode(element, str(self.file))


@dataclass
class Parts:
    """All files of a model, each read once.

    Raises:
        ModelError: A file is not well-formed XML, is not there, may not be read, or contains itself.
    """

    model: Path  # the model's own file
    readable: Readable
    files: dict[Path, Part] = field(default_factory=dict)  # by path without links, the model's own first
    of: dict[etree._Element, Part] = field(default_factory=dict)  # the part that an element brings in

    def __post_init__(self) -> None:
        self._read(self.model, self.model.parent, (), [])

    @property
    def own(self) -> Part:
        return next(iter(self.files.values()))

    def _read(self, file: Path, home: Path, chain: tuple[Path, ...], model: list[Part]) -> Part:
        """A file and those that it names.

        Args:
            file: The file.
            home: Where MuJoCo looks first: the folder of the model or of the attached model.
            chain: The files around it.
            model: The files of the same model, to which this one is added.
        """
        key = file.resolve()
        if key in self.files:
            return self.files[key]
        text, plain = text_of(file, "an MJCF file")
        _refuse_entities(text, file)
        with strict(False), collected():  # MuJoCo itself judges what is almost well-formed
            root = parsed(text, str(file), deep=True)
        part = self.files[key] = Part(file, root, text, plain)
        model.append(part)
        for element in part.elements:
            tag, name = str(element.tag).lower(), element.get("file")
            if tag in READ and name:
                other = self._found(part.node(element), name, home)
                if other.resolve() in (*chain, key):
                    raise part.node(element).error(f"<{tag}> names '{name:.{_LONG}}', which contains this file itself")
                if tag == "include" and any(other.resolve() == part.file.resolve() for part in model):
                    raise part.node(element).error(f"<include> names '{name:.{_LONG}}' a second time")
                if tag == "include":
                    self.of[element] = self._read(other, home, (*chain, key), model)
                elif tag == "model":
                    self.of[element] = self._attached(other, (*chain, key))
        return part

    def _attached(self, file: Path, chain: tuple[Path, ...]) -> Part:
        """An attached model, its paths made whole: two of them may have files of the same relative path."""
        model: list[Part] = []
        root = self._read(file, file.parent, chain, model)
        settings = {k: v for part in model for e in part.elements if e.tag == "compiler" for k, v in e.attrib.items()}
        for part in model:
            for element in part.elements:
                for name in [name for name in element.attrib if str(name).startswith("file")]:
                    found = self._whole(element, element.get(name, ""), part, file.parent, settings)
                    if found is not None:
                        element.set(name, os.path.abspath(found))
                        part.plain = False
            if not part.plain:
                part.text = etree.tostring(part.root.element, encoding="unicode")
        return root

    def _whole(
        self, element: etree._Element, name: str, part: Part, home: Path, settings: dict[str, str]
    ) -> Path | None:
        """The file that an element of an attached model names, by MuJoCo's rule; None: nothing that may be read."""
        tag = str(element.tag)
        if tag in READ:
            return self._found(part.node(element), name, home)
        if tag not in FOLDERS:
            return None
        tail = name.replace("\\", "/")
        if settings.get("strippath") == "true":
            tail = Path(tail).name
        folder = settings.get(FOLDERS[tag], settings.get("assetdir", ""))
        places = (home / folder / tail, part.file.parent / tail)
        return next((file for file in places if self.readable.allows(file, Path(name).is_absolute())), None)

    def _found(self, node: XmlNode, name: str, home: Path) -> Path:
        """The file that an element names, by MuJoCo's rule: relative to the model, or to the file of the element."""
        said = f"<{node.tag}> names '{name:.{_LONG}}'"
        for folder in dict.fromkeys([home, Path(node.file).parent]):
            file = folder / name.replace("\\", "/")
            if self.readable.allows(file, Path(name).is_absolute()):
                return file
            if exists(file):
                raise node.error(
                    f"{said}, which may not be read: it is no file, or outside the folders of the model and of "
                    "'package_dirs'"
                )
        raise node.error(f"{said}; there is no such file")

    def place(self, tag: str, name: str, files: Collection[str]) -> str:
        """The place of an asset, `file:line`, known by its name, else by one of its files; the model's file if none."""
        wanted = {Path(file).name for file in files}
        found = ""
        for part in self.files.values():
            for element in part.elements:
                if element.tag != tag:
                    continue
                if name and element.get("name") == name:
                    return f"{part.file}:{element.sourceline}"
                if not found and wanted & {Path(value).name for value in element.attrib.values()}:
                    found = f"{part.file}:{element.sourceline}"
        return found or str(self.model)


def _refuse_entities(text: str, file: Path) -> None:
    """MuJoCo does not replace entities, so that it would read other names than those that are checked here."""
    found = _ENTITY.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise ModelError(f"{file}:{line}: <!ENTITY> is nothing that MuJoCo reads; write what the entity means")


def exists(file: Path) -> bool:
    """Whether there is a file, a folder or something else."""
    try:
        return file.exists()
    except (OSError, ValueError):
        return False
