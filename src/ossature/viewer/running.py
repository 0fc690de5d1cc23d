"""What moves by itself on a page: simulations and recordings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ossature.diagnostics import OssatureError
from ossature.model import State
from ossature.viewer.conductor import Conductor
from ossature.viewer.film import Picture
from ossature.viewer.layers import Layer
from ossature.viewer.performance import Performance
from ossature.viewer.projector import Projector

if TYPE_CHECKING:
    from ossature.viewer.page import Page


class Running:
    """The simulations of a page's files, on one clock, and their recordings."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._state: State | None = None
        self._commands: dict[tuple[int, str, str], float] = {}
        self.conductor = Conductor(self._prepare, self._performed, self._failed)
        self.projector = Projector(self._projected)

    def drop(self) -> None:
        """Stop, and forget the simulations: somebody moved a joint."""
        self.projector.pause()
        self.conductor.drop()
        self._state = None

    def end(self) -> None:
        """Stop for good."""
        self.conductor.end()
        self.projector.end()

    def _prepare(self) -> Sequence[Performance]:
        exhibits = self._page.exhibits
        performances = [
            Performance(one.world, one.opened.meshes, one.posture.beginning(), None if number else self._state)
            for number, one in enumerate(exhibits)
        ]
        for (number, model, name), value in self._commands.items():
            performances[number].command(model, name, value)
        return performances

    def command(self, number: int, model: str, name: str, value: float) -> None:
        """Tell a motor or a joint of a file something, now and in what is run next."""
        self._commands[number, model, name] = value

        def tell(performances: Sequence[Performance]) -> None:
            if performances:
                performances[number].command(model, name, value)

        self.conductor.change(tell)

    def restart(self) -> None:
        """Go back to the beginning, and do as the files say."""
        self.forget_commands()
        self._page.commands.reset()
        self.conductor.restart()

    def forget_commands(self) -> None:
        """Let what is run next go as the files say."""
        self._commands = {}

    def apply(self, state: State) -> None:
        """Put the first file into a state; what is run next begins there.

        Raises:
            OssatureError: It is a state of another World, or that cannot be simulated.
        """
        self.drop()
        self._state = state
        try:
            self.conductor.show_beginning()
        except OssatureError:
            self._state = None
            raise

    def _performed(self) -> None:
        for number, performance in enumerate(self.conductor.performances):
            self._page.picture(number, performance.picture())
            exhibit = self._page.exhibits[number]
            if Layer.CONTACTS in exhibit.stage.shown:
                exhibit.draw_contacts(performance.contacts())
        self._page.run.tell()
        if self._page.sense.is_due:
            self._sense(self.conductor.performances)

    def sense_anew(self) -> None:
        """Show what the chosen sensor reads where joints are now."""
        if self._page.sense.chosen is None:
            self._page.sense.show(None)
        elif not self.conductor.is_running:
            try:
                self._sense(self.conductor.performances or self._prepare())
            except OssatureError as error:
                self._page.sense.fail(str(getattr(error, "report", error)))

    def _sense(self, performances: Sequence[Performance]) -> None:
        chosen = self._page.sense.chosen
        if chosen is None:
            return
        number, name = chosen
        try:
            sight = performances[number].sight(name)
        except KeyError as error:
            self._page.sense.fail(str(error.args[0]))
            return
        self._page.sense.show(sight, self._page.exhibits[number])

    def _projected(self, pictures: Sequence[Picture]) -> None:
        for number, picture in enumerate(pictures):
            self._page.picture(number, picture)
            self._page.exhibits[number].draw_contacts(())
        self._page.run.tell()

    def _failed(self, error: OssatureError) -> None:
        text = str(getattr(error, "report", error))
        self._page.run.fail(text)
        self._page.tell("The simulation ended", text)

    def download(self, suffix: str) -> None:
        """Send the recording to those who look at the page, as ``.json`` or ``.csv``."""
        for number, performance in enumerate(self.conductor.performances):
            if performance.is_recorded:
                stem = self._page.exhibits[number].opened.path.stem
                content = performance.recording().to_bytes(suffix)
                self._page.server.send_file_download(f"{stem}{suffix}", content, save_immediately=True)
