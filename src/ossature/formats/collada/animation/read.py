"""Reads animations of transforms that are bound to joint axes as trajectories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ossature.array_types import Array
from ossature.formats.collada import rules
from ossature.formats.collada.animation.schema import AnimationElement, AnimationSourceElement, ChannelElement, SamplerElement
from ossature.formats.collada.document_lookup import Item
from ossature.formats.collada.read_context import ColladaReadContext, Names
from ossature.formats.collada.schema_common import RotateElement, TranslateElement
from ossature.formats.collada.visual_scene.node_instances import NodeInstance, VisualTree
from ossature.model import Channel, Extrapolation, Interpolation, Trajectory
from ossature.model.trajectory_curves import Curve
from ossature.spatial import Vector3, dot
from ossature.syntax.number_arrays import floats

DEGREE = 0.017453292519943295
"""One degree [rad]."""
_TARGET = re.compile(r"(?P<path>[^.()]*(?:\.[^.()/]*/[^.()]*)*?)(?:\.(?P<member>[A-Za-z]+)|\((?P<index>[0-9]{1,3})\))?")
_MEMBERS = {"X": 0, "Y": 1, "Z": 2, "ANGLE": 3}
_MAXIMUM_DEPTH = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedAxis:
    """A joint axis that is bound to a transform.

    Attributes:
        direction: Direction of the axis, in the joint frame.
        meter: Length of the unit of the node with the transform [m].
    """

    model: str
    joint: str
    coordinate: int
    direction: Vector3
    meter: float


Moved = Mapping[tuple[NodeInstance, int], MovedAxis]
"""Joint axes by the node and the index of the transform that they are bound to."""


def read_animations(items: Sequence[Item], moved: Moved, visual: VisualTree, reading: ColladaReadContext) -> list[Trajectory]:
    """Return a trajectory for each animation of a library; channels that move no joint are reported."""
    names = Names(reading.report, "trajectory")
    found = []
    for item in items:
        channels = list(_AnimationReader(moved, visual, reading).channels(item.element))
        if channels:
            element = item.element
            name = names.claim_unique(element.name or element.id, "trajectory", element.location())
            found.append(Trajectory(name=name, channels=tuple(channels), origin=element.location()))
    return found


class _AnimationReader:
    def __init__(self, moved: Moved, visual: VisualTree, reading: ColladaReadContext) -> None:
        self._moved, self._visual, self._reading = moved, visual, reading
        self._sources: dict[str, AnimationSourceElement] = {}
        self._samplers: dict[str, SamplerElement] = {}

    def channels(self, animation: AnimationElement) -> Iterator[Channel]:
        parts = list(_nested_animations(animation))
        for part in parts:
            self._sources.update({source.id: source for source in part.source if source.id})
            self._samplers.update({sampler.id: sampler for sampler in part.sampler if sampler.id})
        for part in parts:
            for element in part.channel:
                channel = self._read_channel(element)
                if channel is not None:
                    yield channel

    def _read_channel(self, element: ChannelElement) -> Channel | None:
        sampler = self._samplers.get((element.source or "").strip().removeprefix("#"))
        if sampler is None:
            self._report_ignored(element, f"there is no sampler '{element.source or ''}'", "source")
            return None
        target = self._resolve_target(element)
        if target is None:
            return None
        axis, column, factor = target
        try:
            channel = self._read_curve(sampler, axis, column, factor)
            Curve(channel)
        except ValueError as error:
            self._report_ignored(element, str(error))
            return None
        return replace(channel, origin=element.location())

    def _resolve_target(self, element: ChannelElement) -> tuple[MovedAxis, int | None, float] | None:
        """Return the axis of a channel, the column of its values (None: the only one), and their factor to SI units."""
        target = _TARGET.fullmatch((element.target or "").strip())
        found = None if target is None else self._visual.find_transform(target["path"])
        axis = None if found is None else self._moved.get(found)
        if target is None or found is None or axis is None:
            self._report_ignored(element, f"'{element.target or ''}' is not a transform bound to a joint axis", "target")
            return None
        node, index = found
        transform = node.element.transforms[index]
        column = _component_index(target["member"], target["index"])
        if isinstance(transform, RotateElement) and column in (3, None):
            specified = (transform.value or (0.0, 0.0, 1.0, 0.0))[:3]
            sign = -1.0 if dot((specified[0], specified[1], specified[2]), axis.direction) < 0.0 else 1.0
            return axis, None if column == 3 else 3, sign * DEGREE
        if isinstance(transform, TranslateElement):
            along = [number for number, part in enumerate(axis.direction) if abs(part) > 1.0 - 1e-12]
            if along and column in (along[0], None):
                sign = -1.0 if axis.direction[along[0]] < 0.0 else 1.0
                return axis, None if column is not None else along[0], sign * axis.meter
        self._report_ignored(element, f"'{element.target}' is not the component that its joint axis moves", "target")
        return None

    def _read_curve(self, sampler: SamplerElement, axis: MovedAxis, column: int | None, factor: float) -> Channel:
        inputs = {(specified.semantic or "").strip(): specified.source for specified in sampler.input}
        times = self._read_table(inputs.get("INPUT"), "INPUT")[:, 0]
        output = self._read_table(inputs.get("OUTPUT"), "OUTPUT")
        chosen = 0 if column is None else column
        if output.shape[1] <= chosen or (column is None and output.shape[1] != 1):
            raise ValueError(f"its OUTPUT has {output.shape[1]} numbers per keyframe")
        names = self._read_names(inputs.get("INTERPOLATION"))
        interpolations = tuple([_parse_interpolation(name) for name in names]) or (Interpolation.LINEAR,)
        if len(interpolations) == len(times) and len(set(interpolations)) == 1:
            interpolations = interpolations[:1]
        curved = {Interpolation.BEZIER, Interpolation.HERMITE} & set(interpolations)
        if curved and column is not None:
            raise ValueError("tangents of several components are not supported; animate .ANGLE, .X, .Y or .Z alone")
        return Channel(
            model=axis.model,
            joint=axis.joint,
            coordinate=axis.coordinate,
            times=tuple(times.tolist()),
            values=tuple([factor * value for value in output[:, chosen].tolist()]),
            interpolations=interpolations,
            in_tangents=self._read_tangents(inputs.get("IN_TANGENT"), "IN_TANGENT", factor) if curved else (),
            out_tangents=self._read_tangents(inputs.get("OUT_TANGENT"), "OUT_TANGENT", factor) if curved else (),
            before=Extrapolation(sampler.pre_behavior or Extrapolation.UNDEFINED),
            after=Extrapolation(sampler.post_behavior or Extrapolation.UNDEFINED),
        )

    def _read_tangents(self, url: str | None, semantic: str, factor: float) -> tuple[tuple[float, ...], ...]:
        rows = self._read_table(url, semantic).tolist()
        return tuple([(*row[:-1], factor * row[-1]) for row in rows])

    def _find_source(self, url: str | None, semantic: str) -> AnimationSourceElement:
        source = self._sources.get((url or "").strip().removeprefix("#"))
        if source is None:
            raise ValueError(f"it has no source for {semantic}")
        return source

    def _read_table(self, url: str | None, semantic: str) -> Array:
        source = self._find_source(url, semantic)
        if source.float_array is None:
            raise ValueError(f"the source of {semantic} has no <float_array>")
        numbers = floats(source.float_array.data, self._reading.report.budget)
        accessor = source.technique_common.accessor if source.technique_common is not None else None
        stride, offset = (1, 0) if accessor is None else (accessor.stride, accessor.offset)
        count = len(numbers) if accessor is None or accessor.count is None else accessor.count
        if stride < 1 or offset < 0 or count < 0 or offset + stride * count > len(numbers):
            raise ValueError(f"the source of {semantic} has {len(numbers)} numbers, not {stride} for each of {count} keyframes")
        return numbers[offset : offset + stride * count].reshape(count, stride)

    def _read_names(self, url: str | None) -> list[str]:
        if url is None:
            return []
        array = self._find_source(url, "INTERPOLATION").Name_array
        return [] if array is None else (array.value or "").split()

    def _report_ignored(self, element: ChannelElement, message: str, field: str | None = None) -> None:
        self._reading.report.add(rules.UNSUPPORTED_ANIMATION, message, element.location(field))


def _nested_animations(animation: AnimationElement, depth: int = 0) -> Iterator[AnimationElement]:
    yield animation
    if depth < _MAXIMUM_DEPTH:
        for inner in animation.animation:
            yield from _nested_animations(inner, depth + 1)


def _component_index(member: str | None, index: str | None) -> int | None:
    """Return the index of a component of a transform, None for all, -1 for an unknown one."""
    if member is not None:
        return _MEMBERS.get(member.upper(), -1)
    return None if index is None else int(index)


def _parse_interpolation(name: str) -> Interpolation:
    try:
        return Interpolation(name.upper())
    except ValueError:
        raise ValueError(f"'{name[:40]}' is not an interpolation; use {', '.join(Interpolation)}") from None
