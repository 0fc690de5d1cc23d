"""The clock of performances: it runs them together, at the speed of the world or another, and shows them as they go."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ossature.diagnostics import OssatureError
from ossature.viewer.live_simulation import LiveSimulation

FRAMES_PER_SECOND = 30.0
LONGEST_END = 2.0
"""How long is waited for what is under way when all ends [s]."""

Shown = Callable[[], None]
Failed = Callable[[Exception], None]
Prepare = Callable[[], Sequence[LiveSimulation]]


class RealtimeRunner:
    """Advances performances in a thread of its own.

    Attributes:
        speed: Seconds of the simulation for each second of the clock.
        record: Whether what follows is recorded.
        achieved: The speed that was reached lately; zero while nothing runs.
    """

    def __init__(self, prepare: Prepare, shown: Shown, failed: Failed) -> None:
        """Make a clock.

        Args:
            prepare: Makes the performances when something is run after they were dropped.
            shown: Called after every advance.
            failed: Called when a simulation fails; it is paused then.
        """
        self.speed, self.record, self.achieved = 1.0, False, 0.0
        self._prepare, self._shown, self._failed = prepare, shown, failed
        self._performances: list[LiveSimulation] = []
        self._lock = threading.RLock()
        self._running = threading.Event()
        self._ended = False
        self._thread: threading.Thread | None = None

    @property
    def simulations(self) -> Sequence[LiveSimulation]:
        """What is performed; nothing before the first run."""
        return self._performances

    @property
    def is_running(self) -> bool:
        """Whether time goes by."""
        return self._running.is_set()

    def run(self) -> None:
        """Let time go by."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._loop, name="ossature simulation", daemon=True)
            self._thread.start()
        self._running.set()

    def pause(self) -> None:
        """Stop time, after what is under way."""
        self._running.clear()
        with self._lock:
            self.achieved = 0.0

    def step(self) -> None:
        """Pause, and go on by one step."""
        self.pause()
        self._advance(0.0)

    def change(self, change: Callable[[Sequence[LiveSimulation]], None]) -> None:
        """Change something about what is performed, between two advances."""
        with self._lock:
            change(self._performances)

    def show_initial_state(self) -> None:
        """Pause, and show where the next run begins.

        Raises:
            OssatureError: It cannot be prepared.
        """
        self.pause()
        with self._lock:
            self._performances = list(self._prepare())
            self._shown()

    def restart(self) -> None:
        """Pause, and go back to the beginning."""
        self.pause()
        with self._lock:
            try:
                for live in self._performances:
                    live.restart()
            except OssatureError as error:
                self._failed(error)
                return
            if self._performances:
                self._shown()

    def drop(self) -> None:
        """Pause, and forget the performances: the next run begins where joints are then."""
        with self.held():
            pass

    @contextmanager
    def held(self) -> Iterator[None]:
        """Pause, and forget the performances; none is prepared before the end."""
        self.pause()
        with self._lock:
            self._performances = []
            yield

    def end(self) -> None:
        """Stop for good, after what is under way."""
        self._ended = True
        self._running.set()
        if self._thread is not None:
            self._thread.join(timeout=LONGEST_END)

    def _loop(self) -> None:
        due = time.perf_counter()
        while True:
            self._running.wait()
            if self._ended:
                return
            begun = time.perf_counter()
            interval = 1.0 / FRAMES_PER_SECOND
            simulated = self.speed * interval
            self._advance(simulated)
            ended = time.perf_counter()
            if self.is_running:
                # What is shown is an average, which does not flicker.
                now = simulated / max(ended - begun, interval)
                self.achieved = now if self.achieved == 0.0 else 0.9 * self.achieved + 0.1 * now
            # Counted from picture to picture, or small delays would add up; what is late by more is not made up for.
            due = max(due + interval, ended - interval)
            time.sleep(max(due - ended, 0.001))

    def _advance(self, duration: float) -> None:
        with self._lock:
            try:
                if not self._performances:
                    self._performances = list(self._prepare())
                for live in self._performances:
                    live.advance(duration, record=self.record)
                self._shown()
            except OssatureError as error:
                self.pause()
                self._failed(error)
            except Exception as error:  # a mistake of ours: it ends this thread, and the page tells
                self.pause()
                self._failed(error)
                raise
