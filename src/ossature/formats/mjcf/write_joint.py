"""Writer of joints: the joints of MJCF that represent one joint of the model, each with its state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ossature.diagnostics.ledger import Ledger, WrittenName
from ossature.formats.mjcf.attribute_text import numbers_text, polynomial_text
from ossature.formats.mjcf.write_context import UNBOUNDED, Coordinates, JointState, MjcfDocument, WrittenCoordinate
from ossature.formats.mjcf.write_mujoco_hints import hint_attributes
from ossature.kinematics import ElementaryMotion, TreeJoint, factor_joint, motion_pose, pose_parent_joint, swaps_axes
from ossature.kinematics.initial_body_velocities import velocity_of_origin
from ossature.kinematics.rotation_vector_coordinates import is_friction_uneven
from ossature.model import (
    Actuation,
    Axis,
    Body,
    Compound,
    Coordinate,
    Floating,
    Joint,
    Model,
    MujocoJoint,
    Prismatic,
    Range,
    Spherical,
    SphericalMotion,
    hint_of,
)
from ossature.model.value_text import value_text
from ossature.spatial import (
    IDENTITY,
    IDENTITY_WXYZ,
    ZERO3,
    Pose,
    Vector3,
    add,
    conjugate,
    cross,
    quaternion_from_rotation_vector,
    rotate,
    subtract,
    vector_from,
)
from ossature.syntax.xml import XmlNode, element
from ossature.syntax.xml_values import format_number

_DEFAULT_AXIS: Vector3 = (0.0, 0.0, 1.0)
_SMALLEST_RANGE = 1e-9
_ROUNDING_ERROR = 1e-15
_DYNAMICS = {"stiffness": "stiffness", "damping": "damping", "friction": "frictionloss", "armature": "armature"}
"""Attributes of joints by field of a coordinate."""


def is_free(joint: Joint) -> bool:
    """Whether a joint is a free joint of MuJoCo: between the world and a body, with equal dynamics of all coordinates."""
    is_passive = joint.actuation in (Actuation.FORCE, Actuation.PASSIVE)
    is_uniform = all(len({getattr(each, field) for each in joint.coordinates}) == 1 for field in _DYNAMICS)
    has_springs = any(each.stiffness for each in joint.coordinates)
    is_relaxed_at_start = hint_of(joint.coordinates[0], MujocoJoint) is not None if has_springs else True
    return isinstance(joint.type, Floating) and joint.parent is None and is_passive and is_uniform and is_relaxed_at_start


def reference_positions(joint: Joint) -> list[float]:
    """Return the positions of a joint at which its child has the pose that the file states: zero if nothing else is stated."""
    positions = [0.0] * joint.degrees_of_freedom
    for number, coordinate in enumerate(joint.coordinates):
        hint = hint_of(coordinate, MujocoJoint)
        if hint is not None and hint.ref is not None:
            positions[number] = hint.ref
    return positions


def write_floating_base(
    document: MjcfDocument, model: Model, body: Body, pose: Pose, velocity: tuple[Vector3, Vector3]
) -> XmlNode:
    """Return the free joint of a body that no joint connects to the world.

    Args:
        pose: Its initial pose in the world.
        velocity: Its initial velocity: of its centre of mass (model axes), and angular (body axes).
    """
    of_center, angular = velocity
    linear = velocity_of_origin(model, body, pose, of_center, angular)
    node = element("freejoint", {"name": document.names.take("joint", model.name, f"{body.name}_free")})
    document.ledger.rewritten(f"{model.name}/{node.attributes['name']}", "the motion of a body without a joint")
    in_file = model.pose @ body.pose
    document.states[id(node)] = JointState(
        model=model.name,
        label="",
        positions=(*pose.position, *pose.wxyz),
        velocities=(*linear, *angular),
        reference=(*in_file.position, *in_file.wxyz),
        qpos=tuple,
        qvel=lambda _, velocities: tuple(velocities),
    )
    return node


def write_joints(document: MjcfDocument, model: Model, branch: TreeJoint) -> list[XmlNode]:
    """Return the joint elements of a body with an inboard joint."""
    joint = branch.inboard
    assert joint is not None  # noqa: S101  # the caller writes floating bases
    if not document.is_mjcf_world:
        _record_actuation(document.ledger, model, joint)
    label = joint.name if branch.connection is None else branch.connection.label
    writer = _JointWriter(document, model, joint, label, is_reversed=branch.is_reversed)
    if isinstance(joint.type, Floating) and not document.is_mjcf_world:
        _record_directions_of_springs(document, model, joint)
    if not document.is_mjcf_world:
        _record_initial_state(document.ledger, model, joint)
    if is_free(joint):
        if joint.pose != IDENTITY and not document.is_mjcf_world:
            document.ledger.rewritten(f"{model.name}/{joint.name}.pose", "a free joint has the frame of its body")
        return [writer.write_free()]
    if not document.is_mjcf_world:
        _record_frame(document.ledger, model, joint, is_reversed=branch.is_reversed)
    nodes = [node for motion in factor_joint(joint.type) for node in writer.write(motion)]
    read_name = document.unnamed_joint_name(model, branch.body.name, apart_from=joint.name)
    if document.is_mjcf_world:
        if len(nodes) > 1 and joint.name != read_name:
            changed = WrittenName(model=model.name, collection="joints", name=joint.name, written=read_name)
            document.ledger.renamed(changed, "several joints of one body have the name of the body")
        return nodes
    if len(nodes) != 1:
        for name in (joint.name, read_name):
            document.ledger.rewritten(f"{model.name}/{name}", f"{len(nodes) or 'no'} joints of one body")
        for actuator in model.actuators if joint.name != read_name else ():
            if actuator.joint == joint.name:
                document.ledger.rewritten(f"{model.name}/{actuator.name}.joint", "several joints of one body")
    elif joint.coordinates and joint.coordinates[0].continuous:
        detail = "a hinge, which MuJoCo limits if it has a range"
        document.ledger.rewritten(f"{model.name}/{joint.name}.coordinates[0].continuous", detail)
    return nodes


def _record_directions_of_springs(document: MjcfDocument, model: Model, joint: Joint) -> None:
    """Record springs and dampers of a floating joint that act along other axes, or at another point, in MuJoCo."""
    frame = pose_parent_joint(model, joint)
    is_turned = (model.pose @ frame if joint.parent is None else frame).wxyz != IDENTITY_WXYZ
    has_springs = any(each.stiffness for each in joint.coordinates)
    has_dampers = any(each.damping for each in joint.coordinates)
    if (has_springs and is_turned) or (joint.pose != IDENTITY and (has_springs or has_dampers)):
        detail = "springs and dampers along axes of the parent body act along those of the joint in MuJoCo"
        document.ledger.approximated(f"{model.name}/{joint.name}.coordinates", detail)


def _record_frame(ledger: Ledger, model: Model, joint: Joint, *, is_reversed: bool) -> None:
    """Record what a joint of MJCF does not have: its own frame, and another parent than its body's."""
    path = f"{model.name}/{joint.name}"
    if is_reversed or joint.pose.wxyz != IDENTITY_WXYZ:
        for field in ("type", "pose"):
            ledger.rewritten(f"{path}.{field}", "axis and anchor are expressed in the frame of the child body")
    if isinstance(joint.type, Prismatic) and joint.pose.position != ZERO3:
        ledger.rewritten(f"{path}.pose", "a slide needs no anchor")
    if is_reversed:
        for field in ("parent", "child"):
            ledger.rewritten(f"{path}.{field}", "the order of the tree: parent and child are exchanged")


