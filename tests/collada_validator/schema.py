"""What COLLADA 1.5.0 says of the elements that robots use: their content, attributes and text, as one table.

``attributes`` are written as ``url!:anyURI sid:sid``; an exclamation mark stands for a required one. Types of effects
other than the common profile, of controllers and of animations are left open.

The schema spells an instance of a camera, a light, a force field, an image, a joint and a physics material, and a sampler,
as restrictions without content, which would forbid everything in them. The specification shows content there, and so does
this table.
"""

from __future__ import annotations

from dataclasses import dataclass

from collada_validator.content import Content, content

NAMED = "id:ID name:token"
INSTANCE = "url!:anyURI sid:sid name:token"
COUNTED = "name:token count!:uint material:NCName"
ARRAY = f"{NAMED} count!:uint"
TURNS_AND_SLIDES = "(translate|rotate)*"
TARGETABLE = "sid:sid"
PRIMITIVES = "(lines|linestrips|polygons|polylist|triangles|trifans|tristrips)*"
FORMULAS = "(formula|instance_formula)*"
COLOURS = "color_or_texture"
GLOSS = (
    f"reflective={COLOURS}? reflectivity=float_or_param_ref? transparent?"
    " transparency=float_or_param_ref? index_of_refraction=float_or_param_ref?"
)
SHADING = f"emission={COLOURS}? ambient={COLOURS}? diffuse={COLOURS}?"
SHINING = f"{SHADING} specular={COLOURS}? shininess=float_or_param_ref? {GLOSS}"
SAMPLER = (
    "instance_image? wrap_s=wrap? wrap_t=wrap? wrap_p=wrap? minfilter=min_filter? magfilter=mag_filter? mipfilter=mip_filter?"
    " border_color=doubles4? mip_max_level=byte? mip_min_level=byte? mip_bias=double? max_anisotropy=uint? extra*"
)
PARAMETERS = "newparam=kinematics_newparam* setparam=kinematics_setparam*"
MATERIAL_OF_PHYSICS = "(instance_physics_material|physics_material)?"
MASS = f"mass=targetable_double? mass_frame? inertia=targetable_doubles3? {MATERIAL_OF_PHYSICS}"
ATTENUATION = (
    "constant_attenuation=targetable_double? linear_attenuation=targetable_double? quadratic_attenuation=targetable_double?"
)
VALUE = "float=double|int|SIDREF=sidref|bool=boolean"

LIBRARIES = {
    "animations": "animation",
    "animation_clips": "animation_clip",
    "cameras": "camera",
    "controllers": "controller",
    "geometries": "geometry",
    "effects": "effect",
    "force_fields": "force_field",
    "images": "image",
    "lights": "light",
    "materials": "material",
    "nodes": "node",
    "physics_materials": "physics_material",
    "physics_models": "physics_model",
    "physics_scenes": "physics_scene",
    "visual_scenes": "visual_scene",
    "joints": "joint",
    "kinematics_models": "kinematics_model",
    "articulated_systems": "articulated_system",
    "kinematics_scenes": "kinematics_scene",
    "formulas": "formula",
}
"""What each library is a library of."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type of elements.

    Attributes:
        content: Its children, or None where they are left open, and its attributes with them.
        attributes: For each attribute its simple type and whether it is required.
        text: The simple type of its text, or None where it has none.
    """

    content: Content | None
    attributes: dict[str, tuple[str, bool]]
    text: str | None


def of(content_line: str = "", attributes: str = "", text: str | None = None) -> Type:
    """Return a type with children, or with text."""
    return Type(content(content_line), _attributes(attributes), text)


def left_open(attributes: str = NAMED) -> Type:
    """Return a type of which only some attributes are looked at."""
    return Type(None, _attributes(attributes), None)


def _attributes(line: str) -> dict[str, tuple[str, bool]]:
    words = [word.rpartition(":") for word in line.split()]
    return {name.removesuffix("!"): (kind, name.endswith("!")) for name, _, kind in words}


