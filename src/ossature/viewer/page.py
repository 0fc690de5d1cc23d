"""The page: what is shown, and what follows when somebody moves, clicks or ticks something."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ossature.kinematics import FormulaError
from ossature.viewer import server as servers
from ossature.viewer.exhibit import Exhibit
from ossature.viewer.framing import around, beside
from ossature.viewer.layers import Layer
from ossature.viewer.lights import has_graphics_card
from ossature.viewer.opened import Opened
from ossature.viewer.panels.bodies import BodiesPanel
from ossature.viewer.panels.findings import FindingsPanel
from ossature.viewer.panels.joints import ANYWHERE, ZERO, JointsPanel
from ossature.viewer.panels.show import ShowPanel
from ossature.viewer.posture import Handle
from ossature.viewer.scenery import build

if TYPE_CHECKING:
    import viser


class Page:
    """Shows files, one or two side by side.

    Args:
        files: The files, each with a World.
        host: The address at which the page is served.
        port: The port; the next one that is free where it is taken.
        fine: Whether with shadows and reflections; if not given, where there is a graphics card.

    Raises:
        ServerError: The page cannot be served there.
        FormulaError: A formula gives a joint no value.
    """

    def __init__(
        self, files: Sequence[Opened], host: str = servers.LOOPBACK, port: int = 8080, *, fine: bool | None = None
    ) -> None:
        title = " and ".join(opened.path.name for opened in files)
        self.server = servers.serve(host, port, title)
        self._lock = threading.RLock()
        self._files = list(files)
        self._fine = has_graphics_card() if fine is None else fine
        self._draws = 0
        self._build()

    @property
    def url(self) -> str:
        """Where the page is."""
        host = self.server.get_host()
        return f"http://{'localhost' if host in ('0.0.0.0', '::') else host}:{self.server.get_port()}"  # noqa: S104

    def close(self) -> None:
        """Stop serving."""
        self.server.stop()

    # Building

    def _build(self) -> None:
        self.exhibits = [self._exhibit(number, opened) for number, opened in enumerate(self._files)]
        if len(self.exhibits) > 1:
            first, second = self.exhibits
            second.move_to(beside(first.framing, second.framing))
        servers.look(self.server, around([exhibit.framing for exhibit in self.exhibits]), fine=self._fine)
        for exhibit in self.exhibits:
            exhibit.follow_joints()
            for layer in exhibit.first:
                exhibit.stage.show(layer, True)
        self._add_panels(self.server.gui)

    def _exhibit(self, number: int, opened: Opened) -> Exhibit:
        name = opened.path.name
        if number and name == self._files[0].path.name:
            name = str(opened.path)
        clicked = lambda model, body: self._select(self.exhibits[number], model, body)  # noqa: E731
        return Exhibit(self.server.scene, name, opened, clicked)

    def _add_panels(self, gui: viser.GuiApi) -> None:
        tabs = gui.add_tab_group()
        with tabs.add_tab("Joints"):
            self.joints = JointsPanel(gui, self.exhibits, self._move, self._pose)
        with tabs.add_tab("Show"):
            shown = frozenset().union(*(exhibit.first for exhibit in self.exhibits))
            self.show = ShowPanel(gui, self._present(), shown, self._toggle)
        with tabs.add_tab("Bodies"):
            self.bodies = BodiesPanel(gui, self.exhibits, self._select)
        with tabs.add_tab("Findings"):
            self.findings = FindingsPanel(gui, self.exhibits, self._select)
        for number, exhibit in enumerate(self.exhibits):
            self._show_joints(number, exhibit)

    def _present(self) -> set[Layer]:
        """Return the layers that something is part of."""
        return {
            layer
            for layer in Layer
            if any(next(build(exhibit.world, layer, 1.0, exhibit.opened.meshes), None) is not None for exhibit in self.exhibits)
        }

    def check(self) -> None:
        """Check the files and list what is found; meshes are loaded for it."""
        for number, exhibit in enumerate(self.exhibits):
            self.findings.fill(number, exhibit.opened.findings())

    # What follows when somebody does something

    def _move(self, exhibit: Exhibit, handle: Handle, value: float) -> None:
        with self._lock:
            exhibit.posture.move(handle.model, handle.joint, handle.number, value)
            self._follow(exhibit)

    def _pose(self, exhibit: Exhibit, where: str) -> None:
        with self._lock:
            exhibit.posture.reset()
            if where == ZERO:
                for handle in exhibit.handles:
                    if handle.free:
                        exhibit.posture.move(handle.model, handle.joint, handle.number, 0.0)
            elif where == ANYWHERE:
                self._draws += 1
                exhibit.posture.shuffle(exhibit.handles, self._draws)
            self._follow(exhibit)

    def _follow(self, exhibit: Exhibit) -> None:
        """Put bodies and sliders where the joints are."""
        with self.server.atomic():
            try:
                exhibit.follow_joints()
            except FormulaError as error:
                self._tell("A joint cannot follow", str(error))
                return
            self._show_joints(self.exhibits.index(exhibit), exhibit)

    def _show_joints(self, number: int, exhibit: Exhibit) -> None:
        self.joints.show(number, exhibit.posture.positions())

    def _toggle(self, layer: Layer, visible: bool) -> None:
        with self._lock, self.server.atomic():
            for exhibit in self.exhibits:
                exhibit.stage.show(layer, visible)

    def _select(self, exhibit: Exhibit, model: str, body: str) -> None:
        with self._lock, self.server.atomic():
            for other in self.exhibits:
                other.stage.select((model, body) if other is exhibit else None)
            self.bodies.show(exhibit, model, body)

    def _tell(self, title: str, text: str) -> None:
        for client in self.server.get_clients().values():
            client.add_notification(title, text, color="red", auto_close_seconds=8.0)