def _record_actuation(ledger: Ledger, model: Model, joint: Joint) -> None:
    """Record what becomes of the commands of a joint; a ball joint gets no actuator."""
    path = f"{model.name}/{joint.name}.actuation"
    if joint.actuation in _DRIVEN and _ball_coordinates(joint):
        detail = f"{joint.actuation}: ball joints are written without actuators and move freely"
        ledger.dropped(path, detail, location=joint.origin)
    elif joint.actuation is not Actuation.FORCE:
        ledger.rewritten(path, _ACTUATIONS[joint.actuation])


def _ball_coordinates(joint: Joint) -> set[int]:
    """Return the numbers of the coordinates that a ball joint of MuJoCo represents."""
    firsts = [factor.coordinate for factor in factor_joint(joint.type) if factor.axis is None]
    return {first + number for first in firsts for number in range(3)}


def _record_initial_state(ledger: Ledger, model: Model, joint: Joint) -> None:
    """Record the initial state, which a joint of MJCF does not have."""
    path = f"{model.name}/{joint.name}"
    unactuated = _ball_coordinates(joint)
    for number, coordinate in enumerate(joint.coordinates):
        for field in ("initial_position", "initial_velocity"):
            if getattr(coordinate, field):
                ledger.rewritten(f"{path}.coordinates[{number}].{field}", "a value of the keyframe home")
        if coordinate.initial_effort and number in unactuated:
            detail = "ball joints are written without actuators"
            before = f"{coordinate.initial_effort:g} N·m"
            ledger.dropped(f"{path}.coordinates[{number}].initial_effort", detail, before=before, location=joint.origin)
        elif coordinate.initial_effort:
            detail = "the initial control of a motor in the keyframe home, if it has one"
            ledger.rewritten(f"{path}.coordinates[{number}].initial_effort", detail)


