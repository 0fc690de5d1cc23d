"""Force elements, constraints, loop joints and ignored pairs as connectors between bodies."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.assets import MeshStore
from ossature.kinematics import pose_parent_joint, spanning_tree
from ossature.model import Model, Rgba, RotationalSpringDamper, SpringDamper
from ossature.spatial import Pose, norm, subtract
from ossature.viewer import color_palette
from ossature.viewer.body_markers import rotation_to
from ossature.viewer.marker_meshes import COIL_COUNT, ball, coil, revolute_arrow, rod
from ossature.viewer.scene_elements import Anchor, Connector, Primitive
from ossature.viewer.scene_layers import Layer


def springs(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive | Connector]:
    """Yield spring-dampers, bushings and rotational springs, with markers ``size`` metres long."""
    for spring in model.spring_dampers:
        if _have_bodies(model, spring.body1, spring.body2):
            yield _spring_connector(model, spring, size)
    for bushing in model.bushings:
        if _have_bodies(model, bushing.body1):
            yield _ball_primitive(
                Layer.SPRINGS, model, bushing.body1, bushing.name, bushing.pose, 0.4 * size, color_palette.BUSHING
            )
    for rotational in model.rotational_spring_dampers:
        if _have_bodies(model, rotational.body1):
            yield _rotational_spring_primitive(model, rotational, size)


def loops(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive | Connector]:
    """Yield loop joints with lines across their gaps, and distance constraints."""
    for joint in spanning_tree(model).loop_joints:
        if _have_bodies(model, joint.parent, joint.child):
            yield _ball_primitive(Layer.LOOPS, model, joint.child, joint.name, joint.pose, 0.3 * size, color_palette.LOOP)
            parent = Anchor(body=joint.parent, point=pose_parent_joint(model, joint).position)
            ends = (parent, Anchor(body=joint.child, point=joint.pose.position))
            yield _line_connector(Layer.LOOPS, model, f"{joint.name} gap", ends, 0.06 * size, color_palette.LOOP)
    for constraint in model.constraints:
        if _have_bodies(model, constraint.body1, constraint.body2):
            first = Anchor(body=constraint.body1, point=constraint.point1)
            ends = (first, Anchor(body=constraint.body2, point=constraint.point2))
            yield _line_connector(Layer.LOOPS, model, constraint.name, ends, 0.08 * size, color_palette.LOOP)


def ignored_pairs(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive | Connector]:
    """Yield lines between bodies that never collide."""
    for first, second in model.ignored_pairs:
        if _have_bodies(model, first, second):
            ends = (_center_of_mass_anchor(model, first), _center_of_mass_anchor(model, second))
            yield _line_connector(Layer.IGNORED_PAIRS, model, f"{first} and {second}", ends, 0.03 * size, color_palette.IGNORED)


def _have_bodies(model: Model, *bodies: str | None) -> bool:
    return all(body is None or body in model.bodies for body in bodies)


def _center_of_mass_anchor(model: Model, body: str) -> Anchor:
    return Anchor(body=body, point=model.bodies[body].inertial.center_of_mass)


def _spring_connector(model: Model, spring: SpringDamper, size: float) -> Connector:
    ends = (Anchor(body=spring.body1, point=spring.point1), Anchor(body=spring.body2, point=spring.point2))
    visual = spring.visual
    color = color_palette.SPRING if visual is None or visual.color is None else visual.color
    if visual is not None and visual.style == "segment":
        return _line_connector(Layer.SPRINGS, model, spring.name, ends, 0.05 * size, color)
    radius = 0.18 * size if visual is None or not visual.radius else visual.radius
    turns = COIL_COUNT if visual is None or not visual.coil_count else min(max(round(visual.coil_count), 1), 200)
    width = 2.0 * radius
    surface = coil(turns, _slenderness(model, ends, width))
    return Connector(
        layer=Layer.SPRINGS, model=model.name, name=spring.name, surface=surface, ends=ends, width=width, color=color
    )


def _slenderness(model: Model, ends: tuple[Anchor, Anchor], width: float) -> float:
    """Return the length of a spring in diameters at the initial poses, rounded so that springs share meshes."""
    first, second = (model.body_pose(end.body).transform(end.point) for end in ends)
    return min(max(float(round(norm(subtract(second, first)) / width)), 1.0), 50.0) if width > 0.0 else 1.0


def _rotational_spring_primitive(model: Model, spring: RotationalSpringDamper, size: float) -> Primitive:
    return Primitive(
        layer=Layer.SPRINGS,
        model=model.name,
        body=spring.body1,
        name=spring.name,
        surface=revolute_arrow(),
        pose=Pose(spring.point) @ rotation_to(spring.axis),
        scale=(size,) * 3,
        color=color_palette.SPRING,
    )


def _line_connector(layer: Layer, model: Model, name: str, ends: tuple[Anchor, Anchor], width: float, color: Rgba) -> Connector:
    return Connector(layer=layer, model=model.name, name=name, surface=rod(), ends=ends, width=width, color=color)


def _ball_primitive(layer: Layer, model: Model, body: str | None, name: str, pose: Pose, size: float, color: Rgba) -> Primitive:
    return Primitive(
        layer=layer, model=model.name, body=body, name=name, surface=ball(), pose=pose, scale=(size,) * 3, color=color
    )