def _libraries() -> dict[str, Type]:
    return {f"library_{many}": of(f"asset? {one}+ extra*", NAMED) for many, one in LIBRARIES.items()}


def _instances() -> dict[str, Type]:
    kinds = ("camera", "force_field", "image", "joint", "light", "physics_material", "physics_scene", "visual_scene")
    return {f"instance_{kind}": of("extra*", INSTANCE) for kind in kinds}


def _primitives() -> dict[str, Type]:
    contents = {
        **dict.fromkeys(("triangles", "lines"), "p=uints?"),
        **dict.fromkeys(("trifans", "tristrips", "linestrips"), "p=uints*"),
        "polylist": "vcount=uints? p=uints?",
        "polygons": "(p=uints|ph)*",
    }
    return {name: of(f"input=shared_input* {inner} extra*", COUNTED) for name, inner in contents.items()}


def _arrays() -> dict[str, Type]:
    texts = {
        "token_array": "tokens",
        "IDREF_array": "idrefs",
        "Name_array": "names",
        "bool_array": "booleans",
        "SIDREF_array": "sidrefs",
    }
    return {
        **{name: of("", ARRAY, text) for name, text in texts.items()},
        "float_array": of("", f"{ARRAY} digits:digits magnitude:magnitude", "doubles"),
        "int_array": of("", f"{ARRAY} minInclusive:int maxInclusive:int", "ints"),
    }


_DOCUMENT = {
    "COLLADA": of(
        f"asset ({'|'.join(f'library_{many}' for many in LIBRARIES)})* scene? extra*", "version!:version xml:base:anyURI"
    ),
    "asset": of(
        "contributor* coverage? created=dateTime keywords=token? modified=dateTime revision=string? subject=string?"
        " title=string? unit? up_axis? extra*"
    ),
    "contributor": of(
        "author=string? author_email=email? author_website=anyURI? authoring_tool=string? comments=string? copyright=string?"
        " source_data=anyURI?"
    ),
    "coverage": of("geographic_location?"),
    "geographic_location": of("longitude=double latitude=double altitude"),
    "altitude": of("", "mode:altitude_mode", "double"),
    "unit": of("", "meter:double name:NMTOKEN"),
    "extra": of("asset? technique+", f"{NAMED} type:NMTOKEN"),
    "technique": left_open("profile!:NMTOKEN"),
    "targetable_double": of("", TARGETABLE, "double"),
    "targetable_doubles3": of("", TARGETABLE, "doubles3"),
    "targetable_boolean": of("", TARGETABLE, "boolean"),
    "scene": of("instance_physics_scene* instance_visual_scene? instance_kinematics_scene* extra*"),
}

