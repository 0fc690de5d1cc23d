"""Values of bodies and joints that a page edits: which there are, and the edits with undo and redo."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ossature.kinematics import spanning_tree
from ossature.model import Fixed, Joint, Model, ModelError, Range, Rgba, World
from ossature.model.calibration import Calibration, ParameterValue
from ossature.model.edit import with_values
from ossature.model.element_paths import resolve, value_at
from ossature.model.value_text import is_rotation

EditedValue: TypeAlias = "float | Rgba"

_MOST_COLORS = 4
"""Number of visual shapes of a body whose colours can be edited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditableValue:
    """An attribute that can be edited.

    Attributes:
        path: Its path in the World.
        label: What it is.
        unit: Its unit, or empty.
        value: Its value; None for a colour that the file does not state.
        is_color: Whether it is a colour with opacity, from 0 to 1.
        negative_path: Path of the lower limit that is minus this one, or None.
    """

    path: str
    label: str
    unit: str = ""
    value: EditedValue | None
    is_color: bool = False
    negative_path: str | None = None

    def changes_to(self, value: EditedValue) -> dict[str, EditedValue]:
        """Return the values by path if this one is changed."""
        if self.negative_path is None or isinstance(value, tuple):
            return {self.path: value}
        return {self.path: value, self.negative_path: -value}


def editable_values(model: Model, body: str) -> list[EditableValue]:
    """Return what can be edited of a body and of its parent joint: mass, inertia, colours, limits, resistance."""
    found = list(_values_of_body(model, body))
    for branch in spanning_tree(model).branches:
        joint = branch.inboard
        is_own = joint is not None and joint.name in model.joints  # else it is the guide of a motor
        if branch.body.name == body and joint is not None and is_own and not isinstance(joint.type, Fixed):
            found += _values_of_joint(model, joint)
    return found


def _values_of_body(model: Model, name: str) -> Iterator[EditableValue]:
    body, path = model.bodies[name], f"{model.name}/{name}"
    yield EditableValue(path=f"{path}.inertial.mass", label="Mass", unit="kg", value=body.inertial.mass)
    for number, axis in enumerate("xyz"):
        center = body.inertial.center_of_mass[number]
        yield EditableValue(
            path=f"{path}.inertial.center_of_mass[{number}]", label=f"Centre of mass {axis}", unit="m", value=center
        )
    moment = body.inertial.moment
    if moment is not None:
        for number, axis in enumerate("xyz"):
            label, place = f"Inertia {axis}{axis}", f"{path}.inertial.moment[{number}][{number}]"
            yield EditableValue(path=place, label=label, unit="kg·m²", value=moment[number][number])
    for number, visual in enumerate(body.visuals[:_MOST_COLORS]):
        label = "Colour" if len(body.visuals) == 1 else f"Colour {visual.name or number + 1}"
        yield EditableValue(path=f"{path}.visuals[{number}].color", label=label, value=visual.color, is_color=True)


def _values_of_joint(model: Model, joint: Joint) -> Iterator[EditableValue]:
    for number, coordinate in enumerate(joint.coordinates):
        path = f"{model.name}/{joint.name}.coordinates[{number}]"
        suffix = f" {number + 1}" if len(joint.coordinates) > 1 else ""
        angle, effort = ("rad", "N·m") if is_rotation(joint.type, number) else ("m", "N")
        values = (
            ("position_limits.lower", "Lower limit", angle, coordinate.position_limits.lower),
            ("position_limits.upper", "Upper limit", angle, coordinate.position_limits.upper),
            ("damping", "Damping", f"{effort}·s/{angle}", coordinate.damping),
            ("friction", "Friction", effort, coordinate.friction),
            ("stiffness", "Spring stiffness", f"{effort}/{angle}", coordinate.stiffness),
            ("spring_reference", "Spring reference", angle, coordinate.spring_reference),
            ("armature", "Armature", "kg·m²" if angle == "rad" else "kg", coordinate.armature),
        )
        for name, label, unit, value in values:
            yield EditableValue(path=f"{path}.{name}", label=label + suffix, unit=unit, value=value)
        yield from _limits(f"{path}.velocity_limits", f"Velocity limit{suffix}", f"{angle}/s", coordinate.velocity_limits)
        yield from _limits(f"{path}.effort_limits", f"Effort limit{suffix}", effort, coordinate.effort_limits)


