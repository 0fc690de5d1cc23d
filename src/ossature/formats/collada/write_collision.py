"""What bodies touch → geometries, and who names them: the rigid body, and the extension for collisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ossature.assets import AssetError
from ossature.formats.collada.model_write_context import ModelWriting
from ossature.formats.collada.native_extension.encode import encode_difference
from ossature.formats.collada.write_geometry import Geometries, WrittenShape
from ossature.formats.collada.write_visual import geometry_prefix
from ossature.model import Body, Collision, Geometry, Material

ENVIRONMENT, SELF = "environment", "self"


@dataclass(frozen=True, slots=True, kw_only=True)
class CollisionGeometry:
    """What a body touches, as it is written.

    Attributes:
        shapes: The identifier of each geometry of the rigid body, with its material.
        bound: The identifiers of geometries that are named for a use, with that use.
        enabled: Whether the link collides at the start.
        is_written: Whether what is touched is read from these; else an extension says that nothing is.
        is_self_written: The same for what bodies of its own model touch.
    """

    shapes: tuple[tuple[str, Material | None], ...] = ()
    bound: tuple[tuple[str, str], ...] = ()
    enabled: bool = True
    is_written: bool = True
    is_self_written: bool = True


@dataclass(slots=True)
class Collisions:
    """Writes what bodies touch.

    Attributes:
        geometries: The geometries of the document.
        by_body: What was written for each body of a model, by the model's number and the body's name.
    """

    geometries: Geometries
    by_body: dict[tuple[int, str], CollisionGeometry] = field(default_factory=dict)

    def collision_geometry(self, body: Body, model: ModelWriting) -> CollisionGeometry:
        """Return what a body touches, with its geometries in the document."""
        key = (model.number, body.name)
        if key not in self.by_body:
            self.by_body[key] = self._write(body, model)
        return self.by_body[key]

    def _write(self, body: Body, model: ModelWriting) -> CollisionGeometry:
        enabled = not body.collisions or any(collision.enabled for collision in body.collisions)
        is_seen = _is_as_seen(body)
        path = f"{model.path}/{body.name}"
        shapes = self._identifiers(body.collisions, enabled, f"{path}.collisions", model, body, by_use=not is_seen)
        inner = self._identifiers(body.self_collisions or (), enabled, f"{path}.self_collisions", model, body, by_use=True)
        bound = [] if is_seen else [(ENVIRONMENT, identifier) for identifier, _ in shapes]
        bound += [(SELF, identifier) for identifier, _ in inner]
        return CollisionGeometry(
            shapes=tuple(shapes),
            bound=tuple(bound),
            enabled=enabled,
            is_written=bool(shapes),
            is_self_written=body.self_collisions is None or bool(inner),
        )

    def _identifiers(
        self, collisions: Sequence[Collision], enabled: bool, path: str, model: ModelWriting, body: Body, *, by_use: bool
    ) -> list[tuple[str, Material | None]]:
        """Return the geometries of collisions, each with the material that its rigid body states.

        Args:
            collisions: The collisions.
            enabled: Whether the link collides.
            path: Where in the model they are.
            model: Their model.
            body: Their body.
            by_use: Whether they are read because the extension for collisions names them, not from the rigid body.
        """
        found = []
        for index, collision in enumerate(collisions):
            here = f"{path}[{index}]"
            read = replace(
                collision,
                enabled=enabled,
                margin=0.0,
                name=collision.name if by_use else None,
                material=None if by_use else physical(collision.material),
            )
            note = encode_difference(here, collision, read, model.writing.ledger)
            shape = WrittenShape(
                geometry=collision.geometry, pose=collision.pose, name=_name(collision, body, by_use), note=note
            )
            identifier = self.geometries.identifier(shape, geometry_prefix(body.name, model), here)
            if identifier is None:
                model.writing.ledger.dropped(path, f"the one with number {index} is left out")
            else:
                found.append((identifier, collision.material))
        return found


def _name(collision: Collision, body: Body, by_use: bool) -> str | None:
    """Return the name of a collision's geometry: that of what is seen where the two are one."""
    if by_use:
        return collision.name
    return next((visual.name for visual in body.visuals if _same(visual.geometry, collision.geometry)), None)


def _is_as_seen(body: Body) -> bool:
    """Whether a body touches what is seen of it, so that no extension has to say so."""
    return len(body.visuals) == len(body.collisions) and all(
        _same(visual.geometry, collision.geometry) and visual.pose == collision.pose and collision.name is None
        for visual, collision in zip(body.visuals, body.collisions, strict=True)
    )


def _same(first: Geometry, second: Geometry) -> bool:
    """Whether two shapes are one; triangles that cannot be had are those of no other shape, which the ledger tells."""
    try:
        return first == second
    except AssetError:
        return False


def physical(material: Material | None) -> Material | None:
    """Return what a physics material says of a material."""
    if material is None or (material.friction is None and material.restitution is None):
        return None
    return Material(name=material.name, friction=material.friction, restitution=material.restitution)
