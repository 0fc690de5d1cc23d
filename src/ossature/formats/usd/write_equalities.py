"""Writer of equality constraints with MuJoCo's schemas."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.polynomial import Polynomial

from ossature.diagnostics import Ledger
from ossature.diagnostics.ledger import WrittenName
from ossature.formats.usd.prim_names import PrimNames
from ossature.formats.usd.single_precision import RADIANS, SinglePrecision
from ossature.formats.usd.usda_text import UsdPrim, number, numbers
from ossature.formats.usd.write_joint import JointWriter
from ossature.model import Connection, Equality, Joint, JointEquality, Model, MujocoConstraint, MujocoJoint, Revolute, Weld
from ossature.model.program_hints import hint_of
from ossature.model.unique_names import take_unique_name
from ossature.spatial import Pose

_NO_LOSS = "OpenUSD has no such equality"


class EqualityWriter:
    """Writes equality constraints.

    Args:
        model: The model.
        prims: The prims of the bodies, by name; the one that is the world, by None.
        joints: The joints of the model.
        ledger: Receives what is not written.
    """

    def __init__(self, model: Model, prims: Mapping[str | None, UsdPrim], joints: JointWriter, ledger: Ledger) -> None:
        self._model, self._prims, self._joints, self._ledger = model, prims, joints, ledger
        self._single = SinglePrecision(ledger)
        self._followers: dict[str, Equality] = {}

    def write(self, scope: UsdPrim) -> None:
        """Add the equalities between bodies to a prim, and those of joints to the prims of the joints."""
        names = PrimNames(self._ledger)
        of_bodies: list[Equality] = []
        for equality in self._model.equalities:
            path = f"{self._model.name}/{equality.name}"
            if not equality.active:
                self._ledger.dropped(path, "OpenUSD has no constraint that is switched off", location=equality.origin)
            elif isinstance(equality.type, Connection | Weld):
                if self._write_between_bodies(equality, scope, names, path):
                    of_bodies.append(equality)
            elif not (isinstance(equality.type, JointEquality) and self._write_of_joints(equality, equality.type, path)):
                self._ledger.dropped(path, _NO_LOSS, location=equality.origin)
        self._record_order(of_bodies)

    # Bodies

    def _write_between_bodies(self, equality: Equality, scope: UsdPrim, names: PrimNames, path: str) -> bool:
        kind = equality.type
        assert isinstance(kind, Connection | Weld)  # noqa: S101  # those that connect bodies
        first, second = self._prims.get(kind.body1), self._prims.get(kind.body2)
        if first is None or second is None or first is second:
            self._ledger.dropped(path, "its bodies are not two that OpenUSD has", location=equality.origin)
            return False
        name, label = names.take(equality.name, "equality", path)
        if isinstance(kind, Weld):
            prim = scope.child("PhysicsFixedJoint", name, label)
            prim.apply("MjcEqualityWeldAPI")
            end = Pose(kind.anchor)
            ends = kind.pose @ end, end
            if kind.torque_scale != 1.0:
                prim.add("uniform float", "mjc:torqueScale", self._single.number(kind.torque_scale, f"{path}.type"))
        else:
            prim = scope.child("PhysicsSphericalJoint", name, label)
            prim.apply("MjcEqualityConnectAPI")
            ends = Pose(kind.point1), Pose(kind.point2)
        self._write_ends(prim, kind, ends, path)
        self._write_hint(prim, equality, path)
        prim.add("uniform bool", "physics:excludeFromArticulation", "1")
        for field in ("frame1", "frame2"):
            if getattr(kind, field) is not None:
                self._ledger.rewritten(f"{path}.type", "poses in bodies instead of those of frames")
        return True

    def _write_ends(self, prim: UsdPrim, kind: Connection | Weld, ends: tuple[Pose, Pose], path: str) -> None:
        for index, (body, frame) in enumerate(zip((kind.body1, kind.body2), ends, strict=True)):
            pose = self._model.pose @ frame if body is None else frame
            prim.relate(f"physics:body{index}", [self._prims[body].path])
            prim.add("point3f", f"physics:localPos{index}", self._single.vector(pose.position, f"{path}.type"))
            prim.add("quatf", f"physics:localRot{index}", self._single.rotation(pose.wxyz, f"{path}.type"))

    # Joints

    def _write_of_joints(self, equality: Equality, kind: JointEquality, path: str) -> bool:
        """Add an equality to the prim of its first joint; return whether that is possible."""
        prim = self._joints.prim_of(kind.joint1, kind.coordinate1)
        leader = None if kind.joint2 is None else self._joints.path_of(kind.joint2, kind.coordinate2)
        is_taken = prim is None or prim.path in self._followers or "NewtonMimicAPI" in prim.apis
        if prim is None or is_taken or (kind.joint2 is not None and leader is None):
            return False
        self._followers[prim.path] = equality
        prim.apply("MjcEqualityJointAPI", "NewtonMimicAPI")
        if leader is not None:
            prim.relate("mjc:target", [leader])
            prim.relate("newton:mimicJoint", [leader])
        coefficients = self._coefficients(kind, path)
        for power, value in enumerate(coefficients):
            prim.add("uniform double", f"mjc:coef{power}", number(value))
        unit = RADIANS if isinstance(self._model.joints[kind.joint1].type, Revolute) else 1.0
        for power, factor in ((0, unit), (1, 1.0)):
            prim.add("float", f"newton:mimicCoef{power}", self._single.unrecorded(coefficients[power] / factor))
        self._write_hint(prim, equality, path)
        return True

    def _coefficients(self, kind: JointEquality, path: str) -> list[float]:
        """Return the polynomial of the positions themselves: reference positions of MuJoCo are not written."""
        own, other = self._reference(kind.joint1), self._reference(kind.joint2)
        if own == other == 0.0:
            return list(kind.polynomial)
        self._ledger.rewritten(f"{path}.type", "the polynomial of positions that are not relative to reference positions")
        shifted = Polynomial(kind.polynomial)(Polynomial((-other, 1.0))) + own
        found: list[float] = shifted.coef.tolist()
        return found + [0.0] * (5 - len(found))

    def _reference(self, name: str | None) -> float:
        joint: Joint | None = None if name is None else self._model.joints.get(name)
        hint = None if joint is None or not joint.coordinates else hint_of(joint.coordinates[0], MujocoJoint)
        return 0.0 if hint is None else hint.ref or 0.0

    # Names, order, parameters

    def _write_hint(self, prim: UsdPrim, equality: Equality, path: str) -> None:
        hint = hint_of(equality, MujocoConstraint)
        if hint is None:
            return
        stated = [name for name in ("solref", "solimp") if getattr(hint, name) is not None]
        for name in stated:
            prim.add("uniform double[]", f"mjc:{name}", numbers(getattr(hint, name)))
        if not stated:
            self._ledger.rewritten(f"{path}.hints", "MuJoCo's schemas have none of its parameters")

    def _record_order(self, of_bodies: list[Equality]) -> None:
        """Record the names of equalities of joints, which are those of the joints, and the order of all."""
        taken: set[str] = set()
        order = []
        for equality in of_bodies:
            taken.add(equality.name)
            order.append(equality)
        for one in self._joints.written:
            for _, prim in one.parts:
                found = self._followers.get(prim.path)
                if found is None:
                    continue
                order.append(found)
                title = take_unique_name(prim.label or prim.name, taken)
                if title != found.name:
                    changed = WrittenName(model=self._model.name, collection="equalities", name=found.name, written=title)
                    self._ledger.renamed(changed, "equalities of OpenUSD have the name of their joint")
        if [one for one in self._model.equalities if one in order] != order:
            self._ledger.rewritten(
                f"{self._model.name}.equalities (order)", "those of joints follow, in the order of the joints"
            )
