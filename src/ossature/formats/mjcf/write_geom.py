"""Writer of shapes: visual and collision shapes as geoms, with the contact parameters that MuJoCo has."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import merge
from operator import itemgetter
from typing import Any, TypeAlias

from ossature.assets import AssetError
from ossature.formats.mjcf.attribute_text import numbers_text
from ossature.formats.mjcf.convex_hull_points_of_shapes import HULLS, hull_error
from ossature.formats.mjcf.passthrough import FORMAT, content_nodes
from ossature.formats.mjcf.write_context import MjcfDocument
from ossature.formats.mjcf.write_meshes import MeshAssets
from ossature.formats.mjcf.write_mujoco_hints import hint_attributes
from ossature.model import (
    Body,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Extension,
    Frame,
    HeightField,
    Material,
    Mesh,
    Model,
    MujocoGeom,
    MujocoSite,
    Plane,
    Rgba,
    Sphere,
    Visual,
    hint_of,
)
from ossature.model.value_text import kind_text, value_text
from ossature.spatial import Pose, normalized, quaternion_between, scale
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

VISUAL_CLASS = "visual"
COLLISION_CLASS = "collision"
_HIDDEN_GROUPS = 3
_DISPLAYED_GROUP, COLLISION_GROUP = 2, 3
HIDDEN_GROUP = 5
"""Group of visual shapes that are not drawn at the start; viewers hide it by default."""
DEFAULT_FRICTION = 0.8
"""Coefficient of friction of a material that specifies none."""
_DEFAULT_COLOR = (0.5, 0.5, 0.5, 1.0)
MUJOCO_FRICTION = (1.0, 0.005, 0.0001)
"""MuJoCo's default coefficients of sliding, torsional and rolling friction."""
_CLOSED = {"contype": "0", "conaffinity": "0"}
IndexedShape: TypeAlias = tuple[Visual | None, int, Collision | None, int]
"""A visual shape and its index, and a collision shape and its index, one of which may be missing."""


