"""Joint positions in options: ``NAME=VALUE[,VALUE…]``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ossature.cli.console import fail
from ossature.diagnostics import suggestion

if TYPE_CHECKING:
    from ossature.model import World


def parse_assignment(text: str, world: World) -> tuple[str, str, list[float]]:
    """Return model, joint and values of ``MODEL/NAME=VALUE,VALUE``; the model may be omitted if only one has such a joint."""
    path, separator, numbers = text.rpartition("=")
    try:
        values = [float(number) for number in numbers.split(",")]
    except ValueError:
        fail(f"'{text}': use NAME=VALUE[,VALUE…]")
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
    if owners:
        fail(f"several models have a joint '{path}': {', '.join(f'{owner}/{path}' for owner in owners)}")
    names = [name for model in world.models for name in model.joints.names()]
    return fail(f"there is no joint '{path}': {suggestion(path, names) or 'the file has no joints'}")


def joints_of(world: World, texts: list[str] | None) -> dict[str, dict[str, list[float]]]:
    """Return the joint positions that options state, by model and joint; end the command if they do not fit."""
    positions: dict[str, dict[str, list[float]]] = {}
    for text in texts or ():
        model, name, values = parse_assignment(text, world)
        count = world.models[model].joints[name].degrees_of_freedom
        if len(values) != count:
            fail(f"joint '{name}' has {count} coordinates, not {len(values)}")
        positions.setdefault(model, {})[name] = values
    return positions
