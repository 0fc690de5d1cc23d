"""The timeline below the scene: play, seek, loop and save recordings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import viser

from ossature.viewer.playback_recording import PlaybackRecording
from ossature.viewer.properties_and_findings_html import paragraph

if TYPE_CHECKING:
    from ossature.viewer.recording_player import RecordingPlayer

_KEEP, _REMOVE = "Keep as reference", "Remove reference"
_SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "4")
_WIDTH, _LEFT, _GAP = 390.0, 110.0, 12.0
"""Width of the timeline, and its distance from the left edge, beside the axis gizmo, and from the lower one [pixels]."""
_SEVERAL_IN_A_ROW = """
<style>
div:has(> div > .ossature-timeline) { display: flex; flex-wrap: wrap; align-items: center; }
div:has(> div > .ossature-timeline) > div { flex: 1 1 100%; min-width: 0; }
div:has(> div > .ossature-timeline) > div:has(> button) { flex: 1 1 5em; }
div:has(> div > .ossature-timeline) > div:nth-child(4) { flex: 1 1 10em; }
div:has(> div > .ossature-timeline) > div:nth-child(5) { flex: 0 0 6.5em; }
div:has(> div > .ossature-timeline) > div:is(:nth-child(4), :nth-child(5))
  div[style*="width: 7.25em"] { width: 3.5em !important; }
div:has(> div > .ossature-timeline) > div:nth-child(7) { flex: 1 1 14em; }
div:has(> div > .ossature-timeline) > div:nth-child(8) { flex: 0 1 auto; }
</style>
<div class="ossature-timeline"></div>
"""
"""HTML that places several controls in a row: the timeline covers the scene."""


class TimelinePanel:
    """The controls of a recording player; hidden without a recording."""

    def __init__(
        self,
        gui: viser.GuiApi,
        player: RecordingPlayer,
        on_play: Callable[[], None],
        on_download: Callable[[str], None],
        on_compare: Callable[[bool], None],
    ) -> None:
        self._player, self._on_play = player, on_play
        self._panel = gui.add_panel(visible=False)
        with self._panel.add_tab("Timeline"):
            gui.add_html(_SEVERAL_IN_A_ROW)
            self._scrub: Any = gui.add_slider("Time", 0.0, 1.0, 0.001, 0.0, hint="Time since the start of the recording [s]")
            self._play = gui.add_button(
                "Play", icon=viser.Icon.PLAYER_PLAY, hint="Space: play or pause. ← and →: previous and next sample"
            )
            speed: Any = gui.add_dropdown(
                "Speed", _SPEEDS, initial_value=_speed_text(player.speed), hint="Recorded seconds per second"
            )
            loop = gui.add_checkbox("Loop", player.loop, hint="Start again at the end")
            hint = "Draw this recording translucent beside what is shown next, and plot both"
            compare: Any = gui.add_button_group("Compare", (_KEEP, _REMOVE), hint=hint)
            self._save = gui.add_button_group("Save as", (".json", ".csv"), visible=False)
            self._length: Any = gui.add_html("")
        self._panel.float(x=_LEFT, y=-_GAP, width=_WIDTH)
        self._scrub.on_update(self._seek)
        self._play.on_click(lambda _: on_play())
        speed.on_update(lambda event: setattr(player, "speed", float(event.target.value)))
        loop.on_update(lambda event: setattr(player, "loop", bool(event.target.value)))
        compare.on_click(lambda event: on_compare(event.target.value == _KEEP))
        self._save.on_click(lambda event: on_download(str(event.target.value)))

    @property
    def is_enabled(self) -> bool:
        """Whether there is a recording."""
        return bool(self._panel.visible)

    def enable(self, clip: PlaybackRecording, *, savable: bool) -> None:
        """Show the controls for a recording."""
        self._scrub.max = max(clip.duration, 1e-3)
        self._scrub._marks = ()
        self._save.visible = savable
        self._length.content = paragraph(f"{clip.duration:.3g} s in {len(clip.frames)} frames")
        self._panel.visible = True

    def disable(self) -> None:
        """Hide the controls."""
        self._panel.visible = False

    def show_time(self) -> None:
        """Show the time of the player, and whether it plays."""
        playing = self._player.is_running
        self._play.label, self._play.icon = ("Pause", viser.Icon.PLAYER_PAUSE) if playing else ("Play", viser.Icon.PLAYER_PLAY)
        if self._player.clips:
            self._scrub.value = min(self._player.time, self._scrub.max)

    def show_recording(self) -> None:
        """Show that a simulation is being recorded."""
        self._length.content = paragraph("Recording …")

    def _seek(self, event: viser.GuiEvent[Any]) -> None:
        if event.client is not None:
            self._player.seek(float(event.target.value))


def _speed_text(speed: float) -> str:
    return min(_SPEEDS, key=lambda text: abs(float(text) - speed))