_DRIVEN = (Actuation.SERVO, Actuation.VELOCITY, Actuation.ACCELERATION)
_ACTUATIONS = {
    Actuation.PASSIVE: "a joint without actuator",
    Actuation.SERVO: "the command of an actuator",
    Actuation.VELOCITY: "the command of an actuator",
    Actuation.ACCELERATION: "the command of an actuator",
    Actuation.LOCKED: "no joint",
}


@dataclass(frozen=True, slots=True)
class _JointWriter:
    document: MjcfDocument
    model: Model
    joint: Joint
    label: str
    is_reversed: bool

    @property
    def path(self) -> str:
        return f"{self.model.name}/{self.joint.name}"

    def write_free(self) -> XmlNode:
        """Return a free joint, or a joint of this type if it has dynamics."""
        joint, first = self.joint, self.joint.coordinates[0]
        _record_unenforced(joint, self.path, self.document)
        attributes = {"name": self._take_name(joint.name, self.path)}
        hint = hint_of(first, MujocoJoint)
        for field, attribute in _DYNAMICS.items():
            if getattr(first, field):
                attributes[attribute] = format_number(getattr(first, field))
        attributes |= hint_attributes(hint)
        is_plain = set(attributes) <= {"name", "group"}
        node = element("freejoint" if is_plain else "joint", attributes if is_plain else {**attributes, "type": "free"})
        outer = self.model.pose @ pose_parent_joint(self.model, joint)

        def body_pose(positions: Coordinates) -> Pose:
            return outer @ motion_pose(joint.type, positions) @ joint.pose.inverse()

        def qpos(positions: Coordinates) -> tuple[float, ...]:
            pose = body_pose(positions)
            return (*pose.position, *pose.wxyz)

        def qvel(positions: Coordinates, velocities: Coordinates) -> tuple[float, ...]:
            # Velocities of a joint to the world are in axes of the world, whatever the pose of the model.
            pose, spin, slide = body_pose(positions), vector_from(velocities[:3]), vector_from(velocities[3:6])
            origin = (pose @ joint.pose).position
            linear = add(slide, cross(spin, subtract(pose.position, origin)))
            return (*linear, *rotate(conjugate(pose.wxyz), spin))

        self._register_name(range(6), attributes["name"])
        self._set_state(node, qpos, qvel)
        return node

    def _set_state(
        self,
        node: XmlNode,
        qpos: Callable[[Coordinates], tuple[float, ...]],
        qvel: Callable[[Coordinates, Coordinates], tuple[float, ...]],
    ) -> None:
        self.document.states[id(node)] = JointState(
            model=self.model.name,
            label=self.label,
            positions=self.joint.initial_positions,
            velocities=self.joint.initial_velocities,
            reference=reference_positions(self.joint),
            qpos=qpos,
            qvel=qvel,
            is_reversed=self.is_reversed,
        )

    def _register_name(self, numbers: Sequence[int], name: str) -> None:
        for number in numbers:
            self.document.joint_names[self.model.name, self.label, number] = name

    def write(self, motion: ElementaryMotion) -> list[XmlNode]:
        """Return the joint elements of one factor; a screw has two, which an equality couples."""
        if motion.axis is None:
            return [self._ball(motion)]
        if motion.is_rotation and motion.translation:
            return self._screw(motion, motion.axis)
        return [self._scalar(motion, motion.axis)]

    def _frame(self, first: int) -> Pose:
        """Return the frame of a factor in the frame of the body, as they are at the reference positions."""
        references = reference_positions(self.joint)
        if not any(references):
            return self.joint.pose
        if first >= len(references):
            return self.joint.pose
        if not isinstance(self.joint.type, Compound):
            return self.joint.pose @ motion_pose(self.joint.type, references).inverse()
        outer = [axis for number, axis in self.joint.type.motions if number >= first]
        return self.joint.pose @ motion_pose(Compound(axes=tuple(outer)), references[first:]).inverse()

    def _scalar(self, motion: ElementaryMotion, axis: Vector3) -> XmlNode:
        number = motion.coordinate
        coordinate = self.joint.coordinates[number]
        name = self._name(coordinate, number)
        node = self._node(name, motion, axis)
        node.attributes |= coordinate_attributes(self.document, coordinate, f"{self.path}.coordinates[{number}]")
        self._set_state(
            node, lambda positions: (positions[number],), lambda *state: (self._velocities_of_factors(*state)[number],)
        )
        is_swapped = self.is_reversed and swaps_axes(self.joint.type)
        own = self.joint.degrees_of_freedom - 1 - number if is_swapped else number
        self._register_name([own], name)
        self.document.coordinates[self.model.name, self.label, own] = WrittenCoordinate(
            model=self.model,
            joint=self.joint,
            number=own,
            coordinate=coordinate,
            name=name,
            node=node,
            is_rotation=motion.is_rotation,
        )
        return node

    def _screw(self, motion: ElementaryMotion, axis: Vector3) -> list[XmlNode]:
        number, advance = motion.coordinate, motion.translation
        slide_name = self.document.names.take("joint", self.model.name, f"{self.joint.name}_advance")
        slide = self._node(slide_name, ElementaryMotion(axis=axis, is_rotation=False), axis)
        self._set_state(
            slide, lambda positions: (advance * positions[number],), lambda _, velocities: (advance * velocities[number],)
        )
        hinge = self._scalar(ElementaryMotion(axis=axis, coordinate=number), axis)
        self.document.ledger.rewritten(self.path, "a hinge and a slide that is coupled to it")
        name = self.document.names.take("equality", self.model.name, self.joint.name)
        attributes = {"name": name, "joint1": slide_name, "joint2": hinge.attributes["name"]}
        coefficients = numbers_text((0.0, advance, 0.0, 0.0, 0.0))
        self.document.equalities.append(element("joint", attributes | {"polycoef": coefficients}))
        return [slide, hinge]

    def _ball(self, motion: ElementaryMotion) -> XmlNode:
        first = motion.coordinate
        parts = self.joint.coordinates[first : first + 3]
        is_single = isinstance(self.joint.type, Spherical)
        name = None if is_single and self.document.is_mjcf_world else parts[0].name
        own = name or (self.joint.name if is_single else f"{self.joint.name}_ball")
        path = self.path if own == self.joint.name else f"{self.path}.coordinates[{first}]" if own == name else None
        attributes = {"name": self._take_name(own, path), "type": "ball"}
        frame = self._frame(first)
        anchor = frame.transform(motion.anchor)
        if anchor != ZERO3:
            attributes["pos"] = numbers_text(anchor)
        largest = _max_angle(self.joint, first)
        if largest is not None:
            attributes["range"] = numbers_text((0.0, largest))
            if not largest:
                attributes["limited"] = "true"  # a range of zero is none otherwise
        attributes |= self._ball_dynamics(parts) | hint_attributes(hint_of(parts[0], MujocoJoint), "ref")
        _record_unenforced(self.joint, self.path, self.document)
        node = element("joint", attributes)
        # MuJoCo's quaternion and angular velocity are in axes of the body.
        axes = frame.wxyz

        def qpos(positions: Coordinates) -> tuple[float, ...]:
            x, y, z = positions[first : first + 3]
            return quaternion_from_rotation_vector(rotate(axes, (x, y, z)))

        def qvel(positions: Coordinates, velocities: Coordinates) -> tuple[float, ...]:
            x, y, z = self._velocities_of_factors(positions, velocities)[first : first + 3]
            return rotate(axes, (x, y, z))

        self._set_state(node, qpos, qvel)
        self._register_name(range(first, first + 3), attributes["name"])
        return node

    def _velocities_of_factors(self, positions: Coordinates, velocities: Coordinates) -> Coordinates:
        """Return the velocities of the slides, hinges and balls of a joint from those of its coordinates.

        Those of a floating joint are in axes of the parent body, or of the world; those of slides are along axes of the joint
        frame there, and those of a ball in axes of the joint frame in the child.
        """
        if not isinstance(self.joint.type, Floating):
            return velocities
        frame = pose_parent_joint(self.model, self.joint)
        to_joint = conjugate((self.model.pose @ frame if self.joint.parent is None else frame).wxyz)
        spin, slide = rotate(to_joint, vector_from(velocities[:3])), rotate(to_joint, vector_from(velocities[3:6]))
        turned = quaternion_from_rotation_vector(vector_from(positions[:3]))
        return (*rotate(conjugate(turned), spin), *slide)

    def _ball_dynamics(self, parts: Sequence[Coordinate]) -> dict[str, str]:
        """Return stiffness, damping, friction and armature, which MuJoCo's ball has in equal measure about all axes."""
        attributes = {}
        hint = hint_of(parts[0], MujocoJoint)
        for field, name in _DYNAMICS.items():
            values = [getattr(part, field) for part in parts]
            others = getattr(hint, field, None)
            if not any(values) and not others:
                continue
            rests = [part.spring_reference for part in parts] if field == "stiffness" else [0.0]
            mean = values[0] if len(set(values)) == 1 else sum(values) / len(values)
            text = polynomial_text(mean, others)
            if text is not None:
                attributes[name] = text
            if len(set(values)) > 1 or any(rests):
                detail = f"MuJoCo's ball joint has one {field} about all axes, relaxed at zero: the mean is written"
                before = " ".join(f"{value:g}" for value in values)
                self.document.ledger.approximated(self.path, detail, before=before, after=f"{mean:g}")
        return attributes

    def _node(self, name: str, motion: ElementaryMotion, axis: Vector3) -> XmlNode:
        attributes = {"name": name} if motion.is_rotation else {"name": name, "type": "slide"}
        frame = self._frame(motion.coordinate)
        own = self._anchor(motion)
        # The position of a slide moves its anchor, but not that of a hinge.
        around = frame if motion.is_rotation else self._frame(motion.coordinate + 1)
        anchor = around.transform(own) if around is not IDENTITY else own
        if anchor != ZERO3 and (motion.is_rotation or self.document.is_mjcf_world):
            attributes["pos"] = numbers_text(anchor)
        direction = axis if frame.wxyz == IDENTITY_WXYZ else rotate(frame.wxyz, axis)
        if not self.document.is_mjcf_world:
            direction = _without_rounding_errors(direction)
        if direction != _DEFAULT_AXIS:
            attributes["axis"] = numbers_text(direction)
        return element("joint", attributes)

    def _anchor(self, motion: ElementaryMotion) -> Vector3:
        """Return the anchor of a factor; MuJoCo's slides have one, too, without effect on the motion."""
        kind = self.joint.type
        specified = kind.motion_of(motion.coordinate) if isinstance(kind, Compound) else None
        return motion.anchor if specified is None else specified.anchor

    def _name(self, coordinate: Coordinate, number: int) -> str:
        joint, is_mjcf = self.joint, self.document.is_mjcf_world
        own = f"{self.path}.coordinates[{number}]"
        if joint.degrees_of_freedom == 1 and (coordinate.name is None or not (is_mjcf and isinstance(joint.type, Compound))):
            if coordinate.name not in (None, joint.name) and not is_mjcf:
                self.document.ledger.dropped(f"{own}.name", "a joint of MJCF has one name", before=value_text(coordinate.name))
            return self._take_name(joint.name, self.path)
        if coordinate.name is not None:
            return self._take_name(coordinate.name, own)
        return self._take_name(f"{joint.name}_{number + 1}", None)

    def _take_name(self, wanted: str, path: str | None) -> str:
        """Return the name of a joint of the file.

        Args:
            wanted: The wanted name.
            path: The path of what has it in the World, or None.
        """
        if self.label == self.joint.name:
            return self.document.names.take("joint", self.model.name, wanted, path)
        name = self.document.names.take("joint", self.model.name, wanted)
        self.document.ledger.added(f"{self.model.name}/{name}", f"a joint of the guide of '{self.joint.name}'")
        return name


