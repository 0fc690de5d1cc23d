"""Writes trajectories as animations of the transforms of joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ossature.formats.collada.animation.read import DEGREE
from ossature.formats.collada.animation.schema import (
    AnimationElement,
    AnimationSourceElement,
    ChannelElement,
    NameArrayElement,
    SamplerElement,
    SamplerInputElement,
)
from ossature.formats.collada.geometry.schema import (
    AccessorElement,
    AccessorParamElement,
    FloatArrayElement,
    SourceTechniqueElement,
)
from ossature.formats.collada.kinematics.write_joint import WrittenAxis
from ossature.formats.collada.model_write_context import ModelWriteContext
from ossature.formats.collada.visual_scene.write import axis_target
from ossature.model import Channel, Extrapolation, Interpolation, Model, NamedList, Trajectory, World
from ossature.syntax.xml_values import format_number

_CURVED = (Interpolation.BEZIER, Interpolation.HERMITE)


@dataclass(frozen=True, slots=True)
class WrittenAnimations:
    """The trajectories of a World in a document.

    Attributes:
        specified: The trajectories, with the names of models and joints in the document.
        read: The trajectories that are read from the animations.
    """

    elements: tuple[AnimationElement, ...]
    specified: NamedList[Trajectory]
    read: NamedList[Trajectory]


def write_animations(world: World, models: Sequence[ModelWriteContext], names: Sequence[str]) -> WrittenAnimations:
    """Return the animations of the trajectories of a World; unsupported channels are omitted.

    Args:
        models: The write contexts of its models, in the same order.
        names: The names of the trajectories in the document.
    """
    written = dict(zip(world.models.names(), zip(world.models, models, strict=True), strict=True))
    elements, specified, read = [], [], []
    for number, (name, trajectory) in enumerate(zip(names, world.trajectories, strict=True)):
        renamed = [_with_written_joint(channel, written) for channel in trajectory.channels]
        specified.append(replace(trajectory, name=name, channels=tuple(renamed)))
        parts = [_AnimationPart(channel, *found) for channel in renamed if (found := _find_target(channel, models)) is not None]
        if parts:
            elements.append(_animation_element(f"animation{number}", name, parts))
            read.append(Trajectory(name=name, channels=tuple([part.as_read() for part in parts])))
    return WrittenAnimations(tuple(elements), NamedList(specified), NamedList(read))


def _with_written_joint(channel: Channel, written: dict[str, tuple[Model, ModelWriteContext]]) -> Channel:
    if channel.model not in written:
        return channel
    model, writing = written[channel.model]
    joints = dict(zip(model.joints.names(), writing.model.joints.names(), strict=True))
    return replace(channel, model=writing.name, joint=joints.get(channel.joint, channel.joint))


def _find_target(channel: Channel, models: Sequence[ModelWriteContext]) -> tuple[str, float] | None:
    """Return the animated member of a transform for a coordinate, and its unit; None if there is no such transform."""
    model = next((model for model in models if model.name == channel.model), None)
    if model is None or not channel.times or channel.joint not in model.joints:
        return None
    sid, axes = model.joints[channel.joint], model.axes[channel.joint]
    loop_joints = {joint.name for tree in model.forest.trees for joint in tree.loop_joints}
    if channel.coordinate >= len(axes) or channel.joint in loop_joints:
        return None
    found = _animated_member(axes[channel.coordinate])
    return None if found is None else (f"{model.visual}/{axis_target(sid, channel.coordinate)}.{found[0]}", found[1])


def _animated_member(axis: WrittenAxis) -> tuple[str, float] | None:
    if axis.axis.is_revolute:
        return "ANGLE", DEGREE
    for name, part in zip("XYZ", axis.axis.direction, strict=True):
        if abs(part) > 1.0 - 1e-12:
            return name, -1.0 if part < 0.0 else 1.0
    return None


@dataclass(frozen=True, slots=True)
class _AnimationPart:
    """A channel of an animation, with its target and unit."""

    channel: Channel
    target: str
    unit: float

    def in_document(self, value: float) -> float:
        return convert_to_unit(value, self.unit)

    def as_read(self) -> Channel:
        channel = self.channel
        interpolations = channel.interpolations[:1] if len(set(channel.interpolations)) == 1 else channel.interpolations
        has_tangents = self.has_tangents
        return replace(
            channel,
            values=tuple([self.unit * self.in_document(value) for value in channel.values]),
            interpolations=interpolations,
            in_tangents=self._tangents_as_read(channel.in_tangents) if has_tangents else (),
            out_tangents=self._tangents_as_read(channel.out_tangents) if has_tangents else (),
        )

    @property
    def has_tangents(self) -> bool:
        return any(interpolation in _CURVED for interpolation in self.channel.interpolations)

    def _tangents_as_read(self, tangents: Sequence[tuple[float, ...]]) -> tuple[tuple[float, ...], ...]:
        return tuple([(*tangent[:-1], self.unit * self.in_document(tangent[-1])) for tangent in tangents])


def _animation_element(identifier: str, name: str, parts: Sequence[_AnimationPart]) -> AnimationElement:
    sources: list[AnimationSourceElement] = []
    samplers, channels = [], []
    for number, part in enumerate(parts):
        prefix = f"{identifier}_{number}"
        added = _source_elements(prefix, part)
        sources.extend(added.values())
        channel = part.channel
        samplers.append(
            SamplerElement(
                id=prefix,
                input=tuple([SamplerInputElement(semantic=name, source=f"#{source.id}") for name, source in added.items()]),
                pre_behavior=None if channel.before is Extrapolation.UNDEFINED else channel.before,
                post_behavior=None if channel.after is Extrapolation.UNDEFINED else channel.after,
            )
        )
        channels.append(ChannelElement(source=f"#{prefix}", target=part.target))
    return AnimationElement(id=identifier, name=name, source=tuple(sources), sampler=tuple(samplers), channel=tuple(channels))


def _source_elements(prefix: str, part: _AnimationPart) -> dict[str, AnimationSourceElement]:
    channel = part.channel
    count = len(channel.times)
    member = part.target.rpartition(".")[2]
    found = {
        "INPUT": _numbers_source(f"{prefix}_times", [(time,) for time in channel.times], ("TIME",)),
        "OUTPUT": _numbers_source(f"{prefix}_values", [(part.in_document(value),) for value in channel.values], (member,)),
        "INTERPOLATION": _names_source(f"{prefix}_curves", [channel.interpolation(key) for key in range(count)]),
    }
    if part.has_tangents:
        for semantic, tangents in (("IN_TANGENT", channel.in_tangents), ("OUT_TANGENT", channel.out_tangents)):
            rows = [(*tangent[:-1], part.in_document(tangent[-1])) for tangent in tangents]
            names = (member,) if not rows or len(rows[0]) == 1 else ("TIME", member)
            found[semantic] = _numbers_source(f"{prefix}_{semantic.lower()}", rows, names)
    return found


def _numbers_source(identifier: str, rows: Sequence[tuple[float, ...]], names: Sequence[str]) -> AnimationSourceElement:
    text = " ".join(format_number(number) for row in rows for number in row)
    array = FloatArrayElement(id=f"{identifier}-array", count=len(rows) * len(names), numbers=text)
    return AnimationSourceElement(
        id=identifier, float_array=array, technique_common=_accessor_element(f"{identifier}-array", len(rows), names, "float")
    )


def _names_source(identifier: str, words: Sequence[str]) -> AnimationSourceElement:
    array = NameArrayElement(id=f"{identifier}-array", count=len(words), value=" ".join(words))
    return AnimationSourceElement(
        id=identifier,
        Name_array=array,
        technique_common=_accessor_element(f"{identifier}-array", len(words), ("INTERPOLATION",), "name"),
    )


def _accessor_element(array: str, count: int, names: Sequence[str], kind: str) -> SourceTechniqueElement:
    params = tuple([AccessorParamElement(name=name, type=kind) for name in names])
    return SourceTechniqueElement(accessor=AccessorElement(count=count, source=f"#{array}", stride=len(names), param=params))


_NEIGHBOURS = 3


def convert_to_unit(value: float, unit: float) -> float:
    """Return the number whose product with a unit is a value; of several, the one with the shortest text.

    Some values are not such a product. Then the nearest number is used, in the shortest form with the same product, so that
    writing the value that is read gives the same text again.
    """
    if value == 0.0:
        return 0.0  # arrays of numbers do not preserve the sign of zero
    nearest = value / unit
    if not math.isfinite(nearest):
        return nearest
    exact = [number for number in _adjacent_floats(nearest) if number * unit == value]
    if not exact:
        value = nearest * unit
        exact = [number for number in _adjacent_floats(nearest) if number * unit == value]
    return min(exact, key=lambda number: (len(format_number(number)), abs(number - nearest)), default=nearest)


def _adjacent_floats(number: float) -> list[float]:
    lower = upper = number
    found = [number]
    for _ in range(_NEIGHBOURS):
        lower, upper = math.nextafter(lower, -math.inf), math.nextafter(upper, math.inf)
        found += [lower, upper]
    return found
