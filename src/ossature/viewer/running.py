"""What moves by itself on a page: simulations and recordings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ossature.diagnostics import OssatureError
from ossature.model import State
from ossature.viewer.conductor import Conductor
from ossature.viewer.film import Film, Picture, film_of
from ossature.viewer.layers import Layer
from ossature.viewer.performance import Performance
from ossature.viewer.projector import Projector

if TYPE_CHECKING:
    from ossature.simulation import Recording
    from ossature.viewer.exhibit import Exhibit
    from ossature.viewer.page import Page


class Running:
    """The simulations of a page's files, on one clock, and their recordings."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._state: State | None = None
        self._commands: dict[tuple[int, str, str], float] = {}
        self._recordings: list[tuple[int, Recording]] = []
        self.conductor = Conductor(self._prepare, self._performed, self._failed)
        self.projector = Projector(self._projected)

    def drop(self) -> None:
        """Stop, and forget the simulations: somebody moved a joint."""
        self.projector.pause()
        self.conductor.drop()
        self._state = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Stop, forget the simulations and what they were told, and begin nothing before the end: files change."""
        with self.projector.held(), self.conductor.held():
            self._state, self._commands = None, {}
            yield

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

    def command(self, exhibit: Exhibit, model: str, name: str, value: float) -> None:
        """Tell a motor or a joint of a file something, now and in what is run next."""

        def tell(performances: Sequence[Performance]) -> None:
            if exhibit not in self._page.exhibits:  # the file was saved anew in the meantime
                return
            number = self._page.exhibits.index(exhibit)
            self._commands[number, model, name] = value
            if performances:
                performances[number].command(model, name, value)

        self.conductor.change(tell)

    def restart(self) -> None:
        """Go back to the beginning, and do as the files say."""
        self._commands = {}
        self._page.commands.reset()
        self.conductor.restart()

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

    def _failed(self, error: Exception) -> None:
        text = str(getattr(error, "report", error)) if isinstance(error, OssatureError) else f"{type(error).__name__}: {error}"
        self._page.run.fail(text)
        self._page.tell("The simulation ended", text)

    def offer_recorded(self) -> None:
        """Offer what was recorded to be played and saved, until something else is."""
        performances = enumerate(self.conductor.performances)
        recorded = [(number, performance.recording()) for number, performance in performances if performance.is_recorded]
        if recorded:
            self._recordings = recorded
            self.projector.load([film_of(recording) for _, recording in recorded])
            self.projector.time = self.projector.duration
            self.offer_again()

    def offer_given(self, films: Sequence[Film]) -> None:
        """Offer recordings that were made elsewhere, one for each file."""
        self._recordings = []
        self.projector.load(films)
        self.offer_again()

    def offer_again(self) -> None:
        """Offer the recordings that there are on a new panel, or put away those of bodies and joints that are no more."""
        films = self.projector.films
        if all(film.fits(exhibit.world) for film, exhibit in zip(films, self._page.exhibits, strict=False)):
            if films:
                self._page.run.offer(films[0], savable=bool(self._recordings))
            return
        self._recordings = []
        self.projector.load(())
        self._page.tell("The recording was put away", "The file has other bodies or joints now.")

    def download(self, suffix: str) -> None:
        """Send the recording to those who look at the page, as ``.json`` or ``.csv``."""
        for number, recording in self._recordings:
            stem = self._page.exhibits[number].opened.path.stem
            self._page.server.send_file_download(f"{stem}{suffix}", recording.to_bytes(suffix), save_immediately=True)
