"""``ossature view``: a model in a browser, or on a page of its own."""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.common import (
    INPUT_AT_FAULT,
    AllowPath,
    File,
    From,
    OpenRave,
    SearchPath,
    Verbose,
    errors_console,
    fail,
    format_named,
    output_console,
    print_findings,
    progress_bar,
)
from ossature.cli.scene_options import NEEDS_VIEW, Joints, Shadows, Shown, joints_of, layers_named, reader, usable
from ossature.diagnostics import OssatureError, Report

if TYPE_CHECKING:
    from ossature.model import State
    from ossature.viewer.film import Film
    from ossature.viewer.layers import Layer
    from ossature.viewer.opened import Opened
    from ossature.viewer.page import Page


def view(
    file: File,
    other: Annotated[Path | None, typer.Argument(help="A second file, shown beside the first.", show_default=False)] = None,
    port: Annotated[int, typer.Option(help="Port of the page; the next free one where it is taken.", min=0, max=65535)] = 8080,
    host: Annotated[str, typer.Option(help="Address at which it is served; 0.0.0.0 shows it to the network.")] = "127.0.0.1",
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    export: Annotated[
        Path | None, typer.Option(help="Write one self-contained .html file in place of serving a page.", show_default=False)
    ] = None,
    recording: Annotated[
        Path | None, typer.Option(help="A recording to play: .json of `ossature simulate --record`.", show_default=False)
    ] = None,
    state: Annotated[Path | None, typer.Option(help="A USDF state to begin in: .usdf.", show_default=False)] = None,
    show: Shown = None,
    joint: Joints = None,
    shadows: Shadows = None,
    from_: From = None,
    openrave: OpenRave = False,
    search_path: SearchPath = None,
    allow_path: AllowPath = None,
    verbose: Verbose = False,
) -> None:
    """Show a model in a browser, and follow its file when it is saved; Ctrl-C ends it."""
    try:
        import viser  # noqa: F401
    except ImportError:
        fail(NEEDS_VIEW)
    layers = layers_named(show)
    read = reader(search_path, allow_path, format_named(from_, openrave))
    files = [usable(read(path), verbose=verbose) for path in (file, other) if path]
    first = files[0].world
    assert first is not None  # noqa: S101  # it is usable
    positions = joints_of(first, joint)
    try:
        film = _film(recording, files[0])
        if export is not None:
            _export(files, export, layers, positions, film, shadows=shadows)
            return
        from ossature.viewer.page import Page

        page = Page(files, host, port, fine=shadows, layers=layers)
        page.place(positions)
        if state is not None:
            page.running.apply(_state(state, verbose=verbose))
        if film is not None:
            page.project([film])
    except OssatureError as error:
        fail(str(error), INPUT_AT_FAULT)
    output_console().print(f"{' and '.join(str(opened.path) for opened in files)} at {page.url}", markup=False)
    if open_ and not webbrowser.open(page.url):
        errors_console().print("no browser was found: open the address in one")
    _serve(page, files, read)


def _state(file: Path, *, verbose: bool) -> State:
    from ossature.formats.states import read_state_file

    report = Report()
    found = read_state_file(file, report)
    print_findings(report, verbose=verbose, quiet=True)
    if found is None or report.has_errors:
        raise typer.Exit(INPUT_AT_FAULT)
    return found


def _film(recording: Path | None, opened: Opened) -> Film | None:
    if recording is None or opened.world is None:
        return None
    from ossature.viewer.film import read_film

    return read_film(recording, opened.world)


def _export(
    files: list[Opened],
    output: Path,
    layers: list[Layer],
    positions: dict[str, dict[str, list[float]]],
    film: Film | None,
    *,
    shadows: bool | None,
) -> None:
    from ossature.assets import write_whole
    from ossature.viewer.export import page_of
    from ossature.viewer.lights import has_graphics_card

    if output.suffix.lower() not in (".html", ".htm"):
        fail(f"a page is written as .html, not '{output.suffix}'")
    fine = has_graphics_card() if shadows is None else shadows
    with progress_bar("exporting") as progress:
        films = [] if film is None else [film]
        html = page_of(files, fine=fine, layers=layers, positions=positions, films=films, progress=progress)
    try:
        write_whole(output, html)
    except OSError as error:
        fail(f"{output}: {(error.strerror or str(error)).lower()}", INPUT_AT_FAULT)
    errors_console().print(f"{output}: {len(html) / 1e6:.1f} MB", markup=False)


def _serve(page: Page, files: list[Opened], read: Callable[[Path], Opened]) -> None:
    from ossature.viewer.watching import Watch

    watch = Watch([opened.path for opened in files], lambda path: page.reload(read(path)))
    try:
        watch.start()
        page.check()
        while True:
            time.sleep(3600.0)
    except KeyboardInterrupt:
        watch.end()
        page.close()
