"""Notes about values of options that are probably not what the user meant: degrees, and positions outside their limits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ossature.cli.console import errors_console
from ossature.model.value_text import is_rotation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ossature.model import Joint, World

_ROUNDING = 1e-9
"""Excess over a limit that counts as rounding [rad or m]."""
_SEVERAL_TURNS = 2.0 * math.tau
"""Smallest angle that is noted [rad]; degrees of usual angles are larger."""


def note_joint_positions(world: World, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
    """Print a note for each joint position that is outside its limits, or an angle of many turns.

    Args:
        world: The World.
        positions: Positions by model and joint [rad or m]; names of unknown joints and motors are passed over.
    """
    for model, joints in positions.items():
        for name, values in joints.items():
            joint = world.models[model].joints.get(name)
            for number, value in enumerate(values[: 0 if joint is None else joint.degrees_of_freedom]):
                assert joint is not None  # noqa: S101  # no values otherwise
                _note_position(joint, number, value)


def note_angles(option: str, angles: Sequence[float]) -> None:
    """Print a note if angles of an option are probably degrees.

    Args:
        option: What states them.
        angles: The angles [rad].
    """
    largest = max(angles, key=abs, default=0.0)
    if abs(largest) >= _SEVERAL_TURNS:
        _print_note(f"{option}: {largest:g} rad are {_turns(largest)}{_in_radians(largest)}")


def _note_position(joint: Joint, number: int, value: float) -> None:
    limits, is_angle = joint.coordinates[number].position_limits, is_rotation(joint.type, number)
    unit, radians = ("rad", _in_radians(value)) if is_angle else ("m", "")
    if limits.lower <= limits.upper and not limits.lower - _ROUNDING <= value <= limits.upper + _ROUNDING:
        outside = f"outside of its limits {limits.lower:g} to {limits.upper:g} {unit}"
        _print_note(f"joint '{joint.name}': {value:g} {unit} is {outside}{radians}")
    elif is_angle and abs(value) >= _SEVERAL_TURNS:
        _print_note(f"joint '{joint.name}': {value:g} rad are {_turns(value)}{radians}")


def _turns(angle: float) -> str:
    return f"{abs(angle) / math.tau:.3g} turns"


def _in_radians(angle: float) -> str:
    return f"; {angle:g}° would be {math.radians(angle):.6g}" if abs(angle) >= _SEVERAL_TURNS else ""


def _print_note(text: str) -> None:
    errors_console().print(f"note: {text}", markup=False)
