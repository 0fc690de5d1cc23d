"""Simulations and recordings of a page."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ossature.assets.atomic_write import write_file_unflushed
from ossature.diagnostics import OssatureError, Report
from ossature.model import State
from ossature.spatial import Vector3, subtract
from ossature.viewer.live_simulation import LiveSimulation
from ossature.viewer.mouse_pull import MousePull, point_in_body
from ossature.viewer.playback_recording import PlaybackFrame, PlaybackRecording, playback_of, read_playback
from ossature.viewer.plotted_signals import PlottedSignals
from ossature.viewer.realtime_runner import RealtimeRunner
from ossature.viewer.recording_player import RecordingPlayer
from ossature.viewer.reference_motion import ReferenceMotion
from ossature.viewer.scene_layers import Layer

if TYPE_CHECKING:
    import threading

    import viser

    from ossature.kinematics import Positions
    from ossature.simulation import Recording
    from ossature.viewer.camera_tracking import TrackingCamera
    from ossature.viewer.model_view import ModelView
    from ossature.viewer.panels.command_sliders import CommandSliders
    from ossature.viewer.panels.plots import PlotsPanel
    from ossature.viewer.panels.sensor_readings import SensorReadingsPanel
    from ossature.viewer.panels.simulation import SimulationPanel
    from ossature.viewer.scene_nodes import Drag
    from ossature.viewer.server import LocalServer
    from ossature.viewer.simulation_environment import SimulationEnvironment

_MOST_REASONS = 3
"""Number of errors that are shown if a simulation cannot run."""
_FAR_FALL = 2.0
"""Descent of a model that is no fall from a table, relative to its size."""


class _Page(Protocol):
    """The part of a page that simulations and recordings use."""

    server: LocalServer
    lock: threading.RLock
    environment: SimulationEnvironment
    views: list[ModelView]
    inputs: CommandSliders
    sensors: SensorReadingsPanel
    simulation: SimulationPanel
    tracking: TrackingCamera
    plots: PlotsPanel

    def show_frame(self, number: int, frame: PlaybackFrame, /) -> None: ...

    def notify(self, title: str, text: str, /) -> None: ...


class SimulationsAndRecordings:
    """The simulations of the files of a page, on one clock, and their recordings."""

    def __init__(self, page: _Page) -> None:
        self._page = page
        self._is_observed = True
        self._state: State | None = None
        self._pulled_point: Vector3 | None = None
        self._commands: dict[tuple[int, str, str], float] = {}
        self._recordings: list[tuple[int, Recording]] = []
        self._starts: list[Positions] = []
        self._references: dict[int, ReferenceMotion] = {}
        self.runner = RealtimeRunner(self._create_simulations, self._show_simulation, self._show_failure)
        self.player = RecordingPlayer(self._show_recording)
        self.signals = PlottedSignals(page, self.runner, self.player, lambda: self.references)

    def drop(self) -> None:
        """Stop and discard the simulations: a joint was moved."""
        self.player.pause()
        self.runner.drop()
        self._state = None

    @contextmanager
    def reset(self, *, keeps_start: bool = False) -> Iterator[None]:
        """Discard simulations, and start nothing until the context ends: a file is reloaded.

        Args:
            keeps_start: Whether the next run has the initial state and the commands of the last one.
        """
        with self.player.paused(), self.runner.reset():
            if not keeps_start:
                self._state, self._commands = None, {}
            self.signals.forget_names()
            yield

    def set_observed(self, is_observed: bool) -> str:
        """Set whether the page is open anywhere: while it is not, what runs stays where it is.

        Returns:
            What continues now, in a sentence, or nothing.
        """
        has_changed = is_observed and not self._is_observed
        self._is_observed = is_observed
        self.runner.set_observed(is_observed)
        self.player.set_observed(is_observed)
        if not has_changed or not (self.runner.is_running or self.player.is_running):
            return ""
        if self.player.is_running:
            return f"The recording was paused at {self.player.time:.3g} s while the page was closed, and continues."
        simulations = self.runner.simulations
        time = f" at {simulations[0].time:.3f} s" if simulations else ""
        return f"The simulation was paused{time} while the page was closed, and continues."

    def end(self) -> None:
        """Stop for good."""
        self.runner.end()
        self.player.end()

    def start_positions(self) -> list[Positions]:
        """Return the joint positions at which the next run starts: those of the last run, or else the current ones."""
        current: list[Positions] = [view.configuration.positions() for view in self._page.views]
        return self._starts if self.runner.simulations and len(self._starts) == len(current) else current

    def _create_simulations(self) -> Sequence[LiveSimulation]:
        views = self._page.views
        self._starts = [view.configuration.positions() for view in views]
        simulations = [
            LiveSimulation(
                view.world,
                view.loaded.meshes,
                view.configuration.initial_configuration(),
                None if number else self._state,
                self._page.environment.time_step,
            )
            for number, view in enumerate(views)
        ]
        for (number, model, name), value in self._commands.items():
            simulations[number].command(model, name, value)
        return simulations

    def command(self, view: ModelView, model: str, name: str, value: float) -> None:
        """Command a motor or a joint, in the current simulation and in the next ones until a restart."""

        def send(simulations: Sequence[LiveSimulation]) -> None:
            if view not in self._page.views:  # the file was reloaded in the meantime
                return
            number = self._page.views.index(view)
            self._commands[number, model, name] = value
            if simulations:
                simulations[number].command(model, name, value)

        self.runner.change(send)

    def pull(self, view: ModelView, model: str, body: str, drag: Drag) -> None:
        """Pull a body with the mouse while the simulation runs; a drag starts it."""
        if drag.phase == "end":
            self._pulled_point = None
            self.runner.change(_release_all)
            return
        if drag.phase == "start" or self._pulled_point is None:
            self._pulled_point = point_in_body(subtract(drag.point, view.nodes.offset), view.poses[model][body])
            self.player.pause()
            self.runner.run()
        pull = MousePull(model=model, body=body, point=self._pulled_point, target=subtract(drag.pointer, view.nodes.offset))
        number = self._page.views.index(view)
        self.runner.change(lambda simulations: simulations[number].pull(pull) if simulations else None)

    def restart(self) -> None:
        """Return to the initial state, and reset the commands."""
        self._commands = {}
        self._page.inputs.reset()
        self.runner.restart()

    def set_initial_state(self, state: State) -> None:
        """Use a state as the initial one of the first file.

        Raises:
            OssatureError: The state does not match the World, or the World cannot be simulated.
        """
        self.drop()
        self._state = state
        try:
            self.runner.show_initial_state()
        except OssatureError:
            self._state = None
            raise

    def save_state(self, client: viser.ClientHandle) -> None:
        """Send a client the state of the first file: that of the simulation, or at the current joint positions if none runs."""
        from ossature.formats.usdf import write_usdf

        states: list[State] = []
        self.runner.change(lambda simulations: states.extend(live.state() for live in simulations[:1]))
        try:
            state = states[0] if states else self._create_simulations()[0].state()
        except OssatureError as error:
            self._show_failure(error)
            return
        stem = self._page.views[0].loaded.path.stem
        client.send_file_download(f"{stem}.usdf", write_usdf(state).encode("utf-8"), save_immediately=True)

    def _show_simulation(self) -> None:
        for number, live in enumerate(self.runner.simulations):
            self._page.show_frame(number, live.frame())
            view = self._page.views[number]
            if Layer.CONTACTS in view.nodes.shown:
                view.draw_contact_forces(live.contact_forces())
            self._show_reference(number, live.time)
        if self.signals.sample():
            self._page.plots.refresh_names()
        self._page.plots.update()
        self._page.simulation.note = _note_on_fall(self._page.tracking.descent, self._page.views[0].framing.size)
        self._page.simulation.update_status()
        if self._page.sensors.is_due:
            self._read_sensor(self.runner.simulations)

    def update_sensor(self) -> None:
        """Show the reading of the selected sensor at the current joint positions."""
        if self._page.sensors.selected is None:
            self._page.sensors.show(None)
        elif not self.runner.is_running:
            try:
                self._read_sensor(self.runner.simulations or self._create_simulations())
            except OssatureError as error:
                self._page.sensors.show_error(str(getattr(error, "report", error)))

    def _read_sensor(self, simulations: Sequence[LiveSimulation]) -> None:
        selected = self._page.sensors.selected
        if selected is None:
            return
        number, name = selected
        try:
            overlay = simulations[number].read_sensor(name)
        except KeyError as error:
            self._page.sensors.show_error(str(error.args[0]))
            return
        self._page.sensors.show(overlay, self._page.views[number])

    def _show_recording(self, frames: Sequence[PlaybackFrame]) -> None:
        for number, frame in enumerate(frames):
            self._page.show_frame(number, frame)
            self._page.views[number].draw_contacts(())
            self._show_reference(number, self.player.time)
        self._page.plots.update()
        self._page.simulation.update_status()

    def _show_failure(self, error: Exception) -> None:
        text = _reason_of(error)
        self.load_recorded()
        self._page.simulation.show_error(text)
        self._page.notify("Simulation stopped", text)

    def load_recorded(self) -> None:
        """Load the recordings of the simulations for playback and download."""
        simulations = enumerate(self.runner.simulations)
        recorded = [(number, live.recording()) for number, live in simulations if live.is_recorded]
        if recorded:
            self._recordings = recorded
            self.player.load([playback_of(recording) for _, recording in recorded])
            self.player.time = self.player.duration
            self.update_controls()

    def load_clips(self, clips: Sequence[PlaybackRecording]) -> None:
        """Load recordings from files for playback, one for each model file."""
        self._recordings = []
        self.player.load(clips)
        self.update_controls()

    def update_controls(self) -> None:
        """Enable the controls for the loaded recordings, or discard those that do not match the files any more."""
        clips = self.player.clips
        if all(clip.fits(view.world) for clip, view in zip(clips, self._page.views, strict=False)):
            if clips:
                self._page.simulation.timeline.enable(clips[0], savable=bool(self._recordings))
                self._page.plots.refresh_names()
                self._page.plots.update(force=True)
            return
        self._recordings = []
        self.player.load(())
        self._page.simulation.timeline.disable()
        self._page.notify("Recording discarded", "It does not match the bodies and joints of the file any more.")

    # Comparing

    @property
    def references(self) -> Mapping[int, PlaybackRecording]:
        """The recordings to compare with, by the number of their file."""
        return {number: reference.clip for number, reference in self._references.items()}

    def keep_as_references(self) -> None:
        """Compare what is shown from now on with the loaded recordings."""
        if self.player.clips:
            self.set_references(dict(enumerate(self.player.clips)))
        else:
            self._page.notify("No recording", "Switch on Record, run the simulation and pause it, or load a recording.")

    def set_references(self, clips: Mapping[int, PlaybackRecording]) -> None:
        """Compare what is shown with recordings, by the number of their file; those of other models are refused."""
        views = self._page.views
        with self._page.lock, self._page.server.atomic():
            for reference in self._references.values():
                reference.remove()
            fitting = {number: clip for number, clip in clips.items() if clip.fits(views[number].world)}
            self._references = {
                number: ReferenceMotion(self._page.server.scene, views[number], clip) for number, clip in fitting.items()
            }
            for number in self._references:
                live = self.runner.simulations[number].time if number < len(self.runner.simulations) else self.player.time
                self._show_reference(number, live)
        if len(fitting) < len(clips):
            self._page.notify("Not compared", "The recording does not match the bodies and joints of the file.")
        self._page.plots.show_comparison(is_possible=bool(self._references) or len(views) > 1)
        self._page.plots.update(force=True)

    def _show_reference(self, number: int, time: float) -> None:
        if number in self._references:
            self._references[number].show(time)

    def load_recording(self, name: str, content: bytes) -> None:
        """Load a recording of the first file that was sent to the page, for playback; errors are shown on the page."""
        report = Report()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"recording{Path(name).suffix}"
            try:
                write_file_unflushed(path, content)
                clip = read_playback(path, self._page.views[0].world, report)
            except (OssatureError, OSError, ValueError) as error:
                self._page.notify(f"{name} is not a recording of this file", str(error).replace(str(path), name))
                return
        self.runner.drop()
        self.load_clips([clip])
        self.player.seek(0.0)

    def download_signals(self) -> None:
        """Send the signals that are plotted to all clients as a table."""
        stem = self._page.views[0].loaded.path.stem
        content = self.signals.to_csv().encode("utf-8")
        if content:
            self._page.server.send_file_download(f"{stem}_signals.csv", content, save_immediately=True)
        else:
            self._page.notify("Nothing to save", "Plot a signal, and run the simulation or play a recording.")

    def download(self, suffix: str) -> None:
        """Send the recordings to all clients as ``.json`` or ``.csv``."""
        for number, recording in self._recordings:
            stem = self._page.views[number].loaded.path.stem
            self._page.server.send_file_download(f"{stem}{suffix}", recording.to_bytes(suffix), save_immediately=True)


def _note_on_fall(descent: float, size: float) -> str:
    """Return that a model of some size has fallen far [m], which is invisible if the camera follows it; else nothing."""
    return f"The model has fallen {descent:.3g} m: is there no floor? See Environment." if descent > _FAR_FALL * size else ""


def _release_all(simulations: Sequence[LiveSimulation]) -> None:
    for live in simulations:
        live.pull(None)


def _reason_of(error: Exception) -> str:
    """Return why a simulation stopped: the first errors, without notes and warnings."""
    if not isinstance(error, OssatureError):
        return f"{type(error).__name__}: {error}"
    report = getattr(error, "report", None)
    messages = [] if report is None else [finding.message for finding in report.errors]
    if not messages:
        return str(error)
    more = [f"… and {len(messages) - _MOST_REASONS} more errors"] if len(messages) > _MOST_REASONS else []
    return "\n".join([*messages[:_MOST_REASONS], *more])
