"""The real-time clock of simulations: advances them together by a real-time factor, and shows each frame."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ossature.diagnostics import OssatureError
from ossature.viewer.live_simulation import LiveSimulation

FRAMES_PER_SECOND = 30.0
JOIN_TIMEOUT = 2.0
"""For the current step of a thread at the end [s]."""

OnFrame = Callable[[], None]
OnFailure = Callable[[Exception], None]
Prepare = Callable[[], Sequence[LiveSimulation]]


class RealtimeRunner:
    """Advances simulations in a thread.

    Attributes:
        speed: Target real-time factor.
        record: Whether the next steps are recorded.
        achieved: Achieved real-time factor, averaged; zero while paused.
    """

    def __init__(self, prepare: Prepare, on_frame: OnFrame, on_failure: OnFailure) -> None:
        """Create a runner.

        Args:
            prepare: Creates the simulations for the first run, and after they were discarded.
            on_frame: Called after each frame.
            on_failure: Called when a simulation fails, after pausing.
        """
        self.speed, self.record, self.achieved = 1.0, False, 0.0
        self._prepare, self._on_frame, self._on_failure = prepare, on_frame, on_failure
        self._simulations: list[LiveSimulation] = []
        self._lock = threading.RLock()
        self._running, self._observed = threading.Event(), threading.Event()
        self._observed.set()
        self._ended = False
        self._thread: threading.Thread | None = None

    @property
    def simulations(self) -> Sequence[LiveSimulation]:
        """The simulations; empty before the first run."""
        return self._simulations

    @property
    def is_running(self) -> bool:
        """Whether the simulations advance."""
        return self._running.is_set()

    def run(self) -> None:
        """Advance the simulations until paused."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._loop, name="ossature simulation", daemon=True)
            self._thread.start()
        self._running.set()

    def pause(self) -> None:
        """Pause, after the current step."""
        self._running.clear()
        with self._lock:
            self.achieved = 0.0

    def set_observed(self, is_observed: bool) -> None:
        """Set whether a page shows the simulations; while none does, they stay where they are, also if they run."""
        if is_observed:
            self._observed.set()
        else:
            self._observed.clear()

    def step(self) -> None:
        """Pause, and advance by one time step."""
        self.pause()
        self._advance(0.0)

    def change(self, change: Callable[[Sequence[LiveSimulation]], None]) -> None:
        """Apply a function to the simulations between two steps."""
        with self._lock:
            change(self._simulations)

    def show_initial_state(self) -> None:
        """Pause, and show the initial state of the next run.

        Raises:
            OssatureError: The simulations cannot be created.
        """
        self.pause()
        with self._lock:
            self._simulations = list(self._prepare())
            self._on_frame()

    def restart(self) -> None:
        """Pause, and return to the initial state."""
        self.pause()
        with self._lock:
            try:
                for simulation in self._simulations:
                    simulation.restart()
            except OssatureError as error:
                self._on_failure(error)
                return
            if self._simulations:
                self._on_frame()

    def drop(self) -> None:
        """Pause, and discard the simulations: the next run starts at the joint positions then."""
        with self.reset():
            pass

    @contextmanager
    def reset(self) -> Iterator[None]:
        """Pause, and discard the simulations; none is created until the context ends."""
        self.pause()
        with self._lock:
            self._simulations = []
            yield

    def end(self) -> None:
        """Stop for good, after the current step."""
        self._ended = True
        self._running.set()
        self._observed.set()
        if self._thread is not None:
            self._thread.join(timeout=JOIN_TIMEOUT)

    def _loop(self) -> None:
        due = time.perf_counter()
        while True:
            self._observed.wait()
            self._running.wait()
            if self._ended:
                return
            if not self._observed.is_set():
                continue
            started = time.perf_counter()
            interval = 1.0 / FRAMES_PER_SECOND
            simulated = self.speed * interval
            self._advance(simulated)
            ended = time.perf_counter()
            if self.is_running:
                # A moving average does not flicker.
                now = simulated / max(ended - started, interval)
                self.achieved = now if self.achieved == 0.0 else 0.9 * self.achieved + 0.1 * now
            # Relative to the last due time, so that small delays do not add up; longer ones are not made up for.
            due = max(due + interval, ended - interval)
            time.sleep(max(due - ended, 0.001))

    def _advance(self, duration: float) -> None:
        with self._lock:
            try:
                if not self._simulations:
                    self._simulations = list(self._prepare())
                for simulation in self._simulations:
                    simulation.advance(duration, record=self.record)
                self._on_frame()
            except OssatureError as error:
                self.pause()
                self._on_failure(error)
            except Exception as error:  # a defect: shown on the page, and it ends this thread
                self.pause()
                self._on_failure(error)
                raise
