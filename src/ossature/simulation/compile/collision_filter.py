"""DART's collision filter, expressed in the engine's bit masks (MuJoCo: ``contype``, ``conaffinity``).

Bodies of different models collide. Bodies of one model collide only if self-collision is enabled for both, and never if a
joint connects them. Two shapes collide if the type of one is in the affinity of the other. A moving model with several
bodies gets a bit of its own, so that its bodies can ignore each other; adjacent bodies with self-collision are excluded
pair by pair. The engine's parent filter is disabled: it lets a body collide with a parent that is fixed to the world, and
treats bodies that a fixed joint connects as one, so that it filters more pairs than DART does.

If a body has separate self-collision shapes, those collide with its own model only: they have a bit that is in the affinity
of no other shape. Its other shapes collide with other models only, like those of a body without self-collision.

The points of soft skins have no type, so that they collide with shapes, but not with each other. The undeformed surface of a
skin has a bit of its model that is in the affinity of the points of other models only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from ossature.model import Actuation, Body, Model, World
from ossature.simulation.compile.engine_spec import SpecGeom

_ALL = 0x7FFFFFFF
_COMMON = 1
_BITS = 31


@dataclass(frozen=True, slots=True)
class Mask:
    """Collision type and affinity of one shape, as bits."""

    kind: int
    affinity: int


CLOSED = Mask(0, 0)
"""Collides with nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBits:
    """The collision types of one model; zero for a kind of shape that it does not have.

    Attributes:
        plain: Shapes that collide with other models only.
        colliding: Shapes that collide with other models and their own.
        inner: Shapes that collide with their own model only.
    """

    plain: int
    colliding: int = 0
    inner: int = 0


@dataclass(frozen=True, slots=True)
class Masks:
    """The masks of a world.

    Attributes:
        by_model: The bits of each model that needs its own.
        without_bits: Models for which no bit was left; their pairs are excluded one by one, and their self-collision shapes
            collide with nothing.
        open_affinity: All bits except those of self-collision shapes and of skins.
        skins: The bit of the undeformed skins of each model that has soft bodies, as far as there are bits left.
    """

    by_model: dict[str, ModelBits]
    without_bits: frozenset[str]
    open_affinity: int
    skins: Mapping[str, int]

    def of(self, model: Model, body: Body) -> Mask:
        """Return the mask of a body's shapes; its self-collision shapes have another one."""
        bits = self.by_model.get(model.name)
        if bits is None:
            return Mask(_COMMON, self.open_affinity)
        if body.collides_with_own_model:
            return Mask(bits.colliding, self.open_affinity & ~bits.plain)
        return Mask(bits.plain, self.open_affinity & ~bits.plain & ~bits.colliding)

    def of_skin(self, model: Model) -> Mask:
        """Return the mask of the undeformed surface of a skin that deforms."""
        return Mask(self.skins.get(model.name, 0), 0)

    def of_points(self, model: Model, body: Body) -> Mask:
        """Return the mask of the points of a skin that deforms."""
        others = sum(bit for name, bit in self.skins.items() if name != model.name)
        return Mask(0, self.of(model, body).affinity | others)

    def of_self_collisions(self, model: Model, body: Body) -> Mask:
        """Return the mask of a body's self-collision shapes."""
        bits = self.by_model.get(model.name)
        return CLOSED if bits is None or not body.self_collide else Mask(bits.inner, bits.inner | bits.colliding)


def masks_of(world: World) -> Masks:
    """Return the masks of all bodies."""
    by_model: dict[str, ModelBits] = {}
    without_bits: set[str] = set()
    next_bit = 1
    # Models with self-collision shapes come first: they cannot be filtered without bits.
    for model in sorted(world.models, key=lambda model: not has_inner_shapes(model)):
        if model.static or not _has_filtered_pairs(model):
            continue
        kinds = _kinds_of_shapes(model)
        if next_bit + len(kinds) > _BITS:
            without_bits.add(model.name)
            continue
        by_model[model.name] = ModelBits(**{kind: 1 << (next_bit + number) for number, kind in enumerate(kinds)})
        next_bit += len(kinds)
    inner = sum(bits.inner for bits in by_model.values())
    skins = _bits_of_skins(world, next_bit)
    return Masks(by_model, frozenset(without_bits), _ALL & ~inner & ~sum(skins.values()), skins)


