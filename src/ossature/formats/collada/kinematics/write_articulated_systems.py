"""Writes models as articulated systems: kinematics, motion, and their instances and bindings in a scene."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ossature.formats.collada.kinematics import schema
from ossature.formats.collada.kinematics.write_joint import WrittenAxis, axis_sid, largest_absolute_bound
from ossature.formats.collada.model_write_context import ModelWriteContext, axis_parameter
from ossature.formats.collada.schema_common import ExtraElement, NewparamElement, ParamElement, ValueElement
from ossature.formats.collada.visual_scene.write import axis_target
from ossature.model import OpenravePlanning, Range, hint_of


def write_systems(model: ModelWriteContext, extras: tuple[ExtraElement, ...]) -> schema.InstanceArticulatedSystemElement:
    """Add the articulated systems of a model to the document, and return the instance for the scene."""
    model.writing.define("library_articulated_systems", _kinematics_element(model))
    model.writing.define("library_articulated_systems", _motion_element(model, extras))
    return schema.InstanceArticulatedSystemElement(
        url=f"#{model.motion}",
        sid=f"{model.motion}_inst",
        name=model.name,
        newparam=(*_reference_parameters("kscene", model.motion, model), *_initial_position_parameters(model)),
    )


def _iterate_axes(model: ModelWriteContext) -> Iterator[tuple[str, int, WrittenAxis]]:
    for joint, sid in model.joints.items():
        for index, axis in enumerate(model.axes[joint]):
            yield sid, index, axis


def _instance_sids(model: ModelWriteContext) -> dict[str, str]:
    """Return the sid of the instance of each kinematics model, by the id of the model."""
    return {ids.model: ids.instance for ids in model.tree_ids.values()}


def _parameter_name(prefix: str, name: str, model: ModelWriteContext) -> str:
    # Parameters of the scene are unique among all models.
    return f"{prefix}_{model.number}_{name}" if prefix == "kscene" else f"{prefix}_{name}"


def _reference_parameters(prefix: str, inner: str, model: ModelWriteContext) -> list[NewparamElement]:
    """Return parameters that refer to the models and axes of the inner system."""
    names = [*_instance_sids(model).values(), *(axis_parameter(sid, index) for sid, index, _ in _iterate_axes(model))]
    return [
        NewparamElement(sid=_parameter_name(prefix, name, model), sidref=f"{inner}/{_parameter_name(inner, name, model)}")
        for name in names
    ]


def _initial_position_parameters(model: ModelWriteContext) -> list[NewparamElement]:
    return [
        NewparamElement(sid=initial_position_parameter(sid, index, model), float_value=axis.in_document(axis.initial_position))
        for sid, index, axis in _iterate_axes(model)
    ]


def initial_position_parameter(sid: str, index: int, model: ModelWriteContext) -> str:
    """Return the name of the parameter of the initial position of an axis."""
    return _parameter_name("kscene", f"{axis_parameter(sid, index)}_value", model)


def _kinematics_element(model: ModelWriteContext) -> schema.ArticulatedSystemElement:
    axes: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for joint, sid in model.joints.items():
        axes[_kinematics_model_of(joint, model)] += [(sid, index) for index in range(len(model.axes[joint]))]
    instances = [
        schema.InstanceKinematicsModelElement(
            url=f"#{identifier}", sid=instance, newparam=tuple(_inner_references(axes[identifier], instance, model))
        )
        for identifier, instance in _instance_sids(model).items()
    ]
    return schema.ArticulatedSystemElement(
        id=model.kinematics,
        name=model.name,
        system=schema.KinematicsElement(
            instance_kinematics_model=tuple(instances), technique_common=_kinematics_technique(model)
        ),
    )


def _inner_references(axes: Iterable[tuple[str, int]], instance: str, model: ModelWriteContext) -> Iterator[NewparamElement]:
    """Yield parameters that refer to a kinematics model and to its axes, each stated by the sid of its joint and its index."""
    path = f"{model.kinematics}/{instance}"
    yield NewparamElement(sid=_parameter_name(model.kinematics, instance, model), sidref=path)
    for sid, index in axes:
        name = axis_parameter(sid, index)
        yield NewparamElement(sid=_parameter_name(model.kinematics, name, model), sidref=f"{path}/{sid}/{axis_sid(index)}")


def _kinematics_model_of(joint: str, model: ModelWriteContext) -> str:
    return model.joint_path(joint).partition("/")[0]


def _kinematics_technique(model: ModelWriteContext) -> schema.KinematicsTechniqueElement:
    infos = [
        _kinematics_info_element(
            f"{_kinematics_model_of(joint, model)}/{sid}/{axis_sid(index)}", f"k_{axis_parameter(sid, index)}", axis
        )
        for joint, sid in model.joints.items()
        for index, axis in enumerate(model.axes[joint])
    ]
    bodies = [body for tree in model.forest.trees for body in tree.bodies()]
    first, last = (f"{model.tree_ids[body].model}/{model.links[body]}" for body in (bodies[0], bodies[-1]))
    return schema.KinematicsTechniqueElement(
        axis_info=tuple(infos),
        frame_origin=schema.KinematicsFrameElement(link=first),
        frame_tip=schema.KinematicsFrameElement(link=last),
    )


def _kinematics_info_element(path: str, sid: str, axis: WrittenAxis) -> schema.KinematicsAxisInfoElement:
    parameters = []
    if axis.axis.is_revolute:
        parameters.append(NewparamElement(sid="circular", bool_value=axis.is_circular))
    planning = hint_of(axis.coordinate, OpenravePlanning) or OpenravePlanning()
    for name, value in (("planning_weight", planning.weight), ("discretization_resolution", planning.resolution)):
        if value is not None:
            parameters.append(NewparamElement(sid=name, float_value=value))
    return schema.KinematicsAxisInfoElement(
        sid=sid,
        axis=path,
        newparam=tuple(parameters),
        active=ValueElement(bool_value=axis.active),
        locked=ValueElement(bool_value=axis.locked),
        limits=_soft_limits_element(axis),
    )


def _soft_limits_element(axis: WrittenAxis) -> schema.AxisLimitsElement | None:
    limits = axis.soft_position
    if limits is None:
        return None
    lower, upper = (ValueElement(float_value=axis.in_document(bound)) for bound in (limits.lower, limits.upper))
    return schema.AxisLimitsElement(min=lower, max=upper)


def _motion_element(model: ModelWriteContext, extras: tuple[ExtraElement, ...]) -> schema.ArticulatedSystemElement:
    infos = [
        _motion_info_element(f"{model.kinematics}/k_{axis_parameter(sid, index)}", f"m_{axis_parameter(sid, index)}", axis)
        for sid, index, axis in _iterate_axes(model)
    ]
    instance = schema.InstanceArticulatedSystemElement(
        url=f"#{model.kinematics}", newparam=tuple(_reference_parameters(model.motion, model.kinematics, model))
    )
    return schema.ArticulatedSystemElement(
        id=model.motion,
        name=model.name,
        system=schema.MotionElement(
            instance_articulated_system=instance, technique_common=schema.MotionTechniqueElement(axis_info=tuple(infos))
        ),
        extra=extras,
    )


def _motion_info_element(path: str, sid: str, axis: WrittenAxis) -> schema.MotionAxisInfoElement:
    coordinate, hard = axis.coordinate, axis.coordinate.hard_limits
    specified = [] if hard is None else [("Vel", hard.velocity), ("Accel", hard.acceleration), ("Jerk", hard.jerk)]
    parameters = [
        NewparamElement(sid=f"hardMax{name}", float_value=axis.in_document(bound))
        for name, limits in specified
        if (bound := largest_absolute_bound(limits)) is not None
    ]
    return schema.MotionAxisInfoElement(
        sid=sid,
        axis=path,
        newparam=tuple(parameters),
        speed=_bound_element(axis, coordinate.velocity_limits),
        acceleration=_bound_element(axis, coordinate.acceleration_limits),
        jerk=_bound_element(axis, coordinate.jerk_limits),
    )


def _bound_element(axis: WrittenAxis, limits: Range) -> ValueElement | None:
    bound = largest_absolute_bound(limits)
    return None if bound is None else ValueElement(float_value=axis.in_document(bound))


def model_bindings(model: ModelWriteContext) -> list[schema.BindKinematicsModelElement]:
    """Return the bindings of the link trees of a model to nodes."""
    return [
        schema.BindKinematicsModelElement(
            target=f"{model.visual}/{model.node(tree.root)}",
            param=ParamElement(value=_parameter_name("kscene", model.tree_ids[tree.root].instance, model)),
        )
        for tree in model.forest.trees
    ]


def axis_bindings(model: ModelWriteContext) -> list[schema.BindJointAxisElement]:
    """Return the bindings of the axes of a model to transforms, with their initial positions."""
    loop_joints = {model.joints[joint.name] for tree in model.forest.trees for joint in tree.loop_joints}
    return [
        schema.BindJointAxisElement(
            target=None if sid in loop_joints else f"{model.visual}/{axis_target(sid, index)}",
            axis=_param_element(_parameter_name("kscene", axis_parameter(sid, index), model)),
            value=_param_element(initial_position_parameter(sid, index, model)),
        )
        for sid, index, _ in _iterate_axes(model)
    ]


def _param_element(name: str) -> ValueElement:
    return ValueElement(param=ParamElement(value=name))
