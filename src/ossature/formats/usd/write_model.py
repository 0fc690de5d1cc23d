"""Writer of models: their bodies, joints and materials."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.diagnostics.ledger import WrittenName
from ossature.formats.passes.joints_between_bodies import joints_between_bodies
from ossature.formats.usd.joint_parts import parts_of
from ossature.formats.usd.prim_names import PrimNames
from ossature.formats.usd.reference_configuration import SMALLEST_POSITION, measured_positions
from ossature.formats.usd.single_precision import DETAIL, pose_error, rounded_pose
from ossature.formats.usd.stage import COMPONENT
from ossature.formats.usd.usda_text import UsdPrim
from ossature.formats.usd.write_actuators import ActuatorTargets, ActuatorWriter
from ossature.formats.usd.write_body import BodyWriter
from ossature.formats.usd.write_equalities import EqualityWriter
from ossature.formats.usd.write_joint import JointWriter, offset_at_zero
from ossature.formats.usd.write_materials import MaterialWriter
from ossature.formats.usd.write_shapes import ShapeWriter
from ossature.kinematics import model_poses, spanning_tree
from ossature.model import Body, Fixed, Joint, Model, NamedList
from ossature.model.unique_names import take_unique_name
from ossature.model.value_text import is_rotation
from ossature.spatial import IDENTITY, Pose

_MOVED = 1e-9
"""Motion of a joint from its position zero that is one [m or rad]."""
_NEGLIGIBLE = 1e-12


class ModelWriter:
    """Writes one model.

    Args:
        model: The model.
        prim: Its prim.
        world: The prim that contains all models.
        labels: Names of appearances in the file.
        ledger: Receives what is not written.
    """

    def __init__(self, model: Model, prim: UsdPrim, world: UsdPrim, labels: set[str], ledger: Ledger) -> None:
        self._world = world  # MuJoCo lets bodies that are fixed to another prim move freely
        self._prim, self._labels, self._ledger = prim, labels, ledger
        joints = [_at_zero_if_near(joint, model.name, ledger) for joint in joints_between_bodies(model, ledger)]
        self._model = replace(model, bodies=NamedList(_first_bodies(model, ledger)), joints=NamedList(joints))
        self._static = self._static_bodies()
        # The guides of motors are among the joints.
        self._moving = replace(self._model, joints=NamedList(self._moving_joints()), motors=NamedList())

    def write(self) -> None:
        """Add the content of the model to its prim."""
        model, prim = self._model, self._prim
        prim.kind = COMPONENT
        self._record_static()
        prim.place(model.pose)
        names = PrimNames(self._ledger)
        prims: dict[str | None, UsdPrim] = {None: self._world}
        for body in model.bodies:
            name, label = names.take(body.name, "body", f"{model.name}/{body.name}")
            prims[body.name] = prim.child("Xform", name, label)
        joints = UsdPrim("Scope", *_scope(names, prim, "joints"))
        materials = UsdPrim("Scope", *_scope(names, prim, "materials"))
        writer = MaterialWriter(model, materials, self._labels, self._ledger)
        poses = self._initial_poses()
        bodies = BodyWriter(ShapeWriter(writer, self._ledger), self._ledger)
        self._write_bodies(prims, poses, bodies)
        writer.record_order()
        written = self._write_joints(prims, joints, poses)
        self._write_forces(prims, written, bodies, names)
        self._write_filters(prims)
        self._write_articulation(prims, written)
        prim.children += [scope for scope in (joints, materials, *self._forces) if scope.children]

    # Bodies

    def _static_bodies(self) -> frozenset[str]:
        """Return the names of bodies that are no rigid bodies, because they never move."""
        model = self._model
        if model.static:
            return frozenset(model.bodies.names())
        uses = [name for joint in model.joints for name in (joint.parent, joint.child)]
        return frozenset(
            joint.child
            for joint in model.joints
            if isinstance(joint.type, Fixed)
            and joint.parent is None
            and uses.count(joint.child) == 1
            and model.bodies[joint.child].inertial.mass == 0.0
            and model.bodies[joint.child].collisions
            and not model.bodies[joint.child].mocap
        )

    @property
    def _is_static(self) -> bool:
        return bool(self._static) and len(self._static) == len(self._model.bodies)

    def _record_static(self) -> None:
        """Record that a model of which no body moves is a static one."""
        if self._is_static and not self._model.static:
            self._ledger.rewritten(f"{self._model.name}.static", "none of its bodies moves")

    def _write_bodies(self, prims: dict[str | None, UsdPrim], poses: dict[str, Pose], writer: BodyWriter) -> None:
        model = self._model
        for body in model.bodies:
            prims[body.name].place(poses[body.name])
            writer.write(
                replace(body, pose=poses[body.name]),
                prims[body.name],
                f"{model.name}/{body.name}",
                is_static=body.name in self._static,
            )
        self._record_rounded_poses(poses)

    def _initial_poses(self) -> dict[str, Pose]:
        """Return the poses of the bodies in the model at the initial positions of joints."""
        zero = {body.name: body.pose for body in self._model.bodies}
        if not any(any(joint.initial_positions) for joint in self._moving.joints) and not any(
            one.coupling is not None for joint in self._moving.joints for one in joint.coordinates
        ):
            return zero
        return model_poses(replace(self._moving, pose=IDENTITY))

    def _record_rounded_poses(self, poses: dict[str, Pose]) -> None:
        """Record the bodies whose poses at zero follow from joint frames of 32 bits, because they are elsewhere at first."""
        model = self._model
        read: dict[str | None, Pose] = {None: IDENTITY}
        for branch in spanning_tree(self._moving).branches:
            body, joint = branch.body.name, branch.inboard
            if joint is None or joint.parent not in read:
                read[body] = poses[body]
            else:
                read[body] = read[joint.parent] @ self._read_offset(joint, poses)
            error = pose_error(read[body], model.bodies[body].pose)
            if error > _NEGLIGIBLE:
                self._ledger.approximated(f"{model.name}/{body}.pose", DETAIL, error=error)

    def _read_offset(self, joint: Joint, poses: dict[str, Pose]) -> Pose:
        """Return the pose of a child in its parent with the joint at zero, as it is read."""
        model = self._model
        offset = offset_at_zero(model, joint)
        before = model.pose.inverse() if joint.parent is None else poses[joint.parent]
        if pose_error(before.inverse() @ poses[joint.child], offset) < _MOVED:
            return offset if joint.parent is not None else before @ offset
        child_frame = joint.pose @ parts_of(joint)[0].frame
        read = rounded_pose(offset @ child_frame) @ rounded_pose(child_frame).inverse()
        return read if joint.parent is not None else before @ read

    # Joints

    def _moving_joints(self) -> Iterator[Joint]:
        """Yield the joints that are written: those of rigid bodies."""
        taken: set[str] = set()
        for joint in self._model.joints:
            path = f"{self._model.name}/{joint.name}"
            if self._model.static:
                self._ledger.dropped(path, "the bodies of a static model have no joints in OpenUSD", location=joint.origin)
            elif joint.child in self._static:
                self._record_omitted(joint, take_unique_name(f"{joint.child}_fixed", taken))
            else:
                yield joint

    def _record_omitted(self, joint: Joint, title: str) -> None:
        """Record a joint that fixes a body which is no rigid body."""
        model = self._model
        self._ledger.rewritten(f"{model.name}/{joint.name}", "a shape of OpenUSD without a rigid body does not move")
        self._ledger.rewritten(f"{model.name}.joints (order)", "shapes without a rigid body have no joint in OpenUSD")
        if title != joint.name:
            changed = WrittenName(model=model.name, collection="joints", name=joint.name, written=title)
            self._ledger.renamed(changed, "shapes of OpenUSD without a rigid body have no joint")

    def _write_joints(self, prims: dict[str | None, UsdPrim], scope: UsdPrim, poses: dict[str, Pose]) -> JointWriter:
        loops = [loop.name for loop in spanning_tree(self._moving).loops]
        writer = JointWriter(self._moving, prims, scope, loops, self._ledger)
        writer.write()
        self._record_positions(poses)
        return writer

    def _record_positions(self, poses: dict[str, Pose]) -> None:
        """Record how the initial positions of joints differ that follow from the poses of bodies and frames of 32 bits."""
        model = self._moving
        for joint in model.joints:
            turned = parts_of(joint)[0].frame
            child = joint.pose @ turned
            parent = rounded_pose(offset_at_zero(model, joint) @ child)
            before = model.pose.inverse() if joint.parent is None else poses[joint.parent]
            motion = turned @ (before @ parent).inverse() @ (poses[joint.child] @ rounded_pose(child)) @ turned.inverse()
            found, _ = measured_positions(joint.type, joint.coordinates, motion)
            self._record_positions_of(joint, found)

    def _record_positions_of(self, joint: Joint, found: Sequence[float]) -> None:
        for index, (coordinate, value) in enumerate(zip(joint.coordinates, found, strict=True)):
            path = f"{self._model.name}/{joint.name}.coordinates[{index}].initial_position"
            error = abs(value - coordinate.initial_position)
            is_exact = len(found) == 1 or not any(joint.initial_positions)  # else axes with 32 bits change it too
            if error < _NEGLIGIBLE and is_exact:
                if abs(abs(value) - math.pi) < _NEGLIGIBLE and is_rotation(joint.type, index):
                    self._ledger.rewritten(path, "half a revolution, which is read in either direction")
                continue
            if coordinate.coupling is not None:
                self._ledger.rewritten(path, "the position that its coupling gives", after=f"{value:g}")
            else:
                detail = "OpenUSD has the poses of bodies, and joint frames with 32 bits, from which positions follow"
                self._ledger.approximated(path, detail, error=error)

    def _write_forces(
        self, prims: dict[str | None, UsdPrim], joints: JointWriter, bodies: BodyWriter, names: PrimNames
    ) -> None:
        """Add tendons, actuators and equalities, each kind in a prim."""
        model = self._moving
        scopes = {kind: UsdPrim("Scope", *_scope(names, self._prim, kind)) for kind in ("tendons", "actuators", "equalities")}
        paths = {name: prim.path for name, prim in prims.items() if name is not None}
        actuators = ActuatorWriter(model, joints, ActuatorTargets(bodies=paths, frames=bodies.frames), self._ledger)
        actuators.write_tendons(scopes["tendons"])
        actuators.write_actuators(scopes["actuators"])
        EqualityWriter(model, prims, joints, self._ledger).write(scopes["equalities"])
        self._forces = list(scopes.values())

    # Collisions

    def _write_filters(self, prims: dict[str | None, UsdPrim]) -> None:
        model = self._model
        pairs: dict[str, list[str]] = {}
        for first, second in model.ignored_pairs:
            if first in prims and second in prims and first != second:
                pairs.setdefault(first, []).append(prims[second].path)
            else:
                self._ledger.dropped(f"{model.name}.ignored_pairs", f"'{first}' and '{second}' are no two bodies")
        for name, targets in pairs.items():
            prims[name].apply("PhysicsFilteredPairsAPI")
            prims[name].relate("physics:filteredPairs", targets)
        if pairs:
            self._ledger.rewritten(f"{model.name}.ignored_pairs", "filtered pairs of bodies, in the order of the bodies")

    def _write_articulation(self, prims: dict[str | None, UsdPrim], joints: JointWriter) -> None:
        model = self._moving
        bodies = [body for body in model.bodies if body.name not in self._static]
        roots = self._articulation_roots(prims)
        collide = not (roots or self._is_static) or any(body.self_collide for body in bodies)
        if self._is_static:
            detail = "none of its bodies moves"
        elif roots:
            detail = "OpenUSD states for all bodies of an articulation whether they collide with each other"
            detail += ": they do" if collide else ": they do not"
        else:
            detail = "bodies of no articulation collide in OpenUSD" if len(model.bodies) > 1 else "there is no other body"
        for body in model.bodies:
            if body.self_collide != collide:
                is_equivalent = self._is_static or len(model.bodies) == 1
                record = self._ledger.rewritten if is_equivalent else self._ledger.approximated
                record(f"{model.name}/{body.name}.self_collide", detail)
        if model.joined_bodies_collide and all(joint.parent is None for joint in model.joints):
            self._ledger.rewritten(f"{model.name}.joined_bodies_collide", "no joint connects two bodies")
        for root in roots:
            root.apply("PhysicsArticulationRootAPI")
            if not collide:
                root.apply("NewtonArticulationRootAPI")
                root.add("bool", "newton:selfCollisionEnabled", "0")
                root.add("bool", "physxArticulation:enabledSelfCollisions", "0")
            if joints.has_sequences:
                root.apply("NewtonArticulationRootAPI")
                root.add("uniform bool", "newton:jointsAddMobility", "1")

    def _articulation_roots(self, prims: dict[str | None, UsdPrim]) -> list[UsdPrim]:
        """Return the roots of articulations: the first body of each tree with several bodies or a joint that moves.

        It is a body also if it is fixed to the world, because MuJoCo lets other roots move freely.
        """
        branches = spanning_tree(self._moving).branches
        roots: dict[str, bool] = {}
        for branch in branches:
            if branch.depth == 0:
                root = branch.body.name
                roots[root] = branch.inboard is not None and branch.inboard.degrees_of_freedom > 0
            else:
                roots[root] = True
        return [prims[name] for name, is_articulation in roots.items() if is_articulation]


def _scope(names: PrimNames, prim: UsdPrim, wanted: str) -> tuple[str, str]:
    name, _ = names.take(wanted, wanted)
    return name, f"{prim.path}/{name}"


def _at_zero_if_near(joint: Joint, model: str, ledger: Ledger) -> Joint:
    """Return a joint whose positions that its reader takes for rounding errors of joint frames are zero."""
    coordinates = list(joint.coordinates)
    for index, coordinate in enumerate(coordinates):
        if 0.0 < abs(coordinate.initial_position) < SMALLEST_POSITION and coordinate.coupling is None:
            path = f"{model}/{joint.name}.coordinates[{index}].initial_position"
            detail = f"positions below {SMALLEST_POSITION:g} become zero: joint frames have 32 bits"
            ledger.approximated(path, detail, error=abs(coordinate.initial_position))
            coordinates[index] = replace(coordinate, initial_position=0.0)
    return joint if coordinates == list(joint.coordinates) else replace(joint, coordinates=tuple(coordinates))


def _first_bodies(model: Model, ledger: Ledger) -> Iterator[Body]:
    for body in model.bodies:
        if model.bodies[body.name] is body:
            yield body
        else:
            ledger.dropped(f"{model.name}/{body.name}", "another body has the same name", location=body.origin)
