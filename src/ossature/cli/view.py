"""``ossature view``: a model in a browser, or as an exported web page."""

from __future__ import annotations

import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.apply_model_options import start_at
from ossature.cli.console import (
    EXIT_INVALID_INPUT,
    errors_console,
    fail,
    input_errors,
    output_console,
    print_findings,
    progress_bar,
)
from ossature.cli.joint_assignments import joints_of
from ossature.cli.named_robots import locate_models
from ossature.cli.output_path_checks import check_outputs, writing
from ossature.cli.read_options import InitialState, ModelFile, ModelOptions, new_report
from ossature.cli.state_options import keyframe_named, read_state
from ossature.cli.suspicious_values import note_joint_positions
from ossature.cli.view_options import (
    NEEDS_VIEW,
    Joints,
    Layers,
    Shadows,
    configuration_at,
    file_reader,
    layers_named,
    read_clip,
    require_usable,
    world_of,
)

if TYPE_CHECKING:
    from ossature.model import State
    from ossature.viewer.app import ViewerApp
    from ossature.viewer.invalid_file_page import InvalidFilePage
    from ossature.viewer.loaded_file import LoadedFile
    from ossature.viewer.playback_recording import PlaybackRecording
    from ossature.viewer.scene_layers import Layer
    from ossature.viewer.server import LocalServer

_BROWSER_TIMEOUT = 5.0
"""For a browser to load the page [s]."""


def view(
    file: ModelFile,
    read: ModelOptions,
    other: Annotated[
        Path | None, typer.Argument(metavar="OTHER", help="A second model file, shown beside it.", callback=locate_models)
    ] = None,
    port: Annotated[int, typer.Option(help="Port of the page; the next free one if it is in use.", min=0, max=65535)] = 8080,
    host: Annotated[str, typer.Option(help="Address to serve at; 0.0.0.0 for all of the network.")] = "127.0.0.1",
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Origin of another site whose pages may connect, such as https://robots.example.org; repeatable.",
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    export: Annotated[Path | None, typer.Option(help="Write one self-contained .html file instead of serving a page.")] = None,
    recording: Annotated[Path | None, typer.Option(help="Recording to play, from `ossature simulate --record`.")] = None,
    compare: Annotated[
        Path | None, typer.Option(help="Second recording, drawn translucent and plotted beside what is shown.")
    ] = None,
    initial_state: InitialState = None,
    layer: Layers = None,
    joint: Joints = None,
    shadows: Shadows = None,
    dark: Annotated[bool, typer.Option("--dark", help="Show light text on a dark background.")] = False,
) -> None:
    """Show a model in a browser, and reload its file if it changes; Ctrl-C ends it."""
    if find_spec("viser") is None:
        fail(NEEDS_VIEW)
    if export is not None and compare is not None:
        fail("--compare is for the page, not for --export")
    layers = layers_named(layer)
    read_file = file_reader(read)
    paths = [path for path in (file, other) if path is not None]
    check_outputs([*paths, recording], [export])
    for path in paths:
        if not path.is_file():  # reported before a page is opened
            require_usable(read_file(path), verbose=read.verbose)
    shadows = _has_shadows(shadows)
    if export is not None:
        with input_errors():
            files = [require_usable(read_file(path), verbose=read.verbose) for path in paths]
            if initial_state is not None:
                files[0] = _started_at(files[0], initial_state, verbose=read.verbose)
            positions = joints_of(world_of(files[0]), joint)
            note_joint_positions(world_of(files[0]), positions)
            configuration_at(files[0], positions)
            clip = None if recording is None else read_clip(recording, world_of(files[0]))
            _export_page(files, export, layers, positions, clip, shadows=shadows, is_dark=dark)
        return
    # Before reading the files: the browser starts meanwhile.
    server = _serve_page(host, port, paths, shadows=shadows, is_dark=dark, open_=open_, allowed_origins=allow_origin or ())

    def open_page(files: Sequence[LoadedFile]) -> ViewerApp:
        positions = joints_of(world_of(files[0]), joint)
        configuration_at(files[0], positions)
        clip = None if recording is None else read_clip(recording, world_of(files[0]))
        from ossature.viewer.app import ViewerApp

        app = ViewerApp(server, files, shadows=shadows, layers=layers)
        app.set_positions(positions)
        if initial_state is not None:
            app.session.set_initial_state(_state_of(files[0], initial_state, verbose=read.verbose))
        if clip is not None:
            app.load_clips([clip])
        if compare is not None:
            app.session.set_references({0: read_clip(compare, app.views[0].world)})
        return app

    with _errors_on_page(server, loaded=open_), input_errors():
        files = [read_file(path) for path in paths]
        for loaded in files:
            print_findings(loaded.report, verbose=read.verbose, quiet=True)
        page: ViewerApp | InvalidFilePage
        if all(loaded.world is not None for loaded in files):
            page = open_page(files)
        else:
            page = _list_findings(server, files, open_page)
    _reload_on_change(page, paths, read_file)


