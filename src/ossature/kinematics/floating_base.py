"""The bases of robots: whether they float or are fixed to the world, and choosing it if a format does not state it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ossature.diagnostics.suggestions import Choice
from ossature.kinematics.spanning_tree import Tree, spanning_tree
from ossature.model import Fixed, Joint, Model, ModelError, NamedList, World
from ossature.model.unique_names import take_unique_name

USUAL_BASE_NAMES = ("world", "base", "base_link", "link0", "link_0", "link_base", "root", "root_link", "pedestal", "ground")
"""Names of the root links of arms, as they are or after a prefix and an underscore (``panda_link0``)."""


class BaseChoice(Choice):
    """How the bases of robots are chosen."""

    BY_RULE = "by-rule"
    FIXED = "fixed"
    FLOATING = "floating"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenBase:
    """The base of a robot after a choice.

    Attributes:
        model: Name of the model.
        body: Name of its root body.
        is_fixed: Whether it is fixed to the world.
        reason: Why.
        is_by_rule: Whether the rule decided, not the caller.
    """

    model: str
    body: str
    is_fixed: bool
    reason: str
    is_by_rule: bool = False

    @property
    def message(self) -> str:
        """The choice, for people."""
        return f"the base '{self.body}' of '{self.model}' is {'fixed' if self.is_fixed else 'floating'}: {self.reason}"

    @property
    def hint(self) -> str | None:
        """The option of commands that changes what the rule decided, or None if the caller did."""
        if not self.is_by_rule:
            return None
        return "--float-base lets it float" if self.is_fixed else "--fix-base fixes it"


def floating_bases(model: Model) -> tuple[str, ...]:
    """Return the root bodies of a model that have child bodies but no joint of their own."""
    return _floating_bases(model, spanning_tree(model))


def _floating_bases(model: Model, tree: Tree) -> tuple[str, ...]:
    if model.static:
        return ()
    parents = {joint.parent for joint in model.joints} | {joint.child for joint in model.joints if joint.parent is None}
    return tuple([branch.body.name for branch in tree.branches if branch.inboard is None and branch.body.name in parents])


def fix_bases(world: World) -> World:
    """Return the World with every floating base fixed to the world at its pose.

    Some formats do not specify whether the base of a robot is fixed; without a fixed base, a simulated robot falls.
    """
    return choose_bases(world, BaseChoice.FIXED)[0]


def fix_base(world: World, model: str) -> World:
    """Return the World with the floating bases of one model fixed to the world at their poses.

    Raises:
        ModelError: There is no such model, or it has no floating base.
    """
    world.find(Model, model)  # raises if there is none
    fixed = choose_bases(replace(world, models=NamedList([world.models[model]])), BaseChoice.FIXED)[0].models[model]
    if fixed is world.models[model]:
        raise ModelError(f"Model '{model}' has no floating base")
    return replace(world, models=world.models.replaced(fixed))


def free_base(world: World, model: str) -> World:
    """Return the World without the fixed joints between one model and the world, so that its base floats.

    Raises:
        ModelError: There is no such model, or no fixed joint connects it to the world.
    """
    found = world.find(Model, model)
    fixed = [joint.name for joint in found.joints if joint.is_fixed_to_world]
    if not fixed:
        raise ModelError(f"Model '{model}' has no fixed joint to the world")
    return replace(world, models=world.models.replaced(replace(found, joints=found.joints.without(*fixed))))


def choose_bases(
    world: World, choice: BaseChoice = BaseChoice.BY_RULE, *, unspecified: Iterable[str] | None = None
) -> tuple[World, tuple[ChosenBase, ...]]:
    """Return the World with the bases of its robots fixed or floating, and what was chosen for each robot.

    The rule fixes the base of an arm: of a robot whose root link, with everything fixed to it, carries one moving joint, and
    which has no mass or one of :data:`USUAL_BASE_NAMES`. Vehicles, legged robots, hands and drones carry several.

    Args:
        world: The World.
        choice: Whether all floating bases are fixed, all fixed ones float, or the rule decides.
        unspecified: Names of the models to which the rule applies: those whose files do not state the base; all if None.
    """
    applicable = set(world.models.names() if unspecified is None else unspecified)
    chosen: list[ChosenBase] = []
    models = []
    for model in world.models:
        if choice is BaseChoice.FLOATING:
            models.append(_with_floating_bases(model, chosen))
        elif choice is BaseChoice.FIXED:
            models.append(_with_fixed_bases(model, dict.fromkeys(floating_bases(model), "as requested"), chosen))
        elif model.name in applicable:
            models.append(_with_bases_by_rule(model, chosen))
        else:
            models.append(model)
    is_changed = any(one is not other for one, other in zip(models, world.models, strict=True))
    return (replace(world, models=NamedList(models)) if is_changed else world), tuple(chosen)


def _with_bases_by_rule(model: Model, chosen: list[ChosenBase]) -> Model:
    tree = spanning_tree(model)
    fixed: dict[str, str] = {}
    for body in _floating_bases(model, tree):
        reason = _reason_to_fix(model, tree, body)
        if reason is None:
            count = _joints_at_base(tree, body)
            detail = f"{count} joints leave it" if count != 1 else "it has inertia, and no usual name of a base"
            chosen.append(ChosenBase(model=model.name, body=body, is_fixed=False, reason=detail, is_by_rule=True))
        else:
            fixed[body] = reason
    return _with_fixed_bases(model, fixed, chosen, is_by_rule=True)


def _reason_to_fix(model: Model, tree: Tree, root: str) -> str | None:
    """Return why the base of an arm is fixed by the rule, or None if it floats."""
    if _joints_at_base(tree, root) != 1:
        return None
    if model.bodies[root].inertial.mass == 0.0:
        return "an arm whose root link has no mass"
    name = root.lower()
    if any(name == usual or name.endswith(f"_{usual}") for usual in USUAL_BASE_NAMES):
        return "an arm whose root link has the usual name"
    return None


def _joints_at_base(tree: Tree, root: str) -> int:
    """Return the number of moving joints that leave a root body and the bodies that are fixed to it."""
    rigid = {root}
    count = 0
    for branch in tree.branches:
        if branch.inboard is None or branch.inboard.parent not in rigid:
            continue
        if branch.inboard.degrees_of_freedom:
            count += 1
        else:
            rigid.add(branch.body.name)
    return count


def _with_fixed_bases(model: Model, reasons: dict[str, str], chosen: list[ChosenBase], *, is_by_rule: bool = False) -> Model:
    taken = set(model.joints.names())
    added = []
    for body, reason in reasons.items():
        added.append(Joint(name=take_unique_name(f"{body}_fixed", taken), type=Fixed(), parent=None, child=body))
        chosen.append(ChosenBase(model=model.name, body=body, is_fixed=True, reason=reason, is_by_rule=is_by_rule))
    return replace(model, joints=model.joints.with_(*added)) if added else model


def _with_floating_bases(model: Model, chosen: list[ChosenBase]) -> Model:
    if model.static:
        return model
    held = [joint for joint in model.joints if joint.is_fixed_to_world]
    chosen += [
        ChosenBase(model=model.name, body=body, is_fixed=False, reason="as requested")
        for body in dict.fromkeys([*(joint.child for joint in held), *floating_bases(model)])
    ]
    return replace(model, joints=NamedList([joint for joint in model.joints if joint not in held])) if held else model
