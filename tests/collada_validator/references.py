"""References: that each leads to an element, of the right kind, and in no circle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from collada_validator.extensions import extension_around
from collada_validator.identifiers import ELSEWHERE, Elsewhere, Index
from collada_validator.markup import Element
from collada_validator.problems import Kind, Problem
from collada_validator.structure import problem, type_of
from collada_validator.values import fault

TRANSFORMS = ("lookat", "matrix", "rotate", "scale", "skew", "translate")
AXES = ("axis_constraint",)
JOINTS = ("joint", "instance_joint")
ARRAYS = ("token_array", "IDREF_array", "Name_array", "bool_array", "float_array", "int_array", "SIDREF_array")
NUMBERS = ("float", "int")

URLS: dict[tuple[str, str], tuple[str, ...]] = {
    ("instance_material", "target"): ("material",),
    ("instance_rigid_body", "target"): ("node",),
    ("instance_physics_model", "parent"): ("node",),
    ("instance_node", "proxy"): ("node",),
    ("rigid_attachment", "rigid_body"): ("rigid_body", "node"),
    ("accessor", "source"): ARRAYS,
    ("input", "source"): ("source",),
    ("shared_input", "source"): ("source", "vertices"),
    ("convex_mesh", "convex_hull_of"): ("geometry",),
    ("bind_instance_geometry", "url"): ("geometry",),
}
"""By the type of an element and its attribute: the types of what its URL may name. Instances are told by their own names."""

ADDRESSES: dict[tuple[str, str], tuple[str, ...]] = {
    ("kinematics_axis_info", "axis"): AXES,
    ("motion_axis_info", "axis"): ("kinematics_axis_info",),
    ("attachment_full", "joint"): JOINTS,
    ("attachment_start", "joint"): JOINTS,
    ("attachment_end", "joint"): JOINTS,
    ("kinematics_frame", "link"): ("link",),
    ("bind_joint_axis", "target"): TRANSFORMS,
    ("bind_kinematics_model", "node"): ("node", "instance_node"),
    ("equation", "target"): (*JOINTS, *AXES),
}
"""By the type of an element and its attribute: the types of what its address may name."""

LOOSE_ADDRESSES: dict[tuple[str, str], tuple[str, ...]] = {
    ("link_reference", "link"): ("link",),
    ("frame_tip", "link"): ("link",),
    ("sensor_frame", "link"): ("link",),
    ("bind_instance_geometry", "link"): ("link",),
    ("ignore_link_pair", "link0"): ("link",),
    ("ignore_link_pair", "link1"): ("link",),
    ("link_state", "link"): ("link",),
    ("gripper_joint", "joint"): JOINTS,
    ("free_joint", "joint"): JOINTS,
    ("joint_reference", "joint"): JOINTS,
    ("named_doubles", "link"): ("link",),
    ("named_ints", "link"): ("link",),
    ("named_doubles", "joint"): JOINTS,
    ("named_ints", "joint"): JOINTS,
}
"""Addresses of extensions, which may also begin with a scoped identifier inside of the kinematics model."""

INSTANCED = {"body": ("articulated_system",), "sensor": ("sensor",), "actuator": ("actuator",)}
CHAINS = ("instance_node", "instance_articulated_system", "instance_physics_model")
KINEMATICS = ("kinematics_model", "articulated_system", "instance_articulated_system", "kinematics_scene")


def check_references(index: Index) -> Iterator[Problem]:
    """Yield references that lead nowhere, to the wrong kind of element, or back to where they began."""
    for element in index.root.walk():
        if element.type:
            yield from _check_urls(index, element)
            yield from _check_addresses(index, element)
            yield from _check_special(index, element)
    yield from _check_cycles(index)


def _judged(
    element: Element, what: str, found: Element | Elsewhere | None, wanted: Iterable[str], extension: bool = False
) -> Iterator[Problem]:
    names = " or ".join(f"<{name}>" for name in wanted)
    told = None
    if found is None:
        told = Kind.DANGLING_REFERENCE, f"{what} names nothing in the document"
    elif isinstance(found, Element) and names and found.type not in wanted:
        told = Kind.WRONG_TARGET, f"{what} names a <{found.name}>, no {names}"
    if told is not None:
        yield Problem(element.line, element.path, told[1], told[0], extension or extension_around(element) is not None)


def _check_urls(index: Index, element: Element) -> Iterator[Problem]:
    for name, value in element.attributes.items():
        wanted = URLS.get((element.type, name))
        if name == "url" and element.name.startswith("instance_"):
            kind = element.name.removeprefix("instance_")
            wanted = INSTANCED.get(kind, (kind,))
        if wanted is not None and _is_sound(element, name):
            yield from _judged(element, f"'{value}'", index.by_url(value), wanted)
    if element.name == "skeleton" and element.type == "anyURI":
        yield from _judged(element, f"'{element.text.strip()}'", index.by_url(element.text), ("node",))


def _is_sound(element: Element, name: str) -> bool:
    """Return whether an attribute is a value of its type; where it is none, that has been told."""
    return fault(type_of(element.type).attributes[name][0], element.attributes[name]) is None


def _check_addresses(index: Index, element: Element) -> Iterator[Problem]:
    for name, value in element.attributes.items():
        key = (element.type, name)
        if key in ADDRESSES:
            # Scenes that are elsewhere bring ids of their own.
            found = index.by_address(value, element) or (ELSEWHERE if _binds_elsewhere(index, element) else None)
            yield from _judged(element, f"'{value}'", found, ADDRESSES[key])
        elif key in LOOSE_ADDRESSES and not _is_in_physics(element):
            yield from _judged(element, f"'{value}'", loose_address(index, value, element), LOOSE_ADDRESSES[key])


def _binds_elsewhere(index: Index, element: Element) -> bool:
    scene = index.root.child("scene")
    return element.name.startswith("bind_") and any(
        index.instanced(instance) is ELSEWHERE for instance in (scene.children if scene is not None else [])
    )


def _is_in_physics(element: Element) -> bool:
    return extension_around(element) == "dynamic_rigid_constraints"


def loose_address(index: Index, address: str, base: Element) -> Element | Elsewhere | None:
    """Return what an address names from the document's ids, or from the kinematics around an element."""
    found = index.by_address(address, base)
    if found is not None:
        return found
    around = [gripper_body for gripper_body in base.ancestors() if gripper_body.type in KINEMATICS]
    sids = address.strip().split("/")
    return next((found for gripper_body in around if (found := index.by_sids(gripper_body, sids)) is not None), None)


