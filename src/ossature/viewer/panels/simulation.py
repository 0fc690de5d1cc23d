"""The panel "Simulate": run, pause, step, restart and record."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import viser

from ossature.viewer.panels.timeline import TimelinePanel
from ossature.viewer.properties_and_findings_html import paragraph
from ossature.viewer.realtime_runner import RealtimeRunner

if TYPE_CHECKING:
    from ossature.viewer.recording_player import RecordingPlayer

OnDownload = Callable[[str], None]
OnLoad = Callable[[str, bytes], None]
"""Gets the name of a file and its content."""

_STATUS_INTERVAL = 0.2
"""Between updates of the status text [s]."""


class SimulationPanel:
    """The controls of a real-time runner and of a recording player.

    Attributes:
        note: What is noticed about the motion while a simulation runs, or empty.
    """

    def __init__(
        self,
        gui: viser.GuiApi,
        runner: RealtimeRunner,
        player: RecordingPlayer,
        on_restart: Callable[[], None],
        on_recorded: Callable[[], None],
        on_download: OnDownload,
        on_load_state: OnLoad,
        on_save_state: Callable[[viser.ClientHandle], None],
        on_load_recording: OnLoad,
        on_compare: Callable[[bool], None],
    ) -> None:
        self._gui, self._runner, self._player = gui, runner, player
        self._on_restart, self._on_recorded = on_restart, on_recorded
        self._last_status, self._error, self.note = 0.0, "", ""
        self._lock = threading.RLock()
        with gui.add_folder("Simulation"):
            self._run = gui.add_button(
                "Run",
                icon=viser.Icon.PLAYER_PLAY,
                hint="Starts at the current joint positions; models with loops or motors start at those of their files",
            )
            step_button = gui.add_button("Step", icon=viser.Icon.PLAYER_TRACK_NEXT, color="gray", hint="Take one time step")
            restart_button = gui.add_button("Restart", icon=viser.Icon.RESTORE, color="gray", hint="Reset to the initial state")
            self._speed = gui.add_slider(
                "Speed", 0.05, 4.0, 0.05, runner.speed, hint="Real-time factor: simulated seconds per second"
            )
            self._record = gui.add_checkbox("Record", runner.record, hint="Record from now on, to play back and save")
            state_button = gui.add_upload_button(
                "Load state…", color="gray", hint="Initial state from a USDF file: positions, velocities, time"
            )
            save_button = gui.add_button("Save state", color="gray", hint="The current state of the first file, as a USDF file")
            recording_button = gui.add_upload_button(
                "Load recording…",
                color="gray",
                hint="A recording of this file, made on this page or by `ossature simulate --record`",
            )
            self._text: Any = gui.add_html(paragraph("Not started."))
        self._run.on_click(lambda _: self._toggle_running())
        step_button.on_click(lambda _: self._step())
        state_button.on_upload(lambda event: on_load_state(event.target.value.name, event.target.value.content))
        save_button.on_click(lambda event: None if event.client is None else on_save_state(event.client))
        recording_button.on_upload(lambda event: on_load_recording(event.target.value.name, event.target.value.content))
        restart_button.on_click(lambda _: self._restart())
        self._speed.on_update(lambda event: setattr(runner, "speed", float(event.target.value)))
        self._record.on_update(lambda event: setattr(runner, "record", bool(event.target.value)))
        self.timeline = TimelinePanel(gui, player, self.toggle_playback, on_download, on_compare)

    def toggle(self) -> None:
        """Run or pause what was run last: the simulation, or the playback of a recording."""
        if self._player.is_running or (self._player.clips and not self._runner.simulations):
            self.toggle_playback()
        else:
            self._toggle_running()

    def step(self, direction: int = 1) -> None:
        """Advance by one time step, or go to the next or previous sample of a recording."""
        if self._player.clips and not self._runner.simulations:
            self._player.seek_sample(direction)
        elif direction > 0:
            self._step()
        else:
            self._runner.pause()
            self._player.seek_sample(direction)

    def restart(self) -> None:
        """Return to the initial state."""
        self._restart()

    def _toggle_running(self) -> None:
        self._player.pause()
        if self._runner.is_running:
            self._runner.pause()
            self._on_recorded()
        else:
            self._runner.run()
        self.update_status(force=True)

    def _step(self) -> None:
        self._player.pause()
        self._runner.step()
        self._on_recorded()
        self.update_status(force=True)

    def _restart(self) -> None:
        self._player.pause()
        self._error = ""
        self._on_restart()
        self.update_status(force=True)

    def toggle_playback(self) -> None:
        """Play or pause the recording."""
        self._runner.pause()
        if self._player.is_running:
            self._player.pause()
        else:
            self._player.run()
        self.update_status(force=True)

    def update_status(self, *, force: bool = False) -> None:
        """Show time and real-time factor, at most five times a second unless forced."""
        with self._lock:  # a simulation that fails at once updates it too
            now = time.monotonic()
            if force or now - self._last_status >= _STATUS_INTERVAL:
                self._last_status = now
                self._show_status()

    def _show_status(self) -> None:
        running = self._runner.is_running
        if running:
            self._error = ""
        self._run.label, self._run.icon = ("Pause", viser.Icon.PLAYER_PAUSE) if running else ("Run", viser.Icon.PLAYER_PLAY)
        self.timeline.show_time()
        simulations = self._runner.simulations
        if simulations:
            speed = f", real-time factor {self._runner.achieved:.2g}" if running else ""
            text = f"Time {simulations[0].time:.3f} s{speed}"
        else:
            text = "Starting …" if running else "Not started."
        self._text.content = paragraph(self._error or text) + (paragraph(self.note) if running and self.note else "")
        if running and self._runner.record:
            self.timeline.show_recording()

    def show_error(self, text: str) -> None:
        """Show why a simulation stopped, until it runs or is restarted."""
        with self._lock:
            self._error = text
            self.update_status(force=True)
