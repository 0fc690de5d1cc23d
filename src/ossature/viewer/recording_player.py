"""Playback of recordings in real time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ossature.viewer.playback_recording import PlaybackFrame, PlaybackRecording
from ossature.viewer.realtime_runner import FRAMES_PER_SECOND, JOIN_TIMEOUT

OnFrame = Callable[[Sequence[PlaybackFrame]], None]


class RecordingPlayer:
    """Plays recordings in a thread.

    Attributes:
        clips: Recordings that are played together.
        time: Time since the start of the recordings [s].
        speed: Recorded seconds per second.
        loop: Whether it starts again at the end.
    """

    def __init__(self, on_frame: OnFrame) -> None:
        self.clips: Sequence[PlaybackRecording] = ()
        self.time, self.speed, self.loop = 0.0, 1.0, False
        self._on_frame = on_frame
        self._lock = threading.RLock()
        self._running, self._observed = threading.Event(), threading.Event()
        self._observed.set()
        self._ended = False
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """Whether it plays."""
        return self._running.is_set()

    @property
    def duration(self) -> float:
        """Duration of the longest recording [s]."""
        return max((clip.duration for clip in self.clips), default=0.0)

    def load(self, clips: Sequence[PlaybackRecording]) -> None:
        """Load other recordings."""
        self.pause()
        with self._lock:
            self.clips, self.time = clips, 0.0

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pause; nothing is shown until the context ends."""
        self.pause()
        with self._lock:
            yield

    def seek(self, time: float) -> None:
        """Pause at a time [s]."""
        self.pause()
        self._show(time)

    def seek_sample(self, offset: int) -> None:
        """Pause at the sample a number of samples after the one that is shown, of the first recording."""
        if self.clips:
            self.seek(self.clips[0].time_beside(self.time, offset))

    def run(self) -> None:
        """Play; from the start if it is at the end."""
        if not self.clips:
            return
        if self.time >= self.duration - 1e-9:
            self.time = 0.0
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name="ossature playback", daemon=True)
            self._thread.start()
        self._running.set()

    def set_observed(self, is_observed: bool) -> None:
        """Set whether a page shows the recording; while none does, it stays where it is, also if it plays."""
        if is_observed:
            self._observed.set()
        else:
            self._observed.clear()

    def pause(self) -> None:
        """Pause."""
        self._running.clear()

    def end(self) -> None:
        """Stop for good, after the current frame."""
        self._ended = True
        self._running.set()
        self._observed.set()
        if self._thread is not None:
            self._thread.join(timeout=JOIN_TIMEOUT)

    def _show(self, time: float) -> None:
        with self._lock:
            self.time = min(max(time, 0.0), self.duration)
            if self.clips:
                self._on_frame([clip.at(self.time) for clip in self.clips])

    def _loop(self) -> None:
        while True:
            self._observed.wait()
            self._running.wait()
            if self._ended:
                return
            if not self._observed.is_set():
                continue
            before = time.perf_counter()
            time.sleep(1.0 / FRAMES_PER_SECOND)
            if self._running.is_set() and not self._ended:
                target = self.time + self.speed * (time.perf_counter() - before)
                if target >= self.duration and self.loop:
                    target = 0.0
                elif target >= self.duration:
                    self.pause()
                self._show(target)