def _check_special(index: Index, element: Element) -> Iterator[Problem]:
    if element.type == "sidref" and fault("sidref", element.text) is None:
        found = index.by_address(element.text, element)
        yield from _judged(element, f"'{element.text.strip()}'", found, ())
    elif element.type == "token" and element.name == "param":
        yield from _check_param(index, element)
    elif element.type == "param_ref":
        yield from _check_param_ref(index, element)
    elif element.type == "texture":
        yield from _check_texture(element)
    elif element.type in ("instance_rigid_body", "instance_rigid_constraint"):
        yield from _check_rigid(index, element)
    elif element.type == "closing_direction":
        yield from _check_closing(index, element)
    elif element.type in ("dynamic_attachment", "link_reference") and _is_in_physics(element):
        yield from _check_dynamic(index, element)
    elif element.type == "extra" and element.attributes.get("type") in ("link_info", "joint_info"):
        yield from _check_info(index, element)
    elif element.type in ("bind_kinematics_model", "sidref_or_param", "float_or_param"):
        yield from _check_end_of_chain(index, element)


def _check_param(index: Index, element: Element) -> Iterator[Problem]:
    name = element.text.strip()
    is_target = element.parent is not None and element.parent.name == "target"
    wanted = (*JOINTS, *AXES, "kinematics_newparam") if is_target else ("kinematics_newparam", "kinematics_bind")
    found = index.parameter(name, element)
    if found is None and (is_target or "/" in name):
        found = loose_address(index, name, element)
    yield from _judged(element, f"'{name}'", found, wanted)


def _check_param_ref(index: Index, element: Element) -> Iterator[Problem]:
    name = element.attributes.get("ref", "")
    if element.parent is not None and element.parent.type == "kinematics_bind":
        found = index.parameter(name, element) or index.by_address(name, element)
        yield from _judged(element, f"'{name}'", found, ())
    elif any(around.type == "effect" for around in element.ancestors()):
        yield from _judged(element, f"'{name}'", _effect_parameter(element, name), ())


def _effect_parameter(element: Element, name: str) -> Element | None:
    holders = (around for around in element.ancestors() if around.type in ("profile_COMMON", "effect"))
    return next((param for gripper_body in holders for param in gripper_body.named("newparam") if param.sid == name), None)


def _check_texture(element: Element) -> Iterator[Problem]:
    name = element.attributes.get("texture", "")
    found = _effect_parameter(element, name)
    yield from _judged(element, f"'{name}'", found, ("effect_newparam", "open"))
    if found is not None and found.type == "effect_newparam" and found.child("sampler2D") is None:
        yield problem(element, Kind.WRONG_TARGET, f"'{name}' is no <sampler2D>")


