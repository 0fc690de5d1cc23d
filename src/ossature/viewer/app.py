"""The page: what is shown, and what follows when somebody moves, clicks or ticks something."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ossature.diagnostics import OssatureError, Report, Source
from ossature.kinematics import FormulaError, Positions
from ossature.viewer.command_inputs import Commandable
from ossature.viewer.joint_configuration import CoordinateSlider
from ossature.viewer.layers import Layer
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.model_view import ModelView
from ossature.viewer.panels.body_tree import BodiesPanel
from ossature.viewer.panels.findings import FindingsPanel
from ossature.viewer.panels.ik import ReachPanel
from ossature.viewer.panels.inputs import CommandsPanel
from ossature.viewer.panels.joints import ANYWHERE, ZERO, JointsPanel
from ossature.viewer.panels.layers import ShowPanel
from ossature.viewer.panels.sensors import SensePanel
from ossature.viewer.panels.simulation import RunPanel
from ossature.viewer.playback_recording import PlaybackFrame, PlaybackRecording
from ossature.viewer.playback_session import PlaybackSession
from ossature.viewer.scene_setup import ViewChoice, add_models_to_scene, framing_of
from ossature.viewer.server import LocalServer, address_of, clear_panel

if TYPE_CHECKING:
    import viser

_UNTIL_DRAWN = 0.3
"""How long a browser takes to begin with the scene [s]."""


class ViewerApp:
    """Shows files, one or two side by side.

    Args:
        server: The server of the page.
        files: The files, each with a World.
        fine: Whether with shadows and reflections.
        layers: What is shown besides what is shown anyway.

    Raises:
        FormulaError: A formula gives a joint no value.
    """

    def __init__(
        self,
        server: LocalServer,
        files: Sequence[LoadedFile],
        *,
        fine: bool,
        layers: Collection[Layer] = (),
    ) -> None:
        self._files = list(files)
        self.server, self._fine = server, fine
        self._lock = threading.RLock()
        self._choice = ViewChoice(layers=dict.fromkeys(layers, True))
        self._draws, self._is_seen = 0, False
        self.views: list[ModelView] = []
        self.running = PlaybackSession(self)
        self._build()
        server.on_client_connect(lambda _: self._furnish())

    @property
    def url(self) -> str:
        """Where the page is."""
        return address_of(self.server)

    def close(self) -> None:
        """Stop serving."""
        self.running.end()
        self.server.stop()

    # Building

    def _build(self) -> None:
        before = framing_of(self.views) if self.views else None
        with self.server.atomic():
            self.views = add_models_to_scene(
                self.server,
                self._files,
                fine=self._fine,
                choice=self._choice,
                before=before,
                clicked=lambda number, model, body: self._select(self.views[number], model, body),
            )
        clear_panel(self.server.gui)
        self._add_panels(self.server.gui)

    def _add_panels(self, gui: viser.GuiApi) -> None:
        tabs = self._tabs = gui.add_tab_group(visible=self._is_seen)
        with tabs.add_tab("Joints"):
            self.reach = ReachPanel(self.server, self.views, self._reach)
            self.joints = JointsPanel(gui, self.views, self._move, self._pose)
        with tabs.add_tab("Show"):
            present = set[Layer]().union(*(view.present() for view in self.views))
            shown = set[Layer]().union(*(view.stage.shown for view in self.views))
            through = self._choice.is_see_through
            self.show = ShowPanel(gui, present, shown, self._toggle, self._see_through, is_see_through=through)
            self.sense = SensePanel(self.server, self.views, self.running.sense_anew)
        with tabs.add_tab("Bodies"):
            self.bodies = BodiesPanel(gui, self.views, self._select)
        with tabs.add_tab("Run"):
            running = self.running
            self.run = RunPanel(
                gui,
                running.runner,
                running.player,
                running.restart,
                running.offer_recorded,
                running.download,
                self.apply,
            )
            self.commands = CommandsPanel(gui, self.views, self._command)
        with tabs.add_tab("Findings"):
            self.findings = FindingsPanel(gui, self.views, self._select)
        for view in self.views:
            self._show_joints(view)

    def _furnish(self) -> None:
        """Show the panels and check the files, once somebody looks.

        Both take as long as the scene, which is seen before them so.
        """
        if not self._is_seen:
            self._is_seen = True
            time.sleep(_UNTIL_DRAWN)
            self._tabs.visible = True
            for view in self.views:
                self._report_missing(view)
            self.check()

    def check(self) -> None:
        """Check the files and list what is found; meshes are loaded for it."""
        for number, view in enumerate(self.views):
            findings = view.loaded.findings()
            with self._lock:
                if view in self.views:  # the file was not saved anew in the meantime
                    self.findings.fill(number, findings)

    def reload(self, file: LoadedFile) -> None:
        """Show a file anew, with joints where they are as far as there still are joints of those names.

        A file that cannot be used is told of, and the page stays as it is.
        """
        if file.world is None:
            self.tell(f"{file.path.name} was saved with errors", str(file.report.errors[0]))
            return
        with self.running.held(), self._lock:
            before = [view.configuration.positions() for view in self.views]
            self._files = [file if loaded.path == file.path else loaded for loaded in self._files]
            self.server.scene.reset()
            self._build()
            for view, positions in zip(self.views, before, strict=True):
                view.configuration.set_known_positions(positions)
                self._follow(view)
            self.running.offer_again()
        self.check()
        self.tell(f"{file.path.name} was saved", "The page shows it as it is now.", color="green")
        for view in self.views:
            self._report_missing(view)

    def place(self, positions: Positions) -> None:
        """Put joints of the first file somewhere."""
        with self._lock:
            self.views[0].configuration.place(positions)
            self._follow(self.views[0])

    def apply(self, name: str, content: bytes) -> None:
        """Put the first file into the state of a USDF file; what is wrong with it is told on the page."""
        from ossature.formats.usdf import read_usdf

        report = Report()
        state = read_usdf(Source(name, content), report)
        if state is None or report.has_errors:
            self.tell(f"{name} is no state", str(report))
            return
        try:
            self.running.apply(state)
        except (OssatureError, ValueError) as error:
            self.tell(f"{name} does not fit", str(getattr(error, "report", error)))

    def project(self, clips: Sequence[PlaybackRecording]) -> None:
        """Offer recordings, one for each file, to be played."""
        self.running.offer_given(clips)
        self.running.player.seek(0.0)

    # What follows when somebody does something

    def _move(self, view: ModelView, handle: CoordinateSlider, value: float) -> None:
        self.running.drop()
        with self._shown(view) as is_shown:
            if is_shown:
                view.configuration.move(handle.model, handle.joint, handle.number, value)
                self._follow(view)

    def _reach(self, view: ModelView, model: str, positions: Mapping[str, Sequence[float]]) -> None:
        self.running.drop()
        with self._shown(view) as is_shown:
            if is_shown:
                view.configuration.place({model: positions})
                self._follow(view, handle=False)

    def _pose(self, view: ModelView, where: str) -> None:
        self.running.drop()
        with self._shown(view) as is_shown:
            if not is_shown:
                return
            view.configuration.reset()
            if where == ZERO:
                view.configuration.zero(view.handles)
            elif where == ANYWHERE:
                self._draws += 1
                view.configuration.shuffle(view.handles, self._draws)
            self._follow(view)

    @contextmanager
    def _shown(self, view: ModelView) -> Iterator[bool]:
        """Let nobody else change the page; yields whether an exhibit still is on it: its file may have been saved anew."""
        with self._lock:
            yield view in self.views

    def _command(self, view: ModelView, on_command: Commandable, value: float) -> None:
        self.running.command(view, on_command.model, on_command.name, value)

    def _follow(self, view: ModelView, *, handle: bool = True) -> None:
        """Put bodies and sliders where the joints are, and the handle too unless it leads."""
        with self.server.atomic():
            try:
                view.follow_joints()
            except FormulaError as error:
                self.tell("A joint cannot follow", str(error))
                return
            self._show_joints(view)
            self._show_contacts(view)
            if handle:
                self.reach.follow()
        if self.sense.is_due:
            self.running.sense_anew()

    def _show_joints(self, view: ModelView) -> None:
        self.joints.show(self.views.index(view), view.configuration.positions())

    def _show_contacts(self, view: ModelView) -> None:
        try:
            view.show_contacts()
        except OssatureError as error:
            self.tell("Contacts cannot be found", str(error))

    def picture(self, number: int, picture: PlaybackFrame) -> None:
        """Show an instant of a simulation or a recording of one of the files."""
        with self._lock, self.server.atomic():
            view = self.views[number]
            view.configuration.set_known_positions(picture.positions)
            view.put(picture.poses)
            self.joints.show(number, picture.positions)

    def _toggle(self, layer: Layer, visible: bool) -> None:
        with self._lock, self.server.atomic():
            self._choice = replace(self._choice, layers={**self._choice.layers, layer: visible})
            for view in self.views:
                view.stage.show(layer, visible)
                if layer is Layer.CONTACTS:
                    self._show_contacts(view)
                self._report_missing(view)

    def _report_missing(self, view: ModelView) -> None:
        missing = view.stage.missing
        if missing:
            more = f"; and {len(missing) - 1} more, see Findings" if len(missing) > 1 else ""
            self.tell("Not everything can be drawn", f"{missing[0]}{more}")
            missing.clear()

    def _see_through(self, see_through: bool) -> None:
        with self._lock, self.server.atomic():
            self._choice = replace(self._choice, see_through=see_through)
            for view in self.views:
                view.stage.see_through(see_through)

    def _select(self, view: ModelView, model: str, body: str) -> None:
        with self._shown(view) as is_shown, self.server.atomic():
            if not is_shown:
                return
            for other in self.views:
                other.stage.select((model, body) if other is view else None)
            self.bodies.show(view, model, body)

    def tell(self, title: str, text: str, color: str = "red") -> None:
        """Tell everybody who looks at the page."""
        for client in self.server.get_clients().values():
            client.add_notification(title, text, color="green" if color == "green" else "red", auto_close_seconds=8.0)
