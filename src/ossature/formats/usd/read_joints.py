"""Joints of UsdPhysics: the bodies that they connect, and their frames."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ossature.formats.usd import rules
from ossature.formats.usd.joint_coordinates import read_coordinate, read_drive
from ossature.formats.usd.joint_motions import ROTATIONS, JointMotion, has_unordered_rotations, joint_motions
from ossature.formats.usd.joint_spec import JointEnd, JointSpec
from ossature.formats.usd.stage import Prim, Stage
from ossature.model import Coordinate
from ossature.spatial import (
    IDENTITY_WXYZ,
    Pose,
    Vector3,
    matrix_from,
    quaternion_from_axis_angle,
    quaternion_from_matrix,
    scale,
)

JOINTS = frozenset(
    f"Physics{kind}" for kind in ("RevoluteJoint", "PrismaticJoint", "SphericalJoint", "FixedJoint", "DistanceJoint", "Joint")
)
"""Types of prims that are joints."""


@dataclass(slots=True)
class JointReader:
    """Reads joints.

    Args:
        owner: Returns the body to which a prim belongs, or None for the world.

    Attributes:
        unordered: The paths of joints with several rotations whose order is not defined.
    """

    stage: Stage
    owner: Callable[[Prim], Prim | None]
    unordered: list[str] = field(default_factory=list)

    def read(self, prim: Prim) -> JointSpec | None:
        """Return the joint of a prim, or None, with a finding, if it connects nothing."""
        if not prim.flag("physics:jointEnabled", True):
            self.stage.add(rules.IGNORED_JOINT, f"the joint {prim.path} is disabled: it is ignored")
            return None
        ends = self._ends(prim)
        if ends is None:
            return None
        self._report_unrepresented(prim)
        motions, kind = joint_motions(prim)
        if has_unordered_rotations(prim, motions):
            self.unordered.append(prim.path)
        coordinates = tuple([read_coordinate(prim, motion, is_first=number == 0) for number, motion in enumerate(motions)])
        return JointSpec(
            prim=prim,
            ends=self._counted_from_reference(prim, ends, motions),
            type=kind,
            coordinates=coordinates or (Coordinate(),) * kind.degrees_of_freedom,
            drives=tuple(
                drive for number, motion in enumerate(motions) if (drive := read_drive(prim, motion, number)) is not None
            ),
            is_in_tree=not prim.flag("physics:excludeFromArticulation", False),
            parts=((prim, 0),),
        )

    # Frames

    def _ends(self, prim: Prim) -> tuple[JointEnd, JointEnd] | None:
        sides = [self._end(prim, number) for number in (0, 1)]
        first, second = sides
        if first is None or second is None:
            return None
        if first.body is second.body:
            what = "the same body" if first.body is not None else "only things that do not move"
            self.stage.add(rules.INVALID_BODY, f"the joint {prim.path} connects {what}: it is ignored")
            return None
        return first, second

    def _end(self, prim: Prim, number: int) -> JointEnd | None:
        targets = prim.targets(f"physics:body{number}")
        position = prim.finite_vector(f"physics:localPos{number}", (0.0, 0.0, 0.0))
        wxyz = prim.quaternion(f"physics:localRot{number}") or IDENTITY_WXYZ
        if not targets:
            return JointEnd(body=None, frame=self._world_frame(position, wxyz))
        target = self.stage.prims.get(targets[0])
        if target is None or len(targets) > 1:
            what = f"names {targets[0]}, which is no prim" if target is None else "names several prims"
            message = f"'physics:body{number}' of the joint {prim.path} {what}: the joint is ignored"
            self.stage.add(rules.INVALID_BODY, message, hint=self.stage.report.suggestion(targets[0], self.stage.prims))
            return None
        rotation, factors, _ = target.rotation_and_scale
        x, y, z = (self.stage.length * factor * part for factor, part in zip(factors, position, strict=True))
        frame = Pose(target.pose.position, rotation) @ Pose((x, y, z), wxyz)
        body = self.owner(target)
        return JointEnd(body=body, frame=frame if body is None else body.pose.inverse() @ frame)

    def _world_frame(self, position: Vector3, wxyz: tuple[float, float, float, float]) -> Pose:
        root = Pose(wxyz=quaternion_from_matrix(matrix_from(self.stage.rotation)))
        return root @ Pose(scale(position, self.stage.length), wxyz)

    def _counted_from_reference(
        self, prim: Prim, ends: tuple[JointEnd, JointEnd], motions: Sequence[JointMotion]
    ) -> tuple[JointEnd, JointEnd]:
        """Return the sides of a joint whose position is MuJoCo's reference position where its frames coincide."""
        if "mjc:ref" not in prim.attributes or len(motions) != 1:
            return ends
        (motion,) = motions
        position = prim.finite("mjc:ref", 0.0) * (self.stage.mujoco_angle if motion.is_rotation else self.stage.length)
        turn = Pose(wxyz=quaternion_from_axis_angle(motion.direction, -position))
        back = turn if motion.is_rotation else Pose(scale(motion.direction, -position))
        return replace(ends[0], frame=ends[0].frame @ back), ends[1]

    def _report_unrepresented(self, prim: Prim) -> None:
        cones = [prim.number(f"physics:coneAngle{number}Limit", -1.0) for number in (0, 1)]
        if prim.type == "PhysicsSphericalJoint" and any(0.0 <= angle < 180.0 for angle in cones):
            message = f"the cone limit of {prim.path} is not read: the joint rotates freely"
            self.stage.add(rules.IGNORED_JOINT, message)
        breaking = [name for name in ("physics:breakForce", "physics:breakTorque") if prim.number(name, math.inf) < 1e30]
        if breaking:
            self.stage.add(rules.IGNORED_JOINT, f"{', '.join(breaking)} of {prim.path} is not read: the joint does not break")
        for drive in (api for api in prim.apis if api.startswith("PhysicsDriveAPI:")):
            instance = drive.partition(":")[2]
            if prim.type == "PhysicsFixedJoint" or (prim.type == "PhysicsSphericalJoint" and instance not in ROTATIONS):
                self.stage.add(rules.IGNORED_JOINT, f"the drive '{instance}' of {prim.path} moves nothing: it is ignored")
