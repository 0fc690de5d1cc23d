"""Pass: splits joints of several coordinates, for formats with few joint types and joint frames fixed to the child."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.formats.passes.rename_joint_coordinates import renamed_trajectories, with_renamed_coordinates
from ossature.kinematics import ElementaryMotion, factor_joint
from ossature.model import (
    UNCONSTRAINED_COORDINATE,
    Body,
    Compound,
    Coordinate,
    Coupling,
    Expression,
    Fixed,
    Inertial,
    Joint,
    JointPosition,
    JointType,
    Model,
    NamedList,
    Number,
    Operation,
    Operator,
    Prismatic,
    Revolute,
    World,
    fold_expression,
    sources_of,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.model.unique_names import take_unique_name
from ossature.spatial import ZERO3, Pose, Vector3

_WITHOUT_MASS = Inertial(mass=0.0, moment=((0.0, 0.0, 0.0),) * 3)

UnsupportedReason = Callable[[Joint], str | None]
"""Returns why a format cannot represent a joint, or None if it can."""


def split_compound_joints(world: World, context: WriteContext) -> World:
    """Return a World without compound joints, which few formats have."""
    return split_joints(world, context.ledger, _compound_reason, ())


def _compound_reason(joint: Joint) -> str | None:
    return "the format has no compound joint" if isinstance(joint.type, Compound) else None


def split_joints(world: World, ledger: Ledger, unsupported_reason_of: UnsupportedReason, whole: tuple[type, ...]) -> World:
    """Return a World of supported joints: others become joints of one coordinate, with massless links between them.

    Args:
        world: The World, whose models are trees.
        ledger: Receives what is changed.
        unsupported_reason_of: Why a joint is unsupported.
        whole: Supported joint types of several coordinates, if the joint frame is the child's frame.
    """
    models, renamed = [], {}
    for model in world.models:
        split, renamed[model.name] = _with_single_joints(model, ledger, unsupported_reason_of, whole)
        models.append(split)
    trajectories = renamed_trajectories(world, {name: parts for name, parts in renamed.items() if parts}, ledger)
    return replace(world, models=NamedList(models), trajectories=trajectories)


def _with_single_joints(
    model: Model, ledger: Ledger, unsupported_reason_of: UnsupportedReason, whole: tuple[type, ...]
) -> tuple[Model, Mapping[JointPosition, JointPosition]]:
    """Return a model with single joints, and the coordinate of a part by the coordinate of the joint that it was."""
    if all(unsupported_reason_of(joint) is None for joint in model.joints):
        return model, {}
    splitting = _Splitting(model, ledger, unsupported_reason_of, whole)
    joints = [single for joint in model.joints for single in splitting.split_joint(joint)]
    renamed = [splitting.with_renamed_sources(joint) for joint in joints]
    split = replace(model, bodies=model.bodies.with_(*splitting.links), joints=NamedList(renamed))
    return with_renamed_coordinates(model, split, splitting.renamed, ledger), splitting.renamed


@dataclass(frozen=True, slots=True, kw_only=True)
class _JointPart:
    """A joint of one coordinate that is part of another joint.

    Attributes:
        number: Index of the coordinate in the whole joint.
        anchor: A point that its rotation does not move, in the frame of the whole joint [m].
    """

    type: JointType
    coordinate: Coordinate
    number: int
    anchor: Vector3 = ZERO3


class _Splitting:
    def __init__(self, model: Model, ledger: Ledger, unsupported_reason_of: UnsupportedReason, whole: tuple[type, ...]) -> None:
        self.links: list[Body] = []
        self._model, self._ledger, self._unsupported_reason_of, self._whole = model, ledger, unsupported_reason_of, whole
        self._body_names = set(model.bodies.names())
        self._joint_names = set(model.joints.names())
        self.renamed: dict[JointPosition, JointPosition] = {}

    def split_joint(self, joint: Joint) -> Iterator[Joint]:
        reason = self._unsupported_reason_of(joint)
        known = joint.child in self._model.bodies and (joint.parent is None or joint.parent in self._model.bodies)
        if reason is None or not known:
            yield joint
        elif isinstance(joint.type, self._whole) and self._unsupported_reason_of(replace(joint, pose=Pose())) is None:
            yield from self._serial_chain(joint, [replace(joint, pose=Pose())], reason)
        else:
            yield from self._serial_chain(joint, self._parts(joint), reason)

    def _parts(self, joint: Joint) -> list[Joint]:
        """Return the single joints of a joint, in its frame; their parents and children are not set."""
        parts = list(_parts_of(joint))
        names = (
            [joint.name]
            if len(parts) == 1
            else [self._add_joint_name(joint, f"{joint.name}_{n}") for n in range(1, len(parts) + 1)]
        )
        for name, part in zip(names, parts, strict=True):
            self.renamed.setdefault(JointPosition(joint=joint.name, coordinate=part.number), JointPosition(joint=name))
        singles = [
            replace(joint, name=name, type=part.type, pose=Pose(part.anchor), coordinates=(part.coordinate,), extensions=())
            for name, part in zip(names, parts, strict=True)
        ]
        return [replace(singles[0], extensions=joint.extensions), *singles[1:]] if singles else []

    def _serial_chain(self, joint: Joint, parts: Sequence[Joint], reason: str) -> Iterator[Joint]:
        """Yield a serial chain of joints, with massless links at the frames of the parts between them."""
        frame = self._model.bodies[joint.child].pose @ joint.pose
        last = replace(parts[-1], pose=joint.pose @ parts[-1].pose) if parts else None
        is_last_supported = last is not None and self._unsupported_reason_of(last) is None
        parent = joint.parent
        for part in parts if not is_last_supported else parts[:-1]:
            link = self._massless_link(joint, frame @ part.pose)
            yield replace(part, parent=parent, child=link.name, pose=Pose())
            parent = link.name
        if last is not None and is_last_supported:
            yield replace(last, parent=parent)
        else:
            name = self._add_joint_name(joint, f"{joint.name}_frame")
            yield Joint(name=name, type=Fixed(), parent=parent, child=joint.child, origin=joint.origin)
        self._record_split(joint, parts, reason)

    def _massless_link(self, joint: Joint, frame: Pose) -> Body:
        name = take_unique_name(f"{joint.name}_link", self._body_names)
        link = Body(name=name, pose=frame, inertial=_WITHOUT_MASS, origin=joint.origin)
        self.links.append(link)
        detail = f"massless link between the parts of '{joint.name}'"
        self._ledger.rewritten(f"{self._model.name}/{name}", detail, location=joint.origin)
        return link

    def _record_split(self, joint: Joint, parts: Sequence[Joint], reason: str) -> None:
        path = f"{self._model.name}/{joint.name}"
        names = ", ".join([part.name for part in parts])
        detail = f"{reason}: it becomes the serial joints {names}"
        if len(parts) == 1:
            detail = f"{reason}: it moves a massless link in its frame, to which '{joint.child}' is fixed"
        if any(stage.axis is None for stage in factor_joint(joint.type)) and len(parts) > 1:
            detail += "; its rotation becomes angles about x, y and z, with gimbal lock if the second is 90°"
            self._ledger.approximated(path, detail, location=joint.origin)
        else:
            self._ledger.rewritten(path, detail, location=joint.origin)

    def _add_joint_name(self, joint: Joint, wanted: str) -> str:
        name = take_unique_name(wanted, self._joint_names)
        self._ledger.rewritten(f"{self._model.name}/{name}", f"part of '{joint.name}'", location=joint.origin)
        return name

    def with_renamed_sources(self, joint: Joint) -> Joint:
        """Return a joint whose formulas refer to the parts of split joints."""
        if not self.renamed or all(coordinate.coupling is None for coordinate in joint.coordinates):
            return joint
        path = f"{self._model.name}/{joint.name}.coordinates"
        coordinates = [self._renamed_sources(coordinate, f"{path}[{n}]") for n, coordinate in enumerate(joint.coordinates)]
        return replace(joint, coordinates=tuple(coordinates))

    def _renamed_sources(self, coordinate: Coordinate, path: str) -> Coordinate:
        formula = coordinate.coupling
        if formula is None or not any(source in self.renamed for source in sources_of(formula.position)):
            return coordinate
        self._ledger.rewritten(f"{path}.coupling", "it refers to the parts of the split joint")
        return replace(coordinate, coupling=replace(formula, position=self._renamed_in(formula.position)))

    def _renamed_in(self, expression: Expression) -> Expression:
        def leaf(part: Number | JointPosition) -> Expression:
            return self.renamed.get(part, part) if isinstance(part, JointPosition) else part

        return fold_expression(expression, leaf, lambda operation, operands: replace(operation, operands=tuple(operands)))


def _parts_of(joint: Joint) -> Iterator[_JointPart]:
    for stage in factor_joint(joint.type):
        if stage.axis is None:
            for offset, axis in enumerate((X_AXIS, Y_AXIS, Z_AXIS)):
                number = stage.coordinate + offset
                coordinate = joint.coordinates[number]
                yield _JointPart(type=Revolute(axis=axis), coordinate=coordinate, number=number, anchor=stage.anchor)
            continue
        coordinate = joint.coordinates[stage.coordinate]
        if stage.is_rotation:
            turn = Revolute(axis=stage.axis)
            yield _JointPart(type=turn, coordinate=coordinate, number=stage.coordinate, anchor=stage.anchor)
        if stage.translation and stage.is_rotation:
            yield _JointPart(
                type=Prismatic(axis=stage.axis), coordinate=_screw_translation(joint, stage), number=stage.coordinate
            )
        elif stage.translation:
            yield _JointPart(type=Prismatic(axis=stage.axis), coordinate=coordinate, number=stage.coordinate)


def _screw_translation(joint: Joint, stage: ElementaryMotion) -> Coordinate:
    """Return the translation of a screw, which is coupled to its rotation."""
    rotation = JointPosition(joint=joint.name, coordinate=stage.coordinate)
    pitch = Operation(operator=Operator.MULTIPLY, operands=(Number(value=stage.translation), rotation))
    return replace(UNCONSTRAINED_COORDINATE, coupling=Coupling(position=pitch))