_VISUAL = {
    "visual_scene": of("asset? node+ evaluate_scene* extra*", NAMED),
    "evaluate_scene": left_open(f"{NAMED} sid:sid"),
    "node": of(
        "asset? (lookat|matrix|rotate|scale|skew|translate)* instance_camera* instance_controller* instance_geometry*"
        " instance_light* instance_node* node* extra*",
        f"{NAMED} sid:sid type:node_kind layer:names",
    ),
    "lookat": of("", TARGETABLE, "doubles9"),
    "matrix": of("", TARGETABLE, "doubles16"),
    "rotate": of("", TARGETABLE, "doubles4"),
    "scale": of("", TARGETABLE, "doubles3"),
    "skew": of("", TARGETABLE, "doubles7"),
    "translate": of("", TARGETABLE, "doubles3"),
    "instance_node": of("extra*", f"{INSTANCE} proxy:anyURI"),
    "instance_geometry": of("bind_material? extra*", INSTANCE),
    "instance_controller": of("skeleton=anyURI* bind_material? extra*", INSTANCE),
    "bind_material": of("param* technique_common=bound_materials technique* extra*"),
    "bound_materials": of("instance_material+"),
    "instance_material": of(
        "bind=material_bind* bind_vertex_input* extra*", "symbol!:NCName target!:anyURI sid:sid name:token"
    ),
    "material_bind": of("", "semantic!:NCName target!:token"),
    "bind_vertex_input": of("", "semantic!:NCName input_semantic!:NCName input_set:uint"),
    "param": of("", "name:token sid:sid semantic:NMTOKEN type!:NMTOKEN", "string"),
    "camera": of("asset? optics imager=open? extra*", NAMED),
    "optics": of("technique_common=optics_common technique* extra*"),
    "optics_common": of("orthographic|perspective"),
    **{
        name: of(
            f"({x} ({y}|aspect_ratio=targetable_double)?|{y} aspect_ratio=targetable_double?)"
            " znear=targetable_double zfar=targetable_double"
        )
        for name, x, y in (
            ("orthographic", "xmag=targetable_double", "ymag=targetable_double"),
            ("perspective", "xfov=targetable_double", "yfov=targetable_double"),
        )
    },
    "light": of("asset? technique_common=light_common technique* extra*", NAMED),
    "light_common": of("ambient=plain_light|directional=plain_light|point=point_light|spot=spot_light"),
    "plain_light": of("color=targetable_doubles3"),
    "point_light": of(f"color=targetable_doubles3 {ATTENUATION}"),
    "spot_light": of(
        f"color=targetable_doubles3 {ATTENUATION} falloff_angle=targetable_double? falloff_exponent=targetable_double?"
    ),
}

_GEOMETRY = {
    "geometry": of("asset? (convex_mesh|mesh|spline=open|brep=open) extra*", NAMED),
    "mesh": of(f"source+ vertices {PRIMITIVES} extra*"),
    "convex_mesh": of(f"(source+ vertices {PRIMITIVES} extra*)?", "convex_hull_of:anyURI"),
    "source": of(
        "asset? (token_array|IDREF_array|Name_array|bool_array|float_array|int_array|SIDREF_array)?"
        " technique_common=source_common? technique*",
        "id!:ID name:token",
    ),
    "source_common": of("accessor"),
    "accessor": of("param*", "count!:uint offset:uint source!:anyURI stride:uint"),
    "vertices": of("input+ extra*", "id!:ID name:token"),
    "input": of("", "semantic!:NMTOKEN source!:fragment"),
    "shared_input": of("", "offset!:uint semantic!:NMTOKEN source!:fragment set:uint"),
    "ph": of("p=uints h=uints+"),
}

_EFFECTS = {
    "material": of("asset? instance_effect extra*", NAMED),
    "instance_effect": of("technique_hint=open* setparam=open* extra*", INSTANCE),
    "effect": of(
        "asset? annotate=open* newparam=open* (profile_COMMON|profile_BRIDGE=open|profile_GLES2=open|profile_GLSL=open"
        "|profile_CG=open|profile_GLES=open)+ extra*",
        "id!:ID name:token",
    ),
    "profile_COMMON": of("asset? newparam=effect_newparam* technique=effect_technique extra*", "id:ID"),
    "effect_newparam": of(
        "semantic=NCName? (float=double|float2=doubles2|float3=doubles3|float4=doubles4|sampler2D)", "sid!:sid"
    ),
    "sampler2D": of(SAMPLER),
    "effect_technique": of("asset? (constant|lambert|phong|blinn) extra*", "id:ID sid!:sid"),
    "constant": of(f"emission={COLOURS}? {GLOSS}"),
    "lambert": of(f"{SHADING} {GLOSS}"),
    "phong": of(SHINING),
    "blinn": of(SHINING),
    COLOURS: of("color|param=param_ref|texture"),
    "transparent": of("color|param=param_ref|texture", "opaque:opaque"),
    "color": of("", TARGETABLE, "doubles4"),
    "texture": of("extra*", "texture!:NCName texcoord!:NCName"),
    "float_or_param_ref": of("float=targetable_double|param=param_ref"),
    "param_ref": of("", "ref!:token"),
    "image": of("asset? renderable? (init_from|create_2d=open|create_3d=open|create_cube=open)? extra*", f"{NAMED} sid:sid"),
    "renderable": of("", "share!:boolean"),
    "init_from": of("ref=anyURI|hex=open", "mips_generate:boolean"),
}

