"""XML that is almost well-formed: what libxml2 recovers without loss is repaired, the rest is refused."""

from __future__ import annotations

import codecs
import re
from os import PathLike
from pathlib import Path

from lxml import etree

from ipc_articulation.arguments import shown
from ipc_articulation.dynamics.reading.node import CPP_TAG, TEXT, XmlNode
from ipc_articulation.errors import ModelError
from ipc_articulation.repairs import repair

LARGEST = 32 << 20  # bytes of a file; published robots have less than one MB

_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]+)[\"']")

# Errors of libxml2 after which it loses nothing that belongs to the robot, and what it does instead.
_REMEDIES = {
    "ERR_UNKNOWN_VERSION": "read as version 1.0",
    "ERR_RESERVED_XML_NAME": "the declaration is ignored",
    "ERR_DOCUMENT_END": "what follows </robot> is ignored",
    "ERR_INVALID_CHAR": "the character is left out",
    "ERR_HYPHEN_IN_COMMENT": "the comment is ignored",
    "ERR_UNDECLARED_ENTITY": "the entity is left out",
    "ERR_ENTITYREF_SEMICOL_MISSING": "the entity is left out",
    "ERR_ATTRIBUTE_REDEFINED": "the first value is used",
    "ERR_LT_IN_ATTRIBUTE": "it is read as a character",
    "ERR_MISPLACED_CDATA_END": "it is read as text",
    "NS_ERR_UNDEFINED_NAMESPACE": "read as another tool's",
    "NS_ERR_XML_NAMESPACE": "ignored",
    "NS_ERR_QNAME": "read as another tool's",
}
_AMPERSAND = "xmlParseEntityRef"  # begins the message about a lone «&»


def document(path_or_text: str | Path, kind: str = "a URDF file") -> XmlNode:
    """The outermost element of an XML file, or of XML given as text, which begins with «<».

    Args:
        path_or_text: The file or the text.
        kind: The expected kind of file, for messages.

    Raises:
        ModelError: The file cannot be read, is too large, or is not well-formed in a way that could lose a part of it.
    """
    if not isinstance(path_or_text, str | PathLike):
        raise ModelError(f"give {kind}, or its text; it is {shown(path_or_text)}")
    if isinstance(path_or_text, str) and path_or_text.lstrip("\ufeff \t\r\n").startswith("<"):
        return parsed(path_or_text.lstrip("\ufeff"), TEXT)
    return parsed(text_of(Path(path_or_text), kind)[0], str(path_or_text))


def text_of(path: Path, kind: str) -> tuple[str, bool]:
    """The text of an XML file, and whether the file has exactly this text in UTF-8; arguments as those of `document`.

    Raises:
        ModelError: The file cannot be read, is empty, or is too large.
    """
    try:
        content = _content(path, kind)
    except (OSError, ValueError) as error:  # ValueError: the path has a null character
        reason = error.strerror if isinstance(error, OSError) else error
        raise ModelError(f"{path}: {reason}; give {kind}, or its text") from error
    text = _from_tag(_decoded(content, str(path)), str(path))
    return text, text.encode(errors="replace") == content


def _content(path: Path, kind: str) -> bytes:
    with path.open("rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ModelError(f"{path}: the file has more than {LARGEST >> 20} MB; give {kind}")
    if not content.strip():
        raise ModelError(f"{path}: the file is empty; give {kind}")
    return content


def _decoded(content: bytes, file: str) -> str:
    """The text of a file: by its byte order mark, its declaration, as UTF-8 or, with a repair, as Latin-1."""
    marked = [encoding for bom, encoding in _BOMS.items() if content.startswith(bom)]
    declared = _DECLARED.search(content[:400])
    encodings = [*marked, *([declared[1].decode()] if declared else []), "utf-8"]
    for encoding in encodings:
        text = _in_encoding(content, encoding)
        if text is not None:
            break
    else:
        encoding, text = "latin-1", content.decode("latin-1")
    if encoding != encodings[0] and "<" in text:
        repair("", f"the file's encoding is not {encodings[0]}", f"read as {encoding}", at=f"{file}:1")
    return text


def _in_encoding(content: bytes, encoding: str) -> str | None:
    try:
        text = content.decode(encoding)
    except (LookupError, UnicodeError):
        return None
    return text if "<" in text else None


def _from_tag(text: str, file: str) -> str:
    """The text without what is before its first «<», but with its lines; that is blanks in a good file."""
    start = text.find("<")
    stray = text[:start].strip()
    if start > 0 and stray:
        line = text[: text.index(stray[0])].count("\n") + 1
        fault = "not well-formed XML: text before the first element"
        repair("", fault, "the text is ignored", at=f"{file}:{line}")
    return "\n" * text[:start].count("\n") + text[start:] if start > 0 else text


def parsed(text: str, file: str, deep: bool = False) -> XmlNode:
    """The outermost element of an XML text.

    Args:
        text: The text; a deep one must not contain entities, whose size is then unlimited.
        file: Its file, for messages.
        deep: More than 256 elements may be inside each other.

    Raises:
        ModelError: The text is not well-formed, and cannot be repaired without loss.
    """
    content = CPP_TAG.sub(rb"\1.", text.encode(errors="replace"))
    parser = etree.XMLParser(encoding="utf-8", recover=True, remove_comments=True, remove_pis=True, huge_tree=deep)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise ModelError(f"{file}:{error.lineno or 1}: not well-formed XML: {error.msg}") from error
    seen = set()
    for entry in parser.error_log:
        if entry.level < etree.ErrorLevels.ERROR:
            continue
        place, fault = f"{file}:{entry.line}", f"not well-formed XML: {_said(entry)}"
        remedy = _REMEDIES.get(entry.type_name)
        if entry.message.startswith(_AMPERSAND):
            remedy = "the character «&» is left out"
        if remedy is None or root is None:
            raise ModelError(f"{place}: {fault}")
        if (entry.type_name, entry.message) not in seen:
            seen.add((entry.type_name, entry.message))
            repair("", fault, remedy, at=place)
    return XmlNode(root, file)


def _said(entry: etree._LogEntry) -> str:
    return f"{entry.message}, line {entry.line}, column {entry.column}"
