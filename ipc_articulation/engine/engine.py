"""`Engine`, a drop-in for `uipc.Engine` that also knows "cpu" and "auto"."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import uipc
from uipc.backend import SceneVisitor

from ipc_articulation.arguments import (
    AT_LEAST_ONE,
    COUNT,
    FUNCTION,
    Wanted,
    checked,
    instance,
    one_of,
    optional,
    refuse_unwanted,
    shown,
)
from ipc_articulation.engine.accessors.features import Features
from ipc_articulation.engine.accessors.properties import PropertyAccessor
from ipc_articulation.engine.accessors.vertex_accessor import VertexAccessor
from ipc_articulation.engine.cpu import CpuEngine
from ipc_articulation.engine.output.statistics import NoStatistics
from ipc_articulation.engine.persistence.dump import NEWEST
from ipc_articulation.errors import EngineError
from ipc_articulation.frontend.callbacks import guard
from ipc_articulation.frontend.foreign_joints import refuse_foreign_joints
from ipc_articulation.frontend.friction_law import (
    choose_friction,
    choose_friction_iterations,
    warn_of_lagged_friction,
)
from ipc_articulation.frontend.resistance_table import fill_resistances
from ipc_articulation.frontend.robot_tolerances import tighten_for_robots
from ipc_articulation.frontend.sanity_messages import refuse_invalid
from ipc_articulation.frontend.turns import turn_of
from ipc_articulation.frontend.worlds import ENGINES, is_on_cpu
from ipc_articulation.signals import interrupts_deferred

BACKENDS = ("cpu", "cuda", "none", "auto")
_SCENE = instance(uipc.Scene)
_FRAME = Wanted(COUNT.what, lambda frame: COUNT.accepts(frame) and frame <= NEWEST)


class Engine(uipc.Engine):
    """The engine of a libuipc world; a world keeps its engine alive.

    Args:
        backend: "cpu": ours, without a GPU. "cuda" and "none": libuipc's own; the latter moves nothing.
            "auto": "cuda" where there is an NVIDIA GPU, else "cpu".
        workspace: Folder for what the engine writes.
        config: libuipc's engine configuration, passed through to "cuda" and "none".
        resistance: Of contact. "table": as the scene's contact table says. "load": entries that nobody has set, those
            with libuipc's own 1e9 Pa or a value that is not positive, are taken as `BY_LOAD`: on the CPU every pair
            chooses its own by what it carries (see `contact.resistance`); for "cuda" the table gets values by the same
            rule at `world.init`, as it does for entries `BY_LOAD`.
        friction: "anchored": what is below the cone does not move (see `contact.anchors`); "cpu" only. "lagged": it
            creeps, as in libuipc. None: what the scene asks for, or else "lagged"; "cuda" and "none" are always lagged.
        friction_iterations: How many times a step on the CPU may be minimised, each time with the normal forces and
            tangents of friction that the last time ended with; it ends as soon as they have settled. 1: they are those
            of the beginning of the step. None: what the scene asks for, or else 1.

    Raises:
        EngineError: The backend is unknown, or cannot run on this machine, or has no such friction; or the workspace
            cannot be made.
    """

    @checked(
        EngineError,
        backend=instance(str),
        workspace=instance(str, PathLike),
        config=optional(instance(dict)),
        resistance=one_of("table", "load"),
        friction=optional(one_of("anchored", "lagged")),
        friction_iterations=optional(AT_LEAST_ONE),
    )
    def __init__(
        self,
        backend: str = "auto",
        workspace: str | Path = "./",
        config: dict | None = None,
        resistance: Literal["table", "load"] = "table",
        friction: Literal["anchored", "lagged"] | None = None,
        friction_iterations: int | None = None,
    ) -> None:
        if backend not in BACKENDS:
            raise EngineError(f"unknown engine '{backend}'; valid: {', '.join(BACKENDS)}")
        if backend == "auto":
            backend = "cuda" if has_gpu() else "cpu"
        if friction == "anchored" and backend != "cpu":
            raise EngineError(f"engine '{backend}' has lagged friction only; Engine('cpu') knows friction='anchored'")
        if friction_iterations not in (None, 1) and backend != "cpu":
            raise EngineError(f"engine '{backend}' has friction_iterations = 1 only; Engine('cpu') may have more")
        try:
            Path(workspace).mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:  # ValueError: the name has a null character
            raise EngineError(f"the workspace {shown(str(workspace))} cannot be made: {error}") from error
        arguments = [str(workspace)] if config is None else [str(workspace), config]
        self.leaves_open, self.friction = resistance == "load", friction
        self.friction_iterations = friction_iterations
        self.cpu = CpuEngine(workspace, self.leaves_open) if backend == "cpu" else None
        try:
            if self.cpu is not None:
                super().__init__(backend, self.cpu, *arguments)
            else:
                super().__init__(backend, *arguments)
        except TypeError as error:  # the workspace is a text, and what the backend is asked for was checked
            raise EngineError(f"Engine: config is {shown(config)}, must be a dict of what JSON has: {error}") from error
        except RuntimeError as error:
            raise EngineError(f"engine '{backend}' cannot run here: {error}; Engine('cpu') needs no GPU") from error

    @property
    def statistics(self) -> Any:
        """`StepStatistics` of the last step of the CPU engine.

        For the other engines and before the first step, also after `world.recover`, they are false, and each figure is
        an EngineError that says so: `if engine.statistics:` asks.
        Any thread may read them, also while another one steps: it waits for the end of that step, and changes no bit.
        """
        if self.cpu is None:
            return NoStatistics(f"engine '{self.backend_name()}' measures none; engine.frame_stats() has libuipc's")
        with interrupts_deferred, self.cpu.turn:
            return self.cpu.statistics or NoStatistics("no step was taken since world.init or world.recover")

    @contextmanager
    def between_steps(self) -> Iterator[None]:
        """A block in which no other thread steps the CPU engine's world, so that all that it reads is of one moment.

        It begins when a step that another thread takes has ended, or runs its callbacks.
        """
        with ExitStack() as stack:
            with interrupts_deferred:
                if self.cpu is not None:
                    stack.enter_context(self.cpu.turn)
            yield

    def features(self) -> Any:
        """The engine's features, as `world.features()` gives them; those of "cpu" are `Features`."""
        if self.cpu is None:
            return super().features()
        return Features(
            {
                uipc.core.AffineBodyStateAccessorFeature: lambda: self.state_accessor,
                uipc.core.FiniteElementStateAccessorFeature: lambda: self.vertex_accessor,
            }
        )

    @property
    def state_accessor(self) -> Any:
        """Reads and writes the state of bodies between steps; valid after `world.init`.

        For "cpu" a `StateAccessor`, for "cuda" libuipc's own AffineBodyStateAccessorFeature.

        Raises:
            EngineError: The engine has none.
        """
        feature = uipc.core.AffineBodyStateAccessorFeature
        accessor = self.features().find(feature) if self.cpu is None else self.cpu.state_accessor
        if accessor is None:
            raise EngineError(f"engine '{self.backend_name()}' has no state accessor before world.init, or none at all")
        return accessor

    @property
    def vertex_accessor(self) -> Any:
        """Reads and writes the state of soft bodies' vertices between steps; valid after `world.init`.

        For "cpu" a `VertexAccessor`, for "cuda" libuipc's own FiniteElementStateAccessorFeature.

        Raises:
            EngineError: The engine has none.
        """
        if self.cpu is not None and self.cpu.state_accessor is not None:
            return VertexAccessor(self.cpu.state_accessor)
        feature = uipc.core.FiniteElementStateAccessorFeature
        accessor = self.features().find(feature) if self.cpu is None else None
        if accessor is None:
            raise EngineError(
                f"engine '{self.backend_name()}' has no vertex accessor before world.init, or none at all"
            )
        return accessor

    @property
    def properties(self) -> PropertyAccessor:
        """Sets masses and friction of bodies between steps; valid after `world.init`.

        Raises:
            EngineError: The engine reads them once, at `world.init`, or there is no world yet.
        """
        if self.cpu is None or self.cpu.state_accessor is None:
            raise EngineError(
                f"engine '{self.backend_name()}' has no properties before world.init, or reads masses and friction "
                "once; Engine('cpu') follows them after world.init"
            )
        return self.cpu.properties

    def frame_stats(self) -> dict[str, Any]:
        """The statistics of the last step in plain types, as in libuipc's engines; empty before the first step.

        Any thread may call it, also while another one steps: it waits for the end of that step, and changes no bit.
        """
        if self.cpu is None:
            return super().frame_stats()
        with interrupts_deferred, self.cpu.turn:
            return {} if self.cpu.statistics is None else self.cpu.statistics.as_dict()


