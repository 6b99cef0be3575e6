"""Texts in a scene file, written so that they read back as they are."""

from __future__ import annotations

import json
import re

import yaml

LONGEST_KEY = 128  # characters; with its escapes, YAML takes 1024 before a «:» unless a «?» announces the key

_PLAIN = re.compile(r"[A-Za-z_./][\w./:-]*", re.ASCII)
_BREAKING = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")  # what JSON leaves, and YAML takes as a break or refuses


def quoted(text: str) -> str:
    """A value; in quotes where YAML could read it as something else, with `$${` for what looks like a variable."""
    return _written(text.replace("${", "$${"))


def key(text: str) -> str:
    """The key of a mapping, of which `${` is a plain part, up to its value."""
    written = _written(text)
    return f"{written}:" if len(text) <= LONGEST_KEY else f"? {written}\n    :"


def comment(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def _written(text: str) -> str:
    if _PLAIN.fullmatch(text) and _reads_back(text):
        return text
    return _BREAKING.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _reads_back(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return bool(yaml.safe_load(f"[{text}]") == [text])
    return False
