"""Runs scenes one after another in a process of their own, which a step that takes too long does not outlive."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.rigid_ipc.fixture import ROOT, read_fixture
from ipc_articulation.errors import IpcArticulationError

CHECKED_EVERY = 20  # steps, for intersections
PATIENCE = 60.0  # [s] beyond the time of a scene, for reading it or for one step
AT_MAX = ("max iterations", "line search exhausted")


@dataclass
class Verdict:
    """What became of a scene."""

    name: str
    bodies: int = 0
    wanted: int = 0  # steps
    load: float | None = None  # weight of the heaviest body over κ d̂³, what the barrier can carry; None: κ is not given
    results: list[str] = field(default_factory=list)  # of Newton's method, step by step
    iterations: list[float] = field(default_factory=list)  # of each step, the mean of its minimisations
    seconds: list[float] = field(default_factory=list)  # of the processor, of each step
    intersecting: list[int] = field(default_factory=list)  # steps after which surfaces intersect
    smallest_gap: float | None = None  # over d̂, at the end; None: nothing within d̂
    resting_gaps: tuple[float, float, float] | None = None  # least, median and greatest of resting contacts
    resting: int = 0  # contacts
    reason: str = ""  # why it did not run, or ended early

    @property
    def steps(self) -> int:
        return len(self.results)

    @property
    def unconverged(self) -> int:
        """Steps that ended without convergence."""
        return sum(result in AT_MAX for result in self.results)

    @property
    def iterations_mean(self) -> float:
        return mean(self.iterations) if self.iterations else 0.0

    @property
    def stalls(self) -> bool:
        """Whether steps are hard: no convergence, more than 12 iterations, or gaps of 5 % of d̂ or less."""
        narrow = self.smallest_gap is not None and self.smallest_gap <= 0.05
        return self.unconverged > 0 or self.iterations_mean > 12 or narrow

    def milliseconds(self) -> tuple[float, float]:
        """Mean and median of a step."""
        times = self.seconds or [0.0]
        return 1e3 * mean(times), 1e3 * median(times)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Limits:
    """How far scenes are run."""

    steps: int
    seconds: float  # of the clock, for the steps of a scene
    resistance: float  # [Pa]; not positive: adaptive
    friction: str = "anchored"  # the engine's law


def run_scenes(
    files: dict[str, Path], limits: Limits, tell: Callable[[Verdict], None], root: Path = ROOT
) -> Iterator[Verdict]:
    """Run scenes by their names, with meshes below a folder; `tell` is called as one goes on."""
    worker = _Worker(limits, root)
    try:
        for name, file in files.items():
            verdict = Verdict(name)
            worker.send(file)
            while worker.step(verdict):
                tell(verdict)
            yield verdict
    finally:
        worker.stop()


class _Worker:
    """A process that runs scenes; another one takes its place if it hangs or dies."""

    def __init__(self, limits: Limits, root: Path) -> None:
        self.limits, self._root, self._context = limits, root, multiprocessing.get_context("spawn")
        self._begin()

    def _begin(self) -> None:
        self._pipe, other = self._context.Pipe()
        self._process = self._context.Process(target=work, args=(other, self.limits, self._root), daemon=True)
        self._process.start()
        other.close()
        self._pipe.recv()  # it is ready; compiling may take minutes

    def send(self, file: Path) -> None:
        self._pipe.send(file)

    def step(self, verdict: Verdict) -> bool:
        """Wait for what the scene has to say, and write it into its verdict; False at its end."""
        patience = PATIENCE + self.limits.seconds
        try:
            if self._pipe.poll(patience):
                return bool(self._pipe.recv()(verdict))
            verdict.reason = f"stopped: nothing happened in {patience:.0f} s after step {verdict.steps}"
        except EOFError:
            self._process.join()
            verdict.reason = f"the process ended with {self._process.exitcode} after step {verdict.steps}"
        self.stop()
        self._begin()
        return False

    def stop(self) -> None:
        self._process.kill()
        self._process.join()


@dataclass(frozen=True)
class News:
    """Values that a verdict gets: lists grow, others are replaced."""

    values: dict[str, Any]
    goes_on: bool = True

    def __call__(self, verdict: Verdict) -> bool:
        for name, value in self.values.items():
            known = getattr(verdict, name)
            known.append(value) if isinstance(known, list) else setattr(verdict, name, value)
        return self.goes_on


def work(pipe: Connection, limits: Limits, root: Path) -> None:
    """Run scenes whose files come through a pipe, and send what happens."""
    _warm_up()
    pipe.send(None)
    while True:
        file = pipe.recv()
        try:
            for news in run_scene(file, limits, root):
                pipe.send(news)
            pipe.send(News({}, goes_on=False))
        except (IpcArticulationError, OSError, RuntimeError, ValueError, MemoryError) as error:
            pipe.send(News({"reason": f"{type(error).__name__}: {error}"}, goes_on=False))


def _warm_up() -> None:
    """Load what is compiled, so that the first scene's times are like the others'."""
    from benchmarks.box_scenes import box, chain, make_scene, pile

    for scene in (make_scene(box(), pile(2)), chain(2)):
        with tempfile.TemporaryDirectory() as folder:
            world, _ = _start(scene, folder, "anchored")
            for _ in range(20):
                world.advance()


def _start(scene: Any, folder: str, friction: str) -> tuple[Any, Any]:
    import uipc

    from ipc_articulation import Engine

    engine = Engine("cpu", folder, friction=friction)
    world = uipc.World(engine)
    world.init(scene)
    return world, engine


def run_scene(file: Path, limits: Limits, root: Path = ROOT) -> Iterator[News]:
    """Run one scene, and judge it."""
    from benchmarks.rigid_ipc.judge import Judge, resting
    from benchmarks.rigid_ipc.scene import build

    fixture = read_fixture(file, root)
    steps = min(limits.steps, fixture.steps)
    kappa = limits.resistance
    load = fixture.heaviest / (kappa * fixture.d_hat**3) if kappa > 0.0 else None
    yield News({"bodies": len(fixture.bodies), "wanted": steps, "load": load})
    built, judge = build(fixture, kappa), Judge(fixture)
    with tempfile.TemporaryDirectory() as folder:
        world, engine = _start(built.scene, folder, limits.friction)
        began, before, now = time.monotonic(), built.transforms(), built.transforms()
        for step in range(1, steps + 1):
            yield _advance(world, engine)
            before, now = now, built.transforms()
            late = time.monotonic() - began > limits.seconds
            if (step % CHECKED_EVERY == 0 or step == steps or late) and judge.intersect(now):
                yield News({"intersecting": step})
            if late and step < steps:
                yield News({"reason": f"{limits.seconds:g} s were over"})
                break
    after = judge.gaps(now)
    still = resting(judge.gaps(before), after)
    gaps = {
        "smallest_gap": min(after.values(), default=None),
        "resting_gaps": (min(still), median(still), max(still)) if still else None,
    }
    yield News({**gaps, "resting": len(still)})


def _advance(world: Any, engine: Any) -> News:
    began = time.process_time()
    world.advance()
    world.retrieve()
    newton = engine.statistics.newton
    if not world.is_valid():
        raise RuntimeError("the world is no longer valid")
    seconds = time.process_time() - began
    iterations = newton.iterations / newton.friction_iterations
    return News({"results": newton.result.value, "iterations": iterations, "seconds": seconds})
