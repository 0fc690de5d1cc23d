"""Plays films: from where it is put to the end, at the speed of the world."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ossature.viewer.playback_recording import PlaybackFrame, PlaybackRecording
from ossature.viewer.realtime_clock import FRAMES_PER_SECOND, LONGEST_END

Shown = Callable[[Sequence[PlaybackFrame]], None]


class RecordingPlayer:
    """Shows films in a thread of its own.

    Attributes:
        clips: What is played together.
        time: Where it is, from the beginning [s].
    """

    def __init__(self, shown: Shown) -> None:
        self.clips: Sequence[PlaybackRecording] = ()
        self.time = 0.0
        self._shown = shown
        self._lock = threading.RLock()
        self._running = threading.Event()
        self._ended = False
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether it plays."""
        return self._running.is_set()

    @property
    def duration(self) -> float:
        """How long the longest film is [s]."""
        return max((clip.duration for clip in self.clips), default=0.0)

    def load(self, clips: Sequence[PlaybackRecording]) -> None:
        """Take other films."""
        self.pause()
        with self._lock:
            self.clips, self.time = clips, 0.0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Stop where it is; nothing is shown before the end."""
        self.pause()
        with self._lock:
            yield

    def seek(self, moment: float) -> None:
        """Stop at a time [s]."""
        self.pause()
        self._show(moment)

    def run(self) -> None:
        """Play on; from the beginning where it is at the end."""
        if not self.clips:
            return
        if self.time >= self.duration - 1e-9:
            self.time = 0.0
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="ossature film", daemon=True)
            self._thread.start()
        self._running.set()

    def pause(self) -> None:
        """Stop where it is."""
        self._running.clear()

    def end(self) -> None:
        """Stop for good, after the picture under way."""
        self._ended = True
        self._running.set()
        if self._thread is not None:
            self._thread.join(timeout=LONGEST_END)

    def _show(self, moment: float) -> None:
        with self._lock:
            self.time = min(max(moment, 0.0), self.duration)
            if self.clips:
                self._shown([clip.at(self.time) for clip in self.clips])

    def _loop(self) -> None:
        while True:
            self._running.wait()
            if self._ended:
                return
            before = time.perf_counter()
            time.sleep(1.0 / FRAMES_PER_SECOND)
            if self._running.is_set() and not self._ended:
                moment = self.time + time.perf_counter() - before
                if moment >= self.duration:
                    self.pause()
                self._show(moment)
