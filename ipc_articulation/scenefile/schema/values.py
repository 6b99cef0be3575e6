"""Kinds of values that many blocks of a scene file have: bounded numbers, vectors, files, patterns of names."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from ipc_articulation.contact.materials import MOST_FRICTION
from ipc_articulation.packages import find_file
from ipc_articulation.patterns import compiled
from ipc_articulation.scenefile.python_entry import check_entry
from ipc_articulation.scenefile.tree import Text

Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Friction = Annotated[float, Field(ge=0, le=MOST_FRICTION)]
Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Names = Annotated[tuple[str, ...], Field(min_length=1)]
SMALLEST, LONGEST = 1e-5, 1e5  # lengths of shapes [m]
WORLD = "world"  # what never moves, wherever a body is named


def _existing_file(value: object, info: ValidationInfo) -> object:
    """A path relative to the scene file's folder, or `package://name/...`, becomes a Path that exists."""
    if not isinstance(value, str):
        return value  # left to pydantic, which reports that it is no path
    try:
        return find_file(value, _folder(value, info))
    except FileNotFoundError as error:
        raise refusal(str(error)) from error


def _folder(value: str, info: ValidationInfo) -> Path:
    """The folder that a path is relative to: that of the file in which it is written, perhaps an included one."""
    return value.folder if isinstance(value, Text) else (info.context or {})["folder"]


def _joint_pattern(value: object) -> object:
    """A regular expression or names; one message, where a union would report one for each of its types."""
    if isinstance(value, str):
        _require_expression(value)
    elif not (isinstance(value, tuple) and value and all(isinstance(name, str) for name in value)):
        raise refusal("joints are given by a regular expression or by a list of names")
    return value


def _per_joint(value: object) -> object:
    """A number for all joints, or numbers by regular expression."""
    by_joint = value if isinstance(value, dict) else {".*": value}
    for pattern, number in by_joint.items():
        _require_expression(pattern)
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0.0 <= number < math.inf:
            raise refusal(f"must be a number ≥ 0, or a mapping of joint names or expressions to such, got {number!r}")
    return value


def _python_entry(value: object, info: ValidationInfo) -> object:
    """Checked without running or importing anything."""
    if isinstance(value, str):
        try:
            check_entry(value, (info.context or {}).get("folder"))
        except ValueError as error:
            raise refusal(str(error)) from error
    return value


def _require_expression(value: object) -> None:
    try:
        compiled(str(value))
    except ValueError as error:
        raise refusal(str(error)) from error


def refusal(reason: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "{reason}", {"reason": reason})


def _buildable(length: float) -> float:
    """Check a length; for lengths in this range volume and inertia are neither 0 nor infinite."""
    if not SMALLEST <= length <= LONGEST:
        raise refusal(f"a length of a shape must be from {SMALLEST:g} to {LONGEST:g} m, got {length!r}")
    return length


def _compressible(ratio: float) -> float:
    """Check Poisson's ratio; at 0.5 λ = E ν/((1+ν)(1-2ν)) is infinite."""
    if not 0.0 <= ratio < 0.5:
        raise refusal(f"Poisson's ratio must be at least 0 and less than 0.5, got {ratio!r}; rubber has about 0.49")
    return ratio


def _visible(name: str) -> str:
    """A name in messages and recordings must be visible and on one line."""
    if not name or not name.isprintable() or name != name.strip():
        raise refusal(f"a name must be printable text on one line, without spaces around it; got {name!r}")
    return name


def _not_the_world(name: str) -> str:
    """A body of this name could not be told from the world, as in `attach: {to: world}`."""
    if name == WORLD:
        raise refusal(f"the name '{WORLD}' means what never moves; give another one, such as '{WORLD}_1'")
    return name


Name = Annotated[str, AfterValidator(_visible)]
BodyName = Annotated[Name, AfterValidator(_not_the_world)]
Length = Annotated[float, Field(gt=0), AfterValidator(_buildable)]
PoissonsRatio = Annotated[float, AfterValidator(_compressible)]
ExistingFile = Annotated[Path, BeforeValidator(_existing_file)]
JointPattern = Annotated[str | Names, BeforeValidator(_joint_pattern)]
PerJoint = Annotated[float | dict[str, float], BeforeValidator(_per_joint)]
PythonFunction = Annotated[str, BeforeValidator(_python_entry)]
