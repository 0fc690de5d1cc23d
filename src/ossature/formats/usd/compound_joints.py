"""Compound joints: several joints of a stage between the same bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ossature.formats.usd.joint_spec import Drive, JointEnd, JointSpec
from ossature.formats.usd.stage import Prim
from ossature.model import Axis, Compound, Coordinate, JointType, Prismatic, Revolute, Spherical, SphericalMotion
from ossature.spatial import IDENTITY, Pose, rotate


def stacked(joints: Sequence[JointSpec], adds_mobility: Callable[[JointSpec], bool]) -> list[JointSpec]:
    """Return joints of which those that connect the same bodies and add mobility are one, in the order of the stage."""
    groups: dict[tuple[str, str], list[JointSpec]] = {}
    for joint in joints:
        first, second = joint.ends
        names = ("" if first.body is None else first.body.path, "" if second.body is None else second.body.path)
        key = names if joint.is_in_tree and adds_mobility(joint) else (joint.prim.path, "")
        groups.setdefault(key, []).append(joint)
    return [group[0] if len(group) == 1 else _stack(group) for group in groups.values()]


def _stack(joints: Sequence[JointSpec]) -> JointSpec:
    """Return one joint with the motions of several between the same bodies, each about its own frame in the child.

    The frames of all of them on the parent place the child at the same pose with all coordinates at zero. The frame of the
    joint has the axes of the first ball joint, whose coordinates are a vector in these axes, else those of the child.
    """
    parent, child = joints[0].ends
    axes_of_balls = [joint.ends[1].frame.wxyz for joint in joints if isinstance(joint.type, Spherical)]
    base = Pose(wxyz=axes_of_balls[0]) if axes_of_balls else IDENTITY
    axes: list[Axis | SphericalMotion] = []
    parts: list[tuple[Prim, int]] = []
    coordinates: list[Coordinate] = []
    drives: list[Drive] = []
    for joint in joints:
        first = len(coordinates)
        parts += [(prim, first + index) for prim, index in joint.parts]
        drives += [replace(drive, coordinate=first + drive.coordinate) for drive in joint.drives]
        axes += _axes_in(joint.type, base.inverse() @ joint.ends[1].frame)
        own = [replace(one, name=one.name or joint.prim.name) for one in joint.coordinates]
        coordinates += own
    zero = parent.frame @ child.frame.inverse()
    return JointSpec(
        prim=joints[0].prim,
        ends=(JointEnd(body=parent.body, frame=zero @ base), JointEnd(body=child.body, frame=base)),
        type=Compound(axes=tuple(axes)),
        coordinates=tuple(coordinates),
        drives=tuple(drives),
        parts=tuple(parts),
    )


def _axes_in(kind: JointType, frame: Pose) -> list[Axis | SphericalMotion]:
    """Return the motions of a joint whose child frame has a pose in another frame, in that frame."""
    match kind:
        case Revolute(axis=axis):
            return [Axis(direction=rotate(frame.wxyz, axis), anchor=frame.position)]
        case Prismatic(axis=axis):
            return [Axis(direction=rotate(frame.wxyz, axis), is_revolute=False)]
        case Spherical():
            return [SphericalMotion(anchor=frame.position)]
    return []


def is_stackable(joint: JointSpec) -> bool:
    """Whether the motions of a joint can be a part of those of a compound one."""
    return isinstance(joint.type, Revolute | Prismatic | Spherical)
