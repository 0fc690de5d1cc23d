"""The page of the viewer: scene, panels, and what their controls do."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ossature.diagnostics import Diagnostic, OssatureError, Report, Source
from ossature.kinematics import FormulaError, Positions
from ossature.viewer import camera_tracking
from ossature.viewer.body_of_finding import body_of_finding, body_of_path
from ossature.viewer.body_selection import BodySelection
from ossature.viewer.camera_tracking import TrackingCamera
from ossature.viewer.file_status import FileStatus, summary_of_errors
from ossature.viewer.fitted_cameras import FittedCameras
from ossature.viewer.joint_configuration import CoordinateSlider
from ossature.viewer.key_commands import key_commands
from ossature.viewer.list_command_inputs import CommandInput
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.model_view import ModelView
from ossature.viewer.page_overlay import add_overlay
from ossature.viewer.panels.body_tree import TreePanel
from ossature.viewer.panels.camera import CameraPanel
from ossature.viewer.panels.command_sliders import CommandSliders
from ossature.viewer.panels.differences import DifferencesPanel
from ossature.viewer.panels.findings import FindingsPanel
from ossature.viewer.panels.ik import IkPanel
from ossature.viewer.panels.joints import RANDOM, ZERO, JointsPanel
from ossature.viewer.panels.layers import LayersPanel
from ossature.viewer.panels.plots import PlotsPanel
from ossature.viewer.panels.sensor_readings import SensorReadingsPanel
from ossature.viewer.panels.share import SharePanel
from ossature.viewer.panels.simulation import SimulationPanel
from ossature.viewer.panels.simulation_environment import EnvironmentPanel
from ossature.viewer.playback_recording import PlaybackFrame, PlaybackRecording
from ossature.viewer.register_key_commands import help_of, register_key_commands
from ossature.viewer.scene_layers import Layer
from ossature.viewer.scene_nodes import Drag
from ossature.viewer.scene_setup import ViewOptions, add_models_to_scene, framing_of
from ossature.viewer.server import LocalServer, address_of, clear_panel
from ossature.viewer.share_downloads import ShareDownloads
from ossature.viewer.simulation_environment import SimulationEnvironment, adapt_file
from ossature.viewer.simulations_and_recordings import SimulationsAndRecordings
from ossature.viewer.standard_views import StandardView
from ossature.viewer.value_editor import ValueEditor

if TYPE_CHECKING:
    import viser

    from ossature.model_diff import Change

_SCENE_LEAD_TIME = 0.3
"""By which a browser gets the scene before the panels [s]."""


class ViewerApp:
    """Shows files, one or two side by side.

    Args:
        files: The files, each with a World.
        shadows: Whether with shadows and reflections.
        layers: Layers that are shown in addition to the default ones.

    Raises:
        FormulaError: The formula of a coupled joint has no value.
    """

    def __init__(
        self,
        server: LocalServer,
        files: Sequence[LoadedFile],
        *,
        shadows: bool,
        layers: Collection[Layer] = (),
    ) -> None:
        self._files = list(files)
        self.server, self.has_shadows = server, shadows
        self.lock = threading.RLock()
        self.options = ViewOptions(layers=dict.fromkeys(layers, True))
        self._random_seed, self._has_client = 0, False
        self.environment = SimulationEnvironment()
        self._follows: bool | None = None
        self.status = FileStatus()
        self.editing, self.selection, self.sharing = ValueEditor(self), BodySelection(self), ShareDownloads(self)
        self.views: list[ModelView] = []
        self.session = SimulationsAndRecordings(self)
        self.cameras = FittedCameras(server)
        self._build()
        server.on_client_connect(self._welcome)
        server.on_client_disconnect(self._remove_client)

    @property
    def url(self) -> str:
        """Address of the page."""
        return address_of(self.server)

    @property
    def files(self) -> Sequence[LoadedFile]:
        """The files, without edited values."""
        return self._files

    @property
    def shown_files(self) -> Sequence[LoadedFile]:
        """The files with edited values, in the environment of the page."""
        return [file.loaded for file in self._adapted]

    def close(self) -> None:
        """Stop serving."""
        self.session.end()
        self.server.stop()

    # Building

    def _build(self) -> None:
        before = framing_of(self.views) if self.views else None
        selected = [view.nodes.selected for view in self.views]
        self._adapted = [adapt_file(self.editing.edited(file), self.environment) for file in self._files]
        with self.server.atomic():
            self.views = add_models_to_scene(
                self.server,
                [file.loaded for file in self._adapted],
                shadows=self.has_shadows,
                options=self.options,
                before=before,
                on_pull=lambda number, model, body, drag: self._pull_body(self.views[number], model, body, drag),
                on_click=lambda number, model, body: self.selection.click(self.views[number], model, body),
            )
        follows = camera_tracking.follows_by_default(self.views[0].world) if self._follows is None else self._follows
        self.tracking = TrackingCamera(self.server.scene, self.views, is_active=follows)
        self.cameras.show(self.views)
        with self.server.atomic():  # no empty panel is shown between the old elements and the new ones
            clear_panel(self.server.gui)
            self._add_panels(self.server.gui)
            self.selection.restore(selected)
            commands = key_commands(self)
            register_key_commands(self.server.gui, commands)
            names = " and ".join(file.path.name for file in self._files)
            add_overlay(self.server.gui, f"{names} - Ossature", help_of(commands))

    def _add_panels(self, gui: viser.GuiApi) -> None:
        self.status.add_banner(gui)
        tabs = self._tabs = gui.add_tab_group(visible=self._has_client)
        with tabs.add_tab("Pose"):
            self.ik = IkPanel(self.server, self.views, self._move_arm)
            self.joints = JointsPanel(gui, self.views, self._move_joint, self._apply_preset)
        with tabs.add_tab("Layers"):
            self.camera = CameraPanel(
                gui,
                self.show_standard_view,
                self.cameras.fit_all,
                self.selection.go_to,
                self.set_follows,
                follows=self.tracking.is_active,
            )
            SharePanel(gui, self.sharing)
            present = set[Layer]().union(*(view.non_empty_layers() for view in self.views))
            shown = set[Layer]().union(*(view.nodes.shown for view in self.views))
            self.layers = LayersPanel(
                gui, present, shown, self._toggle_layer, self._set_transparent, is_transparent=self.options.is_transparent
            )
            self.sensors = SensorReadingsPanel(self.server, self.views, self.session.update_sensor)
        with tabs.add_tab("Tree"):
            self.tree = TreePanel(gui, self.views, self.selection.select, self.selection.show, self.editing)
        with tabs.add_tab("Simulate"):
            session = self.session
            self.simulation = SimulationPanel(
                gui,
                session.runner,
                session.player,
                session.restart,
                session.load_recorded,
                session.download,
                self.load_state,
                session.save_state,
                session.load_recording,
                lambda keeps: session.keep_as_references() if keeps else session.set_references({}),
            )
            self.inputs = CommandSliders(gui, self.views, self._command_input)
            has_statements = any(file.statements for file in self._adapted)
            EnvironmentPanel(gui, self._adapted, self.environment, self.set_simulation_environment, is_open=has_statements)
        with tabs.add_tab("Plots"):
            signals = session.signals
            self.plots = PlotsPanel(
                gui,
                signals.names,
                signals.curves_of,
                signals.now,
                signals.choose,
                session.download_signals,
                lambda shown: setattr(signals, "shows_difference", shown),
                signals.labels,
                shows_difference=signals.shows_difference,
                is_comparable=len(self.views) > 1,
            )
        with tabs.add_tab("Findings"):
            self.findings = FindingsPanel(gui, [view.name for view in self.views], self._select_subject)
            self.differences = DifferencesPanel(gui, self._select_changed) if len(self.views) > 1 else None
        for view in self.views:
            self._show_joints(view)

    def _welcome(self, client: viser.ClientHandle) -> None:
        with self.lock:
            self.cameras.add_client(client)
        self._show_panels()
        with self.lock:
            continued = self.session.set_observed(True)
        if continued:
            self.notify("Continued", continued, color="green")

    def _remove_client(self, client: viser.ClientHandle) -> None:
        """Remove a client that left; without clients nothing runs, so that a forgotten page does not keep a processor busy."""
        self.cameras.remove_client(client)
        with self.lock:  # a client that connects meanwhile continues what runs
            self.session.set_observed(bool(self.server.get_clients()))

    def _show_panels(self) -> None:
        """Show the panels and check the files when the first client connects: both would delay the scene."""
        if not self._has_client:
            self._has_client = True
            time.sleep(_SCENE_LEAD_TIME)
            self._tabs.visible = True
            for view in self.views:
                self._report_missing(view)
            self.check()

    def check(self) -> None:
        """Check the files and list the findings, of an invalid version those of reading it; loads the meshes."""
        for number, view in enumerate(self.views):
            findings = self.status.findings_of(self.editing.edited(self._files[number]))
            with self.lock:
                if view in self.views:  # else the file was reloaded in the meantime
                    self.findings.fill(number, findings)
        if self.differences is not None:
            self._compare(self.differences)

    def _compare(self, panel: DifferencesPanel) -> None:
        """List the differences of the two files, with their edited values, without what the page adds."""
        from ossature.model_diff import diff  # imported late: the scene is shown first

        first, second = (self.editing.edited(file) for file in self._files)
        assert first.world is not None  # noqa: S101  # both are shown
        assert second.world is not None  # noqa: S101
        found = diff(first.world, second.world, meshes_a=first.meshes, meshes_b=second.meshes)
        with self.lock:
            if panel is self.differences:  # else a file was reloaded in the meantime
                panel.fill(found)

    def reload(self, file: LoadedFile) -> None:
        """Show a changed file; joints keep their positions if they still exist.

        If the file has errors, the page keeps the last valid version, lists them, and shows a banner until the file is valid.
        """
        if file.world is None:
            self._fail(file.path, summary_of_errors(file), list(file.report))
            return
        before = self.status.known_findings(file.path)
        self.status.forget_failure(file.path)
        self._rebuild([file if loaded.path == file.path else loaded for loaded in self._files], self.environment)
        added = self.status.count_new_findings(file.path, before)
        text = f"{added} new finding{'s' * (added != 1)}: see Findings." if added else "The page shows the current version."
        self.notify(f"{file.path.name} reloaded", text, color="red" if added else "green")
        for view in self.views:
            self._report_missing(view)

    def report_missing_file(self, path: Path) -> None:
        """Say that a file was deleted, until it exists again."""
        self._fail(path, f"{path.name} does not exist any more", [])

    def _fail(self, path: Path, text: str, findings: Sequence[Diagnostic]) -> None:
        with self.lock:
            self.status.fail(path, text, findings)
        self.notify(path.name, f"{text}. The page shows the last valid version.")
        self.check()

    def _select_subject(self, number: int, finding: Diagnostic) -> None:
        view = self.views[number]
        subject = body_of_finding(finding, view.world)
        if subject is not None:
            self.selection.select(view, *subject)

    def _select_changed(self, change: Change) -> None:
        """Select the body that a difference is about, in the first file if it has it."""
        for view, path in zip(self.views, (change.path_a, change.path_b), strict=True):
            body = None if path is None else body_of_path(path, view.world)
            if body is not None:
                self.selection.select(view, *body)
                return

    def apply_edits(self) -> int:
        """Show the files with their edited values; a running simulation starts again. Returns the number of new findings."""
        is_running = self.session.runner.is_running
        before = [self.status.known_findings(file.path) for file in self._files]
        self._rebuild(self._files, self.environment, keeps_start=True)
        if is_running:
            self.session.runner.run()
        return sum(self.status.count_new_findings(file.path, known) for file, known in zip(self._files, before, strict=True))

    def set_simulation_environment(self, environment: SimulationEnvironment) -> None:
        """Show the files in another environment; joints keep their positions."""
        self._rebuild(self._files, environment)

    def _rebuild(self, files: Sequence[LoadedFile], environment: SimulationEnvironment, *, keeps_start: bool = False) -> None:
        current = self.session.start_positions() if keeps_start else None
        with self.session.reset(keeps_start=keeps_start), self.lock:
            before = current or [view.configuration.positions() for view in self.views]
            self._files, self.environment = list(files), environment
            references = self.session.references
            self.server.scene.reset()
            self._build()
            for view, positions in zip(self.views, before, strict=True):
                view.configuration.set_known_positions(positions)
                self._update_view(view)
            self.session.update_controls()
            self.session.set_references(references)
        self.check()

    def set_positions(self, positions: Positions) -> None:
        """Set joint positions of the first file."""
        with self.lock:
            self.views[0].configuration.set_positions(positions)
            self._update_view(self.views[0])

    def load_state(self, name: str, content: bytes) -> None:
        """Start the first file from the state in a USDF file; errors are shown on the page."""
        from ossature.formats.usdf import read_usdf

        report = Report()
        state = read_usdf(Source(name, content), report)
        if state is None or report.has_errors:
            self.notify(f"{name} is not a valid state", str(report))
            return
        try:
            self.session.set_initial_state(state)
        except (OssatureError, ValueError) as error:
            self.notify(f"{name} does not match the model", str(getattr(error, "report", error)))

    def load_clips(self, clips: Sequence[PlaybackRecording]) -> None:
        """Load recordings for playback, one for each file."""
        self.session.load_clips(clips)
        self.session.player.seek(0.0)

    # Actions of the controls

    def _move_joint(self, view: ModelView, slider: CoordinateSlider, value: float) -> None:
        self.session.drop()
        with self._lock_if_shown(view) as is_shown:
            if is_shown:
                view.configuration.move(slider.model, slider.joint, slider.number, value)
                self._update_view(view)

    def _move_arm(self, view: ModelView, model: str, positions: Mapping[str, Sequence[float]]) -> None:
        self.session.drop()
        with self._lock_if_shown(view) as is_shown:
            if is_shown:
                view.configuration.set_positions({model: positions})
                self._update_view(view, update_target=False)

    def _apply_preset(self, view: ModelView, preset: str) -> None:
        self.session.drop()
        with self._lock_if_shown(view) as is_shown:
            if not is_shown:
                return
            view.configuration.reset()
            if preset == ZERO:
                view.configuration.zero(view.sliders)
            elif preset == RANDOM:
                self._random_seed += 1
                view.configuration.shuffle(view.sliders, self._random_seed)
            self._update_view(view)

    @contextmanager
    def _lock_if_shown(self, view: ModelView) -> Iterator[bool]:
        """Lock the page; yields whether a view is still shown: its file may have been reloaded."""
        with self.lock:
            yield view in self.views

    def _command_input(self, view: ModelView, command_input: CommandInput, value: float) -> None:
        self.session.command(view, command_input.model, command_input.name, value)

    def _update_view(self, view: ModelView, *, update_target: bool = True) -> None:
        """Update bodies and sliders from the joint positions, and the IK target unless it is being dragged."""
        with self.server.atomic():
            try:
                view.update()
            except FormulaError as error:
                self.notify("Coupled joint without a value", str(error))
                return
            self.tracking.update()
            self.cameras.update()
            self._show_joints(view)
            self._show_contacts(view)
            if update_target:
                self.ik.update_target()
        if self.sensors.is_due:
            self.session.update_sensor()

    def _show_joints(self, view: ModelView) -> None:
        self.joints.show(self.views.index(view), view.configuration.positions())

    def _show_contacts(self, view: ModelView) -> None:
        try:
            view.show_contacts()
        except OssatureError as error:
            self.notify("Contacts are unavailable", str(error))

    def show_frame(self, number: int, frame: PlaybackFrame) -> None:
        """Show a frame of a simulation or a recording of one file."""
        with self.lock, self.server.atomic():
            view = self.views[number]
            view.configuration.set_known_positions(frame.positions)
            view.show_poses(frame.poses)
            self.tracking.update()
            if not self.tracking.is_suspended:
                self.cameras.update()
            self.joints.show(number, frame.positions)

    def _toggle_layer(self, layer: Layer, visible: bool) -> None:
        with self.lock, self.server.atomic():
            self.options = replace(self.options, layers={**self.options.layers, layer: visible})
            for view in self.views:
                view.nodes.show(layer, visible)
                if layer is Layer.CONTACTS:
                    self._show_contacts(view)
                elif layer is Layer.TENDONS:
                    view.show_tendons()
                self._report_missing(view)

    def _report_missing(self, view: ModelView) -> None:
        missing = view.nodes.missing
        if missing:
            more = f"; and {len(missing) - 1} more, see Findings" if len(missing) > 1 else ""
            self.notify("Unavailable geometry", f"{missing[0]}{more}")
            missing.clear()

    def _set_transparent(self, transparent: bool) -> None:
        with self.lock, self.server.atomic():
            self.options = replace(self.options, transparent=transparent)
            for view in self.views:
                view.nodes.set_transparent(transparent)

    def _pull_body(self, view: ModelView, model: str, body: str, drag: Drag) -> None:
        self.tracking.is_suspended = drag.phase != "end"
        self.session.pull(view, model, body, drag)
        self.simulation.update_status()

    def show_standard_view(self, client: viser.ClientHandle, view: StandardView) -> None:
        """Show everything to a client from a standard direction."""
        self.cameras.fit_all(client, view.direction(self.views[0].framing.up))

    def set_follows(self, follows: bool) -> None:
        """Set whether the scene moves so that the robot stays in the image."""
        with self.lock, self.server.atomic():
            self._follows = self.tracking.is_active = follows
            self.tracking.update()
        if self.camera.follows != follows:
            self.camera.set_follows(follows)

    def notify(self, title: str, text: str, color: str = "red") -> None:
        """Show a notification to all clients."""
        for client in self.server.get_clients().values():
            client.add_notification(title, text, color="green" if color == "green" else "red", auto_close_seconds=8.0)