@dataclass(slots=True)
class GeomWriter:
    """Writes the shapes of bodies.

    Attributes:
        friction_ranks: Priorities of coefficients of friction: the smaller one of two applies.
    """

    document: MjcfDocument
    assets: MeshAssets
    friction_ranks: Mapping[float, int]

    def write(self, model: Model, body: Body, node: XmlNode, path: str, *, is_static: bool) -> None:
        """Add the shapes and frames of a body to its element."""
        merged = _merged_shapes(body) if self.document.is_mjcf_world else _separate_shapes(body)
        for visual, visual_index, collision, collision_index in merged:
            shape: Visual | Collision | None = collision or visual
            assert shape is not None  # noqa: S101  # one of them is there
            kind = f"visuals[{visual_index}]" if collision is None else f"collisions[{collision_index}]"
            where = f"{path}.{kind}"
            geoms = self._geoms(shape, where, model, body, is_static=is_static, is_visual=collision is None)
            for geom in geoms:
                if collision is not None:
                    self._set_contact(geom, collision)
                    if not collision.enabled:
                        self._record_disabled(where)
                if isinstance(shape.geometry, Plane) and self.document.is_mjcf_world:
                    self._record_plane(shape.geometry, path, visual_index, collision_index)
                if visual is not None:
                    self._set_appearance(geom, model, visual, f"{path}.visuals[{visual_index}]")
                if self.document.is_mjcf_world:
                    self._set_native(model, geom, visual, collision, where)
                node.children.append(geom)
            if geoms and shape.name:
                self.document.geom_names.setdefault((model.name, body.name, shape.name), geoms[0].attributes["name"])
            if geoms and collision is not None:
                self.document.collision_nodes[model.name, body.name, collision_index] = geoms[0]
            if geoms and collision is not None and collision.enabled:
                self._add_collidable(model, body)
        if body.soft_skin is not None:
            detail = "the surface of a soft body: its undeformed shape collides"
            self.document.ledger.approximated(f"{path}.soft_skin", detail)
            self.document.ledger.rewritten(f"{path}.collisions", "with the undeformed surface of the soft body")
            skin = Collision(geometry=body.soft_skin.geometry, pose=body.soft_skin.pose)
            node.children += self._geoms(skin, f"{path}.soft_skin", model, body, is_static=is_static, is_visual=False)
            self._add_collidable(model, body)
        for frame in body.frames:
            node.children.append(self._site(frame, model, body, f"{path}.{frame.name}"))

    def _add_collidable(self, model: Model, body: Body) -> None:
        names = self.document.collidable.setdefault(model.name, [])
        if not names or names[-1] != body.name:
            names.append(body.name)

    def _geoms(
        self, shape: Visual | Collision, path: str, model: Model, body: Body, *, is_static: bool, is_visual: bool
    ) -> list[XmlNode]:
        """Return the geoms of a shape: several if its mesh has several materials; none, with a ledger entry, if none can be."""
        geometry, pose = shape.geometry, shape.pose
        kind = VISUAL_CLASS if is_visual else COLLISION_CLASS
        own = {"class": kind}
        if shape.name:
            own["name"] = self.document.names.take("geom", model.name, shape.name, path)
        solid = self._solid(geometry, pose)
        if isinstance(geometry, Plane) and is_static:
            for field in ("geometry", "pose"):
                self.document.ledger.rewritten(f"{path}.{field}", "a plane of MuJoCo has the normal z and contains its origin")
        if isinstance(geometry, Plane) and not is_static:
            return self._dropped(path, "MuJoCo has planes on fixed bodies only", shape)
        if solid is not None and not solid:
            return self._dropped(path, "its size is not positive", shape)
        if solid is not None:
            return [element("geom", own | solid)]
        try:
            hint = hint_of(shape, MujocoGeom)
            limit = None if hint is None else hint.maxhullvert
            parts = self.assets.parts_of(geometry, path, is_visual=is_visual, hull_vertices=limit)
        except AssetError as error:
            return self._dropped(path, f"unavailable mesh: {error.reason}", shape)
        if type(geometry) in HULLS:
            detail = f"MuJoCo has no {kind_text(type(geometry))}: a mesh"
            largest = hull_error(geometry)
            if largest:
                self.document.ledger.approximated(f"{path}.geometry", detail, error=largest)
            else:
                self.document.ledger.rewritten(f"{path}.geometry", detail)
        geoms = []
        for number, part in enumerate(parts):
            attributes = {**(own if number == 0 else {"class": kind}), "type": "mesh", "mesh": part.mesh}
            attributes |= self.document.pose_attributes(_without_rounding(pose) if self.document.is_mjcf_world else pose)
            if part.material is not None:
                attributes["material"] = part.material
            geoms.append(element("geom", attributes))
        return geoms

    def _solid(self, geometry: Any, pose: Pose) -> dict[str, str] | None:
        """Return type, size and pose of a shape that is not a mesh; nothing if its size is invalid; None for a mesh."""
        size = _SIZES.get(type(geometry))
        if size is not None:
            words, values = size(geometry)
            is_valid = all(math.isfinite(value) and value > 0.0 for value in values)
            return {"type": words, "size": numbers_text(values), **self.document.pose_attributes(pose)} if is_valid else {}
        if isinstance(geometry, Plane):
            turned = quaternion_between((0.0, 0.0, 1.0), geometry.normal)
            at = pose @ Pose(scale(geometry.normal, geometry.offset), turned)
            return {"type": "plane", "size": "0 0 1", **self.document.pose_attributes(at)}
        if isinstance(geometry, HeightField):
            return {"type": "hfield", "hfield": self.assets.height_field(geometry), **self.document.pose_attributes(pose)}
        return None

    def _record_disabled(self, path: str) -> None:
        """Record that a file has a collision shape that is disabled as a visual shape."""
        ledger = self.document.ledger
        ledger.rewritten(path.rpartition("[")[0], "a disabled collision shape is a geom that does not collide")
        ledger.rewritten(f"{path.rpartition('.')[0]}.visuals", "geoms that do not collide are visual shapes")

    def _dropped(self, path: str, reason: str, shape: Visual | Collision) -> list[XmlNode]:
        geometry = shape.geometry
        before = geometry.uri if isinstance(geometry, Mesh) else value_text(geometry)
        self.document.ledger.dropped(path, reason, before=before, location=shape.origin)
        return []

    def _set_contact(self, geom: XmlNode, collision: Collision) -> None:
        if not collision.enabled:
            geom.attributes |= _CLOSED
        if collision.margin:
            geom.attributes["margin"] = format_number(collision.margin)
        if collision.material is None:
            return
        is_mjcf_world = self.document.is_mjcf_world
        dimension = 3 if is_mjcf_world or hint_of(collision, MujocoGeom) is not None else contact_dimension(collision.material)
        if dimension > 3:
            geom.attributes["condim"] = str(dimension)
        friction = written_frictions(collision.material, is_mjcf_world=is_mjcf_world, resists_turning=dimension > 3)
        if friction:
            geom.attributes["friction"] = numbers_text(friction)
        if len(self.friction_ranks) > 1 and not self.document.is_mjcf_world:
            geom.attributes["priority"] = str(self.friction_ranks[friction_of(collision.material)])

    def _color_of(self, model: Model, appearance: str | None) -> Rgba | None:
        return model.appearances[appearance].color if appearance is not None and appearance in model.appearances else None

    def _set_appearance(self, geom: XmlNode, model: Model, visual: Visual, path: str) -> None:
        own = self._color_of(model, visual.appearance)
        if visual.color is None and visual.appearance is None and "material" in geom.attributes:
            for field in ("color", "appearance"):
                self.document.ledger.rewritten(f"{path}.{field}", "that of its mesh", after=geom.attributes["material"])
        if visual.color is not None and visual.color != own:
            geom.attributes.pop("material", None)
            geom.attributes["rgba"] = numbers_text(visual.color)
            if visual.color == _DEFAULT_COLOR:
                self.document.ledger.rewritten(f"{path}.color", "MuJoCo's default")
        if visual.appearance is not None:
            geom.attributes["material"] = self.document.names.wanted("material", model.name, visual.appearance)
        if visual.color is None and own is not None and self.document.is_mjcf_world:
            self.document.ledger.rewritten(f"{path}.color", "that of its appearance", after=value_text(own))
        if not visual.visible and not self.document.is_mjcf_world:
            geom.attributes["group"] = str(HIDDEN_GROUP)
            self.document.ledger.rewritten(f"{path}.visible", f"in group {HIDDEN_GROUP}, which viewers hide")

    def _set_native(self, model: Model, geom: XmlNode, visual: Visual | None, collision: Collision | None, path: str) -> None:
        """Set the attributes of a geom that a World for MuJoCo states, and its class if it has that of the menagerie."""
        shape = collision or visual
        hint = None if shape is None else hint_of(shape, MujocoGeom)
        specified = hint_attributes(hint, "maxhullvert")
        if hint is not None:
            if hint.rgba is not None:
                specified["rgba"] = numbers_text(hint.rgba)
            if hint.appearance is not None:
                specified["material"] = self.document.names.wanted("material", model.name, hint.appearance)
            if hint.size is not None and geom.attributes["type"] == "plane":
                specified["size"] = numbers_text((*hint.size, 0.0, 0.0, 0.0)[:3])
            if hint.plugin is not None:
                geom.children += content_nodes(
                    [Extension(format=FORMAT, key="plugin", value=hint.plugin)], "", self.document.ledger
                )
        geom.attributes |= specified
        if geom.attributes["type"] == "plane" and (hint is None or hint.size is None):
            self.document.ledger.rewritten(f"{path}.hints", "the size with which a plane is displayed")
        self._set_kind(geom, visual, collision, path)
        is_closed = all(geom.attributes.get(name) == value for name, value in _CLOSED.items())
        group = geom.attributes.get("group", "0")
        if is_closed and group == "2":
            geom.attributes["class"] = VISUAL_CLASS
        elif not _CLOSED.keys() & geom.attributes.keys() and group == "3":
            geom.attributes["class"] = COLLISION_CLASS
        else:
            del geom.attributes["class"]

    def _record_plane(self, plane: Plane, path: str, visual: int, collision: int) -> None:
        """Record the form of a plane that is not the one along x and y of its pose."""
        if plane == Plane():
            return
        for kind, number in (("visuals", visual), ("collisions", collision)):
            for field in ("geometry", "pose") if number >= 0 else ():
                self.document.ledger.rewritten(f"{path}.{kind}[{number}].{field}", "the plane along x and y of its pose")

    def _set_kind(self, geom: XmlNode, visual: Visual | None, collision: Collision | None, path: str) -> None:
        """Set contact bits and group so that a geom is displayed if it is a visual shape, and collides if it can."""
        ledger, attributes = self.document.ledger, geom.attributes
        can_collide = collision is not None and collision.enabled
        if not can_collide:
            if any(attributes.get(name, "0") != "0" for name in _CLOSED):
                ledger.rewritten(f"{path}.hints", "contact bits of a geom that does not collide")
            attributes |= _CLOSED
        elif all(attributes.get(name) == value for name, value in _CLOSED.items()):
            ledger.rewritten(path, "a collision shape whose contact bits are zero is a geom that does not collide")
            ledger.rewritten(f"{path.rpartition('.')[0]}.visuals", "geoms that do not collide are visual shapes")
        group = int(attributes.get("group", "0"))
        is_displayed = visual is not None and visual.visible
        if is_displayed != (group < _HIDDEN_GROUPS):
            attributes["group"] = str(_DISPLAYED_GROUP if is_displayed else COLLISION_GROUP if can_collide else HIDDEN_GROUP)
            detail = "viewers display groups 0 to 2, and hide others"
            ledger.rewritten(f"{path}.hints", detail, before=str(group), after=attributes["group"])

    def _site(self, frame: Frame, model: Model, body: Body, path: str) -> XmlNode:
        name = self.document.names.take("site", model.name, frame.name, path)
        self.document.site_names[model.name, body.name, frame.name] = name
        attributes = {"name": name, **self.document.pose_attributes(frame.pose)}
        solid = None if frame.geometry is None else self._solid(frame.geometry, frame.pose)
        if solid:
            attributes |= solid
            if solid["type"] == "sphere":
                del attributes["type"]
        elif frame.geometry is not None:
            self.document.ledger.dropped(f"{path}.geometry", "MuJoCo has no such site", before=value_text(frame.geometry))
        if frame.color is not None and frame.color != self._color_of(model, frame.appearance):
            attributes["rgba"] = numbers_text(frame.color)
        if frame.appearance is not None:
            attributes["material"] = self.document.names.wanted("material", model.name, frame.appearance)
        return element("site", attributes | hint_attributes(hint_of(frame, MujocoSite)))