def _check_rigid(index: Index, element: Element) -> Iterator[Problem]:
    attribute, kind = ("body", "rigid_body") if element.name == "instance_rigid_body" else ("constraint", "rigid_constraint")
    model = index.instanced(element.parent) if element.parent is not None else None
    if isinstance(model, Element):
        name = element.attributes.get(attribute, "")
        found = next((body for body in model.named(kind) if body.sid == name), None)
        found_deeper = found or index.by_sids(model, [name])
        yield from _judged(element, f"'{name}'", found_deeper, (kind,))


def _check_closing(index: Index, element: Element) -> Iterator[Problem]:
    gripper = element.parent
    assert gripper is not None
    joint = loose_address(index, gripper.attributes.get("joint", ""), gripper)
    axis = element.attributes.get("axis", "")
    if isinstance(joint, Element):
        found = index.by_sids(joint, axis.strip().removeprefix("./").split("/")) or index.by_address(axis, element)
        yield from _judged(element, f"'{axis}'", found, AXES)


def _check_dynamic(index: Index, element: Element) -> Iterator[Problem]:
    instance = next((around for around in element.ancestors() if around.name == "instance_physics_scene"), None)
    attribute = "rigid_body" if element.type == "dynamic_attachment" else "link"
    if instance is not None and attribute in element.attributes:
        address = element.attributes[attribute]
        found = index.by_sids(instance, address.strip().split("/"))
        yield from _judged(element, f"'{address}'", found, ("instance_rigid_body",))


def _check_info(index: Index, extra: Element) -> Iterator[Problem]:
    wanted = ("link",) if extra.attributes["type"] == "link_info" else JOINTS
    name = extra.attributes.get("name")
    if name is not None:
        yield from _judged(extra, f"'{name}'", loose_address(index, name, extra), wanted, extension=True)


def _check_end_of_chain(index: Index, element: Element) -> Iterator[Problem]:
    """Follow a parameter to its end, over the parameters of the systems below, and look what it finds there."""
    wanted: tuple[str, ...]
    if element.type == "bind_kinematics_model":
        wanted = ("instance_kinematics_model", "kinematics_model")
    elif element.type == "sidref_or_param":
        wanted = AXES
    elif element.parent is not None and element.parent.name == "bind_joint_axis":
        wanted = NUMBERS
    else:
        return
    for gripper_body in element.named("param", "SIDREF"):
        end = follow(index, gripper_body)
        if isinstance(end, Element) and end.type not in wanted and end.name not in wanted:
            names = " or ".join(f"<{name}>" for name in wanted)
            yield problem(gripper_body, Kind.WRONG_TARGET, f"'{gripper_body.text.strip()}' ends at a <{end.name}>, no {names}")


def follow(index: Index, gripper_body: Element) -> Element | Elsewhere | None:
    """Return what a parameter or an address stands for in the end; None where it breaks off or turns in a circle."""
    seen: set[Element] = set()
    while True:
        if gripper_body in seen:
            return None
        seen.add(gripper_body)
        found = _one_step(index, gripper_body)
        if not isinstance(found, Element):
            return found
        if found.type not in ("kinematics_newparam", "kinematics_bind"):
            return found
        if not found.children:
            return None
        gripper_body = found.children[0]
        if gripper_body.name not in ("SIDREF", "param"):
            return gripper_body


def _one_step(index: Index, gripper_body: Element) -> Element | Elsewhere | None:
    name = (gripper_body.attributes.get("ref") or gripper_body.text).strip()
    if gripper_body.name == "param":
        return index.parameter(name, gripper_body) or index.by_address(name, gripper_body)
    return index.by_address(name, gripper_body)


def _check_cycles(index: Index) -> Iterator[Problem]:
    """Yield instances that contain themselves, and parameters that stand for themselves."""
    for element in index.root.walk():
        if element.name in CHAINS and element.type and _contains(index, element):
            yield problem(element, Kind.CYCLE, f"<{element.name}> contains itself")
        elif element.type == "kinematics_newparam" and _returns(index, element):
            yield problem(element, Kind.CYCLE, f"'{element.sid}' stands for itself")


def _contains(index: Index, instance: Element) -> bool:
    """Return whether the target of an instance has the same instance in it again."""
    pending = [index.instanced(instance)]
    seen = set()
    while pending:
        target = pending.pop()
        if not isinstance(target, Element) or target in seen:
            continue
        seen.add(target)
        for element in target.walk():
            if element is instance:
                return True
            if element.name == instance.name:
                pending.append(index.instanced(element))
    return False


def _returns(index: Index, parameter: Element) -> bool:
    seen: set[Element] = set()
    current: Element | Elsewhere | None = parameter
    while isinstance(current, Element) and current.type == "kinematics_newparam" and current not in seen:
        seen.add(current)
        inner = current.child("SIDREF")
        current = _one_step(index, inner) if inner is not None else None
    return current is parameter
