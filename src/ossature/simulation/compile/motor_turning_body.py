"""Compilation of rotational motors that drive an angle and leave all other motions free.

The angle is the one that Chrono drives: the relative rotation is a rotation by this angle about the motor's axis, and one
about an axis that is perpendicular to it. Three hinges cannot represent it, as their angles are Euler angles. So the motor
turns a body of negligible mass, which can also slide in all directions, and a ball joint connects the clone to this body. Two
equal distances keep the ball joint from turning about the axis: from the end of the x axis of each of the two bodies to that
of the y axis of the other.

The turning body and the ball joint can rotate about the same axis in opposite directions, which moves no inertia. An armature
of the hinge replaces it. As the motor prescribes the coordinate of the hinge, the armature changes no motion and no reaction,
only the effort of the motor and the kinetic energy, from which its part is subtracted.
"""

from __future__ import annotations

import mujoco

from ossature.model import Model, Motor
from ossature.model.joint import X_AXIS, Y_AXIS
from ossature.simulation.compile.engine_spec import EngineSpec, SpecBody, SpecJoint, SpecSite
from ossature.simulation.compile.equality_constraints import add_equal_distances
from ossature.simulation.compile.inertia import set_negligible_inertia
from ossature.simulation.compile.plan_loop_closure import Motion, motor_frame, translations_along
from ossature.spatial import Vector3, scale


def add_turning_body(carrier: SpecBody, clone_name: str) -> SpecBody:
    """Add the body that a motor turns, a child of the body to which the clone is attached."""
    turning = carrier.add_body()
    turning.name = f"{clone_name} turning"
    set_negligible_inertia(turning)
    return turning


def turning_motions(motor: Motor, model: Model, cloned: str) -> list[Motion]:
    """Return the motions of the turning body: the one that the motor drives, and all translations."""
    slides = translations_along(motor_frame(motor, model, cloned))
    _, position, axis = slides[2]
    return [(mujoco.mjtJoint.mjJNT_HINGE, position, axis if cloned == motor.body1 else scale(axis, -1.0)), *slides]


def attach_clone(spec: EngineSpec, motor: Motor, model: Model, turning: SpecBody, clone: SpecBody, cloned: str) -> None:
    """Attach a clone, which has its inertia already, to the turning body."""
    frame = motor_frame(motor, model, cloned)
    turning.joints[0].armature = max(clone.inertia)
    clone.joints.append(SpecJoint(name=f"{clone.name} ball", type=mujoco.mjtJoint.mjJNT_BALL, pos=frame.position))
    ends = frame.transform(X_AXIS), frame.transform(Y_AXIS)
    on_turning, on_clone = (_add_sites(body, ends) for body in (turning, clone))
    pairs = (on_turning[0].name, on_clone[1].name), (on_turning[1].name, on_clone[0].name)
    add_equal_distances(spec, f"{model.name}/motor {motor.name} turns about its axis", pairs)


def _add_sites(body: SpecBody, points: tuple[Vector3, Vector3]) -> list[SpecSite]:
    sites = [SpecSite(name=f"{body.name}[{number}]", pos=point) for number, point in enumerate(points)]
    body.sites.extend(sites)
    return sites
