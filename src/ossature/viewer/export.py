"""One self-contained page with a scene, and with a recording that plays: it needs no server and no network."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from ossature.viewer.exhibit import Exhibit
from ossature.viewer.film import Film
from ossature.viewer.gallery import Choice, hang
from ossature.viewer.layers import Layer
from ossature.viewer.opened import Opened
from ossature.viewer.server import LOOPBACK, serve

if TYPE_CHECKING:
    from ossature.kinematics import Positions

Progress = Callable[[float], None]

PICTURES_PER_SECOND = 30.0


def page_of(
    files: Sequence[Opened],
    *,
    fine: bool,
    layers: Collection[Layer] = (),
    positions: Positions | None = None,
    films: Sequence[Film] = (),
    progress: Progress | None = None,
) -> str:
    """Return the HTML of a page that shows files; see :func:`~ossature.viewer.gallery.hang` for the arguments.

    Args:
        files: One or two files, each with a World.
        fine: Whether with shadows and reflections.
        layers: What is shown besides what is shown anyway.
        positions: Where joints of the first file are; at their initial positions where nothing is said.
        films: Recordings that the page plays, one for each file.
        progress: Called now and then with the share that is done, from 0 to 1.

    Raises:
        FormulaError: A formula gives a joint no value.
        ServerError: This machine does not let the page be put together: it takes a free port of its own.
    """
    server = serve(LOOPBACK, 0, files[0].path.name, fine=fine)
    try:
        choice = Choice(layers=dict.fromkeys(layers, True))
        exhibits = hang(server, files, fine=fine, choice=choice, clicked=lambda number, model, body: None)
        if positions:
            exhibits[0].posture.place(positions)
            exhibits[0].follow_joints()
        recorder = server.get_scene_serializer()
        duration = max((film.duration for film in films), default=0.0)
        count = round(duration * PICTURES_PER_SECOND)
        for number in range(count + 1 if films else 0):
            _put(exhibits, films, number / PICTURES_PER_SECOND)
            recorder.insert_sleep(1.0 / PICTURES_PER_SECOND)
            if progress is not None:
                progress(number / max(count, 1))
        return recorder.as_html()
    finally:
        server.stop()


def _put(exhibits: Sequence[Exhibit], films: Sequence[Film], time: float) -> None:
    for exhibit, film in zip(exhibits, films, strict=False):
        exhibit.put(film.at(time).poses)
