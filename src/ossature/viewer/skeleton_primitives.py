"""Stick figures: rods between the joints of each body, and boxes of equal inertia for bodies without shapes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ossature.assets import AssetError, MeshStore
from ossature.kinematics import model_poses, spanning_tree
from ossature.kinematics.disjoint_sets import DisjointSets
from ossature.model import Body, Box, Geometry, Joint, LazyMesh, Mesh, Model, TriangleMesh
from ossature.model.tessellation import tessellate
from ossature.spatial import Pose
from ossature.viewer import color_palette
from ossature.viewer.body_markers import ellipsoid_of
from ossature.viewer.marker_meshes import ball, rod
from ossature.viewer.scene_elements import Anchor, Connector, Primitive
from ossature.viewer.scene_layers import Layer

_BALL, _MASS_BALL, _ROD = 0.25, 0.5, 0.1
"""Diameters of joints, masses and rods, in lengths of frame axes."""
_BOX_OF_ELLIPSOID = math.sqrt(0.6)
"""Size of a box in diameters of the ellipsoid with the same mass and moments of inertia."""
_LARGEST_BOX = 0.6
"""Longest edge of a box that is drawn, in sizes of the model."""
_LIGHTEST_BOX = 1.2
"""Smallest density of a box that is drawn: that of air at 20 °C [kg/m³]. Moments of a lighter one are placeholders."""
_MINOR_MASS = 0.1
"""Share of a model's mass below which bodies without shapes need no skeleton."""


def skeleton(model: Model, size: float, meshes: MeshStore) -> Iterator[Primitive | Connector]:
    """Yield the stick figure of a model: a ball at each joint, rods between the joints of a body, and boxes of equal mass and
    moments of inertia for moving bodies that no shape shows. If a box is about as large as the model, or lighter than air,
    placeholder moments of a file would cover the model: a ball at the centre of mass and a rod to it are drawn instead.
    """
    tree = spanning_tree(model)
    inboard = {branch.body.name: branch.inboard for branch in tree.branches}
    for joint in model.joints:
        if joint.child in model.bodies and (joint.parent is None or joint.parent in model.bodies):
            yield _joint_ball(model, joint, size)
            yield from _rod_to_joint(model, joint, inboard.get(joint.parent or ""), size)
    extent = _extent(model)
    shown = _shown_bodies(model, meshes)
    for name in sorted(tree.moving_bodies()):
        body = model.bodies[name]
        if name not in shown:
            box = _inertia_box(model, body, extent, meshes)
            yield from _point_mass(model, body, inboard.get(name), size) if box is None else (box,)


def _extent(model: Model) -> float:
    """Return the diagonal of the bounding box of centres of mass, joints and spring ends [m]; infinite for a single point."""
    poses = model_poses(model)
    points = [poses[body.name].transform(body.inertial.center_of_mass) for body in model.bodies]
    points += [poses[joint.child].transform(joint.pose.position) for joint in model.joints if joint.child in poses]
    for spring in model.spring_dampers:
        ends = ((spring.body1, spring.point1), (spring.body2, spring.point2))
        points += [poses[body].transform(point) for body, point in ends if body is not None and body in poses]
    lower, upper = (tuple(extreme(axis) for axis in zip(*points, strict=True)) for extreme in (min, max))
    return math.dist(lower, upper) or math.inf


def needs_skeleton(model: Model, meshes: MeshStore) -> bool:
    """Whether the shapes of a model do not show its bodies: a mesh is unavailable, or much of the mass that moves has none."""
    if model.static or not len(model.bodies):
        return False
    geometries = [visual.geometry for body in model.bodies for visual in body.visuals]
    geometries += [collision.geometry for body in model.bodies for collision in body.collisions]
    if not geometries or not all(is_available(geometry, meshes) for geometry in geometries):
        return True
    moving = spanning_tree(model).moving_bodies()
    bodies = [body for body in model.bodies if body.name in moving and 0.0 < body.inertial.mass < math.inf]
    masses = {body.name: body.inertial.mass for body in bodies}
    shown = _shown_bodies(model, meshes)
    return sum(mass for name, mass in masses.items() if name not in shown) > _MINOR_MASS * sum(masses.values())


