"""The CPU engine: what libuipc calls when a world is initialised, advanced and retrieved."""

from __future__ import annotations

import logging
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from uipc.backend import SceneVisitor, WorldVisitor
from uipc.core import PyIEngine
from uipc.geometry import AttributeCollection

from ipc_articulation.affine import DOF
from ipc_articulation.arrays import Ints
from ipc_articulation.contact.held import without
from ipc_articulation.engine.accessors.properties import PropertyAccessor
from ipc_articulation.engine.accessors.state_accessor import StateAccessor
from ipc_articulation.engine.newton.newton_report import NewtonReport, kind_of
from ipc_articulation.engine.output.first_run import tell_first_run, tell_first_soft_run
from ipc_articulation.engine.output.statistics import StepEnd, StepStatistics
from ipc_articulation.engine.output.step_output import StepOutput
from ipc_articulation.engine.output.write_back import SceneWriter
from ipc_articulation.engine.persistence.dump import dump_state, recover_state
from ipc_articulation.engine.rest import Rested
from ipc_articulation.engine.scene.changes import has_changed, read_again
from ipc_articulation.engine.scene.model import EngineModel, read_model
from ipc_articulation.engine.state import EngineState
from ipc_articulation.engine.step import step
from ipc_articulation.engine.stopwatch import Stopwatch
from ipc_articulation.engine.workspace import Workspace, make_workspace
from ipc_articulation.errors import EngineError, SolverError
from ipc_articulation.frontend.backend_offsets import write_offsets
from ipc_articulation.frontend.body_checks import scaled
from ipc_articulation.frontend.buffer_formats import formats_from_table
from ipc_articulation.frontend.callbacks import run_callbacks
from ipc_articulation.frontend.config import read_dt
from ipc_articulation.frontend.contact_world import group_of_rows
from ipc_articulation.frontend.read_once import ReadOnce
from ipc_articulation.frontend.soft.bodies import bake_transforms
from ipc_articulation.frontend.turns import Turn
from ipc_articulation.signals import interrupts_deferred

log = logging.getLogger("ipc_articulation")
STEP_WARNING = "step %d: %s (later steps of which this is true are logged at level INFO)"


class Moment(NamedTuple):
    """State and frame of a run; always replaced as a whole, so that a step is taken completely or not at all."""

    frame: int
    state: EngineState
    rested: Rested | None = None  # by the step that led to the state; None where it has been set otherwise
    statistics: StepStatistics | None = None  # of the last step; None before the first one