_KINEMATICS = {
    "joint": of("(prismatic=axis_constraint|revolute=axis_constraint)+ extra*", f"{NAMED} sid:sid"),
    "axis_constraint": of("axis limits=joint_limits?", TARGETABLE),
    "axis": of("", "sid:sid name:token", "doubles3"),
    "joint_limits": of("min=joint_limit? max=joint_limit?"),
    "joint_limit": of("", "sid:sid name:token", "double"),
    "kinematics_model": of("asset? technique_common=kinematics_model_common technique* extra*", NAMED),
    "kinematics_model_common": of(f"newparam=kinematics_newparam* (instance_joint|joint)* link+ {FORMULAS}"),
    "link": of(f"{TURNS_AND_SLIDES} (attachment_full|attachment_start|attachment_end)*", "sid:sid name:token"),
    "attachment_full": of(f"{TURNS_AND_SLIDES} link", "joint!:token"),
    "attachment_start": of("(translate|rotate)+", "joint!:token"),
    "attachment_end": of(TURNS_AND_SLIDES, "joint!:token"),
    "formula": of(
        "newparam=kinematics_newparam* target=float_or_param technique_common=formula_common technique*", f"{NAMED} sid:sid"
    ),
    "formula_common": of("math:math=mathml"),
    "mathml": left_open(""),
    "instance_formula": of("setparam=kinematics_setparam*", "url:anyURI sid:sid name:token"),
    "kinematics_newparam": of(VALUE, TARGETABLE),
    "kinematics_setparam": of(f"{VALUE}|connect_param=param_ref", "ref!:token"),
    "kinematics_bind": of(f"param=param_ref|{VALUE}", "symbol!:NCName"),
    "kinematics_index": of("int|param=token", "semantic:NMTOKEN"),
    "kinematics_limits": of("min=float_or_param max=float_or_param"),
    "float_or_param": of("float=double|param=token"),
    "float2_or_param": of("float2=doubles2|param=token"),
    "bool_or_param": of("bool=boolean|param=token"),
    "sidref_or_param": of("SIDREF=sidref|param=token"),
    "articulated_system": of("asset? (kinematics|motion) extra*", NAMED),
    "kinematics": of("instance_kinematics_model+ technique_common=kinematics_common technique* extra*"),
    "kinematics_common": of(
        "axis_info=kinematics_axis_info* frame_origin=kinematics_frame frame_tip=kinematics_frame frame_tcp=kinematics_frame?"
        " frame_object=kinematics_frame?"
    ),
    "kinematics_frame": of(TURNS_AND_SLIDES, "link:token"),
    "kinematics_axis_info": of(
        "newparam=kinematics_newparam* active=bool_or_param? locked=bool_or_param? index=kinematics_index*"
        f" limits=kinematics_limits? {FORMULAS}",
        "axis!:token sid:sid name:token",
    ),
    "motion": of("instance_articulated_system technique_common=motion_common technique* extra*"),
    "motion_common": of("axis_info=motion_axis_info* effector_info?"),
    "motion_axis_info": of(
        f"bind=kinematics_bind* {PARAMETERS} speed=float_or_param? acceleration=float_or_param? deceleration=float_or_param?"
        " jerk=float_or_param?",
        "axis!:token sid:sid name:token",
    ),
    "effector_info": of(
        f"bind=kinematics_bind* {PARAMETERS} speed=float2_or_param? acceleration=float2_or_param?"
        " deceleration=float2_or_param? jerk=float2_or_param?",
        "sid:sid name:token",
    ),
    "instance_kinematics_model": of(f"bind=kinematics_bind* {PARAMETERS} extra*", INSTANCE),
    "instance_articulated_system": of(
        "bind=kinematics_bind* setparam=kinematics_setparam* newparam=kinematics_newparam* extra*", INSTANCE
    ),
    "kinematics_scene": of("asset? instance_kinematics_model* instance_articulated_system* extra*", NAMED),
    "instance_kinematics_scene": of(f"asset? {PARAMETERS} bind_kinematics_model* bind_joint_axis* extra*", INSTANCE),
    "bind_kinematics_model": of("SIDREF=sidref|param=token", "node:token"),
    "bind_joint_axis": of("axis=sidref_or_param value=float_or_param", "target:token"),
}

