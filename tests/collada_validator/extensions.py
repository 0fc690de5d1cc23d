"""What OpenRAVE's extensions add, under ``<extra>`` and ``<technique profile="OpenRAVE">``, as one more table.

It allows what the document describes and, left open, what the program reads besides.
"""

from __future__ import annotations

from collada_validator.markup import Element
from collada_validator.schema import Type, left_open, of

PROFILE = "OpenRAVE"
FRAME = "translate* & rotate*"
NAMED_ARRAYS = "float_array=named_doubles* & int_array=named_ints* & string_value=named_string*"
INTERFACE = "interface=nested_interface & plugin=string?"
MOTOR = (
    "model_type=string? & gear_ratio=double? & nominal_speed_torque_point=doubles2* & max_speed_torque_point=doubles2* & "
) + " & ".join(
    f"{name}=double?"
    for name in (
        *("assigned_power_rating", "max_speed", "no_load_speed", "stall_torque", "rotor_inertia", "torque_constant"),
        *("nominal_torque", "nominal_voltage", "speed_constant", "speed_torque_gradient", "starting_current"),
        *("terminal_resistance", "max_instantaneous_torque", "coloumb_friction", "viscous_friction"),
    )
)

CONTENTS = {
    "interface_type": "interface & plugin=string?",
    "manipulator": ("... frame_origin=link_reference & frame_tip & frame_endlink=link_reference? & gripper_joint* & iksolver*"),
    "dynamic_rigid_constraints": "rigid_constraint=dynamic_constraint*",
    "collision": (
        "bind_instance_geometry* & ignore_link_pair* & link_collision_state=link_state* & link_visible_state=link_state*"
    ),
    "visible": "link_visible_state=link_state*",
    "geometry_info": (
        f"visible=bool_or_param? & {FRAME}"
        " & (plane|box|sphere|cylinder|capsule|cylinderz=open|container=open|cage=open|calibration_board=open)?"
    ),
    "link_info": NAMED_ARRAYS,
    "joint_info": f"... {NAMED_ARRAYS}",
    "library_sensors": "sensor*",
    "attach_sensor": "instance_sensor=library_instance & frame_origin=sensor_frame",
    "library_actuators": "actuator*",
    "attach_actuator": "instance_actuator=library_instance & bind_actuator=joint_reference",
    "idsuffix": "",
    "formula": "equation*",
}
"""What the technique of an extension contains, by the extension's type; ``formula`` is that of a formula itself."""

PARENTS = {
    "interface_type": ("articulated_system", "kinematics_model"),
    "manipulator": ("articulated_system", "instance_articulated_system"),
    "dynamic_rigid_constraints": ("instance_physics_scene",),
    "collision": ("kinematics_model", "articulated_system", "instance_articulated_system"),
    "visible": ("articulated_system", "instance_articulated_system"),
    "geometry_info": ("geometry",),
    "link_info": ("kinematics_model",),
    "joint_info": ("kinematics_model",),
    "library_sensors": ("COLLADA",),
    "attach_sensor": ("articulated_system",),
    "library_actuators": ("COLLADA",),
    "attach_actuator": ("articulated_system",),
    "idsuffix": ("instance_node",),
}
"""Where each extension may stand."""

NEEDS_NAME = ("idsuffix", "link_info", "joint_info")
"""Extensions whose own name means something."""

AXIS_PARAMETERS = {"circular": "bool", "planning_weight": "float", "discretization_resolution": "float"}
"""Parameters of an axis that the document gives a meaning, with the kind of their values."""

TYPES: dict[str, Type] = {
    **{f"extension:{name}": of(content, "profile!:NMTOKEN") for name, content in CONTENTS.items()},
    "interface": of("", "type!:token", "string"),
    "nested_interface": of("", "type:token", "string"),
    "nested_interface_type": of(f"technique=interface_technique|{INTERFACE}"),
    "interface_technique": of(INTERFACE, "profile!:NMTOKEN"),
    "link_reference": of("", "link!:token"),
    "joint_reference": of("", "joint!:token"),
    "frame_tip": of(f"{FRAME} & direction=doubles3?", "link!:token"),
    "sensor_frame": of(FRAME, "link!:token"),
    "gripper_joint": of("chucking_direction=closing_direction* & closing_direction*", "joint!:token"),
    "closing_direction": of("float=double|param=token", "axis!:token"),
    "iksolver": of("free_joint* & interface_type=nested_interface_type?", "type!:token"),
    "free_joint": of("", "joint!:token stepsize:double"),
    "dynamic_constraint": of(
        "ref_attachment=dynamic_attachment & attachment=dynamic_attachment & technique=constraint_technique*",
        "sid:sid name:token",
    ),
    "dynamic_attachment": of("", "rigid_body!:token"),
    "constraint_technique": of("... ignore_link=link_reference*", "profile!:NMTOKEN"),
    "bind_instance_geometry": of("", "type!:geometry_use link!:token url!:anyURI material:token"),
    "ignore_link_pair": of("", "link0!:token link1!:token"),
    "link_state": of("bool=boolean|param=token", "link!:token"),
    "named_doubles": of("", "name!:token link:token joint:token", "doubles"),
    "named_ints": of("", "name!:token link:token joint:token", "ints"),
    "named_string": of("", "name!:token link:token joint:token", "string"),
    "sensor": of(
        "... interface_type=nested_interface_type? & instance_sensor=library_instance* & target_region=library_instance*"
        " & sensor_reference=library_instance*",
        "type!:token id!:ID",
    ),
    "actuator": of(f"... interface_type=nested_interface_type? & {MOTOR}", "type!:token id!:ID"),
    "library_instance": left_open("url!:anyURI"),
    "equation": of("math:math=mathml", "type!:equation_kind target:token"),
}


def extension_of(technique: Element) -> str | None:
    """Return which extension a technique spells, as a key of :data:`CONTENTS`, or None."""
    around = technique.parent
    if around is None or technique.attributes.get("profile") != PROFILE:
        return None
    name = "formula" if around.name == "formula" else around.attributes.get("type") if around.name == "extra" else None
    return name if name in CONTENTS else None


def extension_around(element: Element) -> str | None:
    """Return which extension an element is in, or None."""
    kinds = (around.type for around in (element, *element.ancestors()))
    return next((kind.partition(":")[2] for kind in kinds if kind.startswith("extension:")), None)