def has_gpu() -> bool:
    """Returns: whether this machine has an NVIDIA driver that reports at least one device."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def _extend_worlds() -> None:
    """Extend libuipc's worlds: they keep their engine alive, and initialise it completely or not at all; checked.

    A scene whose joints libuipc's CUDA engine does not move is refused there, and robots get tolerances that move them.
    Steps of the CPU engine raise what animator callbacks raise, and its worlds list its features.
    """
    construct, init, recover = uipc.World.__init__, uipc.World.init, uipc.World.recover
    features = uipc.World.features
    insert = uipc.core.Animator.insert

    @wraps(construct)
    def construct_and_keep(world: uipc.World, engine: uipc.Engine) -> None:
        construct(world, engine)
        if isinstance(engine, Engine):
            ENGINES[world] = engine

    @wraps(init)
    def init_in_turn(world: uipc.World, scene: uipc.Scene) -> None:
        refuse_unwanted("world.init: scene", scene, _SCENE, EngineError)
        engine = ENGINES.get(world)
        cpu = None if engine is None else engine.cpu
        if cpu is not None and cpu.state_accessor is None:
            cpu.turn = turn_of(scene)
        turn = turn_of(scene) if cpu is None else cpu.turn
        with interrupts_deferred, turn.changing("world.init()"):
            init_whole(world, scene, engine)

    def init_whole(world: uipc.World, scene: uipc.Scene, engine: Any) -> None:
        if engine is not None and engine.backend_name() == "cuda":
            refuse_foreign_joints(scene)
            tighten_for_robots(scene)
        if engine is not None and engine.friction is not None:
            choose_friction(scene, engine.friction == "anchored")
        if engine is not None and engine.friction_iterations is not None:
            choose_friction_iterations(scene, engine.friction_iterations)
        if engine is not None and engine.backend_name() == "cuda":
            warn_of_lagged_friction(scene)
        if engine is not None and engine.cpu is None:
            fill_resistances(scene, engine.leaves_open)
        init(world, scene)
        cpu = None if engine is None else engine.cpu
        if engine is not None and not world.is_valid():
            if cpu is not None:
                cpu.refuse_start(SceneVisitor(scene))  # tells more: instances, and gaps
            refuse_invalid(world)
        if cpu is not None and cpu.turn is not turn_of(scene):
            raise EngineError("world.init: this world has another scene already; make a new Engine and a new World")
        if cpu is not None and cpu.state_accessor is None:
            raise EngineError(
                "world.init did nothing, as an earlier world.init of this world has failed; make a new Engine and "
                "a new World"
            )

    @wraps(recover)
    def recover_frame(world: uipc.World, dst_frame: int = NEWEST) -> bool:
        refuse_unwanted("world.recover: dst_frame", dst_frame, _FRAME, EngineError)
        if is_on_cpu(world):
            ENGINES[world].cpu.require_world("recover")
        return bool(recover(world, dst_frame))

    @wraps(features)
    def features_of_engine(world: uipc.World) -> Any:
        return ENGINES[world].features() if is_on_cpu(world) else features(world)

    @wraps(insert)
    def insert_guarded(animator: uipc.core.Animator, object: uipc.core.Object, callable: Any) -> None:
        refuse_unwanted("animator.insert: callable", callable, FUNCTION, EngineError)
        insert(animator, object, guard(callable))

    uipc.core.Animator.insert = insert_guarded
    uipc.World.__init__, uipc.World.init, uipc.World.recover = construct_and_keep, init_in_turn, recover_frame
    uipc.World.features = features_of_engine


_extend_worlds()
