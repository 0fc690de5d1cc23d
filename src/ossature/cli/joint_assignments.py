"""Joint positions in options: ``NAME=VALUE[,VALUE…]``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ossature.cli.console import fail
from ossature.diagnostics import suggestion
from ossature.diagnostics.counted_nouns import counted

if TYPE_CHECKING:
    from ossature.model import Joint, World


Positions = Mapping[str, Mapping[str, Sequence[float]]]


def parse_assignment(text: str, world: World, known: Positions | None = None) -> tuple[str, str, list[float]]:
    """Return model, joint and values of ``MODEL/NAME=VALUE,VALUE``; the model may be omitted if only one has such a joint.

    The name may also be that of one coordinate of a joint with several, whose others are unchanged.

    Args:
        text: The assignment.
        world: The World.
        known: Positions that are assigned already; by default those of the World.
    """
    path, separator, numbers = text.rpartition("=")
    try:
        values = [float(number) for number in numbers.split(",")]
    except ValueError:
        fail(f"'{text}': use NAME=VALUE[,VALUE…] with numbers in rad or m, not '{numbers}'")
    if not separator:
        fail(f"'{text}': use NAME=VALUE[,VALUE…]")
    if not all(map(math.isfinite, values)):
        fail(f"'{text}': joint positions must be finite")
    owners = [model.name for model in world.models if path in model.joints or path in model.motors]
    if len(owners) == 1:
        return owners[0], path, values
    for model in world.models:
        name = path.removeprefix(f"{model.name}/")
        if name != path and (name in model.joints or name in model.motors):
            return model.name, name, values
    assigned = _assign_coordinate(path, values, world, known or {})
    if assigned is not None:
        return assigned
    if owners:
        fail(f"several models have a joint '{path}': {', '.join(f'{owner}/{path}' for owner in owners)}")
    names = [name for model in world.models for name in model.joints.names()]
    names += [name for model in world.models for joint in model.joints for name in coordinate_names(joint)]
    return fail(f"there is no joint '{path}': {suggestion(path, names) or 'the file has no joints'}")


def coordinate_names(joint: Joint) -> list[str]:
    """Return the names of the coordinates of a joint."""
    return [coordinate.name for coordinate in joint.coordinates if coordinate.name is not None]


def _assign_coordinate(path: str, values: list[float], world: World, known: Positions) -> tuple[str, str, list[float]] | None:
    """Return model, joint and positions after an assignment to a named coordinate, or None if there is none of that name."""
    found = [
        (model, joint, number)
        for model in world.models
        for joint in model.joints
        for number, coordinate in enumerate(joint.coordinates)
        if coordinate.name is not None and path in (coordinate.name, f"{model.name}/{coordinate.name}")
    ]
    if len(found) > 1:
        fail(f"several joints have a coordinate '{path}': {', '.join(joint.name for _, joint, _ in found)}")
    for model, joint, number in found:
        positions = list(known.get(model.name, {}).get(joint.name, joint.initial_positions))
        if number + len(values) > len(positions):
            fail(f"coordinate '{path}' of joint '{joint.name}' has fewer than {len(values)} numbers")
        positions[number : number + len(values)] = values
        return model.name, joint.name, positions
    return None


def joints_of(world: World, texts: list[str] | None) -> dict[str, dict[str, list[float]]]:
    """Return the joint positions that options state, by model and joint; end the command if they do not fit."""
    positions: dict[str, dict[str, list[float]]] = {}
    for text in texts or ():
        model, name, values = parse_assignment(text, world, positions)
        count = world.models[model].joints[name].degrees_of_freedom
        if len(values) != count:
            fail(f"joint '{name}' has {counted(count, 'coordinate')}, not {len(values)}")
        positions.setdefault(model, {})[name] = values
    return positions