def _without_rounding_errors(axis: Vector3) -> Vector3:
    """Return an axis whose components are exactly -1, 0 or 1 if they differ by less than the rounding errors of rotations."""
    x, y, z = [float(round(value)) if abs(value - round(value)) < _ROUNDING_ERROR else value for value in axis]
    return (x, y, z)


def _max_angle(joint: Joint, first: int) -> float | None:
    """Return the largest angle of a spherical joint, or of a spherical motion of a compound joint."""
    if isinstance(joint.type, Spherical):
        return joint.type.max_angle
    motion: Axis | SphericalMotion | None = joint.type.motion_of(first) if isinstance(joint.type, Compound) else None
    return motion.max_angle if isinstance(motion, SphericalMotion) else None


def coordinate_attributes(document: MjcfDocument, coordinate: Coordinate, path: str) -> dict[str, str]:
    """Return the attributes of a hinge or slide that a coordinate has."""
    attributes = {}
    limits = range_text(document, coordinate.position_limits, f"{path}.position_limits")
    if limits is not None:
        attributes["range"] = limits
    effort = coordinate.effort_limits
    if effort.bounded and effort.lower <= 0.0 <= effort.upper and effort.lower < effort.upper:
        attributes["actuatorfrcrange"] = bounds_text(document, effort, f"{path}.effort_limits")
    elif effort.bounded:
        detail = "MuJoCo needs limits of the force on both sides of zero"
        document.ledger.dropped(f"{path}.effort_limits", detail, before=value_text(effort))
    hint = hint_of(coordinate, MujocoJoint)
    for field, name in _DYNAMICS.items():
        text = polynomial_text(getattr(coordinate, field), getattr(hint, field, None))
        if text is not None:
            attributes[name] = text
    if coordinate.spring_reference:
        attributes["springref"] = format_number(coordinate.spring_reference)
    return attributes | hint_attributes(hint)


