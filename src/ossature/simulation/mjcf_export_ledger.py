"""Ledger entries of the MJCF export: what MJCF cannot represent, or represents differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ossature import model
from ossature.diagnostics import Ledger
from ossature.kinematics.principal_inertia import INERTIA_ROUNDING
from ossature.model import Actuation, Body, Coordinate, Model, World
from ossature.model.unsupported_fields import all_fields, audit, drop_extension, fields_except
from ossature.model.value_text import kind_text, value_text
from ossature.simulation.compile.address_map import BodyAddress, JointAddress, JointLayout
from ossature.simulation.compile.bodies import HIDDEN_GROUP
from ossature.simulation.compile.contact_model import TIME_CONSTANT_STEPS
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_choice import Integrator
from ossature.simulation.compile.joint_actuation import DRIVEN
from ossature.simulation.compile.joints import PRESCRIBED
from ossature.simulation.stepping.joint_drives import needs_force_drive

SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    **all_fields(model.Grasp, model.BodyPath, model.DartStepping, model.Extension, model.Inertial, model.Range),
    **all_fields(model.Box, model.Sphere, model.Ellipsoid, model.Cylinder, model.Capsule, model.Cone, model.Pyramid),
    **all_fields(model.Plane, model.MultiSphere, model.Ball),
    **all_fields(model.JointType, model.Function),
    **all_fields(model.Bushing, model.Constraint, model.Distance, model.RevoluteSpherical, model.RevoluteTranslational),
    **all_fields(model.ForceMap, model.RotationalSpringDamper, model.Motor, model.Load, model.ElectricMotor, model.TorquePoint),
    **all_fields(model.Number, model.JointPosition, model.Operation),
    model.World: frozenset({"name", "gravity", "time_step", "hints", "models", "grasps", "extensions"}),
    model.Model: frozenset(
        {
            *("pose", "bodies", "joints", "static", "bushings", "constraints", "spring_dampers", "rotational_spring_dampers"),
            *("motors", "loads", "ignored_pairs", "actuators"),
        }
    ),
    model.Body: fields_except(
        model.Body,
        *(
            "extensions",
            "hints",
            "initial_angular_velocity_body",
            "initial_velocity",
            "mocap",
            "origin",
        ),
    ),
    model.Visual: frozenset({"geometry", "pose", "color", "visible"}),
    model.Collision: frozenset({"geometry", "pose", "enabled", "material", "margin"}),
    model.Material: frozenset({"friction"}),
    model.Frame: frozenset({"name", "pose"}),
    model.SoftSkin: frozenset({"geometry", "pose", "mass", "vertex_stiffness", "edge_stiffness", "damping", "subdivisions"}),
    model.Mesh: frozenset({"uri", "scale"}),
    model.TriangleMesh: frozenset({"surface"}),
    model.Joint: frozenset({"name", "type", "parent", "child", "pose", "coordinates", "actuation"}),
    model.Spherical: frozenset(),
    model.Axis: frozenset({"direction", "is_revolute"}),
    model.SpringDamper: fields_except(model.SpringDamper, "visual"),
    model.Actuator: frozenset({"name", "joint", "motor"}),
    model.Coordinate: frozenset(
        {
            *("position_limits", "effort_limits", "initial_position", "initial_velocity", "initial_effort", "damping"),
            *("friction", "stiffness", "spring_reference", "coupling"),
        }
    ),
    model.Coupling: frozenset({"position"}),
}
"""Fields that an MJCF file represents in some form; the audit reports all others."""

_NEAREST_CONTACT = (
    f"rigid contacts become compliant with a time constant of {TIME_CONSTANT_STEPS:g} time steps: bodies penetrate, rebound "
    "after an impact, and lift off while sliding"
)
_SPLIT = {JointLayout.STACK: "three slides and a ball", JointLayout.SCREW: "a hinge and a slide coupled to it"}


def record_losses(world: World, compiled: EngineModel, ledger: Ledger) -> None:
    """Record what an MJCF file of a compiled World represents differently, or not at all."""
    audit(world, SUPPORTED_FIELDS, ledger)
    for number, extension in enumerate(world.extensions):
        drop_extension(extension, f"extensions[{number}]", ledger)
    if len(world.models) > 1:
        ledger.rewritten("models", "all models become one tree of bodies")
    for owner in world.models:
        if owner.static:
            ledger.rewritten(f"{owner.name}.static", "bodies are fixed to the world")
            for joint in owner.joints:
                ledger.dropped(f"{owner.name}/{joint.name}", "joint of a static model")
        for body in owner.bodies:
            _account_body(owner, body, compiled, ledger)
        for index in compiled.index.joints[owner.name].values():
            if not owner.static:
                _account_joint(owner, index, ledger)
                _account_couplings(owner, index, compiled, ledger)
        _account_contacts(owner, ledger)
        _account_mechanism(owner, ledger)
    _account_grasps(world, compiled, ledger)
    if model.hint_of(world, model.DartStepping) is not None:
        ledger.rewritten("hints", "written as the integrator that is equivalent to DART's")
    if compiled.choice.integrator in (Integrator.CENTRED, Integrator.STAGGERED):
        ledger.approximated("hints", f"MuJoCo's first-order integrator instead of {compiled.choice.integrator.value}")


def _account_grasps(world: World, compiled: EngineModel, ledger: Ledger) -> None:
    active = [held.grasp for held in compiled.grasp_plan.grasps]
    for number, grasp in enumerate(world.grasps):
        if grasp not in active:
            ledger.dropped("grasps", f"'{grasp.link.body}' cannot grasp '{grasp.body.body}'")
            continue
        how = "an equality constraint" if compiled.grasp_plan.is_welded(grasp) else "the grasped body is a child of the gripper"
        ledger.rewritten(f"grasps[{number}]", f"{how}; MJCF cannot release it")


def _account_mechanism(owner: Model, ledger: Ledger) -> None:
    path = owner.name
    for bushing in owner.bushings:
        ledger.rewritten(f"{path}/{bushing.name}", "six actuators between two sites")
    for constraint in owner.constraints:
        ledger.rewritten(f"{path}/{constraint.name}", "an equality constraint, or a clone of the body welded to it")
    for spring in (*owner.spring_dampers, *owner.rotational_spring_dampers):
        ledger.rewritten(f"{path}/{spring.name}", "an actuator with a bias")
        is_nonlinear = spring.spring_curve or spring.damping_curve
        if isinstance(spring, model.SpringDamper):
            is_nonlinear = is_nonlinear or spring.force_map or spring.length_range or any(spring.degressivity)
        if is_nonlinear:
            ledger.dropped(f"{path}/{spring.name}", "curves, maps and stops, which MJCF does not support")
    for motor in owner.motors:
        ledger.approximated(f"{path}/{motor.name}", "a fixed or actuated joint; MJCF has no functions of time")
    for actuator in owner.actuators:
        if actuator.motor is None:
            ledger.dropped(f"{path}/{actuator.name}", "actuator without parameters")
            continue
        ledger.approximated(f"{path}/{actuator.name}.motor", "an actuator with the constants of the motor, without its limits")
    for load in owner.loads:
        ledger.rewritten(f"{path}/{load.name}", "an actuator at a site")
        if not isinstance(load.modulation, model.ConstantFunction) or load.value is None or not load.applied_at_body_point:
            ledger.dropped(f"{path}/{load.name}", "its modulation, its external command, or its point fixed in the world")


def _account_moments(path: str, moments: list[float], ledger: Ledger) -> None:
    smallest, middle, largest = sorted(moments)
    specified = f"{smallest:g}, {middle:g} and {largest:g} kg·m²"
    if largest - (smallest + middle) > INERTIA_ROUNDING * largest:
        mean = sum(moments) / 3.0
        message = (
            f"principal moments {specified} violate the triangle inequality: MuJoCo uses {mean:g} for each (balanceinertia)"
        )
        ledger.approximated(f"{path}.inertial.moment", message)
    elif smallest <= 0.0 < largest:
        ledger.approximated(f"{path}.inertial.moment", f"principal moments {specified}: MuJoCo requires positive moments")


def _account_body(owner: Model, body: Body, compiled: EngineModel, ledger: Ledger) -> None:
    path, index = f"{owner.name}/{body.name}", compiled.index.bodies[owner.name][body.name]
    if compiled.model.body(index.number).name != body.name:
        ledger.rewritten(path, "the model's name is added as a prefix")
    if compiled.model.body_weldid[index.number] == 0:
        ledger.dropped(f"{path}.inertial", "mass and inertia of a fixed body", before=value_text(body.inertial, longest=None))
        if not body.gravity:
            ledger.dropped(f"{path}.gravity", "gravity setting of a fixed body")
    elif not body.gravity:
        ledger.rewritten(f"{path}.gravity", "gravcomp")
    _account_moments(path, compiled.model.body_inertia[index.number].tolist(), ledger)
    if body.self_collide:
        ledger.rewritten(f"{path}.self_collide", "written as contact bits")
    if body.inertial.moment is None:
        ledger.rewritten(f"{path}.inertial.moment", "computed from the shapes")
    if body.frames:
        ledger.rewritten(f"{path}.frames", "sites")
    if body.soft_skin is not None:
        _account_soft_skin(f"{path}.soft_skin", index, ledger)
    for number, visual in enumerate(body.visuals):
        if not visual.visible:
            ledger.rewritten(f"{path}.visuals[{number}].visible", f"geom group {HIDDEN_GROUP}, which is hidden by default")
    _account_collisions(f"{path}.collisions", body.collisions, index.geoms, ledger)
    if body.self_collisions and not index.inner_geoms:
        ledger.dropped(f"{path}.self_collisions", "shapes for self-collisions that never occur")
    elif body.self_collisions is not None:
        ledger.rewritten(f"{path}.self_collisions", "written as contact bits")
        _account_collisions(f"{path}.self_collisions", body.self_collisions, index.inner_geoms, ledger)


def _account_soft_skin(path: str, index: BodyAddress, ledger: Ledger) -> None:
    if index.points:
        ledger.rewritten(path, f"{len(index.points)} bodies that slide on springs, and tendons for edges")
        return
    ledger.approximated(path, "a rigid collision shape")
    for name in ("vertex_stiffness", "edge_stiffness", "damping"):
        ledger.dropped(f"{path}.{name}", "the surface does not deform")


def _account_collisions(path: str, collisions: Sequence[model.Collision], geoms: Sequence[int | None], ledger: Ledger) -> None:
    for number, (collision, geom) in enumerate(zip(collisions, geoms, strict=True)):
        _account_shape(f"{path}[{number}]", collision.geometry, ledger)
        if geom is None:
            ledger.dropped(f"{path}[{number}]", "shape without an equivalent in the engine; see the findings")


def _account_shape(path: str, geometry: model.Geometry, ledger: Ledger) -> None:
    if isinstance(geometry, model.Cone | model.MultiSphere):
        ledger.approximated(path, f"a {kind_text(type(geometry))} becomes a convex mesh with flat faces")
    elif isinstance(geometry, model.Pyramid):
        ledger.rewritten(path, "a pyramid becomes a convex mesh")
    elif isinstance(geometry, model.Mesh | model.TriangleMesh):
        ledger.rewritten(path, "the mesh is embedded")


def _account_contacts(owner: Model, ledger: Ledger) -> None:
    if any(body.collisions or body.self_collisions for body in owner.bodies):
        ledger.rewritten(f"{owner.name}.bodies", "collision filtering is written as contact bits")
        ledger.approximated(f"{owner.name}.bodies", _NEAREST_CONTACT)
    if owner.ignored_pairs:
        detail = "collision filtering is written as contact bits or excluded pairs"
        ledger.rewritten(f"{owner.name}.ignored_pairs", detail)


def _account_joint(owner: Model, index: JointAddress, ledger: Ledger) -> None:
    joint = index.joint
    path = f"{owner.name}/{joint.name}"
    if isinstance(joint.type, model.Fixed):
        ledger.rewritten(path, "no joint: the child is fixed in its parent")
        return
    if index.layout in _SPLIT:
        ledger.rewritten(f"{path}.type", _SPLIT[index.layout])
    elif index.layout is JointLayout.SCALARS and joint.degrees_of_freedom > 1:
        ledger.rewritten(f"{path}.type", "one hinge or slide for each coordinate")
    _account_actuation(path, index, ledger)
    has_ball = index.layout in (JointLayout.BALL, JointLayout.STACK, JointLayout.FREE)
    if has_ball and needs_force_drive(index):
        ledger.approximated(f"{path}.coordinates", "springs and forces of ball and free joints, which MJCF does not support")
    for number, coordinate in enumerate(joint.coordinates):
        _account_coordinate(f"{path}.coordinates[{number}]", coordinate, index, has_ball, ledger)


def _account_coordinate(path: str, coordinate: Coordinate, index: JointAddress, has_ball: bool, ledger: Ledger) -> None:
    if has_ball and coordinate.position_limits.bounded:
        ledger.dropped(f"{path}.position_limits", "position limits of a ball or free joint")
    elif coordinate.position_limits.bounded and index.joint.actuation in PRESCRIBED:
        ledger.dropped(f"{path}.position_limits", "position limits of a commanded motion, which passes them")
    if has_ball and len({other.friction for other in index.joint.coordinates}) > 1:
        ledger.dropped(f"{path}.friction", "friction that differs between the axes of a ball joint")
    if coordinate.spring_reference and not coordinate.stiffness:
        ledger.dropped(f"{path}.spring_reference", "rest position of a spring without stiffness")
    if has_ball or index.joint.actuation is not Actuation.FORCE:
        if coordinate.effort_limits.bounded:
            ledger.dropped(f"{path}.effort_limits", "effort limits of a joint without force command")
        if coordinate.initial_effort:
            ledger.dropped(f"{path}.initial_effort", "initial effort of a joint without force command")


def _account_couplings(owner: Model, index: JointAddress, compiled: EngineModel, ledger: Ledger) -> None:
    coupled = {built.follower.position: built for built in compiled.couplings if built.model == owner.name}
    for number, coordinate in enumerate(index.joint.coordinates):
        if coordinate.coupling is None:
            continue
        path = f"{owner.name}/{index.joint.name}.coordinates[{number}]"
        built = coupled.get(model.JointPosition(joint=index.joint.name, coordinate=number))
        if built is None:
            ledger.rewritten(f"{path}.coupling", "its joints do not move: their positions satisfy the formula")
        elif built.is_linear:
            ledger.rewritten(f"{path}.coupling", "an equality constraint between joints")
        else:
            ledger.approximated(f"{path}.coupling", "an equality constraint between joints, linearized at the initial state")
        for field in ("initial_position", "initial_velocity"):
            ledger.rewritten(f"{path}.{field}", "its initial value is computed from the formula")


def _account_actuation(path: str, index: JointAddress, ledger: Ledger) -> None:
    joint = index.joint
    if joint.actuation is Actuation.LOCKED:
        ledger.rewritten(f"{path}.actuation", "no joint: the child is fixed at its initial pose")
        ledger.dropped(path, "name, frame and coordinates of a locked joint")
    elif joint.actuation in DRIVEN:
        ledger.approximated(
            f"{path}.actuation", f"a joint with {joint.actuation.value} command is fixed at its initial position"
        )
    elif joint.actuation is Actuation.PASSIVE:
        ledger.rewritten(f"{path}.actuation", "no motor")
    elif index.layout in (JointLayout.SCALARS, JointLayout.SCREW):
        ledger.rewritten(f"{path}.actuation", "motors with the name of the joint")
    else:
        ledger.dropped(f"{path}.actuation", "force commands of a ball or free joint, for which MJCF has no motor")
