"""Writer of the coordinates of joints: limits, resistance, springs and couplings."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ossature.diagnostics import Ledger
from ossature.formats.urdf.convert_mimic import mimic_parameters
from ossature.formats.usd.joint_motions import ROTATIONS, TRANSLATIONS
from ossature.formats.usd.joint_parts import JointPart
from ossature.formats.usd.single_precision import RADIANS, SinglePrecision
from ossature.formats.usd.usda_text import UsdPrim, number, numbers, quoted
from ossature.model import Coordinate, Joint, MujocoJoint, Range, formula_text
from ossature.model.joint import UNBOUNDED
from ossature.model.program_hints import hint_of

_LOCKED = ("1", "-1")
"""The lower and the upper limit of a motion that a generic joint does not permit."""
SOLVER_PARAMETERS = ("solreflimit", "solimplimit", "solreffriction", "solimpfriction")
"""Parameters of MuJoCo's solver that joints and tendons have."""
_SINGLE_AXIS = ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint")


class CoordinateWriter:
    """Writes the coordinates of joints.

    Args:
        ledger: Receives what is not written, or only approximately.
        paths: The path of the prim of each joint with a first coordinate, by name.
    """

    def __init__(self, ledger: Ledger, paths: Mapping[str, str]) -> None:
        self._ledger, self._paths = ledger, paths
        self._single = SinglePrecision(ledger)

    def write(self, prim: UsdPrim, part: JointPart, joint: Joint, path: str) -> None:
        """Add the coordinates of a part of a joint to its prim.

        Args:
            path: The path of the joint.
        """
        for name, index in part.motions:
            coordinate, own = joint.coordinates[index], f"{path}.coordinates[{index}]"
            self._write_limits(prim, part, name, coordinate, own)
            if coordinate.name is not None and coordinate.name != (prim.label or prim.name):
                prim.add("custom token", f"mjcf:{name}:name", quoted(coordinate.name))
        if part.type == "PhysicsJoint":
            _lock_others(prim, part)
        if part.motions:
            self._write_resistance(prim, part, joint, path)
        if len(joint.coordinates) == 1:
            self._write_coupling(prim, joint.coordinates[0], is_rotation=part.motions[0][0].startswith("rot"), path=path)
        elif any(one.coupling is not None for one in joint.coordinates):
            self._ledger.dropped(f"{path}.coordinates", "couplings of joints with several coordinates")

    def _write_limits(self, prim: UsdPrim, part: JointPart, name: str, coordinate: Coordinate, path: str) -> None:
        limits = coordinate.position_limits
        if part.type in _SINGLE_AXIS:
            keys = ("physics:lowerLimit", "physics:upperLimit")
        else:
            keys = (f"limit:{name}:physics:low", f"limit:{name}:physics:high")
            if limits == UNBOUNDED and part.type != "PhysicsJoint":
                return
            prim.apply(f"PhysicsLimitAPI:{name}")  # also without limits: Newton locks the motions of a generic joint without it
        unit = RADIANS if name.startswith("rot") else 1.0
        stated = {key: value for key, value in zip(keys, (limits.lower, limits.upper), strict=True) if math.isfinite(value)}
        texts = self._single.numbers(tuple(stated.values()), f"{path}.position_limits", unit)
        for key, text in zip(stated, texts, strict=True):
            prim.add("float", key, text)

    def _write_resistance(self, prim: UsdPrim, part: JointPart, joint: Joint, path: str) -> None:
        """Add what a prim states once for all its coordinates."""
        name, index = part.motions[0]
        coordinate, own = joint.coordinates[index], f"{path}.coordinates[{index}]"
        for _, other in part.motions[1:]:
            self._record_differences(coordinate, joint.coordinates[other], f"{path}.coordinates[{other}]")
        unit = RADIANS if name.startswith("rot") else 1.0
        self._write_pairs(prim, coordinate, unit)
        for key, field in (("stiffness", "stiffness"), ("springref", "spring_reference")):
            value = getattr(coordinate, field)
            if value:
                prim.apply("MjcJointAPI")
                prim.add("uniform double", f"mjc:{key}", number(value / unit if key == "springref" else value))
        self._write_hint(prim, part, joint, own)
        self._write_velocity_limits(prim, coordinate.velocity_limits, unit, f"{own}.velocity_limits")
        self._write_effort_limits(prim, coordinate.effort_limits, f"{own}.effort_limits")

    def _write_pairs(self, prim: UsdPrim, coordinate: Coordinate, unit: float) -> None:
        """Add values that Newton's schemas have with 32 bits and MuJoCo's with 64 bits."""
        values = (
            ("damping", coordinate.damping, coordinate.damping * unit),
            ("frictionloss", coordinate.friction, coordinate.friction),
            ("armature", coordinate.armature, coordinate.armature),
        )
        for key, exact, of_newton in values:
            if exact:
                prim.apply("NewtonJointAPI", "MjcJointAPI")
                newton = "friction" if key == "frictionloss" else key
                prim.add("float", f"newton:{newton}", self._single.unrecorded(of_newton))
                prim.add("uniform double", f"mjc:{key}", number(exact))

    def _write_hint(self, prim: UsdPrim, part: JointPart, joint: Joint, path: str) -> None:
        """Add the parameters of a joint that MuJoCo's schemas have, which its first coordinate has in the model."""
        name, index = part.motions[0]
        hint = hint_of(joint.coordinates[index], MujocoJoint)
        if hint is None:
            return
        before, unit = len(prim.properties), RADIANS if name.startswith("rot") else 1.0
        for field in SOLVER_PARAMETERS:
            values = getattr(hint, field)
            if values is not None:
                prim.add("uniform double[]", f"mjc:{field}", numbers(values))
        if hint.margin is not None:
            prim.add("uniform double", "mjc:margin", number(hint.margin / unit))
        if hint.actuatorgravcomp:
            prim.add("uniform bool", "mjc:actuatorgravcomp", "1")
        if hint.group is not None:
            prim.add("uniform int", "mjc:group", str(hint.group))
        if len(prim.properties) > before:
            prim.apply("MjcJointAPI")
        else:
            self._ledger.rewritten(f"{path}.hints", "MuJoCo's schemas have none of its parameters")

    def _write_velocity_limits(self, prim: UsdPrim, limits: Range, unit: float, path: str) -> None:
        if limits == UNBOUNDED:
            return
        speed = max(abs(limits.lower), abs(limits.upper))
        if limits.lower != -limits.upper or speed == 0.0:
            self._ledger.approximated(path, "limits of velocities are symmetric and not zero: the wider bound is written")
        if 0.0 < speed < math.inf:
            prim.apply("NewtonJointAPI")
            prim.add("float", "newton:velocityLimit", self._single.number(speed, path, unit))

    def _write_effort_limits(self, prim: UsdPrim, limits: Range, path: str) -> None:
        if limits == UNBOUNDED:
            return
        if not (limits.lower < limits.upper and math.isfinite(limits.lower) and math.isfinite(limits.upper)):
            self._ledger.dropped(path, "limits of efforts are two different numbers in MuJoCo's schemas")
            return
        prim.apply("MjcJointAPI")
        prim.add("uniform double", "mjc:actuatorfrcrange:min", number(limits.lower))
        prim.add("uniform double", "mjc:actuatorfrcrange:max", number(limits.upper))

    def _record_differences(self, first: Coordinate, other: Coordinate, path: str) -> None:
        for field in ("damping", "friction", "armature", "stiffness", "spring_reference", "velocity_limits", "effort_limits"):
            if getattr(first, field) != getattr(other, field):
                detail = "OpenUSD has one value for all coordinates of a joint: that of the first one is written"
                self._ledger.approximated(f"{path}.{field}", detail)

    def _write_coupling(self, prim: UsdPrim, coordinate: Coordinate, *, is_rotation: bool, path: str) -> None:
        coupling, own = coordinate.coupling, f"{path}.coordinates[0].coupling"
        if coupling is None:
            return
        found = mimic_parameters(coupling)
        leader = None if found is None else self._paths.get(found[0])
        if found is None or leader is None:
            self._ledger.dropped(own, f"OpenUSD has no coupling {formula_text(coupling.position)}")
            return
        _, factor, offset = found
        prim.apply("NewtonMimicAPI")
        prim.relate("newton:mimicJoint", [leader])
        constant = self._single.number(offset, own, RADIANS if is_rotation else 1.0)
        coefficient = self._single.number(factor, own)
        prim.add("float", "newton:mimicCoef0", constant)
        prim.add("float", "newton:mimicCoef1", coefficient)


def _lock_others(prim: UsdPrim, part: JointPart) -> None:
    """Lock the motions of a generic joint that it does not have."""
    permitted = {name for name, _ in part.motions}
    for name in (*TRANSLATIONS, *ROTATIONS):
        if name not in permitted:
            prim.apply(f"PhysicsLimitAPI:{name}")
            for key, value in zip(("low", "high"), _LOCKED, strict=True):
                prim.add("float", f"limit:{name}:physics:{key}", value)