def range_text(document: MjcfDocument, limits: Range, path: str) -> str | None:
    """Return limits as the value of ``range``, or None if there are none that MuJoCo accepts."""
    if not limits.bounded:
        return None
    if limits.lower > limits.upper:
        document.ledger.dropped(path, "the lower limit exceeds the upper one", before=value_text(limits))
        return None
    if limits.lower == limits.upper:
        document.ledger.approximated(path, "MuJoCo needs a range that is not empty", error=_SMALLEST_RANGE)
        return numbers_text((limits.lower, limits.upper + _SMALLEST_RANGE))
    return bounds_text(document, limits, path)


def bounds_text(document: MjcfDocument, limits: Range, path: str) -> str:
    """Return limits as text, with large numbers instead of infinite ones."""
    if abs(limits.lower) > UNBOUNDED or abs(limits.upper) > UNBOUNDED:
        document.ledger.rewritten(path, f"an infinite bound is written as {UNBOUNDED:g}")
    return numbers_text((max(limits.lower, -UNBOUNDED), min(limits.upper, UNBOUNDED)))


def _record_unenforced(joint: Joint, path: str, document: MjcfDocument) -> None:
    """Record limits and uneven friction of a free or ball joint, which MuJoCo does not have."""
    kind = joint.type
    balls = (
        {first for first, motion in kind.motions if isinstance(motion, SphericalMotion)} if isinstance(kind, Compound) else ()
    )
    for number, coordinate in enumerate(joint.coordinates):
        is_part = isinstance(kind, Spherical | Floating) or any(first <= number < first + 3 for first in balls)
        for field in ("position_limits", "effort_limits"):
            if getattr(coordinate, field).bounded and is_part:
                detail = "MuJoCo has no such limits of single coordinates of ball and free joints"
                document.ledger.dropped(f"{path}.coordinates[{number}].{field}", detail)
        if is_part and coordinate.spring_reference and not coordinate.stiffness:
            detail = "springs of ball and free joints are relaxed at zero"
            document.ledger.dropped(f"{path}.coordinates[{number}].spring_reference", detail)
    if is_free(joint) and is_friction_uneven(joint.coordinates):
        document.ledger.dropped(path, "friction of a free joint")