def _has_shadows(shadows: bool | None) -> bool:
    from ossature.viewer.lighting import has_graphics_card

    return has_graphics_card() if shadows is None else shadows


def _serve_page(
    host: str, port: int, paths: Sequence[Path], *, shadows: bool, is_dark: bool, open_: bool, allowed_origins: Sequence[str]
) -> LocalServer:
    """Serve a page that shows progress, and open it in a browser if asked for."""
    from ossature.viewer.server import ServerError, address_of, serve, show_text

    names = " and ".join(path.name for path in paths)
    try:
        server = serve(
            host, port, names, shadows=shadows, is_dark=is_dark, allowed_origins=allowed_origins, on_refusal=_print_refusal
        )
    except ServerError as error:
        fail(str(error), EXIT_INVALID_INPUT)
    show_text(server, f"Reading {names} …")
    address = address_of(server)
    output_console().print(f"{' and '.join(map(str, paths))} at {address}", markup=False)
    if errors_console().is_terminal:
        errors_console().print("Ctrl-C ends it")
    if open_ and not webbrowser.open(address):
        errors_console().print("no browser found: open the address in one")
    return server


def _print_refusal(reason: str) -> None:
    errors_console().print(reason, markup=False)


@contextmanager
def _errors_on_page(server: LocalServer, *, loaded: bool) -> Iterator[None]:
    """Show errors on the page too if a browser was opened for it."""
    try:
        yield
    except typer.Exit:
        from ossature.viewer.server import disconnect_clients

        disconnect_clients(server, "The model cannot be shown: see the terminal.", wait=_BROWSER_TIMEOUT if loaded else 0.0)
        raise


def _list_findings(
    server: LocalServer, files: Sequence[LoadedFile], open_page: Callable[[Sequence[LoadedFile]], ViewerApp]
) -> InvalidFilePage:
    """Show the findings of files that cannot be read, until they can."""
    from ossature.viewer.invalid_file_page import InvalidFilePage

    def open_if_possible(valid: Sequence[LoadedFile]) -> ViewerApp | None:
        try:
            with input_errors():
                return open_page(valid)
        except typer.Exit:  # its reason was printed
            return None

    errors_console().print("the page shows the model when the file is saved without errors", markup=False)
    return InvalidFilePage(server, files, open_if_possible)


def _started_at(loaded: LoadedFile, initial_state: Path, *, verbose: bool) -> LoadedFile:
    """Return a file whose World starts from a state or keyframe."""
    report = new_report()
    world = start_at(world_of(loaded), initial_state, report, verbose=verbose)
    print_findings(report, verbose=verbose, quiet=True)
    return replace(loaded, world=world)


def _state_of(loaded: LoadedFile, initial_state: Path, *, verbose: bool) -> State:
    """Return the state of a file, or that of a simulation at a keyframe, which has its controls too."""
    keyframe = keyframe_named(initial_state, world_of(loaded))
    if keyframe is not None:
        from ossature.simulation import Simulation

        simulation = Simulation(world_of(loaded), meshes=loaded.meshes)
        simulation.apply_keyframe(keyframe)
        return simulation.state()
    report = new_report()
    state = read_state(initial_state, report, verbose=verbose)
    print_findings(report, verbose=verbose, quiet=True)
    return state


def _export_page(
    files: list[LoadedFile],
    output: Path,
    layers: list[Layer],
    positions: dict[str, dict[str, list[float]]],
    clip: PlaybackRecording | None,
    *,
    shadows: bool,
    is_dark: bool,
) -> None:
    from ossature.assets import write_file_atomically
    from ossature.viewer.scene_setup import ViewOptions
    from ossature.viewer.web_page_export import page_of

    if output.suffix.lower() not in (".html", ".htm"):
        fail(f"--export writes .html files, not '{output.suffix}'")
    with progress_bar("exporting") as progress:
        clips = [] if clip is None else [clip]
        options = ViewOptions(layers=dict.fromkeys(layers, True))
        html = page_of(
            files, shadows=shadows, options=options, positions=positions, clips=clips, progress=progress, is_dark=is_dark
        )
    with writing(output):
        write_file_atomically(output, html)
    errors_console().print(f"{output}: {len(html) / 1e6:.1f} MB", markup=False)


def _reload_on_change(page: ViewerApp | InvalidFilePage, paths: Sequence[Path], read: Callable[[Path], LoadedFile]) -> None:
    """Show files again when they change, until the user ends the program."""
    from ossature.viewer.file_watcher import FileWatcher

    watch = FileWatcher(paths, lambda path: page.reload(read(path)), page.report_missing_file)
    try:
        watch.start()
        while True:
            time.sleep(3600.0)
    except KeyboardInterrupt:
        watch.stop()
        page.close()
