"""Values that a scene file draws at random: `randomise`.

A value x becomes x + d, or x·(1 + d) where the variation is relative; d is even between two bounds or normal about 0,
one for each number of a list. All are drawn one after the other by numpy's PCG64 from the scene's `seed`, and then put
over the file's values like settings. Each of many environments has random numbers of its own, by `seed` and its number.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel

from ipc_articulation.errors import SceneFileError
from ipc_articulation.naming import suggest
from ipc_articulation.scenefile import schema
from ipc_articulation.scenefile.document import Document, SceneProblem
from ipc_articulation.scenefile.reading import AnyScene, read_scene
from ipc_articulation.scenefile.settings import path_parts
from ipc_articulation.scenefile.tree import Place

Drawn = dict[str, float | list[float]]
SomeScene = TypeVar("SomeScene", bound=AnyScene)

FIXED = ("adapter", "dt", "steps", "seed", "randomise", "environments")  # what a variation may not change
_SHARED = ("gravity", "contact", "config", "view", "checkpoint")  # what all environments have in common,
_OWN = ["contact", "friction"]  # but for this


def with_drawn_values(
    scene: SomeScene, document: Document, environment: int | None = None
) -> tuple[SomeScene, Document, Drawn]:
    """The scene with its random values drawn, its new document, and those values by path.

    Args:
        scene: From `read_scene`.
        document: From `read_scene`.
        environment: Number of the environment that they are drawn for, where there are many.

    Raises:
        SceneFileError: A path leads to no number, or to one that all environments share; a value that was drawn is not
            valid.
    """
    if not scene.randomise:
        return scene, document, {}
    rng = np.random.Generator(np.random.PCG64(scene.seed if environment is None else [scene.seed, environment]))
    drawn: Drawn = {}
    for index, variation in enumerate(scene.randomise):
        try:
            parts = path_parts(variation.path, Place(Path()))
            if environment is not None and parts[0] in _SHARED and parts != _OWN:
                raise LookupError("all environments of a scene have this value in common")
            drawn[variation.path] = drawn_value(variation, value_at(scene, variation.path), rng)
        except (LookupError, SceneFileError) as error:
            message = f"nothing is drawn for '{variation.path}': {error.args[0]}"
            raise document.error([SceneProblem(("randomise", index, "path"), message)]) from error
    try:
        changed, changed_document = read_scene(document.file, {**document.settings, **drawn})
    except SceneFileError as error:
        whose = "" if environment is None else f" for environment {environment}"
        message = f"a value drawn with seed {scene.seed}{whose} is not valid: {error.faults[0].message}"
        raise document.error([SceneProblem(("randomise",), message)]) from error
    assert isinstance(changed, type(scene))
    return changed, changed_document, drawn


def drawn_value(variation: schema.VariationEntry, value: Any, rng: np.random.Generator) -> float | list[float]:
    """A value of the file with its random change; a list for a tuple of numbers."""
    numbers = np.array(value if isinstance(value, tuple) else [value], dtype=float)
    if variation.uniform is not None:
        change = rng.uniform(*variation.uniform, size=numbers.shape)
    else:
        change = rng.normal(0.0, variation.normal or 0.0, size=numbers.shape)
    result = (numbers * (1.0 + change) if variation.relative else numbers + change).tolist()
    return result if isinstance(value, tuple) else result[0]


def value_at(scene: schema.Scene, path: str) -> Any:
    """A number or a tuple of numbers of the scene.

    Raises:
        LookupError: There is none.
        SceneFileError: The path is none.
    """
    value: Any = scene
    parts = path_parts(path, Place(Path()))
    if parts[0] in FIXED:
        raise LookupError(f"'{parts[0]}' is the same in all variations")
    for part in parts:
        value = _child(value, part)
    numbers = value if isinstance(value, tuple) and value else (value,)
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
        raise LookupError(f"its value is {value!r}, must be a number or a list of numbers, written in the file")
    return value


def _child(value: Any, part: str | int) -> Any:
    if isinstance(part, int):
        if not isinstance(value, tuple) or part >= len(value):
            raise LookupError(f"there is no entry {part}")
        return value[part]
    if isinstance(value, BaseModel):
        children = {key: getattr(value, key) for key in type(value).model_fields}
    elif isinstance(value, tuple):
        children = {child.name: child for child in value if hasattr(child, "name")}
    else:
        children = value if isinstance(value, dict) else {}
    if part not in children:
        raise LookupError(f"there is no '{part}'{suggest(part, children)}")
    return children[part]
