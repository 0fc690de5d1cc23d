"""Playback of recordings in real time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ossature.viewer.pausable_thread import FRAMES_PER_SECOND, PausableThread
from ossature.viewer.playback_recording import PlaybackFrame, PlaybackRecording

OnFrame = Callable[[Sequence[PlaybackFrame]], None]


class RecordingPlayer(PausableThread):
    """Plays recordings in a thread.

    Attributes:
        clips: Recordings that are played together.
        time: Time since the start of the recordings [s].
        speed: Recorded seconds per second.
        loop: Whether it starts again at the end.
    """

    def __init__(self, on_frame: OnFrame) -> None:
        super().__init__("ossature playback")
        self.clips: Sequence[PlaybackRecording] = ()
        self.time, self.speed, self.loop = 0.0, 1.0, False
        self._on_frame = on_frame

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
        super().run()

    def _show(self, time: float) -> None:
        with self._lock:
            self.time = min(max(time, 0.0), self.duration)
            if self.clips:
                self._on_frame([clip.at(self.time) for clip in self.clips])

    def _make_frame(self) -> None:
        before = time.perf_counter()
        time.sleep(1.0 / FRAMES_PER_SECOND)
        if self._running.is_set() and not self._ended:
            target = self.time + self.speed * (time.perf_counter() - before)
            if target >= self.duration and self.loop:
                target = 0.0
            elif target >= self.duration:
                self.pause()
            self._show(target)
