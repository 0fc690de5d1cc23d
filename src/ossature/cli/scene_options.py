"""What ``view`` and ``render`` share: what is shown, where joints are, and reading the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.common import INPUT_AT_FAULT, fail, mesh_store, print_findings
from ossature.cli.completion import layer_names
from ossature.cli.pose import parse_assignment

if TYPE_CHECKING:
    from ossature.model import World
    from ossature.viewer.layers import Layer
    from ossature.viewer.opened import Opened

NEEDS_VIEW = "this needs the extra view: pip install 'ossature[view]'"


Shown = Annotated[
    list[str] | None,
    typer.Option(
        "--show",
        help="A layer to show besides: collisions, frames, joint-axes, masses, inertias …; repeatable.",
        autocompletion=layer_names,
    ),
]
Joints = Annotated[list[str] | None, typer.Option("--joint", "-j", help="NAME=value[,value…], in rad or m; repeatable.")]
Shadows = Annotated[
    bool | None, typer.Option(help="Shadows and reflections; if not given, where there is a graphics card.", show_default=False)
]


def layers_named(names: list[str] | None) -> list[Layer]:
    """Return layers by their names; end the command where there is none of a name."""
    from ossature.viewer.layers import layer_named

    try:
        return [layer_named(name) for name in names or ()]
    except ValueError as error:
        fail(str(error))


def joints_of(world: World, texts: list[str] | None) -> dict[str, dict[str, list[float]]]:
    """Return the coordinates that options state, by model and joint; end the command where they do not fit."""
    positions: dict[str, dict[str, list[float]]] = {}
    for text in texts or ():
        model, name, values = parse_assignment(text, world)
        count = world.models[model].joints[name].degrees_of_freedom
        if len(values) != count:
            fail(f"joint '{name}' has {count} coordinates, not {len(values)}")
        positions.setdefault(model, {})[name] = values
    return positions


def reader(search_path: list[Path] | None, allow_path: list[Path] | None, format_name: str | None) -> Callable[[Path], Opened]:
    """Return what reads a file as the options say."""

    def read(path: Path) -> Opened:
        from ossature.viewer.opened import open_file

        try:
            return open_file(path, lambda found: mesh_store(found, search_path, allow_path), format_name)
        except ValueError as error:
            fail(str(error))

    return read


def usable(opened: Opened, *, verbose: bool) -> Opened:
    """Print the findings of a file; end the command where it cannot be used."""
    print_findings(opened.report, verbose=verbose, quiet=True)
    if opened.world is None:
        raise typer.Exit(INPUT_AT_FAULT)
    return opened
