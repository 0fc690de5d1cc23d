"""Who may touch whom, as DART decides it, in the engine's bit masks.

Bodies of different models collide. Bodies of one model do so only where both of them ask for it, and never where a joint
connects them. Two shapes collide where the type of one is in the affinity of the other. A model that moves and has several
bodies gets a bit of its own, so that its bodies can leave each other out; bodies that ask to collide and are joined are
excluded pair by pair. The engine's own filter of parents is switched off: it lets a body touch a parent that is fixed to
the world, and takes bodies that a fixed joint connects for one, so that more is left out than DART leaves out.

Where a body has shapes of its own for bodies of its model, those touch nothing else: they have a bit that is in the
affinity of no other shape. Its other shapes touch other models alone, like those of a body that asks for no collisions with
its own model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ossature.model import Body, Material, Model, World

_ALL = 0x7FFFFFFF
_COMMON = 1
_BITS = 31


@dataclass(frozen=True, slots=True)
class Mask:
    """The bits of one shape."""

    kind: int
    affinity: int


CLOSED = Mask(0, 0)
"""Collides with nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBits:
    """The bits of one model; zero for a kind of shape that it does not have.

    Attributes:
        plain: Shapes that touch other models alone.
        colliding: Shapes that touch other models and their own.
        inner: Shapes that touch their own model alone.
    """

    plain: int
    colliding: int = 0
    inner: int = 0


@dataclass(frozen=True, slots=True)
class Masks:
    """The masks of a world.

    Attributes:
        by_model: For each model that needs bits of its own, its bits.
        without_bits: Models for which no bit was left; their pairs have to be excluded one by one, and shapes that are meant
            for their own model touch nothing.
        open_affinity: All bits but those of shapes that are meant for their own model.
    """

    by_model: dict[str, ModelBits]
    without_bits: frozenset[str]
    open_affinity: int

    def of(self, model: Model, body: Body) -> Mask:
        """Return the mask of a body's shapes; of those that touch other models where it has further ones for its own."""
        bits = self.by_model.get(model.name)
        if bits is None:
            return Mask(_COMMON, self.open_affinity)
        if _collides_with_own_model(body):
            return Mask(bits.colliding, self.open_affinity & ~bits.plain)
        return Mask(bits.plain, self.open_affinity & ~bits.plain & ~bits.colliding)

    def of_self_collisions(self, model: Model, body: Body) -> Mask:
        """Return the mask of the shapes that are meant for bodies of the same model alone."""
        bits = self.by_model.get(model.name)
        if bits is None or not body.self_collide:
            return CLOSED
        return Mask(bits.inner, bits.inner | bits.colliding)


def masks_of(world: World) -> Masks:
    """Return the masks of all bodies."""
    by_model: dict[str, ModelBits] = {}
    without_bits: set[str] = set()
    next_bit = 1
    # What has shapes for itself alone comes first: it cannot do without bits.
    for model in sorted(world.models, key=lambda model: not has_inner_shapes(model)):
        if model.static or not _leaves_out_pairs(model):
            continue
        kinds = _kinds_of_shapes(model)
        if next_bit + len(kinds) > _BITS:
            without_bits.add(model.name)
            continue
        by_model[model.name] = ModelBits(**{kind: 1 << (next_bit + number) for number, kind in enumerate(kinds)})
        next_bit += len(kinds)
    inner = sum(bits.inner for bits in by_model.values())
    return Masks(by_model, frozenset(without_bits), _ALL & ~inner)


def _kinds_of_shapes(model: Model) -> list[str]:
    """Return which bits a model needs, by their names."""
    kinds = ["plain"]
    if any(map(_collides_with_own_model, model.bodies)):
        kinds.append("colliding")
    if has_inner_shapes(model):
        kinds.append("inner")
    return kinds


def has_inner_shapes(model: Model) -> bool:
    """Whether shapes of a model that can move are meant for its own bodies alone."""
    return not model.static and any(body.self_collide and body.self_collisions for body in model.bodies)


def _leaves_out_pairs(model: Model) -> bool:
    touchable = _touchable(model)
    return len(touchable) > 1 and not all(map(_collides_with_own_model, touchable))


def excluded_pairs(model: Model) -> list[tuple[str, str]]:
    """Return the pairs of bodies that would collide by their masks and do not: joined ones, and those to be ignored."""
    asking = {body.name for body in _touchable(model) if body.self_collide}
    joined = [] if model.joined_bodies_collide else [(joint.parent, joint.child) for joint in model.joints]
    return [
        (first, second)
        for first, second in (*joined, *model.ignored_pairs)
        if first is not None and first != second and first in asking and second in asking
    ]


def pairs_without_bits(model: Model) -> Iterator[tuple[str, str]]:
    """Yield the pairs of bodies of a model without bits that leave each other out."""
    touchable = _touchable(model)
    for index, first in enumerate(touchable):
        for second in touchable[index + 1 :]:
            if not (_collides_with_own_model(first) and _collides_with_own_model(second)):
                yield first.name, second.name


def _collides_with_own_model(body: Body) -> bool:
    """Whether the shapes of a body that touch other models touch its own one too."""
    return body.self_collide and body.self_collisions is None


def _touchable(model: Model) -> list[Body]:
    return [body for body in model.bodies if body.collisions or body.self_collisions or body.soft_skin is not None]


FRICTION_OF_A_MATERIAL = 0.8
"""Coefficient of friction of a material that states none: Chrono's."""


def friction_of(material: Material) -> float:
    """Return the coefficient of friction of a material."""
    return FRICTION_OF_A_MATERIAL if material.friction is None else material.friction


def friction_ranks(world: World) -> dict[float, int]:
    """Return for each coefficient of friction of the World's materials how many of them are larger.

    The engine takes the friction of the shape of higher priority. With these ranks for priorities it takes the smaller of
    two coefficients, as Chrono does.
    """
    bodies = [body for model in world.models for body in model.bodies]
    shapes = [shape for body in bodies for shape in (*body.collisions, *(body.self_collisions or ()))]
    found = sorted({friction_of(shape.material) for shape in shapes if shape.material is not None}, reverse=True)
    return {friction: rank + 1 for rank, friction in enumerate(found)}


def apply(mask: Mask, geom: Any) -> None:
    """Give a geom its bits."""
    geom.contype, geom.conaffinity = mask.kind, mask.affinity
