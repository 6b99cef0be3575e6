"""The block `config` of a scene file, merged into libuipc's scene configuration.

libuipc silently ignores some values of a wrong type, so each value is compared with the default that it replaces.
libuipc checks ranges itself; its messages are reported with their place in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ipc_articulation.naming import suggest
from ipc_articulation.scenefile.document import Document, Location, SceneProblem

if TYPE_CHECKING:
    import uipc

LARGEST = 2**31 - 1  # whole number

# What other keys of a scene file say.
_ELSEWHERE = {
    ("dt",): "dt",
    ("gravity",): "gravity",
    ("contact", "enable"): "contact.enabled",
    ("contact", "d_hat"): "contact.d_hat",
}


def configure(config: dict[str, Any], changes: Mapping[str, Any], document: Document) -> None:
    """Put the file's values over the defaults.

    Raises:
        SceneFileError: With the place of every key that libuipc does not have, and of every value of a wrong type.
    """
    if problems := list(_problems(config, changes, ())):
        raise document.error(problems)
    _merge(config, changes)


def make_scene(config: dict[str, Any], document: Document) -> uipc.Scene:
    """A libuipc scene of a whole configuration.

    Raises:
        SceneFileError: libuipc refuses a value.
    """
    import uipc

    try:
        return uipc.Scene(config)
    except uipc.Exception as error:  # its message goes on with a stack of C++
        said = re.search(r"Invalid scene config '(?P<path>[^']*)': (?P<reason>.*?)\.? ?/?\S*\(\d+\):", str(error))
        if said is None:
            raise document.error(
                [SceneProblem(("config",), f"libuipc refuses it: {str(error).splitlines()[0]}")]
            ) from None
        path, reason = said["path"], said["reason"]
        raise document.error([SceneProblem(("config", *path.split("/")), f"libuipc: {path}: {reason}")]) from None


def _problems(config: Mapping[str, Any], changes: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[SceneProblem]:
    for key, value in changes.items():
        place: Location = ("config", *path, key)
        if key not in config:
            message = f"libuipc's scene configuration has no '{key}' here{suggest(key, config)}"
            yield SceneProblem(place, message, at_key=True)
        elif (*path, key) in _ELSEWHERE:
            message = f"'{key}' is said by the key `{_ELSEWHERE[(*path, key)]}` of the scene file, not here"
            yield SceneProblem(place, message, at_key=True)
        elif isinstance(config[key], dict) and isinstance(value, Mapping):
            yield from _problems(config[key], value, (*path, key))
        elif not _fits(config[key], value):
            yield SceneProblem(place, f"'{key}' must be {_kind(config[key])}, got {value!r}")


def _fits(default: object, value: object) -> bool:
    if isinstance(default, str):
        return isinstance(value, str)
    if isinstance(default, int):
        return isinstance(value, int) and 0 <= value <= LARGEST  # also true and false
    return isinstance(default, float) and type(value) in (int, float) and value >= 0  # type: ignore[operator]


def _kind(default: object) -> str:
    if isinstance(default, dict):
        return f"a mapping of {', '.join(default)}"
    if isinstance(default, str):
        return f"a text, like {default!r}"
    return f"a {'whole number' if isinstance(default, int) else 'number'} from 0, like {default!r}"


def _merge(config: dict[str, Any], changes: Mapping[str, Any]) -> None:
    for key, value in changes.items():
        if isinstance(value, Mapping):
            _merge(config[key], value)
        else:
            config[key] = type(config[key])(value)
