"""Simulations: run, pause, step, restart, record; and recordings: play, scrub, download."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import viser

from ossature.viewer.detail_html import note
from ossature.viewer.playback_recording import PlaybackRecording
from ossature.viewer.realtime_clock import RealtimeRunner

if TYPE_CHECKING:
    from ossature.viewer.playback import RecordingPlayer

Download = Callable[[str], None]
Apply = Callable[[str, bytes], None]
"""Gets the name of a file and its content."""

_BETWEEN_TEXTS = 0.2


class RunPanel:
    """Buttons for a conductor and a projector."""

    def __init__(
        self,
        gui: viser.GuiApi,
        runner: RealtimeRunner,
        player: RecordingPlayer,
        restart: Callable[[], None],
        recorded: Callable[[], None],
        download: Download,
        apply: Apply,
    ) -> None:
        self._gui, self._runner, self._player = gui, runner, player
        self._begin_again, self._offer_recording = restart, recorded
        self._last_status = 0.0
        with gui.add_folder("Simulation"):
            self._run = gui.add_button(
                "Run",
                icon=viser.Icon.PLAYER_PLAY,
                hint="Begins where the joints are now; machines with loops or motors as their files say",
            )
            step = gui.add_button("Step", icon=viser.Icon.PLAYER_TRACK_NEXT, color="gray", hint="One time step")
            again = gui.add_button("Restart", icon=viser.Icon.RESTORE, color="gray", hint="Back to where it began")
            self._speed = gui.add_slider(
                "Speed", 0.05, 4.0, 0.05, runner.speed, hint="Seconds of the simulation in each second"
            )
            self._record = gui.add_checkbox("Record", runner.record, hint="Keep what follows, to be looked at again and saved")
            state = gui.add_upload_button("Apply a USDF state", color="gray", hint="Joints, velocities, time: a .usdf file")
            self._text: Any = gui.add_html(note("Not begun."))
        self._run.on_click(lambda _: self._toggle())
        step.on_click(lambda _: self._step())
        state.on_upload(lambda event: apply(event.target.value.name, event.target.value.content))
        again.on_click(lambda _: self._restart())
        self._speed.on_update(lambda event: setattr(runner, "speed", float(event.target.value)))
        self._record.on_update(lambda event: setattr(runner, "record", bool(event.target.value)))
        with gui.add_folder("Recording"):
            self._scrub: Any = gui.add_slider("Time", 0.0, 1.0, 0.001, 0.0, disabled=True, hint="Seconds from its beginning")
            self._play = gui.add_button("Play", icon=viser.Icon.PLAYER_PLAY, disabled=True)
            self._save = gui.add_button_group("Save as", (".json", ".csv"), visible=False)
            self._length: Any = gui.add_html(note("Nothing was recorded."))
        self._scrub.on_update(self._scrubbed)
        self._play.on_click(lambda _: self._toggle_playback())
        self._save.on_click(lambda event: download(str(event.target.value)))

    def _toggle(self) -> None:
        self._player.pause()
        if self._runner.is_running:
            self._runner.pause()
            self._offer_recording()
        else:
            self._runner.run()
        self.tell(force=True)

    def _step(self) -> None:
        self._player.pause()
        self._runner.step()
        self._offer_recording()
        self.tell(force=True)

    def _restart(self) -> None:
        self._player.pause()
        self._begin_again()
        self.tell(force=True)

    def offer(self, clip: PlaybackRecording, *, savable: bool) -> None:
        """Offer a film to be played."""
        duration = max(clip.duration, 1e-3)
        self._scrub.max = duration
        self._scrub._marks = ()
        self._scrub.disabled = self._play.disabled = False
        self._save.visible = savable
        self._length.content = note(f"{clip.duration:.3g} s in {len(clip.pictures)} pictures")

    def _toggle_playback(self) -> None:
        self._runner.pause()
        if self._player.is_running:
            self._player.pause()
        else:
            self._player.run()
        self.tell(force=True)

    def _scrubbed(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is not None:
            self._runner.pause()
            self._player.seek(float(event.target.value))

    def tell(self, *, force: bool = False) -> None:
        """Say how things stand; not more often than can be read unless forced."""
        now = time.monotonic()
        if not force and now - self._last_status < _BETWEEN_TEXTS:
            return
        self._last_status = now
        running, playing = self._runner.is_running, self._player.is_running
        self._run.label, self._run.icon = ("Pause", viser.Icon.PLAYER_PAUSE) if running else ("Run", viser.Icon.PLAYER_PLAY)
        self._play.label, self._play.icon = ("Pause", viser.Icon.PLAYER_PAUSE) if playing else ("Play", viser.Icon.PLAYER_PLAY)
        if self._player.clips:
            self._scrub.value = min(self._player.time, self._scrub.max)
        simulations = self._runner.simulations
        if simulations:
            speed = f", {self._runner.achieved:.2g} times real time" if running else ""
            self._text.content = note(f"{simulations[0].time:.3f} s{speed}")
        else:
            self._text.content = note("Starting …" if running else "Not begun.")
        if running and self._runner.record:
            self._length.content = note("Recording …")

    def fail(self, text: str) -> None:
        """Say why a simulation ended."""
        self.tell(force=True)
        self._text.content = note(text)
