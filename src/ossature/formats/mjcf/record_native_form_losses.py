"""Record what a World for MuJoCo states that its MJCF file has in another form, or not at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any

from ossature.diagnostics import Ledger
from ossature.formats.mjcf.mujoco_defaults import OPTION_DEFAULTS
from ossature.formats.mjcf.write_context import MjcfDocument, is_world, record_models
from ossature.formats.mjcf.write_geom import MUJOCO_FRICTION
from ossature.formats.mjcf.write_joint import is_free, reference_positions
from ossature.model import (
    ActivationDynamics,
    Actuation,
    Actuator,
    Appearance,
    Body,
    Camera,
    Collision,
    Compound,
    Connection,
    DartStepping,
    Equality,
    Fixed,
    Floating,
    Gain,
    Joint,
    JointEquality,
    Keyframe,
    Light,
    Material,
    Model,
    MujocoActuator,
    MujocoGeom,
    MujocoOption,
    Spherical,
    TendonEquality,
    Weld,
    World,
    hint_of,
)
from ossature.model.value_text import field_text
from ossature.spatial import IDENTITY, IDENTITY_WXYZ, ZERO3

_NO_MOMENT = (ZERO3, ZERO3, ZERO3)


def account_native_form(document: MjcfDocument, name: str) -> None:
    """Record what a World for MuJoCo states that its file has in another form, or not at all."""
    ledger, world = document.ledger, document.world
    _record_names(ledger, world, name)
    option = hint_of(world, MujocoOption)
    if option is not None and option.integrator is None:
        ledger.rewritten("hints[0].integrator", "MuJoCo's default is stated", after="Euler")
    if hint_of(world, DartStepping) is not None:
        ledger.dropped("hints", "MuJoCo's options are stated")
    for model in world.models:
        _record_model(ledger, model)
        inboard: dict[str, list[Joint]] = {}
        for joint in model.joints:
            inboard.setdefault(joint.child, []).append(joint)
        for body in model.bodies:
            _record_body(document, model, body, inboard.get(body.name, []))
        for joint in model.joints:
            _record_joint(document, model, joint)
        for node in document.equalities:
            if node.attributes.get("name", "").endswith("_coupling"):
                ledger.rewritten(f"{model.name}/{node.attributes['name']}", "a coupling as an equality")
        for collection, record in _RECORDS.items():
            for element in getattr(model, collection):
                record(ledger, model, element)
                _record_default_values(ledger, f"{model.name}/{element.name}", element)
    _record_default_values(ledger, "", world)
    _record_order(document)


def _record_names(ledger: Ledger, world: World, name: str) -> None:
    if world.name != name:
        ledger.rewritten("name", "the document has the name of the robot", before=world.name, after=name)
    record_models(ledger, list(world.models), name)


def record_model_pose(ledger: Ledger, model: Model) -> None:
    """Record what a file states in the frame of the world, because a model has no pose in MJCF."""
    if model.pose == IDENTITY:
        return
    detail = "in the frame of the world, not of the model"
    ledger.rewritten(f"{model.name}.pose", "part of the poses of its bodies")
    for body in model.bodies:
        for field in ("pose", "initial_velocity"):
            ledger.rewritten(f"{model.name}/{body.name}.{field}", detail)
    changed: tuple[tuple[Iterable[Camera | Light | Keyframe], tuple[str, ...]], ...] = (
        ([each for each in model.cameras if each.body is None], ("pose",)),
        ([each for each in model.lights if each.body is None], ("position", "direction")),
        (model.keyframes, ("joints", "bodies")),
    )
    for elements, names in changed:
        for element, field in product(elements, names):
            ledger.rewritten(f"{model.name}/{element.name}.{field}", detail)


def _record_model(ledger: Ledger, model: Model) -> None:
    if model.static:
        ledger.rewritten(model.name, "a static model: bodies without joints")
    if model.joined_bodies_collide:
        detail = "MuJoCo's flag 'filterparent', of the hint of the World, determines it"
        ledger.dropped(f"{model.name}.joined_bodies_collide", detail)
    record_model_pose(ledger, model)


def _record_body(document: MjcfDocument, model: Model, body: Body, inboard: Sequence[Joint]) -> None:
    ledger = document.ledger
    path = f"{model.name}/{body.name}"
    if not body.self_collide:
        for excluded in (f"{path}.self_collide", f"{model.name}.ignored_pairs"):
            ledger.rewritten(excluded, "pairs of bodies that do not collide are excluded")
    if body.soft_skin is not None:
        for kind in ("visuals", "collisions"):
            ledger.rewritten(f"{path}.{kind}", "the undeformed shape of a soft body")
    if inboard or model.static:
        for field in ("initial_velocity", "initial_angular_velocity_body"):
            if getattr(body, field) != ZERO3:
                detail = "the state of its joint determines it"
                ledger.dropped(f"{path}.{field}", detail, before=field_text(body, field))
    if is_world(model, body):
        for field in ("gravity_compensation", "hints"):
            if getattr(body, field):
                ledger.rewritten(f"{path}.{field}", "not used: the world body of MuJoCo has none")
    elif body.name == "world":
        _record_reserved_name(document, model)
    if body.mocap:
        _record_mocap_body(ledger, model, body, inboard)
    for number, collision in enumerate(body.collisions):
        _record_material(ledger, f"{path}.collisions[{number}]", collision)
    for kind in ("visuals", "collisions", "frames"):
        for number, element in enumerate(getattr(body, kind)):
            _record_default_values(ledger, f"{path}.{kind}[{number}]", element)


def _record_reserved_name(document: MjcfDocument, model: Model) -> None:
    """Record that a body that is not the world has its name, which MuJoCo reserves."""
    ledger = document.ledger
    for written in ("world", document.names.body(model.name, "world")):
        for suffix in ("", "_joint"):
            detail = "MuJoCo reserves the name of the world: the body has another one"
            ledger.rewritten(f"{model.name}/{written}{suffix}", detail)


def _record_mocap_body(ledger: Ledger, model: Model, body: Body, inboard: Sequence[Joint]) -> None:
    moving = [joint for joint in inboard if joint.degrees_of_freedom]
    for joint in moving:
        ledger.dropped(f"{model.name}/{joint.name}", "mocap bodies have no joints", location=joint.origin)
    if moving or not inboard:
        ledger.rewritten(f"{model.name}/{body.name}_joint", "a mocap body has no joints: it is fixed to its parent")
    if moving:
        adapted = [f"{other.name}.pose" for other in model.bodies] + [f"{one.name}.bodies" for one in model.keyframes]
        for field in adapted:
            ledger.rewritten(f"{model.name}/{field}", f"adapted to the initial position of the mocap body '{body.name}'")


def _record_material(ledger: Ledger, path: str, collision: Collision) -> None:
    if collision.material is None:
        return
    material = collision.material
    specified = (material.friction, material.torsional_friction, material.rolling_friction)
    if specified == MUJOCO_FRICTION:
        ledger.rewritten(f"{path}.material", "MuJoCo's default coefficients of friction")
    elif None in specified:
        empty = replace(material, friction=None, torsional_friction=None, rolling_friction=None)
        detail = "coefficients of friction that it does not state are MuJoCo's defaults"
        ledger.rewritten(f"{path}.material", detail if specified != (None, None, None) else "it states no friction")
        for item in fields(Material):
            value = getattr(empty, item.name)
            if value is not None and value != item.default:
                ledger.dropped(f"{path}.material.{item.name}", "MuJoCo has no such property", before=f"{value}")


def _record_joint(document: MjcfDocument, model: Model, joint: Joint) -> None:
    ledger = document.ledger
    path = f"{model.name}/{joint.name}"
    if joint.actuation is not Actuation.FORCE:
        ledger.rewritten(f"{path}.actuation", "actuators are elements of their own")
    if isinstance(joint.type, Fixed):
        if joint.pose != IDENTITY:
            ledger.rewritten(f"{path}.pose", "a body without joints: fixed joints have no frame")
        read = document.unnamed_joint_name(model, joint.child)
        if joint.name != ("world_joint" if joint.child == "world" else read):
            for written in (joint.name, read, "world_joint"):
                ledger.rewritten(f"{model.name}/{written}", "a body without joints: fixed joints have no name")
    elif not _has_form_of_mjcf(joint):
        for field in ("type", "pose"):
            ledger.rewritten(f"{path}.{field}", "axes and anchors in the frame of the body")
        if isinstance(joint.type, Spherical | Floating | Compound):
            _record_states(ledger, model, joint, "relative to the frame of the body")
    if isinstance(joint.type, Floating) and not is_free(joint):
        for written in (joint.name, f"{document.names.body(model.name, joint.child)}_joint"):
            ledger.rewritten(f"{model.name}/{written}", "slides and a ball joint, because its coordinates differ")
        _record_states(ledger, model, joint, "of slides and a ball joint")
    _record_coordinates(ledger, model, joint)


def _record_states(ledger: Ledger, model: Model, joint: Joint, detail: str) -> None:
    for keyframe in model.keyframes:
        ledger.rewritten(f"{model.name}/{keyframe.name}.joints", f"state of '{joint.name}': {detail}")


def _has_form_of_mjcf(joint: Joint) -> bool:
    if joint.pose.wxyz != IDENTITY_WXYZ:
        return False
    if isinstance(joint.type, Floating):
        return joint.pose == IDENTITY
    if not isinstance(joint.type, Compound):
        return True
    anchors = [motion.anchor for motion in joint.type.axes]
    has_common_anchor = len(set(anchors)) == 1
    return anchors[0] == ZERO3 if has_common_anchor else joint.pose == IDENTITY


def _record_coordinates(ledger: Ledger, model: Model, joint: Joint) -> None:
    path = f"{model.name}/{joint.name}"
    is_single = not isinstance(joint.type, Compound)
    firsts = {first for first, _ in joint.type.motions} if isinstance(joint.type, Compound) else set()
    references = reference_positions(joint)
    for number, coordinate in enumerate(joint.coordinates):
        own = f"{path}.coordinates[{number}]"
        if coordinate.name is not None and number not in firsts:
            ledger.dropped(f"{own}.name", "the joint has a name", before=coordinate.name)
        elif coordinate.name is None and not is_single and number in firsts:
            ledger.rewritten(f"{own}.name", "joints of MJCF have names")
        for field, reference in (("initial_position", references[number]), ("initial_velocity", 0.0)):
            if getattr(coordinate, field) != reference:
                ledger.rewritten(f"{own}.{field}", "a value of the keyframe initial, because MuJoCo starts at the reference")
                _record_states(ledger, model, joint, "stated in each keyframe")
        if coordinate.initial_effort:
            ledger.dropped(f"{own}.initial_effort", "MuJoCo has no initial force", before=f"{coordinate.initial_effort:g}")
        if coordinate.continuous:
            ledger.rewritten(f"{own}.continuous", "a hinge without a range")
        _record_default_values(ledger, own, coordinate)


_GEOM_DEFAULTS: Mapping[str, object] = {
    **dict.fromkeys(("contype", "conaffinity"), 1),
    **dict.fromkeys(("priority", "group", "gap", "adhesion"), 0),
    "condim": 3,
    "solmix": 1.0,
}


def _record_default_values(ledger: Ledger, path: str, element: Any) -> None:
    """Record the values of an element's hints that are MuJoCo's defaults, and so are not read again."""
    for number, hint in enumerate(getattr(element, "hints", ())):
        defaults = OPTION_DEFAULTS if isinstance(hint, MujocoOption) else _GEOM_DEFAULTS if isinstance(hint, MujocoGeom) else {}
        for item in fields(hint):
            value = getattr(hint, item.name)
            is_none = (item.name, value) == ("fluidshape", "none")
            if value is False or is_none or (value is not None and value == defaults.get(item.name)):
                ledger.rewritten(f"{path}{'.' if path else ''}hints", "values that are MuJoCo's defaults")
        if isinstance(hint, MujocoGeom) and hint.fluidcoef is not None and hint.fluidshape in (None, "none"):
            ledger.rewritten(f"{path}.hints[{number}].fluidcoef", "not used: the ellipsoidal fluid model is off for this geom")


def _record_equality(ledger: Ledger, model: Model, equality: Equality) -> None:
    path, kind = f"{model.name}/{equality.name}.type", equality.type
    if isinstance(kind, JointEquality) and kind.joint2 is None and kind.coordinate2:
        ledger.rewritten(f"{path}.coordinate2", "it has no second joint")
    if isinstance(kind, JointEquality | TendonEquality) or kind.frame1 is None or kind.frame2 is None:
        return
    if isinstance(kind, Weld):
        if kind.pose != IDENTITY:
            ledger.dropped(f"{path}.pose", "welded frames coincide", before=field_text(kind, "pose"))
        if kind.anchor != ZERO3:
            ledger.dropped(f"{path}.anchor", "the origin of the second frame is its anchor", before=field_text(kind, "anchor"))
    elif isinstance(kind, Connection):
        for field, frame in (("point1", kind.frame1), ("point2", kind.frame2)):
            at = next((one.pose.position for one in model.bodies[frame.body].frames if one.name == frame.frame), None)
            if at != getattr(kind, field):
                ledger.rewritten(f"{path}.{field}", "the origin of its frame", before=field_text(kind, field))


def _record_actuator(ledger: Ledger, model: Model, actuator: Actuator) -> None:
    path = f"{model.name}/{actuator.name}"
    hint = hint_of(actuator, MujocoActuator)
    if actuator.model is not None and actuator.model.gain is Gain.MUSCLE and actuator.model.length_range is None:
        ledger.rewritten(f"{path}.model.length_range", "MuJoCo computes it")
    has_several = actuator.model is not None and actuator.model.dynamics is ActivationDynamics.PID
    if has_several and (hint is None or hint.actdim is None):
        ledger.rewritten(f"{path}.hints", "the number of activation variables is that of the parameters")
    if has_several and (hint is None or hint.input is None):
        ledger.rewritten(f"{path}.hints", "the inputs are MuJoCo's defaults")


def _record_camera(ledger: Ledger, model: Model, camera: Camera) -> None:
    path = f"{model.name}/{camera.name}"
    if camera.output == ("rgb",):
        ledger.rewritten(f"{path}.output", "MuJoCo's default")
    if camera.sensor_size is None:
        for field in ("focal_length", "principal_point"):
            if getattr(camera, field) is not None:
                detail = "a camera without the size of the image sensor"
                ledger.dropped(f"{path}.{field}", detail, before=field_text(camera, field))
        return
    focal = None if camera.focal_length is None else camera.focal_length[1]
    angle = 2.0 * math.atan2(0.5 * camera.sensor_size[1], focal) if focal else math.inf
    if camera.projection == "orthographic" or not math.isclose(camera.field_of_view, angle, rel_tol=_SINGLE_PRECISION):
        detail = "the image sensor and the focal length determine it"
        ledger.dropped(f"{path}.field_of_view", detail, before=field_text(camera, "field_of_view"))
    if camera.focal_length is None:
        ledger.rewritten(f"{path}.focal_length", "MuJoCo's default")


_SINGLE_PRECISION = 1e-6


def _record_light(ledger: Ledger, model: Model, light: Light) -> None:
    degrees = math.degrees(light.cutoff)
    if not math.isclose(float(f"{degrees:.7g}"), degrees, rel_tol=1e-12):
        ledger.rewritten(f"{model.name}/{light.name}.cutoff", "in single precision")


def _record_appearance(ledger: Ledger, model: Model, appearance: Appearance) -> None:
    roles = [layer.role for layer in appearance.textures]
    if len(set(roles)) < len(roles):
        detail = "MuJoCo has one texture of each role"
        ledger.dropped(f"{model.name}/{appearance.name}.textures", detail, before=", ".join(roles))


def _record_nothing(ledger: Ledger, model: Model, element: object) -> None:
    """Record nothing of an element beside the values of its hints."""


_RECORDS: Mapping[str, Callable[[Ledger, Model, Any], None]] = {
    "equalities": _record_equality,
    "actuators": _record_actuator,
    "cameras": _record_camera,
    "lights": _record_light,
    "appearances": _record_appearance,
    "tendons": _record_nothing,
    "sensors": _record_nothing,
    "contact_pairs": _record_nothing,
}


def _record_order(document: MjcfDocument) -> None:
    """Record the order of bodies and joints if it is not that of the tree."""
    for model in document.world.models:
        specified = [body.name for body in model.bodies]
        children = [joint.child for joint in model.joints]
        tree = [name for owner, name in document.body_nodes if owner == model.name]
        if specified != tree:
            document.ledger.rewritten(f"{model.name}.bodies (order)", "the order of the tree")
            for keyframe in model.keyframes:
                document.ledger.rewritten(f"{model.name}/{keyframe.name}.joints", "in the order of the tree")
        if children != [name for name in tree if name in children]:
            document.ledger.rewritten(f"{model.name}.joints (order)", "the order of the tree")
