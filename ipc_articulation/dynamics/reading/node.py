"""XML elements with their file and line, which every error message names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import ArrayLike

from ipc_articulation.arguments import shown
from ipc_articulation.arrays import Array
from ipc_articulation.errors import ModelError
from ipc_articulation.naming import suggest

TEXT = "<text>"  # the file name in messages about XML given as text
CPP_TAG = re.compile(rb"(</?\w+)::")  # OpenSim writes class names of C++ as tags, which is not valid XML
FLAGS = {"true": True, "false": False}
ALIKE = 0.8  # difflib's ratio above which an unknown name counts as misspelt


class XmlNode(NamedTuple):
    """An XML element. Children and attributes in an XML namespace belong to other tools, and are left out."""

    element: etree._Element
    file: str
    owner: str = ""  # the part to which it belongs, for messages: "link 'hand'"

    @property
    def tag(self) -> str:
        return self.element.tag

    @property
    def line(self) -> int:
        """Line of the end of the start tag, counted from 1."""
        return self.element.sourceline

    @property
    def at(self) -> str:
        """Its file and line."""
        return f"{self.file}:{self.line}"

    @property
    def place(self) -> str:
        """Beginning of messages about the element: `file:line: link 'hand'`."""
        return f"{self.at}: {self.owner}" if self.owner else self.at

    def error(self, message: str) -> ModelError:
        """An error at this element."""
        return ModelError(f"{self.place}: {message}")

    def named(self, kind: str = "") -> tuple[str, XmlNode]:
        """The element's name, and the element as the owner of its content.

        Args:
            kind: Its kind in messages; empty: its tag.

        Raises:
            ModelError: It has no name.
        """
        name = self.text("name")
        return name, self._replace(owner=f"{kind or self.tag} '{name}'")

    def has(self, attribute: str) -> bool:
        return attribute in self.element.attrib

    def text(self, attribute: str) -> str:
        """A required attribute, which must not be empty."""
        text = self.element.get(attribute, "").strip()
        if not text:
            raise self.error(f'<{self.tag}> lacks {attribute}="…"')
        return text

    def number(self, attribute: str, default: float | None = None, infinite: bool = False) -> float:
        """An attribute's number; arguments and errors are those of `numbers`."""
        return float(self.numbers(attribute, 1, None if default is None else [default], infinite)[0])

    def numbers(self, attribute: str, count: int, default: ArrayLike | None = None, infinite: bool = False) -> Array:
        """An attribute's numbers, which blanks separate, (count,).

        Args:
            attribute: Name.
            count: The required number of values.
            default: Their values if the attribute is missing; None: the attribute is required.
            infinite: The numbers may be infinite.
        """
        if default is not None and not self.has(attribute):
            return np.array(default, dtype=float)
        text = self.text(attribute)
        x = numbers_of(text, count, infinite)
        if x is None:
            what = "a number" if infinite else "a finite number" if count == 1 else f"{count} finite numbers"
            raise self.error(f'<{self.tag}> has {attribute}="{text}"; give {what}')
        return x

    def children(self, tag: str | None = None) -> list[XmlNode]:
        """The child elements with a tag, or all of them, in order."""
        elements = (e for e in self.element if e.tag == tag or (tag is None and not e.tag.startswith("{")))
        return [XmlNode(element, self.file, self.owner) for element in elements]

    def descendants(self, tag: str) -> list[XmlNode]:
        """All elements with a tag inside this one, in order."""
        return [XmlNode(element, self.file, self.owner) for element in self.element.iter(tag)]

    def child(self, tag: str) -> XmlNode | None:
        """The child element with a tag, or None; more than one is an error."""
        found = self.children(tag)
        if len(found) > 1:
            raise found[1].error(f"<{self.tag}> has more than one <{tag}>; give one")
        return found[0] if found else None

    def required(self, tag: str) -> XmlNode:
        """The only child element with a tag."""
        found = self.child(tag)
        if found is None:
            raise self.error(f"<{self.tag}> lacks <{tag}>")
        return found

    def allow(self, attributes: Collection[str] = (), elements: Collection[str] = ()) -> None:
        """Refuse all attributes and elements but these."""
        for name in self.element.attrib:
            if name not in attributes and not name.startswith("{"):
                raise self.error(f"<{self.tag}> has the unknown attribute '{name}'{suggest(name, attributes)}")
        for child in self.children():
            if child.tag not in elements:
                raise child.error(f"<{self.tag}> has the unknown element <{child.tag}>{suggest(child.tag, elements)}")

    def refuse_misspelt(self, elements: Collection[str]) -> None:
        """Refuse elements with names similar to these, or with letters in another order; others are other tools'."""
        anagrams = {tuple(sorted(name)) for name in elements}
        for child in self.children():
            if child.tag in elements:
                continue
            if tuple(sorted(child.tag)) in anagrams or difflib.get_close_matches(child.tag, elements, cutoff=ALIKE):
                raise child.error(f"<{self.tag}> has the unknown element <{child.tag}>{suggest(child.tag, elements)}")


def by_name(nodes: Iterable[XmlNode], kind: str = "") -> dict[str, XmlNode]:
    """Elements by name, in their order, each the owner of its content; `kind` is that of `XmlNode.named`.

    Raises:
        ModelError: An element has no name, or two have the same name.
    """
    found: dict[str, XmlNode] = {}
    for node in nodes:
        name, named = node.named(kind)
        if name in found:
            raise named.error(f"line {found[name].line} has the same name; give each {kind or node.tag} its own")
        found[name] = named
    return found


def numbers_of(text: str, count: int | None, infinite: bool = False) -> Array | None:
    """The numbers in a text, (count,), or one or more if `count` is None. The result is None for any other text.

    Python alone reads `1_0` and digits of other scripts as numbers; other readers of these files do not.
    """
    if "_" in text or not text.isascii():
        return None
    try:
        x = np.array(text.split(), dtype=float)
    except ValueError:
        return None
    good = (len(x) > 0 if count is None else len(x) == count) and (np.isfinite(x) | (infinite & np.isinf(x))).all()
    return x if good else None


def parse(path_or_text: str | Path, kind: str = "a URDF file") -> XmlNode:
    """The outermost element of an XML file, or of XML given as text, which begins with «<».

    Args:
        path_or_text: The file or the text.
        kind: The expected kind of file, for messages.

    Raises:
        ModelError: The file cannot be read, or is not well-formed.
    """
    quiet = {"remove_comments": True, "remove_pis": True}
    if not isinstance(path_or_text, str | PathLike):
        raise ModelError(f"give {kind}, or its text; it is {shown(path_or_text)}")
    is_text = isinstance(path_or_text, str) and path_or_text.lstrip().startswith("<")
    file = TEXT if is_text else str(path_or_text)
    try:
        if is_text:
            content, parser = str(path_or_text).encode(), etree.XMLParser(encoding="utf-8", **quiet)
        else:
            content, parser = Path(path_or_text).read_bytes(), etree.XMLParser(**quiet)
        return XmlNode(etree.fromstring(CPP_TAG.sub(rb"\1.", content), parser), file)
    except (OSError, ValueError) as error:  # ValueError: the path has a null character
        reason = error.strerror if isinstance(error, OSError) else error
        raise ModelError(f"{file}: {reason}; give {kind}, or its text") from error
    except etree.XMLSyntaxError as error:
        raise ModelError(f"{file}:{error.lineno}: not well-formed XML: {error.msg}") from error
