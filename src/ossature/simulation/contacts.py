"""Who may touch whom, as DART decides it, in the engine's bit masks.

Bodies of different models collide. Bodies of one model do so only where both of them ask for it, and never where a joint
connects them. Two shapes collide where the type of one is in the affinity of the other. A model that moves and has several
bodies gets a bit of its own, so that its bodies can leave each other out; bodies that ask to collide and are joined are
excluded pair by pair. The engine's own filter of parents is switched off: it lets a body touch a parent that is fixed to
the world, and takes bodies that a fixed joint connects for one, so that more is left out than DART leaves out.
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


OPEN = Mask(_COMMON, _ALL)
"""Collides with everything."""
CLOSED = Mask(0, 0)
"""Collides with nothing."""


@dataclass(frozen=True, slots=True)
class Masks:
    """The masks of a world.

    Attributes:
        by_model: For each model that needs bits of its own, the masks of its plain and of its self-colliding bodies.
        without_bits: Models for which no bit was left; their pairs have to be excluded one by one.
    """

    by_model: dict[str, tuple[Mask, Mask]]
    without_bits: frozenset[str]

    def of(self, model: Model, body: Body) -> Mask:
        """Return the mask of a body's shapes."""
        plain, self_colliding = self.by_model.get(model.name, (OPEN, OPEN))
        return self_colliding if body.self_collide else plain


def masks_of(world: World) -> Masks:
    """Return the masks of all bodies."""
    by_model: dict[str, tuple[Mask, Mask]] = {}
    without_bits: set[str] = set()
    next_bit = 1
    for model in world.models:
        if model.static or not _leaves_out_pairs(model):
            continue
        mixed = any(body.self_collide for body in model.bodies)
        needed = 2 if mixed else 1
        if next_bit + needed > _BITS:
            without_bits.add(model.name)
            continue
        plain = 1 << next_bit
        colliding = 1 << (next_bit + 1) if mixed else 0
        next_bit += needed
        by_model[model.name] = (Mask(plain, _ALL & ~plain & ~colliding), Mask(colliding, _ALL & ~plain))
    return Masks(by_model, frozenset(without_bits))


def _leaves_out_pairs(model: Model) -> bool:
    touchable = _touchable(model)
    return len(touchable) > 1 and not all(body.self_collide for body in touchable)


def joined_pairs(model: Model) -> Iterator[tuple[str, str]]:
    """Yield the pairs of bodies that would collide by their masks and do not, because a joint connects them."""
    if model.joined_bodies_collide:
        return
    asking = {body.name for body in _touchable(model) if body.self_collide}
    pairs = {(joint.parent, joint.child): None for joint in model.joints if joint.parent is not None}
    for parent, child in pairs:
        if parent in asking and child in asking:
            yield parent, child


def pairs_without_bits(model: Model) -> Iterator[tuple[str, str]]:
    """Yield the pairs of bodies of a model without bits that leave each other out."""
    touchable = _touchable(model)
    for index, first in enumerate(touchable):
        for second in touchable[index + 1 :]:
            if not (first.self_collide and second.self_collide):
                yield first.name, second.name


def _touchable(model: Model) -> list[Body]:
    return [body for body in model.bodies if body.collisions or body.soft_skin is not None]


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
    shapes = (collision for model in world.models for body in model.bodies for collision in body.collisions)
    found = sorted({friction_of(shape.material) for shape in shapes if shape.material is not None}, reverse=True)
    return {friction: rank + 1 for rank, friction in enumerate(found)}


def apply(mask: Mask, geom: Any) -> None:
    """Give a geom its bits."""
    geom.contype, geom.conaffinity = mask.kind, mask.affinity