def _without_rounding(pose: Pose) -> Pose:
    """Return a pose without the rounding errors of MuJoCo's frames of meshes."""
    x, y, z = (round(value, _DECIMALS) + 0.0 for value in pose.position)
    w, i, j, k = (round(value, _DECIMALS) + 0.0 for value in pose.wxyz)
    return Pose((x, y, z), normalized((w, i, j, k)))


_DECIMALS = 13


def _separate_shapes(body: Body) -> list[IndexedShape]:
    visuals: list[IndexedShape] = [(visual, index, None, -1) for index, visual in enumerate(body.visuals)]
    return [*visuals, *[(None, -1, collision, index) for index, collision in enumerate(body.collisions)]]


def _merged_shapes(body: Body) -> list[IndexedShape]:
    """Return the shapes of a body in the order of their file, equal visual and collision shapes together."""
    found: list[IndexedShape] = []
    pending = list(enumerate(body.visuals))
    for number, collision in enumerate(body.collisions):
        twin = next((at for at, (_, visual) in enumerate(pending) if _are_one_geom(visual, collision)), None)
        if twin is None:
            found.append((None, -1, collision, number))
            continue
        found += [(visual, index, None, -1) for index, visual in pending[:twin]]
        found.append((pending[twin][1], pending[twin][0], collision, number))
        pending = pending[twin + 1 :]
    found += [(visual, index, None, -1) for index, visual in pending]
    origins = [shape.origin for entry in found for shape in (entry[2] or entry[0],) if shape is not None and shape.origin]
    if len(origins) < len(found) or len({id(origin.source) for origin in origins}) != 1:
        return found
    # Replicated shapes have one place in the file, so that only the order of visual and collision shapes follows from it.
    placed = [(origin.offset or 0, entry) for origin, entry in zip(origins, found, strict=True)]
    visuals, collisions = ([each for each in placed if (each[1][2] is None) is is_visual] for is_visual in (True, False))
    return [entry for _, entry in merge(visuals, collisions, key=itemgetter(0))]