def _limits(path: str, label: str, unit: str, specified: Range) -> Iterator[EditableValue]:
    """Yield the limits of a range: one value for both if they are opposite."""
    if specified.lower == -specified.upper:
        yield EditableValue(path=f"{path}.upper", label=label, unit=unit, value=specified.upper, negative_path=f"{path}.lower")
        return
    yield EditableValue(path=f"{path}.lower", label=f"{label}, lower", unit=unit, value=specified.lower)
    yield EditableValue(path=f"{path}.upper", label=f"{label}, upper", unit=unit, value=specified.upper)


def parse_number(text: str, edited: EditableValue) -> float:
    """Return the number in a text.

    Raises:
        ModelError: It is none; infinity is one for limits only.
    """
    try:
        value = float(text.strip())
    except ValueError:
        raise ModelError(f"{edited.label}: '{text.strip()}' is not a number") from None
    if math.isnan(value) or (math.isinf(value) and "limits" not in edited.path):
        raise ModelError(f"{edited.label}: {value} is not a finite number")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueEdits:
    """The edits of one file, in steps that can be undone.

    Attributes:
        steps: The steps: values by path.
        done: Number of steps that are not undone.
    """

    steps: tuple[Mapping[str, EditedValue], ...] = ()
    done: int = field(default=0)

    @property
    def values(self) -> dict[str, EditedValue]:
        """The edited values by path."""
        return {path: value for step in self.steps[: self.done] for path, value in step.items()}

    @property
    def can_redo(self) -> bool:
        """Whether a step was undone."""
        return self.done < len(self.steps)

    def with_step(self, values: Mapping[str, EditedValue]) -> ValueEdits:
        """Return the edits with another step; undone steps are forgotten."""
        return ValueEdits(steps=(*self.steps[: self.done], dict(values)), done=self.done + 1)

    def undo(self) -> ValueEdits:
        """Return the edits without the last step, which :meth:`redo` restores."""
        return replace(self, done=max(self.done - 1, 0))

    def redo(self) -> ValueEdits:
        """Return the edits with the last step that was undone."""
        return replace(self, done=min(self.done + 1, len(self.steps)))

    def apply(self, world: World) -> World:
        """Return a World with the edited values.

        Raises:
            ModelError: A value does not fit, or the World has no such attribute any more.
        """
        return with_values(world, self.values)

    def changes(self, world: World) -> list[str]:
        """Return the edited values beside those of the file, as text."""
        return [
            f"{path}: {_value_text(value_at(world, resolve(world, path)))} → {_value_text(value)}"
            for path, value in self.values.items()
        ]

    def to_calibration(self, world: World) -> Calibration:
        """Return the edits as a calibration of the file's World.

        Raises:
            ModelError: The file states no colour where one was edited: a calibration changes numbers only.
        """
        parameters: list[ParameterValue] = []
        for path, value in self.values.items():
            if not isinstance(value, tuple):
                parameters.append(ParameterValue(path=path, value=value))
            elif value_at(world, resolve(world, path)) is None:
                raise ModelError(f"'{path}': the file states no colour, and a calibration changes stated numbers only")
            else:
                parameters += [ParameterValue(path=f"{path}[{number}]", value=part) for number, part in enumerate(value)]
        return Calibration(parameters=tuple(parameters))


def _value_text(value: EditedValue | None) -> str:
    if value is None:
        return "not stated"
    return " ".join(f"{part:.3g}" for part in value) if isinstance(value, tuple) else f"{value:g}"
