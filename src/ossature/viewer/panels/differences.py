"""The folder "Differences": how two files that are shown differ, as `ossature diff` prints it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ossature.viewer.panels.list_row_style import as_list
from ossature.viewer.properties_and_findings_html import paragraph

if TYPE_CHECKING:
    import viser

    from ossature.model_diff import Change, WorldDiff

_MOST = 100


class DifferencesPanel:
    """A row for each difference.

    Args:
        gui: The controls of the page.
        on_change: Called with a difference that was clicked, to select the body that it is about.
    """

    def __init__(self, gui: viser.GuiApi, on_change: Callable[[Change], None]) -> None:
        self._gui, self._on_change = gui, on_change
        self._folder = gui.add_folder("Differences")
        with self._folder:
            gui.add_html(paragraph("Comparing …"))

    def fill(self, found: WorldDiff) -> None:
        """List the differences."""
        for child in list(self._folder._children.values()):
            child.remove()
        with self._folder:
            if not found:
                self._gui.add_html(paragraph("The two files do not differ."))
            self._gui.add_html(as_list("ossature-differences", wrapped=True))
            for change in found.changes[:_MOST]:
                self._add_row(change)
            if len(found.changes) > _MOST:
                self._gui.add_html(paragraph(f"… and {len(found.changes) - _MOST} more: `ossature diff`"))
            for note in found.notes:
                self._gui.add_html(paragraph(note))

    def _add_row(self, change: Change) -> None:
        button = self._gui.add_button(f"{change.category.value}: {change}", hint=change.path or "the world")
        button.on_click(lambda _: self._on_change(change))
