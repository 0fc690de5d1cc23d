"""Passes: express MuJoCo's contact bits (``contype``, ``conaffinity``) by the collision filters of other formats.

Two shapes collide in MuJoCo if the type of one has a bit of the affinity of the other. So two bodies never collide if no type
of the shapes of one has a bit of an affinity of the other. Shapes of one body that differ in their bits are not distinguished.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from ossature.diagnostics import Ledger
from ossature.diagnostics.counted_nouns import counted
from ossature.formats.format import WriteContext
from ossature.model import Body, Fixed, Model, MujocoGeom, NamedList, World, hint_of
from ossature.model.name_references import references
from ossature.model.unique_names import unique_name

_DEFAULT_BITS = 1


def express_contact_bits_by_pairs(world: World, context: WriteContext) -> World:
    """Return a World in which bodies that contact bits keep apart are pairs that never collide."""

    def with_pairs(model: Model) -> Model:
        return _with_ignored_pairs(model, model.bodies.names(), context.ledger)

    return replace(world, models=world.models.map(with_pairs)) if _has_contact_bits(world) else world


def express_contact_bits_by_self_collision(world: World, context: WriteContext) -> World:
    """Return a World in which bodies that contact bits keep apart from all others of their model have no self-collision.

    If bodies collide with fixed ones only, such as a floor, these become a static model, with which they still collide. Other
    bodies that contact bits keep apart become pairs that never collide, for which the format may have no element.
    """
    if not _has_contact_bits(world):
        return world
    models: list[Model] = []
    for model in world.models:
        fixed = _fixed_bodies_that_collide_with_all(model)
        moving = replace(model, bodies=NamedList([body for body in model.bodies if body.name not in fixed]))
        separate = _bodies_apart_from_all(moving)
        if separate and fixed:
            ground = _ground_model(model, fixed, {*world.models.names(), *(one.name for one in models)})
            context.ledger.added(ground.name, "the fixed bodies, with which bodies without self-collision collide")
            for moved, kind in ((ground.bodies, "body"), (ground.joints, "joint")):
                for one in moved:
                    context.ledger.rewritten(f"{model.name}/{one.name}", f"a {kind} of the static model '{ground.name}'")
            models.append(ground)
            joints = [joint for joint in model.joints if joint.child not in fixed]
            model = replace(moving, joints=NamedList(joints))
        for name in separate:
            context.ledger.rewritten(f"{model.name}/{name}.self_collide", "contact bits keep a body apart from the others")
        bodies = model.bodies.replaced(*[replace(model.bodies[name], self_collide=False) for name in separate])
        others = [name for name in bodies.names() if name not in separate]
        models.append(_with_ignored_pairs(replace(model, bodies=bodies), others, context.ledger))
    return replace(world, models=NamedList(models))


def _has_contact_bits(world: World) -> bool:
    return any(
        (hint.contype, hint.conaffinity) != (None, None)
        for model in world.models
        for body in model.bodies
        for collision in body.collisions
        if (hint := hint_of(collision, MujocoGeom)) is not None
    )


@dataclass(frozen=True, slots=True)
class _ContactBits:
    """The types and the affinities of the shapes of a body."""

    types: int
    affinities: int

    @staticmethod
    def of(body: Body) -> _ContactBits:
        types = affinities = 0
        for collision in body.collisions:
            hint = hint_of(collision, MujocoGeom)
            types |= _DEFAULT_BITS if hint is None or hint.contype is None else hint.contype
            affinities |= _DEFAULT_BITS if hint is None or hint.conaffinity is None else hint.conaffinity
        return _ContactBits(types, affinities)

    def match(self, other: _ContactBits) -> bool:
        return bool(self.types & other.affinities or other.types & self.affinities)


def _bits_by_body(model: Model) -> dict[str, _ContactBits]:
    """Return the contact bits of the bodies that collide with anything."""
    bits = {body.name: _ContactBits.of(body) for body in model.bodies if body.collisions}
    return {name: each for name, each in bits.items() if each.types or each.affinities}


def _with_ignored_pairs(model: Model, names: Collection[str], ledger: Ledger) -> Model:
    """Return a model in which those of some bodies that contact bits keep apart are pairs that never collide."""
    bits = _bits_by_body(model)
    filtered = {frozenset(pair) for pair in _other_filtered_pairs(model)}
    filtered |= {frozenset((pair.shape1.body, pair.shape2.body)) for pair in model.contact_pairs}  # these collide in any case
    apart = [
        pair
        for pair in combinations([name for name in names if name in bits], 2)
        if not bits[pair[0]].match(bits[pair[1]]) and frozenset(pair) not in filtered
    ]
    if not apart:
        return model
    ledger.rewritten(
        f"{model.name}.ignored_pairs", f"with {counted(len(apart), 'pair')} of bodies that contact bits keep apart"
    )
    return replace(model, ignored_pairs=(*model.ignored_pairs, *apart))


def _other_filtered_pairs(model: Model) -> Iterator[tuple[str | None, str]]:
    """Yield the pairs of bodies that never collide, whatever their contact bits are."""
    yield from model.ignored_pairs
    if not model.joined_bodies_collide:
        yield from [(joint.parent, joint.child) for joint in model.joints]


def _bodies_apart_from_all(model: Model) -> list[str]:
    """Return the bodies that collide with no other of their model, because of contact bits."""
    bits = _bits_by_body(model)
    members: dict[_ContactBits, set[str]] = {}
    for name, each in bits.items():
        members.setdefault(each, set()).add(name)
    partners: dict[str, set[str]] = {name: {name} for name in bits}
    for first, second in _other_filtered_pairs(model):
        if first in partners and second in partners:
            partners[first].add(second)
            partners[second].add(first)
    forced = {shape.body for pair in model.contact_pairs for shape in (pair.shape1, pair.shape2)}
    found = []
    for name, each in bits.items():
        others = {kind: names - {name} for kind, names in members.items()}
        has_mismatch = any(names and not each.match(kind) for kind, names in others.items())
        meets = any(
            len(names) > len(partners[name]) or names - partners[name] for kind, names in others.items() if each.match(kind)
        )
        if has_mismatch and not meets and name not in forced:
            found.append(name)
    return found


def _fixed_bodies_that_collide_with_all(model: Model) -> list[str]:
    """Return the bodies that are fixed to the world, to which no element but their joint refers, and that all others meet."""
    if model.static:
        return []
    joints = {joint.name: joint for joint in model.joints if joint.parent is None and isinstance(joint.type, Fixed)}
    rest = replace(model, joints=NamedList([joint for joint in model.joints if joint.name not in joints]))
    referenced = {(collection, name) for _, collection, name in references(rest)}
    bits = _bits_by_body(model)
    fixed = [
        joint.child
        for name, joint in joints.items()
        if joint.child in bits and not referenced & {("bodies", joint.child), ("joints", name)}
    ]
    kinds = {bits[name] for name in bits.keys() - set(fixed)}
    return [name for name in fixed if all(bits[name].match(kind) for kind in kinds)]


def _ground_model(model: Model, fixed: Collection[str], names: Collection[str]) -> Model:
    bodies = [replace(model.bodies[name], self_collide=False) for name in fixed]
    used = {visual.appearance for body in bodies for visual in body.visuals}
    appearances = [appearance for appearance in model.appearances if appearance.name in used]
    layers = {layer.texture for appearance in appearances for layer in appearance.textures}
    return Model(
        name=unique_name("ground", names),
        pose=model.pose,
        static=True,
        bodies=NamedList(bodies),
        joints=NamedList([joint for joint in model.joints if joint.child in fixed]),
        appearances=NamedList(appearances),
        textures=NamedList([texture for texture in model.textures if texture.name in layers]),
        origin=model.origin,
    )
