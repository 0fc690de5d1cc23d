"""Building models in code: one line for each element."""

from __future__ import annotations

from typing import Any

from ossature.model.body import Body, Collision, Inertial, Rgba, Solid, Visual
from ossature.model.joint import Coordinate, Fixed, Joint, JointType, Prismatic, Range, Revolute
from ossature.model.validated_element import ModelError
from ossature.spatial import IDENTITY, Pose, Vector3, unit

AXES: dict[str, Vector3] = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def make_body(
    name: str,
    solid: Solid,
    *,
    mass: float,
    pose: Pose | Vector3 = IDENTITY,
    shape_pose: Pose | Vector3 = IDENTITY,
    color: Rgba | None = None,
) -> Body:
    """Return a body with one homogeneous shape, which is rendered and collides.

    Args:
        name: Its name.
        solid: The shape.
        mass: Its mass [kg].
        pose: The body frame in the model frame with all coordinates at zero, or its position [m].
        shape_pose: The shape's frame in the body frame, or its position [m].
        color: Red, green, blue and opacity, each from 0 to 1.

    Raises:
        ModelError: A value does not fit.
    """
    visual = Visual(geometry=solid, pose=shape_pose, color=color)  # type: ignore[arg-type]  # positions are converted
    collision = Collision(geometry=solid, pose=visual.pose)
    inertial = Inertial.from_solid(mass, solid, visual.pose)
    return Body(name=name, pose=pose, inertial=inertial, visuals=(visual,), collisions=(collision,))  # type: ignore[arg-type]


def make_joint(
    name: str,
    kind: str | JointType,
    parent: str | None,
    child: str,
    *,
    axis: str | Vector3 = "z",
    limits: Range | tuple[float, float] = Range(),  # noqa: B008  # immutable
    pose: Pose | Vector3 = IDENTITY,
    **coordinate: Any,
) -> Joint:
    """Return a joint of one coordinate or of none.

    Args:
        name: Its name.
        kind: ``"revolute"``, ``"prismatic"``, ``"fixed"``, or another type of joint.
        parent: The parent body, or None for the world.
        child: The child body.
        axis: ``"x"``, ``"y"`` or ``"z"``, or a vector, in the joint frame.
        limits: Limits of the position [rad or m].
        pose: The joint frame in the child body's frame, or its position [m].
        coordinate: Other attributes of its :class:`Coordinate`, such as ``damping``.

    Raises:
        ModelError: A value does not fit.
    """
    kinds = {"fixed": Fixed, "revolute": Revolute, "prismatic": Prismatic}
    if isinstance(kind, str) and kind not in kinds:
        raise ModelError(f"Joint '{name}'.type: expected {', '.join(kinds)} or a type of joint, not '{kind}'")
    if isinstance(axis, str) and axis not in AXES:
        raise ModelError(f"Joint '{name}'.axis: expected {', '.join(AXES)} or a vector, not '{axis}'")
    kind = _type_of(name, kinds[kind], axis) if isinstance(kind, str) else kind
    try:
        coordinates = tuple([Coordinate(position_limits=limits, **coordinate)] * (kind.degrees_of_freedom == 1))  # type: ignore[arg-type]
    except (ModelError, TypeError) as error:
        raise ModelError(f"Joint '{name}': {error}") from None
    return Joint(name=name, type=kind, parent=parent, child=child, pose=pose, coordinates=coordinates)  # type: ignore[arg-type]


def _type_of(name: str, kind: type[Any], axis: str | Vector3) -> JointType:
    if kind is Fixed:
        return Fixed()
    found: JointType = kind(axis=AXES[axis] if isinstance(axis, str) else axis)
    try:
        return kind(axis=unit(found.axis))  # type: ignore[no-any-return, union-attr]  # one with an axis
    except ValueError as error:
        raise ModelError(f"Joint '{name}'.axis: {error}") from None