class CpuEngine(PyIEngine):
    """Advances scenes of affine and soft bodies without a GPU; see `Engine` for how to make one.

    The order of a step is the CUDA engine's: the animator's callbacks run, the articulation's inputs are read, Newton
    solves the step, joint angles follow.

    Ctrl-C takes effect after a call, or between two Newton iterations: a step is taken completely or not at all.

    Attributes:
        turn: Of its scene: one thread steps, and read-outs wait.
    """

    def __init__(self, workspace: str | Path = "./", by_load: bool = False) -> None:
        """Make an engine whose dumps are written into the folder `dumps` of a workspace; for `by_load` see `Engine`."""
        super().__init__()
        self._by_load = by_load
        self._dumps = Path(workspace).absolute() / "dumps"
        self.turn = Turn()  # until there is a scene
        self.state_accessor: StateAccessor | None = None  # until there is a world
        self.properties: PropertyAccessor
        self._is_stepping = False
        self._warned: set[str] = set()  # kinds of warnings of steps
        self._now = Moment(0, EngineState.without_past(np.zeros((0, DOF)), np.zeros((0, DOF)), np.zeros(0)))
        self._scene: SceneVisitor
        self._config: AttributeCollection
        self.model: EngineModel  # the scene as the engine has read it; once there is a world, as what follows
        self.workspace: Workspace
        self._writer: SceneWriter
        self._once: ReadOnce
        self._published: EngineState | None = None  # what `retrieve` has written last

    @interrupts_deferred
    @formats_from_table
    def do_init(self) -> None:
        """Read the scene; called by `world.init`."""
        if self.state_accessor is not None:
            raise EngineError("this engine moves another world already; make an Engine for each World")
        tell_first_run()
        world = WorldVisitor(self.world())
        self._scene, self._animator = world.scene(), world.animator()
        self._config = self._scene.get().config()
        model = read_model(self._scene, self._by_load)
        if model.context.bodies.soft.bodies:
            tell_first_soft_run()
        bake_transforms(self._scene.geometries())
        self.properties = PropertyAccessor(self.turn, self._present_properties, self._wake)
        self._use(model, Moment(0, model.initial_state()), "at the start")
        self.state_accessor = StateAccessor(self.turn, self._present, self._set_state)
        self._scene.begin_pending()

    def refuse_start(self, scene: SceneVisitor) -> None:
        """Raise what `do_init` would, with a scene that libuipc does not let it read, as it complains of its start."""
        make_workspace(read_model(scene, self._by_load), "at the start")

    def do_advance(self) -> None:
        """One step; called by `world.advance`. An error leaves state and frame as they were before."""
        self.require_world("advance")
        with interrupts_deferred, self.turn.changing("world.advance()"), formats_from_table:
            try:
                self._is_stepping = True
                self._now = self._advance(self._now.frame + 1, Stopwatch())
            except SolverError as error:
                raise SolverError(f"step {self._now.frame + 1}: {error}") from error
            finally:
                self._is_stepping = False

    def do_sync(self) -> None:
        """Do nothing, because nothing runs in the background."""

    def do_retrieve(self) -> None:
        """Write the state into the scene's geometries; called by `world.retrieve`."""
        self.require_world("retrieve")
        with interrupts_deferred, self.turn.changing("world.retrieve()"):
            self.write_back()

    def write_back(self) -> None:
        """Write the state into the scene's geometries, within this thread's turn."""
        began = perf_counter()
        with formats_from_table:
            self._writer.write(self._now.state)
        self._published = self._now.state
        if self._now.statistics is not None:
            self._now.statistics.stages["write back"] += perf_counter() - began

    @interrupts_deferred
    def do_dump(self) -> bool:
        """Write the complete state; called by `world.dump`.

        Raises:
            DumpError: It cannot be written, because the disk is full or a file is in the way; names the file.
        """
        self.require_world("dump")
        with self.turn.changing("world.dump()"):
            self.follow_changes()
            dump_state(self._dumps, self._now.frame, self._now.state, self.model, self.workspace, read_dt(self._config))
        return True

    @interrupts_deferred
    def do_recover(self, dst_frame: int) -> bool:
        """Restore a dump; called by `world.recover`, with `NEWEST` if no frame is given.

        Returns:
            False if there is no such dump.

        Raises:
            DumpError: The dump is damaged, or of another scene. State and frame stay as they were.
        """
        with self.turn.changing("world.recover()"):
            self.follow_changes()
            recovered = recover_state(self._dumps, dst_frame, self.model, self.workspace)
            if recovered is not None:
                self._now = Moment(*recovered)
        return recovered is not None

    def require_world(self, method: str) -> None:
        """Raise an EngineError that names a method of the world, which was called before `world.init`."""
        if self.state_accessor is None:
            raise EngineError(f"world.{method}() was called before world.init(scene): there is no scene yet")

    def do_to_json(self) -> dict:
        """The engine's description of itself."""
        return {"backend": "cpu", "frame": self.get_frame()}

    def get_frame(self) -> int:
        """Number of steps taken, including the current one."""
        return self._now.frame + self._is_stepping

    @property
    def frame(self) -> int:
        """Number of steps taken completely."""
        return self._now.frame

    @property
    def state(self) -> EngineState:
        """The current coordinates and velocities of all bodies, and joint coordinates."""
        return self._now.state

    @property
    def statistics(self) -> StepStatistics | None:
        """Statistics of the last step; None before the first one."""
        return self._now.statistics

    @property
    def energy_terms(self) -> tuple[str, ...]:
        """Names of the terms of the potential, in the order of `statistics.energies`; valid after `world.init`."""
        return tuple(dict.fromkeys(term.name for term in self.workspace.core.terms))

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Names that `statistics.contacts` refers to: the bodies, then the half-planes; valid after `world.init`.

        A soft body is there once for each row of its coordinates (see `tetrads`).
        """
        return (*self.model.context.bodies.names, *self.model.planes.names)

    @property
    def contact_groups(self) -> tuple[tuple[str, ...], Ints]:
        """Names of everything that touches, a soft body once, and which of them each of `contact_names` is."""
        bodies, planes = self.model.context.bodies, self.model.planes.names
        group = group_of_rows(bodies)
        soft = (body.name for body in bodies.soft.bodies)
        names = *bodies.names[: bodies.affine_count], *soft, *planes
        return names, np.concatenate([group, len(names) - len(planes) + np.arange(len(planes))])

    @property
    def body_ids(self) -> tuple[tuple[int, int], ...]:
        """(Geometry id, instance) of the affine bodies, in the order of `contact_names`; valid after `world.init`."""
        return tuple(self.model.context.bodies.rows)

    def _advance(self, frame: int, watch: Stopwatch) -> Moment:
        self.follow_changes()
        self.turn.call(self._update, is_calling=True)
        self._writer.require_sizes()
        for warning in self._once.warnings(self._published):
            log.warning("step %d: %s", frame, warning)
        watch.lap("animator")
        if self._now.statistics is not None:
            self._now.statistics.end.close()
        dt = read_dt(self._config)
        now, substeps = self._now, self._animator.substep()
        if now.rested is not None:
            self._now = now._replace(rested=now.rested._replace(is_all=False))
        state, rested, report = step(self.workspace, now.state, now.rested, self.model, dt, substeps, watch)
        self._warn(frame, report)
        end = StepEnd(frame, StepOutput(self.workspace.core), now.state.q, state.q, self.turn)
        statistics = StepStatistics(frame, dt, report, watch.seconds, end)
        statistics.log()
        return Moment(frame, state, rested, statistics)

    def _update(self) -> None:
        if self.workspace.articulation is not None:
            self.workspace.articulation.forget_input()
        run_callbacks(self._animator.update, self)

    def follow_changes(self) -> None:
        """Read the scene again if geometries were created or destroyed since the last step; a step does so first."""
        self._scene.solve_pending()
        if has_changed(self._scene, self.model):
            model, state = read_again(self._scene, self.model, self._now.state)
            self._use(model, self._now._replace(state=state, rested=None), "after the scene was changed")

    def _use(self, model: EngineModel, now: Moment, when: str) -> None:
        workspace = make_workspace(model, when)
        workspace.conditioning.test(now.state)
        self.properties.put_into(model, workspace)
        write_offsets(model.slots, model.context.bodies.soft.bodies)
        writer = SceneWriter(model.context, workspace.articulation)
        self._animator.init()  # the animations of new objects look for their geometries
        known = self.model.context.bodies.rows if self.state_accessor is not None else {}
        for warning in scaled(model.context.bodies, known):
            log.warning(warning)
        self._once, self._published = ReadOnce(self._scene, model.context.bodies), None
        self.model, self.workspace, self._writer, self._now = model, workspace, writer, now

    def _present(self) -> tuple[EngineModel, Workspace, SceneWriter, EngineState]:
        return self.model, self.workspace, self._writer, self._now.state

    def _set_state(self, state: EngineState) -> None:
        self._now = self._now._replace(state=state, rested=None)

    def _present_properties(self) -> tuple[EngineModel, Workspace]:
        self.follow_changes()
        return self.model, self.workspace

    def _wake(self, rows: Ints) -> None:
        """Wake all bodies; some (k,) choose their contact resistances anew."""
        if self._now.statistics is not None:
            self._now.statistics.end.close()  # the potential is another one
        state, changed = self.state, np.zeros(len(self.state.q), dtype=np.bool_)
        changed[rows] = True
        pairs, resistances = without(state.held_resistances, changed, len(self.model.planes.names))
        self._set_state(state._replace(pairs=pairs, resistances=resistances))

    def _warn(self, frame: int, report: NewtonReport) -> None:
        for warning in report.warnings:
            if self.model.config.strict:
                raise SolverError(warning)
            if kind_of(warning) in self._warned:
                log.info("step %d: %s", frame, warning)
            else:
                self._warned.add(kind_of(warning))
                log.warning(STEP_WARNING, frame, warning)
