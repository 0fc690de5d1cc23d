"""What ``view`` and ``render`` share: what is shown, where joints are, and reading the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.common import INPUT_AT_FAULT, fail, limits_of_command, mesh_store, numbers, print_findings
from ossature.cli.completion import layer_names
from ossature.cli.console import errors_console
from ossature.cli.pose import parse_assignment

if TYPE_CHECKING:
    from ossature.model import World
    from ossature.viewer.layers import Layer
    from ossature.viewer.opened import Opened
    from ossature.viewer.posture import Posture

NEEDS_VIEW = "this needs the extra view: pip install 'ossature[view]'"
_NEARLY_THERE = 1e-3
"""How far from where it is put a joint may be [rad or m] before that is told."""

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


def placed(opened: Opened, positions: dict[str, dict[str, list[float]]]) -> Posture:
    """Return where the joints of a file are when some are put somewhere; those that do not go there are told of."""
    from ossature.viewer.closed_posture import posture_of

    posture = posture_of(world_of(opened), opened.meshes)
    posture.place(positions)
    reached = posture.positions() if positions else {}
    for model, joints in positions.items():
        for name, wanted in joints.items():
            found = reached[model][name]
            if max(abs(one - other) for one, other in zip(found, wanted, strict=True)) > _NEARLY_THERE:
                text = f"{model}/{name} is at {numbers(found)}, not {numbers(wanted)}: it follows others, or closes a loop"
                errors_console().print(text, markup=False)
    return posture


def reader(search_path: list[Path] | None, allow_path: list[Path] | None, format_name: str | None) -> Callable[[Path], Opened]:
    """Return what reads a file as the options say."""

    limits = limits_of_command()  # files are read again by other threads when they change

    def read(path: Path) -> Opened:
        from ossature.viewer.opened import open_file

        try:
            return open_file(path, lambda found: mesh_store(found, search_path, allow_path, limits), format_name, limits)
        except ValueError as error:
            fail(str(error))

    return read


def usable(opened: Opened, *, verbose: bool) -> Opened:
    """Print the findings of a file; end the command where it cannot be used."""
    print_findings(opened.report, verbose=verbose, quiet=True)
    if opened.world is None:
        raise typer.Exit(INPUT_AT_FAULT)
    return opened


def world_of(opened: Opened) -> World:
    """Return the World of a file that is usable."""
    assert opened.world is not None  # noqa: S101  # which `usable` looked at
    return opened.world
