"""What moves by itself on a page: simulations and recordings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ossature.diagnostics import OssatureError
from ossature.model import State
from ossature.viewer.layers import Layer
from ossature.viewer.live_simulation import LiveSimulation
from ossature.viewer.playback import RecordingPlayer
from ossature.viewer.playback_recording import PlaybackFrame, PlaybackRecording, playback_of
from ossature.viewer.realtime_clock import RealtimeRunner

if TYPE_CHECKING:
    from ossature.simulation import Recording
    from ossature.viewer.app import ViewerApp
    from ossature.viewer.model_view import ModelView


class PlaybackSession:
    """The simulations of a page's files, on one clock, and their recordings."""

    def __init__(self, page: ViewerApp) -> None:
        self._page = page
        self._state: State | None = None
        self._commands: dict[tuple[int, str, str], float] = {}
        self._recordings: list[tuple[int, Recording]] = []
        self.runner = RealtimeRunner(self._prepare, self._performed, self._failed)
        self.player = RecordingPlayer(self._projected)

    def drop(self) -> None:
        """Stop, and forget the simulations: somebody moved a joint."""
        self.player.pause()
        self.runner.drop()
        self._state = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Stop, forget the simulations and what they were told, and begin nothing before the end: files change."""
        with self.player.held(), self.runner.held():
            self._state, self._commands = None, {}
            yield

    def end(self) -> None:
        """Stop for good."""
        self.runner.end()
        self.player.end()

    def _prepare(self) -> Sequence[LiveSimulation]:
        views = self._page.views
        simulations = [
            LiveSimulation(
                one.world, one.loaded.meshes, one.configuration.initial_configuration(), None if number else self._state
            )
            for number, one in enumerate(views)
        ]
        for (number, model, name), value in self._commands.items():
            simulations[number].command(model, name, value)
        return simulations

    def command(self, view: ModelView, model: str, name: str, value: float) -> None:
        """Tell a motor or a joint of a file something, now and in what is run next."""

        def tell(simulations: Sequence[LiveSimulation]) -> None:
            if view not in self._page.views:  # the file was saved anew in the meantime
                return
            number = self._page.views.index(view)
            self._commands[number, model, name] = value
            if simulations:
                simulations[number].command(model, name, value)

        self.runner.change(tell)

    def restart(self) -> None:
        """Go back to the beginning, and do as the files say."""
        self._commands = {}
        self._page.commands.reset()
        self.runner.restart()

    def apply(self, state: State) -> None:
        """Put the first file into a state; what is run next begins there.

        Raises:
            OssatureError: It is a state of another World, or that cannot be simulated.
        """
        self.drop()
        self._state = state
        try:
            self.runner.show_initial_state()
        except OssatureError:
            self._state = None
            raise

    def _performed(self) -> None:
        for number, live in enumerate(self.runner.simulations):
            self._page.picture(number, live.picture())
            view = self._page.views[number]
            if Layer.CONTACTS in view.stage.shown:
                view.draw_contacts(live.contacts())
        self._page.run.tell()
        if self._page.sense.is_due:
            self._sense(self.runner.simulations)

    def sense_anew(self) -> None:
        """Show what the chosen sensor reads where joints are now."""
        if self._page.sense.chosen is None:
            self._page.sense.show(None)
        elif not self.runner.is_running:
            try:
                self._sense(self.runner.simulations or self._prepare())
            except OssatureError as error:
                self._page.sense.fail(str(getattr(error, "report", error)))

    def _sense(self, simulations: Sequence[LiveSimulation]) -> None:
        chosen = self._page.sense.chosen
        if chosen is None:
            return
        number, name = chosen
        try:
            sight = simulations[number].sight(name)
        except KeyError as error:
            self._page.sense.fail(str(error.args[0]))
            return
        self._page.sense.show(sight, self._page.views[number])

    def _projected(self, pictures: Sequence[PlaybackFrame]) -> None:
        for number, picture in enumerate(pictures):
            self._page.picture(number, picture)
            self._page.views[number].draw_contacts(())
        self._page.run.tell()

    def _failed(self, error: Exception) -> None:
        text = str(getattr(error, "report", error)) if isinstance(error, OssatureError) else f"{type(error).__name__}: {error}"
        self._page.run.fail(text)
        self._page.tell("The simulation ended", text)

    def offer_recorded(self) -> None:
        """Offer what was recorded to be played and saved, until something else is."""
        simulations = enumerate(self.runner.simulations)
        recorded = [(number, live.recording()) for number, live in simulations if live.is_recorded]
        if recorded:
            self._recordings = recorded
            self.player.load([playback_of(recording) for _, recording in recorded])
            self.player.time = self.player.duration
            self.offer_again()

    def offer_given(self, clips: Sequence[PlaybackRecording]) -> None:
        """Offer recordings that were made elsewhere, one for each file."""
        self._recordings = []
        self.player.load(clips)
        self.offer_again()

    def offer_again(self) -> None:
        """Offer the recordings that there are on a new panel, or put away those of bodies and joints that are no more."""
        clips = self.player.clips
        if all(clip.fits(view.world) for clip, view in zip(clips, self._page.views, strict=False)):
            if clips:
                self._page.run.offer(clips[0], savable=bool(self._recordings))
            return
        self._recordings = []
        self.player.load(())
        self._page.tell("The recording was put away", "The file has other bodies or joints now.")

    def download(self, suffix: str) -> None:
        """Send the recording to those who look at the page, as ``.json`` or ``.csv``."""
        for number, recording in self._recordings:
            stem = self._page.views[number].loaded.path.stem
            self._page.server.send_file_download(f"{stem}{suffix}", recording.to_bytes(suffix), save_immediately=True)
