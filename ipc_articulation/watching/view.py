"""Shows the steps of a script in the browser while it runs."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any

import uipc

from ipc_articulation.arguments import DURATION, FLAG, POSITIVE, TEXT, checked, optional, shown
from ipc_articulation.coupling.coupling import Coupling
from ipc_articulation.errors import ViewingError
from ipc_articulation.frontend.turns import in_turn
from ipc_articulation.recording.contacts import NO_CONTACTS
from ipc_articulation.viewing.meshes import Show, require_show
from ipc_articulation.viewing.replaying.server import LOCAL, quiet_server
from ipc_articulation.watching.engine_report import contact_names, contacts, engine_of
from ipc_articulation.watching.exits import close_at_exit
from ipc_articulation.watching.live_scene import LiveScene, Moment
from ipc_articulation.watching.step_clock import StepClock
from ipc_articulation.watching.subject import Subject

_UNSEEN = 0.5  # seconds between two moments that are read while no page is open


class View:
    """A page in the browser that shows a script's bodies and contact forces while it runs.

    ```python
    with View(coupling, engine) as view:  # prints the page's address
        for _ in range(300):
            coupling.step(world)  # the page follows
        view.wait()  # the page stays open until its button Continue, or Ctrl-C
    ```

    The page has buttons that hold the script after a step, let it take a single step, and let it continue. Ctrl-C
    works while it is held, and so does closing the page. Without an open page a step takes no longer than before.

    Any thread may use it, also beside the one that steps: it waits for the end of a step, and changes no bit.
    """

    @checked(ViewingError, name=optional(TEXT), paused=FLAG, open_browser=FLAG, camera=optional(TEXT))
    def __init__(
        self,
        watched: Coupling | uipc.Scene,
        engine: Any = None,
        port: int = 8080,
        fps: float = 30.0,
        name: str | None = None,
        host: str = LOCAL,
        paused: bool = False,
        open_browser: bool = False,
        show: Show = "visual",
        camera: str | None = None,
    ) -> None:
        """Open the page with the present state.

        Args:
            watched: A coupling, or a scene without one, after `world.init(scene)`.
            engine: The `Engine` of the world; with the CPU engine contact forces and Newton iterations are shown too.
            port: Port of the page, or the next free one; 0: any free one.
            fps: Greatest number of moments that are shown in a second of wall time.
            name: Title of the page; None: the script's file.
            host: Address of the network interface; by default only this machine can open the page.
            paused: Hold the script after its first step, until Continue is pressed in the page.
            open_browser: Open the page in the user's browser.
            show: The surfaces that are drawn at first: "visual" ones of bodies that have any, "collision" or "both".
            camera: Name of a camera of the robot's file, through which the page looks at first.

        Raises:
            MissingPackageError: viser is not installed.
            ViewingError: The page cannot be served at the port and host, `fps` is no positive number, `show` is no
                choice, or there is no such camera.
            SceneError: `watched` is neither a coupling nor a scene, or a body has values that no step accepts.
            EngineError: `engine` is no `Engine`, or its world was not initialised with this scene.
        """
        require_show(show)
        self._watched, self._subject = watched, Subject(watched)
        if camera is not None:
            self._subject.look_through(camera)
        self.turn = self._subject.turn
        self._engine = engine_of(self._subject, engine, "view")
        self._interval, self._read = 1.0 / _positive(fps), 0.0
        self._clock, self._is_closed = StepClock(self._subject, self._engine), False
        title = name or Path(sys.argv[0]).name or "live view"
        with ExitStack() as stack:
            server = stack.enter_context(quiet_server(port, title, host))
            has_forces = self._engine.cpu is not None
            self._scene = LiveScene(server, title, self._moment(True), self._interval, paused, has_forces, show)
            stack.callback(self._scene.close)
            self.url = f"http://{host}:{server.get_port()}"
            self._stack = stack.pop_all()
        if self._subject.coupling is not None:
            self._subject.coupling.observers.append(self._observe)
        close_at_exit(self)
        print(f"live view: {self.url}", flush=True)
        if open_browser:
            webbrowser.open(self.url)

    def update(self) -> None:
        """Show the state after a step, unless one was shown just before; hold the script if the page says so.

        The steps of a coupling call this themselves.

        Raises:
            ViewingError: The view is closed, or the page failed.
        """
        self._require_open()
        self._observe()

    def _observe(self) -> None:
        """Show a step of the coupling; another thread may have closed the view meanwhile."""
        self._follow()
        self._scene.gate.hold()

    @in_turn
    def _follow(self) -> None:
        if self._is_closed:
            return
        self._require_open()
        steps = self._clock.follow()
        if steps < 0:
            self._clock.rewind(-steps)
        interval = self._interval if self._scene.is_watched else _UNSEEN
        if self._scene.gate.is_closed or perf_counter() - self._read >= interval:
            self._show(with_contacts=self._scene.is_watched)

    @in_turn
    def show(self) -> None:
        """Show the present state now, for example after changes between steps or at the end of a notebook's cell.

        Raises:
            ViewingError: The view is closed, or the page failed.
        """
        self._require_open()
        self._show(with_contacts=True)

    @checked(ViewingError, timeout=optional(DURATION))
    def wait(self, timeout: float | None = None) -> None:
        """Keep the page open after the last step.

        It ends with the page's button Continue, when the last page is closed, and with Ctrl-C, which raises nothing.

        Args:
            timeout: Longest time [s]; None: without end.

        Raises:
            ViewingError: The view is closed, the page failed, or the timeout is no such time.
        """
        self.show()
        try:
            print(f"{self.url} stays open until Continue is pressed there, or Ctrl-C", flush=True)
            self._scene.wait(timeout)
        except KeyboardInterrupt:  # how it is ended
            print(flush=True)

    def close(self) -> None:
        """End the page; steps that follow are not shown."""
        with self.turn:
            if self._is_closed:
                return
            self._is_closed = True
            if self._subject.coupling is not None:
                self._subject.coupling.observers.remove(self._observe)
        self._stack.close()

    def __enter__(self) -> View:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _show(self, with_contacts: bool) -> None:
        if not self._subject.is_complete:
            self._subject = Subject(self._watched)
        self._scene.show(self._moment(with_contacts))
        self._read = perf_counter()

    @in_turn
    def _moment(self, with_contacts: bool) -> Moment:
        engine, touching = self._engine, NO_CONTACTS
        figures = {"step": str(self._clock.steps), "time": f"{self._clock.time:.4g} s"}
        if engine.statistics:
            figures["Newton iterations"] = str(engine.statistics.newton.iterations)
            if with_contacts:
                touching = contacts(engine, contact_names(engine))
                figures["contacts"] = str(len(touching))
        return Moment(self._subject, self._subject.poses(), self._subject.soft_positions(), touching, figures)

    def _require_open(self) -> None:
        if self._is_closed:
            raise ViewingError(f"the view at {self.url} is closed; make another one")
        if self._scene.error is not None:
            raise ViewingError(f"the page at {self.url} failed: {self._scene.error}") from self._scene.error


def _positive(fps: float) -> float:
    if not POSITIVE.accepts(fps):
        raise ViewingError(f"a view's fps must be a positive number of moments per second, is {shown(fps)}")
    return float(fps)