def _bits_of_skins(world: World, first: int) -> dict[str, int]:
    """Return the bit of each model with soft bodies, from the first bit that is left; none if there is one such model."""
    soft = [model.name for model in world.models if any(body.soft_skin is not None for body in model.bodies)]
    return {name: 1 << number for name, number in zip(soft, range(first, _BITS), strict=False)} if len(soft) > 1 else {}


def _kinds_of_shapes(model: Model) -> list[str]:
    """Return the names of the bits that a model needs."""
    kinds = ["plain"]
    if any(body.collides_with_own_model for body in model.bodies):
        kinds.append("colliding")
    if has_inner_shapes(model):
        kinds.append("inner")
    return kinds


def has_inner_shapes(model: Model) -> bool:
    """Whether a model that can move has self-collision shapes."""
    return not model.static and any(body.self_collide and body.self_collisions for body in model.bodies)


def _has_filtered_pairs(model: Model) -> bool:
    collidable = _collidable_bodies(model)
    return len(collidable) > 1 and not all(body.collides_with_own_model for body in collidable)


def excluded_pairs(model: Model) -> list[tuple[str, str]]:
    """Return the pairs of bodies that collide by their masks and are to be excluded: adjacent and ignored pairs."""
    self_colliding = {body.name for body in _collidable_bodies(model) if body.self_collide}
    if len(self_colliding) < 2:
        return []
    adjacent = () if model.joined_bodies_collide else _adjacent_pairs(model)
    return [
        (first, second)
        for first, second in (*adjacent, *model.ignored_pairs)
        if first is not None and first != second and first in self_colliding and second in self_colliding
    ]


def _adjacent_pairs(model: Model) -> Iterator[tuple[str | None, str]]:
    """Yield the pairs of bodies that a joint connects.

    Bodies that locked joints connect move as one, as in OpenRAVE: the neighbours of one are adjacent to all. The engine
    ignores contacts among them.
    """
    group_of = _locked_groups(model)
    for joint in model.joints:
        first_group, second_group = (group_of.get(body, (body,)) for body in (joint.parent, joint.child))
        if first_group == second_group:
            yield joint.parent, joint.child
            continue
        for second in second_group:
            if second is not None:
                yield from ((first, second) for first in first_group)


def _locked_groups(model: Model) -> dict[str | None, tuple[str | None, ...]]:
    """Return for each body at a locked joint the bodies that locked joints connect with it; None is the world."""
    groups: dict[str | None, list[str | None]] = {}
    for joint in model.joints:
        if joint.actuation is not Actuation.LOCKED:
            continue
        first, second = groups.get(joint.parent, [joint.parent]), groups.get(joint.child, [joint.child])
        merged = first if first is second else [*first, *second]
        groups.update(dict.fromkeys(merged, merged))
    return {body: tuple(group) for body, group in groups.items()}


def pairs_without_bits(model: Model) -> Iterator[tuple[str, str]]:
    """Yield the pairs of bodies that do not collide, of a model without bits."""
    collidable = _collidable_bodies(model)
    for index, first in enumerate(collidable):
        for second in collidable[index + 1 :]:
            if not (first.collides_with_own_model and second.collides_with_own_model):
                yield first.name, second.name


def _collidable_bodies(model: Model) -> list[Body]:
    return [body for body in model.bodies if body.collisions or body.self_collisions or body.soft_skin is not None]


def apply_mask(mask: Mask, geom: SpecGeom) -> None:
    """Set the collision type and affinity of a geom."""
    geom.contype, geom.conaffinity = mask.kind, mask.affinity


_MOST_COMPARED_GEOMS = 512
"""Number of geoms up to which all pairs are compared; larger models are assumed to collide."""


def can_collide(model: mujoco.MjModel) -> bool:
    """Whether any pair of geoms of a compiled model can collide, with the masks that it has now."""
    if not model.ngeom or model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_CONTACT):
        return False
    if model.npair or model.ngeom > _MOST_COMPARED_GEOMS:
        return True
    bodies = model.geom_bodyid
    is_accepted = (model.geom_contype[:, None] & model.geom_conaffinity) != 0
    welds = model.body_weldid[bodies]
    is_allowed = (is_accepted | is_accepted.T) & (welds[:, None] != welds)
    first, second = bodies[np.array(np.nonzero(is_allowed))].astype(np.int64)
    # Both orders of each pair are there.
    signatures = (first << 16) + second
    return not set(signatures[first < second].tolist()) <= set(model.exclude_signature.tolist())
