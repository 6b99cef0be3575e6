"""Kinds of values that many blocks of a scene file have: bounded numbers, vectors, files, patterns of names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from ipc_articulation.scenefile.paths import find_file

Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


def _existing_file(value: object, info: ValidationInfo) -> object:
    """A path relative to the scene file's folder, or `package://name/...`, becomes a Path that exists."""
    if not isinstance(value, str):
        return value  # left to pydantic, which says that it is no path
    try:
        return find_file(value, (info.context or {})["folder"])
    except FileNotFoundError as error:
        raise _refusal(str(error)) from error


def _joint_pattern(value: object) -> object:
    """A regular expression or names; said in one message, where a union would say one for each of its types."""
    if isinstance(value, str):
        try:
            re.compile(value)
        except re.error as error:
            raise _refusal(f"no regular expression: {error}") from error
    elif not (isinstance(value, tuple) and value and all(isinstance(name, str) for name in value)):
        raise _refusal("joints are given by a regular expression or by a list of names")
    return value


def _refusal(reason: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "{reason}", {"reason": reason})


ExistingFile = Annotated[Path, BeforeValidator(_existing_file)]
JointPattern = Annotated[str | Names, BeforeValidator(_joint_pattern)]
