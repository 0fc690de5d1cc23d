"""Options that ``view`` and ``render`` share: layers, joint positions, and reading the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail_on, print_findings
from ossature.cli.read_model import adapt_world
from ossature.cli.read_options import ModelOptions, limits_of_command, mesh_store, new_report
from ossature.cli.shell_completion import layer_names
from ossature.cli.state_options import reading
from ossature.cli.terminal_tables import format_numbers

if TYPE_CHECKING:
    from ossature.model import World
    from ossature.viewer.joint_configuration import JointConfiguration
    from ossature.viewer.loaded_file import LoadedFile
    from ossature.viewer.playback_recording import PlaybackRecording
    from ossature.viewer.scene_layers import Layer

NEEDS_VIEW = "this needs the extra view: pip install 'ossature[view]'"
NEEDS_VIDEO = "this needs the extra video: pip install 'ossature[video]'"
NEEDS_RENDER = "this needs the extra render: pip install 'ossature[render]'"
_NEARLY_THERE = 1e-3
"""Difference between the stated and the reached position of a joint [rad or m] above which it is printed."""

Layers = Annotated[
    list[str] | None,
    typer.Option(
        "--layer",
        metavar="LAYER",
        help="An additional layer to show: collisions, frames, joint-axes, masses, inertias …; repeatable.",
        autocompletion=layer_names,
    ),
]
Joints = Annotated[
    list[str] | None, typer.Option("--joint", "-j", help="NAME=VALUE[,VALUE…]: joint position [rad or m]; repeatable.")
]
Shadows = Annotated[bool | None, typer.Option(help="Render shadows and reflections; by default if there is a GPU.")]


def layers_named(names: list[str] | None) -> list[Layer]:
    """Return layers by their names; end the command if a name is unknown."""
    from ossature.viewer.scene_layers import layer_named

    with fail_on(ValueError):
        return [layer_named(name) for name in names or ()]


def configuration_at(loaded: LoadedFile, positions: dict[str, dict[str, list[float]]]) -> JointConfiguration:
    """Return the configuration of a file at given joint positions; joints that cannot reach theirs are printed."""
    from ossature.viewer.closed_loop_configuration import configuration_of

    configuration = configuration_of(world_of(loaded), loaded.meshes)
    configuration.set_positions(positions)
    reached = configuration.positions() if positions else {}
    for model, joints in positions.items():
        for name, wanted in joints.items():
            found = reached[model][name]
            if max(abs(one - other) for one, other in zip(found, wanted, strict=True)) > _NEARLY_THERE:
                positions_text = f"{format_numbers(found)}, not {format_numbers(wanted)}"
                text = f"{model}/{name} is at {positions_text}: it is coupled to other joints, or closes a loop"
                errors_console().print(text, markup=False)
    return configuration


def file_reader(options: ModelOptions) -> Callable[[Path], LoadedFile]:
    """Return a function that reads a file as the options state."""
    limits = limits_of_command()  # files are read again by other threads when they change

    def read(path: Path) -> LoadedFile:
        from ossature.viewer.loaded_file import open_file

        with fail_on(ValueError):
            loaded = open_file(
                path, lambda found: mesh_store(found, options, limits), options.format_name, limits, options.semantics
            )
        return replace(loaded, world=adapt_world(loaded.world, options, loaded.report, path), as_read=loaded.world)

    return read


def require_usable(loaded: LoadedFile, *, verbose: bool) -> LoadedFile:
    """Print the findings of a file; end the command if the file cannot be used."""
    print_findings(loaded.report, verbose=verbose, quiet=True)
    if loaded.world is None:
        raise typer.Exit(EXIT_INVALID_INPUT)
    return loaded


def world_of(loaded: LoadedFile) -> World:
    """Return the World of a file that is usable."""
    assert loaded.world is not None  # noqa: S101  # checked by `usable`
    return loaded.world


def read_clip(recording: Path, world: World) -> PlaybackRecording:
    """Return a recording of a World; end the command if it cannot be read, or is one of another World."""
    from ossature.viewer.playback_recording import read_playback

    report = new_report()
    with reading(report):
        clip = read_playback(recording, world, report)
    print_findings(report, verbose=False, quiet=True)
    return clip