def _are_one_geom(visual: Visual, collision: Collision) -> bool:
    hint = hint_of(collision, MujocoGeom)
    is_hidden = not visual.visible or (hint is not None and hint.group is not None and hint.group >= _HIDDEN_GROUPS)
    # One geom has its hint on the collision shape, and is displayed.
    is_separate = hint_of(visual, MujocoGeom) is not None or is_hidden or not collision.enabled
    return not is_separate and (visual.name, visual.pose, visual.geometry) == (
        collision.name,
        collision.pose,
        collision.geometry,
    )


def contact_dimension(material: Material) -> int:
    """Return MuJoCo's ``condim`` of contacts with the friction of a material: 4 with turning, 6 with rolling too."""
    if material.rolling_friction:
        return 6
    return 4 if material.torsional_friction else 3


def written_frictions(material: Material, *, is_mjcf_world: bool, resists_turning: bool) -> tuple[float, ...]:
    """Return the coefficients of friction of a geom up to the last one that is specified."""
    if not is_mjcf_world:
        specified = (friction_of(material), material.torsional_friction, material.rolling_friction)
    else:
        specified = (material.friction, material.torsional_friction, material.rolling_friction)  # type: ignore[assignment]
    defaults = (MUJOCO_FRICTION[0], 0.0, 0.0) if resists_turning else MUJOCO_FRICTION
    values = [default if value is None else value for value, default in zip(specified, defaults, strict=True)]
    last = max((number for number, value in enumerate(specified) if value is not None), default=-1)
    return tuple(values[: last + 1])


def friction_of(material: Material) -> float:
    """Return the coefficient of friction of a material."""
    return DEFAULT_FRICTION if material.friction is None else material.friction


_SIZES: dict[type, Callable[[Any], tuple[str, tuple[float, ...]]]] = {
    Box: lambda box: ("box", scale(box.size, 0.5)),
    Sphere: lambda sphere: ("sphere", (sphere.radius,)),
    Ellipsoid: lambda ellipsoid: ("ellipsoid", scale(ellipsoid.diameters, 0.5)),
    Cylinder: lambda cylinder: ("cylinder", (cylinder.radius, cylinder.length / 2)),
    Capsule: lambda capsule: ("capsule", (capsule.radius, capsule.length / 2)),
}
"""Type and size of a geom, which is half of the lengths."""
