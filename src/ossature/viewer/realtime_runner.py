"""The real-time clock of simulations: advances them together by a real-time factor, and shows each frame."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ossature.diagnostics import OssatureError
from ossature.viewer.live_simulation import LiveSimulation
from ossature.viewer.pausable_thread import FRAMES_PER_SECOND, PausableThread

OnFrame = Callable[[], None]
OnFailure = Callable[[Exception], None]
Prepare = Callable[[], Sequence[LiveSimulation]]


class RealtimeRunner(PausableThread):
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
        super().__init__("ossature simulation")
        self.speed, self.record, self.achieved = 1.0, False, 0.0
        self._prepare, self._on_frame, self._on_failure = prepare, on_frame, on_failure
        self._simulations: list[LiveSimulation] = []
        self._due = 0.0

    @property
    def simulations(self) -> Sequence[LiveSimulation]:
        """The simulations; empty before the first run."""
        return self._simulations

    def pause(self) -> None:
        """Pause, after the current step."""
        super().pause()
        with self._lock:
            self.achieved = 0.0

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

    def _make_frame(self) -> None:
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
        self._due = max(self._due + interval, ended - interval)
        time.sleep(max(self._due - ended, 0.001))

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
