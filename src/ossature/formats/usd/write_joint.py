"""Writer of joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossature.diagnostics import Ledger
from ossature.diagnostics.ledger import WrittenName
from ossature.formats.usd.joint_parts import JointPart, parts_of
from ossature.formats.usd.prim_names import PrimNames
from ossature.formats.usd.single_precision import SinglePrecision
from ossature.formats.usd.usda_text import UsdPrim
from ossature.formats.usd.write_coordinates import CoordinateWriter
from ossature.model import Joint, Model
from ossature.model.unique_names import take_unique_name
from ossature.spatial import Pose, norm


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenJoint:
    """A joint with its prims."""

    joint: Joint
    parts: tuple[tuple[JointPart, UsdPrim], ...]


class JointWriter:
    """Writes the joints of a model.

    Args:
        model: The model, with the joints that are written.
        prims: The prims of the bodies, by name; the one that is the world, by None.
        scope: The prim that contains the joints.
        loops: Names of the joints that close loops.
        ledger: Receives what is not written.
    """

    def __init__(
        self, model: Model, prims: Mapping[str | None, UsdPrim], scope: UsdPrim, loops: Sequence[str], ledger: Ledger
    ) -> None:
        self._model, self._prims, self._loops, self._ledger = model, prims, loops, ledger
        self._single = SinglePrecision(ledger)
        names = PrimNames(ledger)
        self.written = [self._prims_of(joint, scope, names) for joint in model.joints]
        self._record_names()

    @property
    def has_sequences(self) -> bool:
        """Whether several prims are the motions of one joint."""
        return any(len(one.parts) > 1 for one in self.written)

    def prim_of(self, joint: str, coordinate: int) -> UsdPrim | None:
        """Return the prim whose first coordinate is one of a joint, or None if there is none."""
        found = next((one for one in self.written if one.joint.name == joint), None)
        parts = () if found is None else found.parts
        return next((prim for part, prim in parts if part.motions and part.motions[0][1] == coordinate), None)

    def path_of(self, joint: str, coordinate: int) -> str | None:
        """Return the path of the prim whose first coordinate is one of a joint, or None if there is none."""
        prim = self.prim_of(joint, coordinate)
        return None if prim is None else prim.path

    def write(self) -> None:
        """Add the content of all joints to their prims."""
        paths = {one.joint.name: one.parts[0][1].path for one in self.written if one.joint.degrees_of_freedom}
        coordinates = CoordinateWriter(self._ledger, paths)
        for one in self.written:
            path = f"{self._model.name}/{one.joint.name}"
            self._record_form(one, path)
            for part, prim in one.parts:
                self._write_ends(one.joint, part, prim, path, is_sequence=len(one.parts) > 1)
                coordinates.write(prim, part, one.joint, path)

    def _prims_of(self, joint: Joint, scope: UsdPrim, names: PrimNames) -> WrittenJoint:
        parts = parts_of(joint)
        found = []
        for part in parts:
            label = joint.name
            if len(parts) > 1:
                index = part.motions[0][1]
                label = joint.coordinates[index].name or f"{joint.name}_{index}"
            name, shown = names.take(label, "joint", f"{self._model.name}/{joint.name}" if len(parts) == 1 else None)
            found.append((part, scope.child(part.type, name, shown)))
        return WrittenJoint(joint=joint, parts=tuple(found))

    def _record_names(self) -> None:
        """Record the joints that have other names in the file, as a reader finds them."""
        taken: set[str] = set()
        for number, one in enumerate(self.written):
            joint = one.joint
            wanted = joint.name if len(one.parts) == 1 else f"{joint.child}_joint"
            title = take_unique_name(wanted, taken)
            if title != joint.name:
                occurrence = sum(other.joint.name == joint.name for other in self.written[:number])
                changed = WrittenName(
                    model=self._model.name, collection="joints", name=joint.name, occurrence=occurrence, written=title
                )
                self._ledger.renamed(
                    changed, "several joints of OpenUSD are named after their body, and different joints differently"
                )

    def _record_form(self, one: WrittenJoint, path: str) -> None:
        joint = one.joint
        if len(one.parts) > 1:
            detail = "several joints between the same bodies, whose motions follow one another (newton:jointsAddMobility)"
            for field in ("type", "pose"):
                self._ledger.rewritten(f"{path}.{field}", detail)
            for part, prim in one.parts:
                for _, index in part.motions:
                    if joint.coordinates[index].name is None:
                        self._ledger.rewritten(f"{path}.coordinates[{index}].name", "the name of its prim", after=prim.name)
            return
        ((part, _),) = one.parts
        if part.frame != Pose():
            for field in ("type", "pose"):
                self._ledger.rewritten(f"{path}.{field}", "axes of OpenUSD are x, y or z of the frame of the joint")
        elif part.type == "PhysicsJoint":
            self._ledger.rewritten(f"{path}.type", "a joint of OpenUSD with the same motions")
        axis = getattr(joint.type, "axis", None)
        if axis is not None and abs(norm(axis) - 1.0) > _UNIT_TOLERANCE:
            self._ledger.approximated(f"{path}.type", "axis normalized")

    def _write_ends(self, joint: Joint, part: JointPart, prim: UsdPrim, path: str, *, is_sequence: bool) -> None:
        model = self._model
        child_frame = joint.pose @ part.frame
        parent_frame = offset_at_zero(model, joint) @ child_frame
        for number, (body, frame) in enumerate(((joint.parent, parent_frame), (joint.child, child_frame))):
            recorded = f"{path}.pose" if number else f"{model.name}/{joint.child}.pose"
            prim.relate(f"physics:body{number}", [self._prims[body].path])
            prim.add(
                "point3f",
                f"physics:localPos{number}",
                self._single.vector(frame.position, recorded) if number else self._single.unrecorded_vector(frame.position),
            )
            prim.add("quatf", f"physics:localRot{number}", self._single.rotation(frame.wxyz, recorded if number else None))
        if part.axis is not None:
            prim.add("uniform token", "physics:axis", f'"{part.axis}"')
        if joint.name in self._loops and not is_sequence:
            prim.add("uniform bool", "physics:excludeFromArticulation", "1")
        if model.joined_bodies_collide:
            prim.add("bool", "physics:collisionEnabled", "1")
        if is_sequence:
            prim.apply("MjcJointAPI")


_UNIT_TOLERANCE = 1e-12


def offset_at_zero(model: Model, joint: Joint) -> Pose:
    """Return the pose of the child of a joint in its parent, or in the world, with the joint at zero."""
    child = model.bodies[joint.child].pose
    return model.pose @ child if joint.parent is None else model.bodies[joint.parent].pose.inverse() @ child
