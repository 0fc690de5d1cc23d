"""Writer of SKEL bodies and their shapes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ossature import model
from ossature.diagnostics.ledger import Ledger
from ossature.formats.skel import schema
from ossature.formats.skel.convert_pose import transformation_of
from ossature.formats.unique_element_names import written_frame_names
from ossature.model.value_text import kind_text
from ossature.spatial import IDENTITY_WXYZ, ZERO3
from ossature.syntax.schema import Element

ShapeT = TypeVar("ShapeT", model.Visual, model.Collision)


def write_body(body: model.Body, name: str, path: str, ledger: Ledger, folder: Path | None) -> schema.SkelBodyElement:
    """Return the ``<body>`` element of a body."""
    frame_names = written_frame_names(body.frames, "Unknown marker", path, ledger)
    return schema.SkelBodyElement(
        name=name,
        type="soft" if body.soft_skin is not None else None,
        gravity=body.gravity,
        self_collide=body.self_collide,
        transformation=transformation_of(body.pose, f"{path}.pose", ledger),
        inertia=_write_inertia(body.inertial, path, ledger),
        visualization_shape=tuple(
            _write_visual(visual, shape_path, ledger, folder)
            for shape_path, visual in _representable_shapes(body.visuals, f"{path}.visuals", ledger)
        ),
        collision_shape=tuple(
            _write_collision(collision, shape_path, ledger, folder)
            for shape_path, collision in _representable_shapes(body.collisions, f"{path}.collisions", ledger)
        ),
        soft_shape=_write_soft_shape(body.soft_skin, path, ledger),
        marker=tuple(
            _write_marker(frame, frame_names[index], f"{path}.frames[{index}]", ledger)
            for index, frame in enumerate(body.frames)
        ),
    )


def _representable_shapes(shapes: Sequence[ShapeT], path: str, ledger: Ledger) -> Iterator[tuple[str, ShapeT]]:
    for index, shape in enumerate(shapes):
        if type(shape.geometry) in _WRITERS:
            yield f"{path}[{index}]", shape
        else:
            ledger.dropped(f"{path}[{index}]", f"SKEL has no {kind_text(type(shape.geometry))}")


def _write_inertia(inertial: model.Inertial, path: str, ledger: Ledger) -> schema.SkelInertiaElement:
    moment = None
    if inertial.moment is not None:
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = inertial.moment
        asymmetry = max(abs(xy - yx), abs(xz - zx), abs(yz - zy))
        if asymmetry:
            ledger.approximated(f"{path}.inertial.moment", "asymmetric tensor: its upper triangle is written", error=asymmetry)
        moment = schema.MomentOfInertiaElement(ixx=xx, iyy=yy, izz=zz, ixy=xy, ixz=xz, iyz=yz)
    center = inertial.center_of_mass
    return schema.SkelInertiaElement(mass=inertial.mass, offset=None if center == ZERO3 else center, moment_of_inertia=moment)


def _write_visual(visual: model.Visual, path: str, ledger: Ledger, folder: Path | None) -> schema.VisualizationShapeElement:
    color = visual.color
    return schema.VisualizationShapeElement(
        transformation=transformation_of(visual.pose, f"{path}.pose", ledger),
        geometry=schema.SkelGeometryElement(shape=_write_shape(visual.geometry, folder)),
        color=color[:3] if color is not None and color[3] == 1.0 else color,
    )


def _write_collision(
    collision: model.Collision, path: str, ledger: Ledger, folder: Path | None
) -> schema.CollisionShapeElement:
    return schema.CollisionShapeElement(
        transformation=transformation_of(collision.pose, f"{path}.pose", ledger),
        geometry=schema.SkelGeometryElement(shape=_write_shape(collision.geometry, folder)),
        collidable=collision.enabled,
    )


def _write_marker(frame: model.Frame, name: str, path: str, ledger: Ledger) -> schema.MarkerElement:
    if frame.pose.wxyz != IDENTITY_WXYZ:
        ledger.dropped(f"{path}.pose.wxyz", "a SKEL marker has no rotation")
    return schema.MarkerElement(name=name, offset=frame.pose.position)


def _write_soft_shape(skin: model.SoftSkin | None, path: str, ledger: Ledger) -> schema.SoftShapeElement | None:
    if skin is None:
        return None
    return schema.SoftShapeElement(
        total_mass=skin.mass,
        transformation=transformation_of(skin.pose, f"{path}.soft_skin.pose", ledger),
        geometry=schema.SoftGeometryElement(shape=_write_soft_geometry(skin, path, ledger)),
        kv=skin.vertex_stiffness,
        ke=skin.edge_stiffness,
        damp=skin.damping,
    )


_SUBDIVISION_COUNTS: dict[type, int] = {model.Box: 3, model.Sphere: 2, model.Ellipsoid: 2, model.Cylinder: 3}


def _write_soft_geometry(skin: model.SoftSkin, path: str, ledger: Ledger) -> Element:
    geometry, counts = skin.geometry, skin.subdivisions
    expected = _SUBDIVISION_COUNTS[type(geometry)]
    if counts is not None and len(counts) != expected:
        ledger.dropped(f"{path}.soft_skin.subdivisions", f"{len(counts)} numbers instead of {expected}")
        counts = None
    if isinstance(geometry, model.Box):
        return schema.SkelBoxElement(size=geometry.size, frags=None if counts is None else (counts[0], counts[1], counts[2]))
    slices, stacks, rings = (*(counts or (None, None)), None)[:3]
    if isinstance(geometry, model.Sphere):
        return schema.SkelSphereElement(radius=geometry.radius, num_slices=slices, num_stacks=stacks)
    if isinstance(geometry, model.Ellipsoid):
        return schema.EllipsoidElement(size=geometry.diameters, num_slices=slices, num_stacks=stacks)
    return schema.SkelCylinderElement(
        radius=geometry.radius, height=geometry.length, num_slices=slices, num_stacks=stacks, num_rings=rings
    )


def _write_shape(geometry: model.Geometry, folder: Path | None) -> Element:
    return _WRITERS[type(geometry)](geometry, folder)


def _write_mesh(mesh: model.Mesh, folder: Path | None) -> schema.SkelMeshElement:
    uri = mesh.uri
    if folder is not None and "://" not in uri and Path(uri).is_absolute():
        uri = Path(os.path.relpath(uri, folder.resolve())).as_posix()
    return schema.SkelMeshElement(file_name=uri, scale=mesh.scale)


_WRITERS: dict[type, Callable[[Any, Path | None], Element]] = {
    model.Box: lambda box, folder: schema.SkelBoxElement(size=box.size),
    model.Sphere: lambda sphere, folder: schema.SkelSphereElement(radius=sphere.radius),
    model.Ellipsoid: lambda ellipsoid, folder: schema.EllipsoidElement(size=ellipsoid.diameters),
    model.Cylinder: lambda cylinder, folder: schema.SkelCylinderElement(radius=cylinder.radius, height=cylinder.length),
    model.Capsule: lambda capsule, folder: schema.SkelCapsuleElement(radius=capsule.radius, height=capsule.length),
    model.Cone: lambda cone, folder: schema.ConeElement(radius=cone.radius, height=cone.length),
    model.Pyramid: lambda pyramid, folder: schema.PyramidElement(
        base_width=pyramid.base_width, base_depth=pyramid.base_depth, height=pyramid.height
    ),
    model.Plane: lambda plane, folder: schema.SkelPlaneElement(normal=plane.normal, offset=plane.offset),
    model.MultiSphere: lambda multi_sphere, folder: schema.MultiSphereElement(
        sphere=tuple([schema.BallElement(radius=ball.radius, position=ball.position) for ball in multi_sphere.balls])
    ),
    model.Mesh: _write_mesh,
}
