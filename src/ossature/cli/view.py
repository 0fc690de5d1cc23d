"""``ossature view``: a model in a browser."""

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
    mesh_store,
    output_console,
    print_findings,
)
from ossature.diagnostics import OssatureError

if TYPE_CHECKING:
    from ossature.viewer.opened import Opened


def view(
    file: File,
    other: Annotated[Path | None, typer.Argument(help="A second file, shown beside the first.", show_default=False)] = None,
    port: Annotated[int, typer.Option(help="Port of the page; the next free one where it is taken.", min=0, max=65535)] = 8080,
    host: Annotated[str, typer.Option(help="Address at which it is served; 0.0.0.0 shows it to the network.")] = "127.0.0.1",
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    shadows: Annotated[
        bool | None,
        typer.Option(help="Shadows and reflections; if not given, where there is a graphics card.", show_default=False),
    ] = None,
    from_: From = None,
    openrave: OpenRave = False,
    search_path: SearchPath = None,
    allow_path: AllowPath = None,
    verbose: Verbose = False,
) -> None:
    """Show a model in a browser; Ctrl-C ends it."""
    try:
        from ossature.viewer.opened import open_file
        from ossature.viewer.page import Page
        from ossature.viewer.watching import Watch
    except ImportError:
        fail("the viewer needs viser: pip install 'ossature[view]'")
    format_name = format_named(from_, openrave)

    def again(path: Path) -> Opened:
        return open_file(path, lambda found: mesh_store(found, search_path, allow_path), format_name)

    files = [_usable(again, path, verbose=verbose) for path in (file, other) if path]
    try:
        page = Page(files, host, port, fine=shadows)
    except OssatureError as error:
        fail(str(error), INPUT_AT_FAULT)
    output_console().print(f"{' and '.join(str(opened.path) for opened in files)} at {page.url}", markup=False)
    if open_ and not webbrowser.open(page.url):
        errors_console().print("no browser was found: open the address in one")
    try:
        watch = Watch([opened.path for opened in files], lambda path: page.reload(again(path)))
        watch.start()
        page.check()
        while True:
            time.sleep(3600.0)
    except KeyboardInterrupt:
        page.close()


def _usable(again: Callable[[Path], Opened], path: Path, *, verbose: bool) -> Opened:
    try:
        opened = again(path)
    except ValueError as error:
        fail(str(error))
    print_findings(opened.report, verbose=verbose, quiet=True)
    if opened.world is None:
        raise typer.Exit(INPUT_AT_FAULT)
    return opened
