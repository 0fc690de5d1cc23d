"""Writes collision shapes as geometries that rigid bodies and the collision extension refer to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ossature.assets import AssetError
from ossature.formats.collada.geometry.write_shape import Geometries, WrittenShape
from ossature.formats.collada.model_write_context import ModelWriteContext
from ossature.formats.collada.native_extension.difference_encoding import encode_difference
from ossature.formats.collada.visual_scene.write import geometry_prefix
from ossature.model import Body, Collision, Geometry, Material

ENVIRONMENT, SELF = "environment", "self"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollisionGeometry:
    """The written collision shapes of a body.

    Attributes:
        shapes: The identifier of each geometry of the rigid body, with its material.
        bound: The use and the identifier of each geometry in the collision extension.
        enabled: Whether collisions of the link are enabled initially.
        is_written: Whether the collision shapes are read from these; otherwise an extension states that there are none.
        is_self_written: The same for self-collision shapes.
    """

    shapes: tuple[tuple[str, Material | None], ...] = ()
    bound: tuple[tuple[str, str], ...] = ()
    enabled: bool = True
    is_written: bool = True
    is_self_written: bool = True


@dataclass(slots=True)
class Collisions:
    """Writes collision shapes.

    Attributes:
        by_body: The written shapes of each body, by the number of the model and the name of the body.
    """

    geometries: Geometries
    by_body: dict[tuple[int, str], CollisionGeometry] = field(default_factory=dict)

    def collision_geometry(self, body: Body, model: ModelWriteContext) -> CollisionGeometry:
        """Return the collision shapes of a body, written on the first call."""
        key = (model.number, body.name)
        if key not in self.by_body:
            self.by_body[key] = self._write_geometries(body, model)
        return self.by_body[key]

    def _write_geometries(self, body: Body, model: ModelWriteContext) -> CollisionGeometry:
        enabled = not body.collisions or any(collision.enabled for collision in body.collisions)
        equals_visuals = _equals_visuals(body)
        path = f"{model.path}/{body.name}"
        shapes = self._geometry_identifiers(
            body.collisions, enabled, f"{path}.collisions", model, body, by_use=not equals_visuals
        )
        inner = self._geometry_identifiers(
            body.self_collisions or (), enabled, f"{path}.self_collisions", model, body, by_use=True
        )
        bound = [] if equals_visuals else [(ENVIRONMENT, identifier) for identifier, _ in shapes]
        bound += [(SELF, identifier) for identifier, _ in inner]
        return CollisionGeometry(
            shapes=tuple(shapes),
            bound=tuple(bound),
            enabled=enabled,
            is_written=bool(shapes),
            is_self_written=body.self_collisions is None or bool(inner),
        )

    def _geometry_identifiers(
        self, collisions: Sequence[Collision], enabled: bool, path: str, model: ModelWriteContext, body: Body, *, by_use: bool
    ) -> list[tuple[str, Material | None]]:
        """Return the geometries of collisions, each with the material that its rigid body states.

        Args:
            enabled: Whether the link collides.
            by_use: Whether they are read from the collision extension, not from the rigid body.
        """
        found = []
        for index, collision in enumerate(collisions):
            shape_path = f"{path}[{index}]"
            read = replace(
                collision,
                enabled=enabled,
                margin=0.0,
                name=collision.name if by_use else None,
                material=None if by_use else physics_material(collision.material),
            )
            note = encode_difference(shape_path, collision, read, model.writing.ledger)
            shape = WrittenShape(
                geometry=collision.geometry, pose=collision.pose, name=_geometry_name(collision, body, by_use), note=note
            )
            identifier = self.geometries.identifier(shape, geometry_prefix(body.name, model), shape_path)
            if identifier is None:
                model.writing.ledger.dropped(path, f"shape {index} is omitted")
            else:
                found.append((identifier, collision.material))
        return found


def _geometry_name(collision: Collision, body: Body, by_use: bool) -> str | None:
    """Return the name of the geometry of a collision shape: that of an equal visual shape, if there is one."""
    if by_use:
        return collision.name
    return next((visual.name for visual in body.visuals if _is_equal(visual.geometry, collision.geometry)), None)


def _equals_visuals(body: Body) -> bool:
    """Whether the collision shapes of a body equal its visual shapes, which needs no extension."""
    return len(body.visuals) == len(body.collisions) and all(
        _is_equal(visual.geometry, collision.geometry) and visual.pose == collision.pose and collision.name is None
        for visual, collision in zip(body.visuals, body.collisions, strict=True)
    )


def _is_equal(first: Geometry, second: Geometry) -> bool:
    """Whether two shapes are equal; unavailable meshes, which the ledger reports, equal no other shape."""
    try:
        return first == second
    except AssetError:
        return False


def physics_material(material: Material | None) -> Material | None:
    """Return the part of a material that a physics material represents, or None."""
    if material is None or (material.friction is None and material.restitution is None):
        return None
    return Material(name=material.name, friction=material.friction, restitution=material.restitution)
