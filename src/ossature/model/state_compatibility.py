"""Compatibility of a state with a World, its restriction to the parts that fit, and poses that only the World has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ossature.diagnostics import Location, OssatureError
from ossature.diagnostics.counted_nouns import counted
from ossature.model.fingerprint import Fingerprint, digest
from ossature.model.model import Model
from ossature.model.named_list import NamedList
from ossature.model.state import ActiveGrasp, FrameState, JointState, ModelState, State
from ossature.model.world import World

MOST_SHOWN = 20
"""Differences that the message of an error lists; all of them are in the error."""


@dataclass(frozen=True, slots=True)
class StateDifference:
    """A part of a state that does not fit a World.

    Attributes:
        message: What does not fit, and why.
        origin: The location of the part in the file of the state, or None if it was not read from one.
    """

    message: str
    origin: Location | None = None

    def __str__(self) -> str:
        return self.message if self.origin is None else f"{self.origin}: {self.message}"


class StateMismatchError(OssatureError):
    """A state does not belong to a World."""

    def __init__(self, differences: Iterable[StateDifference | str]) -> None:
        self.differences = tuple([StateDifference(one) if isinstance(one, str) else one for one in differences])
        shown = [str(difference) for difference in self.differences[:MOST_SHOWN]]
        if len(self.differences) > MOST_SHOWN:
            shown.append(f"and {len(self.differences) - MOST_SHOWN} more")
        super().__init__("the state does not fit: " + "; ".join(shown))


def plain_digest(state: State) -> str:
    """Return a digest of the plain numbers of a state."""
    return digest((state.time, state.frames, state.models, state.grasps))


def structure_differences(state: State, world: World) -> list[StateDifference]:
    """Return the elements of a state that a World does not have."""
    differences = [
        difference
        for specified in state.models
        for difference in _model_differences(specified, world.models.get(specified.name))
    ]
    missing = [difference for active in state.grasps or () for difference in _grasp_differences(active, world)]
    return differences + [StateDifference(message, state.origin) for message in missing]


def _grasp_differences(active: ActiveGrasp, world: World) -> Iterator[str]:
    for body in (active.grasp.link, active.grasp.body):
        if body.model not in world.models or body.body not in world.models[body.model].bodies:
            yield f"there is no body '{body.model}/{body.body}' for a grasp"


def _model_differences(specified: ModelState, model: Model | None) -> Iterator[StateDifference]:
    if model is None:
        yield StateDifference(f"there is no model '{specified.name}'", specified.origin)
        return
    for link in specified.links:
        if link.name not in model.bodies:
            yield StateDifference(f"'{specified.name}' has no body '{link.name}'", link.origin)
    for joint in specified.joints:
        yield from _joint_differences(joint, model)


def _joint_differences(specified: JointState, model: Model) -> Iterator[StateDifference]:
    joint = model.joints.get(specified.name)
    if joint is None:
        yield StateDifference(f"'{model.name}' has no joint '{specified.name}'", specified.origin)
        return
    for word, numbers in (
        ("positions", specified.positions),
        ("velocities", specified.velocities),
        ("torques", specified.efforts),
    ):
        if numbers is not None and len(numbers) != joint.degrees_of_freedom:
            count = f"{len(numbers)} {word}, and the joint {counted(joint.degrees_of_freedom, 'degree of freedom')}"
            yield StateDifference(f"'{model.name}/{joint.name}' has {count}", specified.origin)


def fingerprint_differences(specified: Fingerprint, present: Fingerprint) -> list[str]:
    """Return the differences between the Worlds of two fingerprints."""
    if specified.world == present.world:
        return []
    was, now = dict(specified.models), dict(present.models)
    differences = [f"model '{name}' is missing" for name in was if name not in now]
    differences += [f"model '{name}' is new" for name in now if name not in was]
    differences += [f"model '{name}' was another one" for name in was if name in now and was[name] != now[name]]
    return differences or ["gravity, time step, grasps or the order of models were others"]


def restrict_state(state: State, world: World) -> State:
    """Return the part of a state that fits a World; a checkpoint fits only its own World.

    A model that the World does not have remains as a frame, because others may be stated in it. If no grasp of a state fits,
    grasps become unspecified; an empty list of grasps is kept.
    """
    models = [
        _restrict_model(specified, world.models[specified.name]) for specified in state.models if specified.name in world.models
    ]
    frames = [
        FrameState(name=specified.name, parent=specified.parent, pose=specified.pose, twist=specified.twist)
        for specified in state.models
        if specified.name not in world.models
    ]
    return replace(
        state,
        frames=NamedList([*state.frames, *frames]),
        models=NamedList(models),
        fingerprint=None,
        checkpoint=None,
        grasps=_restrict_grasps(state.grasps, world),
    )


def complete_model_poses(state: State, world: World) -> State:
    """Return a state in which models without a pose and a parent have the poses of a World's models."""

    def complete(specified: ModelState) -> ModelState:
        is_unspecified = specified.pose is None and specified.parent is None and specified.name in world.models
        return replace(specified, pose=world.models[specified.name].pose) if is_unspecified else specified

    return replace(state, models=state.models.map(complete))


def _restrict_grasps(active: tuple[ActiveGrasp, ...] | None, world: World) -> tuple[ActiveGrasp, ...] | None:
    if not active:
        return active
    return tuple([one for one in active if not list(_grasp_differences(one, world))]) or None


def _restrict_model(specified: ModelState, model: Model) -> ModelState:
    links = NamedList([link for link in specified.links if link.name in model.bodies])
    joints = NamedList([joint for joint in specified.joints if not list(_joint_differences(joint, model))])
    return replace(specified, links=links, joints=joints)
