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
from ossature.viewer.commandable import Commandable
from ossature.viewer.exhibit import Exhibit
from ossature.viewer.film import Film, Picture
from ossature.viewer.gallery import Choice, framing_of, hang
from ossature.viewer.layers import Layer
from ossature.viewer.opened import Opened
from ossature.viewer.panels.bodies import BodiesPanel
from ossature.viewer.panels.commands import CommandsPanel
from ossature.viewer.panels.findings import FindingsPanel
from ossature.viewer.panels.joints import ANYWHERE, ZERO, JointsPanel
from ossature.viewer.panels.reach import ReachPanel
from ossature.viewer.panels.run import RunPanel
from ossature.viewer.panels.sense import SensePanel
from ossature.viewer.panels.show import ShowPanel
from ossature.viewer.posture import Handle
from ossature.viewer.running import Running
from ossature.viewer.server import LocalServer, address_of, clear_panel

if TYPE_CHECKING:
    import viser

_UNTIL_DRAWN = 0.3
"""How long a browser takes to begin with the scene [s]."""


class Page:
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
        files: Sequence[Opened],
        *,
        fine: bool,
        layers: Collection[Layer] = (),
    ) -> None:
        self._files = list(files)
        self.server, self._fine = server, fine
        self._lock = threading.RLock()
        self._choice = Choice(layers=dict.fromkeys(layers, True))
        self._draws, self._is_seen = 0, False
        self.exhibits: list[Exhibit] = []
        self.running = Running(self)
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
        before = framing_of(self.exhibits) if self.exhibits else None
        with self.server.atomic():
            self.exhibits = hang(
                self.server,
                self._files,
                fine=self._fine,
                choice=self._choice,
                before=before,
                clicked=lambda number, model, body: self._select(self.exhibits[number], model, body),
            )
        clear_panel(self.server.gui)
        self._add_panels(self.server.gui)

    def _add_panels(self, gui: viser.GuiApi) -> None:
        tabs = self._tabs = gui.add_tab_group(visible=self._is_seen)
        with tabs.add_tab("Joints"):
            self.reach = ReachPanel(self.server, self.exhibits, self._reach)
            self.joints = JointsPanel(gui, self.exhibits, self._move, self._pose)
        with tabs.add_tab("Show"):
            present = set[Layer]().union(*(exhibit.present() for exhibit in self.exhibits))
            shown = set[Layer]().union(*(exhibit.stage.shown for exhibit in self.exhibits))
            through = self._choice.is_see_through
            self.show = ShowPanel(gui, present, shown, self._toggle, self._see_through, is_see_through=through)
            self.sense = SensePanel(self.server, self.exhibits, self.running.sense_anew)
        with tabs.add_tab("Bodies"):
            self.bodies = BodiesPanel(gui, self.exhibits, self._select)
        with tabs.add_tab("Run"):
            running = self.running
            self.run = RunPanel(
                gui,
                running.conductor,
                running.projector,
                running.restart,
                running.offer_recorded,
                running.download,
                self.apply,
            )
            self.commands = CommandsPanel(gui, self.exhibits, self._command)
        with tabs.add_tab("Findings"):
            self.findings = FindingsPanel(gui, self.exhibits, self._select)
        for exhibit in self.exhibits:
            self._show_joints(exhibit)

    def _furnish(self) -> None:
        """Show the panels and check the files, once somebody looks.

        Both take as long as the scene, which is seen before them so.
        """
        if not self._is_seen:
            self._is_seen = True
            time.sleep(_UNTIL_DRAWN)
            self._tabs.visible = True
            for exhibit in self.exhibits:
                self._tell_missing(exhibit)
            self.check()

    def check(self) -> None:
        """Check the files and list what is found; meshes are loaded for it."""
        for number, exhibit in enumerate(self.exhibits):
            findings = exhibit.opened.findings()
            with self._lock:
                if exhibit in self.exhibits:  # the file was not saved anew in the meantime
                    self.findings.fill(number, findings)

    def reload(self, file: Opened) -> None:
        """Show a file anew, with joints where they are as far as there still are joints of those names.

        A file that cannot be used is told of, and the page stays as it is.
        """
        if file.world is None:
            self.tell(f"{file.path.name} was saved with errors", str(file.report.errors[0]))
            return
        with self.running.held(), self._lock:
            before = [exhibit.posture.positions() for exhibit in self.exhibits]
            self._files = [file if opened.path == file.path else opened for opened in self._files]
            self.server.scene.reset()
            self._build()
            for exhibit, positions in zip(self.exhibits, before, strict=True):
                exhibit.posture.place_known(positions)
                self._follow(exhibit)
            self.running.offer_again()
        self.check()
        self.tell(f"{file.path.name} was saved", "The page shows it as it is now.", color="green")
        for exhibit in self.exhibits:
            self._tell_missing(exhibit)

    def place(self, positions: Positions) -> None:
        """Put joints of the first file somewhere."""
        with self._lock:
            self.exhibits[0].posture.place(positions)
            self._follow(self.exhibits[0])

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

    def project(self, films: Sequence[Film]) -> None:
        """Offer recordings, one for each file, to be played."""
        self.running.offer_given(films)
        self.running.projector.seek(0.0)

    # What follows when somebody does something

    def _move(self, exhibit: Exhibit, handle: Handle, value: float) -> None:
        self.running.drop()
        with self._shown(exhibit) as is_shown:
            if is_shown:
                exhibit.posture.move(handle.model, handle.joint, handle.number, value)
                self._follow(exhibit)

    def _reach(self, exhibit: Exhibit, model: str, positions: Mapping[str, Sequence[float]]) -> None:
        self.running.drop()
        with self._shown(exhibit) as is_shown:
            if is_shown:
                exhibit.posture.place({model: positions})
                self._follow(exhibit, handle=False)

    def _pose(self, exhibit: Exhibit, where: str) -> None:
        self.running.drop()
        with self._shown(exhibit) as is_shown:
            if not is_shown:
                return
            exhibit.posture.reset()
            if where == ZERO:
                exhibit.posture.zero(exhibit.handles)
            elif where == ANYWHERE:
                self._draws += 1
                exhibit.posture.shuffle(exhibit.handles, self._draws)
            self._follow(exhibit)

    @contextmanager
    def _shown(self, exhibit: Exhibit) -> Iterator[bool]:
        """Let nobody else change the page; yields whether an exhibit still is on it: its file may have been saved anew."""
        with self._lock:
            yield exhibit in self.exhibits

    def _command(self, exhibit: Exhibit, told: Commandable, value: float) -> None:
        self.running.command(exhibit, told.model, told.name, value)

    def _follow(self, exhibit: Exhibit, *, handle: bool = True) -> None:
        """Put bodies and sliders where the joints are, and the handle too unless it leads."""
        with self.server.atomic():
            try:
                exhibit.follow_joints()
            except FormulaError as error:
                self.tell("A joint cannot follow", str(error))
                return
            self._show_joints(exhibit)
            self._show_contacts(exhibit)
            if handle:
                self.reach.follow()
        if self.sense.is_due:
            self.running.sense_anew()

    def _show_joints(self, exhibit: Exhibit) -> None:
        self.joints.show(self.exhibits.index(exhibit), exhibit.posture.positions())

    def _show_contacts(self, exhibit: Exhibit) -> None:
        try:
            exhibit.show_contacts()
        except OssatureError as error:
            self.tell("Contacts cannot be found", str(error))

    def picture(self, number: int, picture: Picture) -> None:
        """Show an instant of a simulation or a recording of one of the files."""
        with self._lock, self.server.atomic():
            exhibit = self.exhibits[number]
            exhibit.posture.place_known(picture.positions)
            exhibit.put(picture.poses)
            self.joints.show(number, picture.positions)

    def _toggle(self, layer: Layer, visible: bool) -> None:
        with self._lock, self.server.atomic():
            self._choice = replace(self._choice, layers={**self._choice.layers, layer: visible})
            for exhibit in self.exhibits:
                exhibit.stage.show(layer, visible)
                if layer is Layer.CONTACTS:
                    self._show_contacts(exhibit)
                self._tell_missing(exhibit)

    def _tell_missing(self, exhibit: Exhibit) -> None:
        missing = exhibit.stage.missing
        if missing:
            more = f"; and {len(missing) - 1} more, see Findings" if len(missing) > 1 else ""
            self.tell("Not everything can be drawn", f"{missing[0]}{more}")
            missing.clear()

    def _see_through(self, see_through: bool) -> None:
        with self._lock, self.server.atomic():
            self._choice = replace(self._choice, see_through=see_through)
            for exhibit in self.exhibits:
                exhibit.stage.see_through(see_through)

    def _select(self, exhibit: Exhibit, model: str, body: str) -> None:
        with self._shown(exhibit) as is_shown, self.server.atomic():
            if not is_shown:
                return
            for other in self.exhibits:
                other.stage.select((model, body) if other is exhibit else None)
            self.bodies.show(exhibit, model, body)

    def tell(self, title: str, text: str, color: str = "red") -> None:
        """Tell everybody who looks at the page."""
        for client in self.server.get_clients().values():
            client.add_notification(title, text, color="green" if color == "green" else "red", auto_close_seconds=8.0)
