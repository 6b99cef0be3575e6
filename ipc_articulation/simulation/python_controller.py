"""Controllers written in Python: a function that a scene file names is called once a step with a `ControllerInput`.

    def control(state):
        lift = 0.1 * np.sin(state.time)
        return {"shoulder": lift}                      # targets by joint; the others stay as they are
        return {"targets": [...], "torques": {...}}    # or both, each by name or as an array of all

What a function remembers is lost when a run is resumed. A controller that must remember is an object with `__call__`,
`state()`, which gives its arrays by name, and `restore(state)`; the scene file names the object.

Only files inside the scene file's folder and installed packages are run, and nothing before the scene is built.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ipc_articulation.arrays import Array
from ipc_articulation.errors import AdapterError
from ipc_articulation.scenefile.python_entry import Entry, check_entry
from ipc_articulation.simulation.answers import read_answer


@dataclass(frozen=True)
class ControllerInput:
    """Input of a controller at the beginning of a step; its arrays are copies.

    Attributes:
        step: Number of the step, from 0.
        time: At its beginning [s].
        dt: Time step [s].
        joints: Names of the m joints.
        theta: Their positions, (m,) [rad or m].
        theta_dot: Their velocities, (m,) [rad/s or m/s].
        contact_force: Contact forces on them in the last step, (m,) [N·m or N].
        actuated: Names of the k joints that take targets.
        targets: Targets that the other controllers of the scene give them in this step, (k,) [rad or m].
        poses: Of links and free bodies by name, (4, 4) each.
        rng: Random numbers of this step, the same in every run with the scene's `seed`.
        parameters: Those of the scene file.
    """

    step: int
    time: float
    dt: float
    joints: tuple[str, ...]
    theta: Array
    theta_dot: Array
    contact_force: Array
    actuated: tuple[str, ...]
    targets: Array
    poses: Mapping[str, Array]
    rng: np.random.Generator
    parameters: Mapping[str, Any]


class PythonController:
    """A function of Python, found and loaded.

    Args:
        text: As in the scene file.
        folder: That of the scene file.

    Raises:
        AdapterError: It cannot be loaded, for what happens in its file or because there is no such function.
    """

    def __init__(self, text: str, folder: Path) -> None:
        self.text = text
        try:
            self._entry = check_entry(text, folder)
        except ValueError as error:
            raise AdapterError(str(error)) from error
        self._function = self._load()

    def __call__(self, state: ControllerInput) -> tuple[Array, Array]:
        """Targets (k,) and further forces (m,) of a step.

        Raises:
            AdapterError: The function raises, with file and line; or it returns something else.
        """
        with self._blamed(f"step {state.step}: "):
            answer = self._function(state)
        try:
            return read_answer(answer, state.actuated, state.targets, state.joints)
        except ValueError as error:
            raise AdapterError(f"step {state.step}: Python controller '{self.text}' {error}") from error

    def state(self) -> dict[str, Array]:
        """The controller's state: the arrays of its own `state()`, or nothing if it has no such method.

        Raises:
            AdapterError: It raises, or returns no mapping.
        """
        if not hasattr(self._function, "state"):
            return {}
        state = self._ask("state")
        if not isinstance(state, Mapping):
            message = f"Python controller '{self.text}': state() returned {type(state).__name__}"
            raise AdapterError(f"{message}; must be a mapping of names to arrays")
        return dict(state)

    def restore(self, state: Mapping[str, Array]) -> None:
        """Give the controller back what its `state()` gave.

        Raises:
            AdapterError: It raises.
        """
        if hasattr(self._function, "restore"):
            self._ask("restore", dict(state))

    def _ask(self, method: str, *arguments: Any) -> Any:
        with self._blamed():
            return getattr(self._function, method)(*arguments)

    def _load(self) -> Callable[[ControllerInput], Any]:
        with self._blamed():
            function = getattr(_module(self._entry), self._entry.function, None)
        if not callable(function):
            raise AdapterError(f"Python controller '{self.text}': there is no function '{self._entry.function}' in it")
        return function

    @contextmanager
    def _blamed(self, when: str = "") -> Iterator[None]:
        """What the controller raises, also by `sys.exit`, becomes an error with its place; Ctrl-C passes through."""
        try:
            yield
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            place = self._place(error)
            message = f"Python controller '{self.text}' failed at {place}: {type(error).__name__}: {error}"
            raise AdapterError(when + message) from error

    def _place(self, error: BaseException) -> str:
        """File and line where an error arose: in the controller's own file if it passed through it."""
        if isinstance(error, SyntaxError) and error.filename:
            return f"{error.filename}:{error.lineno}"
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if self._entry.file and frame.filename == str(self._entry.file)]
        return f"{(own or frames)[-1].filename}:{(own or frames)[-1].lineno}"


def _module(entry: Entry) -> ModuleType:
    if entry.file is None:
        return importlib.import_module(entry.module)
    name = f"_scene_controller_{entry.file.stem}"
    spec = importlib.util.spec_from_file_location(name, entry.file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses of the file look themselves up
    spec.loader.exec_module(module)
    return module