def is_available(geometry: Geometry, meshes: MeshStore) -> bool:
    """Whether a shape can be drawn; loads its mesh."""
    if isinstance(geometry, Mesh | TriangleMesh):
        try:
            meshes.triangles(geometry)
        except AssetError:
            return False
    return True


def _shown_bodies(model: Model, meshes: MeshStore) -> set[str]:
    """Return the names of the bodies that shapes show: their own, or those of a body that is fixed to them."""
    rigid = DisjointSets[str]()
    for joint in model.joints:
        if joint.parent is not None and joint.degrees_of_freedom == 0:
            rigid.join(joint.parent, joint.child)
    shown = {rigid.find(body.name) for body in model.bodies if _has_shape(body, meshes)}
    return {body.name for body in model.bodies if rigid.find(body.name) in shown}


def _has_shape(body: Body, meshes: MeshStore) -> bool:
    shown = [visual.geometry for visual in body.visuals if visual.visible]
    shown += [collision.geometry for collision in body.collisions]
    return body.soft_skin is not None or any(is_available(geometry, meshes) for geometry in shown)


def _joint_ball(model: Model, joint: Joint, size: float) -> Primitive:
    return Primitive(
        layer=Layer.SKELETON,
        model=model.name,
        body=joint.child,
        name=joint.name,
        surface=ball(),
        pose=joint.pose,
        scale=(_BALL * size,) * 3,
        color=color_palette.SKELETON_JOINT if joint.degrees_of_freedom else color_palette.SKELETON,
    )


def _rod_to_joint(model: Model, joint: Joint, inboard: Joint | None, size: float) -> Iterator[Connector]:
    if joint.parent is None:
        return
    start = Anchor(body=joint.parent, point=(0.0, 0.0, 0.0) if inboard is None else inboard.pose.position)
    yield Connector(
        layer=Layer.SKELETON,
        model=model.name,
        name=f"{joint.parent} to {joint.name}",
        surface=rod(),
        ends=(start, Anchor(body=joint.child, point=joint.pose.position)),
        width=_ROD * size,
        color=color_palette.SKELETON,
    )


def _point_mass(model: Model, body: Body, inboard: Joint | None, size: float) -> Iterator[Primitive | Connector]:
    """Yield a ball at the centre of mass of a body, and a rod to it from its inboard joint; nothing without a mass."""
    center = body.inertial.center_of_mass
    if not 0.0 < body.inertial.mass < math.inf:
        return
    yield Primitive(
        layer=Layer.SKELETON,
        model=model.name,
        body=body.name,
        name=f"{body.name} mass",
        surface=ball(),
        pose=Pose(center),
        scale=(_MASS_BALL * size,) * 3,
        color=color_palette.INERTIA_BOX,
    )
    if inboard is not None and math.dist(inboard.pose.position, center) > 0.0:
        yield Connector(
            layer=Layer.SKELETON,
            model=model.name,
            name=f"{inboard.name} to the mass of {body.name}",
            surface=rod(),
            ends=(Anchor(body=body.name, point=inboard.pose.position), Anchor(body=body.name, point=center)),
            width=_ROD * size,
            color=color_palette.SKELETON,
        )


def _inertia_box(model: Model, body: Body, extent: float, meshes: MeshStore) -> Primitive | None:
    """Return the box of equal mass and moments of inertia, or None if it is unknown, too large or too light."""
    if body.inertial.moment is None:
        return None
    found = ellipsoid_of(body, meshes)
    if found is None:
        return None
    pose, (x, y, z) = found
    edges = (_BOX_OF_ELLIPSOID * x, _BOX_OF_ELLIPSOID * y, _BOX_OF_ELLIPSOID * z)
    if max(edges) > _LARGEST_BOX * extent or body.inertial.mass < _LIGHTEST_BOX * math.prod(edges):
        return None
    return Primitive(
        layer=Layer.SKELETON,
        model=model.name,
        body=body.name,
        name=f"{body.name} inertia box",
        surface=_UNIT_BOX,
        pose=pose,
        scale=edges,
        color=color_palette.INERTIA_BOX,
    )


_UNIT_BOX = LazyMesh(lambda: tessellate(Box(size=(1.0, 1.0, 1.0))))
