"""Notes about values of options that are probably not meant: degrees, positions outside of limits or against couplings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ossature.cli.console import errors_console

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ossature.model import Joint, Model, World

_ROUNDING = 1e-9
"""Excess over a limit that counts as rounding [rad or m]."""
_CONTRADICTION = 1e-6
"""Difference between a position and that of its coupling that is noted [rad or m]; positions are rounded."""
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


def note_coupled_positions(world: World, positions: Mapping[str, Mapping[str, Sequence[float]]], *, is_applied: bool) -> None:
    """Print a note for each position that differs from what the coupling of the coordinate gives.

    Args:
        world: The World.
        positions: Positions by model and joint [rad or m].
        is_applied: Whether the command uses the position, not that of the coupling.
    """
    for name, joints in positions.items():
        model = world.models[name]
        if any(coordinate.coupling is not None for joint in model.joints for coordinate in joint.coordinates):
            _note_coupled_positions(
                model, {joint: values for joint, values in joints.items() if joint in model.joints}, is_applied
            )


def _note_coupled_positions(model: Model, joints: Mapping[str, Sequence[float]], is_applied: bool) -> None:
    from ossature.kinematics import FormulaError
    from ossature.kinematics.joint_couplings import joint_positions
    from ossature.model.value_text import is_rotation

    try:
        coupled = joint_positions(model, joints, formulas_first=True)
    except FormulaError:  # the command reports it
        return
    for name, values in joints.items():
        for number, (value, found) in enumerate(zip(values, coupled[name], strict=False)):
            if abs(value - found) > _CONTRADICTION:
                unit = "rad" if is_rotation(model.joints[name].type, number) else "m"
                text = f"joint '{name}' is coupled to other joints, which give {found:.6g} {unit}, not {value:g}"
                _print_note(f"{text}: {'the coupling is not applied' if is_applied else 'the position is ignored'}")


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
    from ossature.model.value_text import is_rotation

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