_PHYSICS = {
    "physics_scene": of(
        "asset? instance_force_field* instance_physics_model* technique_common=physics_scene_common technique* extra*", NAMED
    ),
    "physics_scene_common": of("gravity=targetable_doubles3? time_step=targetable_double?"),
    "instance_physics_model": of(
        "instance_force_field* instance_rigid_body* instance_rigid_constraint* extra*", f"{INSTANCE} parent:anyURI"
    ),
    "instance_rigid_body": of(
        "technique_common=instance_rigid_body_common technique* extra*", "body!:NCName sid:sid name:token target!:anyURI"
    ),
    "instance_rigid_body_common": of(
        f"angular_velocity=doubles3? velocity=doubles3? dynamic=targetable_boolean? {MASS} shape*"
    ),
    "instance_rigid_constraint": of("extra*", "constraint!:NCName sid:sid name:token"),
    "physics_model": of("asset? rigid_body* rigid_constraint* instance_physics_model* extra*", NAMED),
    "rigid_body": of("technique_common=rigid_body_common technique* extra*", "id:ID sid!:sid name:token"),
    "rigid_body_common": of(f"dynamic=targetable_boolean? {MASS} shape+"),
    "mass_frame": of("(translate|rotate)+"),
    "shape": of(
        f"hollow=targetable_boolean? mass=targetable_double? density=targetable_double? {MATERIAL_OF_PHYSICS}"
        f" (instance_geometry|plane|box|sphere|cylinder|capsule) {TURNS_AND_SLIDES} extra*"
    ),
    "plane": of("equation=doubles4 extra*"),
    "box": of("half_extents=doubles3 extra*"),
    "sphere": of("radius=double extra*"),
    "cylinder": of("height=double radius=doubles2 extra*"),
    "capsule": of("height=double radius=doubles3 extra*"),
    "physics_material": of("asset? technique_common=physics_material_common technique* extra*", NAMED),
    "physics_material_common": of(
        "dynamic_friction=targetable_double? restitution=targetable_double? static_friction=targetable_double?"
    ),
    "rigid_constraint": of(
        "ref_attachment=rigid_attachment attachment=rigid_attachment technique_common=open technique* extra*",
        "sid!:sid name:token",
    ),
    "rigid_attachment": of(f"{TURNS_AND_SLIDES} extra*", "rigid_body:anyURI"),
    "force_field": of("asset? technique+ extra*", NAMED),
}

_LEFT_OPEN = {
    "open": left_open(""),
    **dict.fromkeys(("animation", "animation_clip", "controller"), left_open()),
}

TYPES: dict[str, Type] = {
    **_DOCUMENT,
    **_libraries(),
    **_instances(),
    **_VISUAL,
    **_GEOMETRY,
    **_primitives(),
    **_arrays(),
    **_EFFECTS,
    **_KINEMATICS,
    **_PHYSICS,
    **_LEFT_OPEN,
}
"""Every type by its name; names of elements where one type is enough for an element."""
