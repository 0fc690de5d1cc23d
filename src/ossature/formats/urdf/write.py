"""Writer of URDF files: links by ``write_link``, joints by ``write_joint``, in the tree of ``representable_tree``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ossature.diagnostics.ledger import Ledger, WrittenName
from ossature.formats.srdf import write as srdf
from ossature.formats.srdf.apply import FORMAT as SRDF
from ossature.formats.urdf.passthrough import attribute_in, element_in
from ossature.formats.urdf.read import DEFAULT_NAME, INTERPRETED_IN_ROBOT
from ossature.formats.urdf.read_tree import WORLD
from ossature.formats.urdf.representable_tree import RobotTree, robot_tree
from ossature.formats.urdf.schema import RobotElement
from ossature.formats.urdf.supported_fields import SUPPORTED_FIELDS
from ossature.formats.urdf.write_joint import write_joint
from ossature.formats.urdf.write_link import write_link
from ossature.formats.urdf.write_material import WrittenMaterials
from ossature.model import Body, Extension, Model, NamedList, World
from ossature.model.unsupported_fields import audit, drop_extension
from ossature.model.value_text import value_text
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind

EMPTY_LINK = "base_link"
"""Name of the link of a robot without bodies."""


def write_urdf(world: World, ledger: Ledger, *, folder: Path | None = None) -> str:
    """Return the text of a URDF file for the robot of a World.

    Args:
        world: The World. Its first model that can move is the robot.
        ledger: Receives what URDF cannot represent, or only approximately.
        folder: The folder of the file, to which mesh paths are made relative; None leaves the paths unchanged.
    """
    return write_robot(world, ledger, folder=folder)[0]


def write_robot(
    world: World, ledger: Ledger, *, folder: Path | None = None, semantics: str | None = None
) -> tuple[str, str | None]:
    """Return the text of the URDF file for the robot of a World, and that of its SRDF file if it needs one.

    Args:
        world: The World. Its first model that can move is the robot.
        ledger: Receives what is not represented, or only approximately.
        folder: The folder of the files, to which mesh paths are made relative; None leaves the paths unchanged.
        semantics: The name of the SRDF file; None if there is none.
    """
    model = _select_robot(world, ledger)
    has_semantics = semantics is not None and srdf.is_needed(model)
    audit(replace(world, models=NamedList([model])), _supported_fields(model, with_srdf=has_semantics), ledger)
    tree = robot_tree(_with_link(model, ledger), ledger)
    extensions = _Extensions(model, ledger, with_srdf=has_semantics)
    root = unbind("robot", RobotElement(name=_robot_name(model, ledger)))
    root.attributes = {**extensions.attributes, **root.attributes}
    root.children = [
        *extensions.materials.nodes,
        *_write_links(tree, extensions.materials, ledger, folder),
        *[write_joint(joint, tree, ledger) for joint in tree.joints],
        *extensions.elements,
    ]
    if semantics is None or not has_semantics:
        return xml.serialize(root), None
    names = (lambda body: tree.link_names.of(body)), (lambda joint: tree.joint_names.get(joint, joint))
    return xml.serialize(root), srdf.write_srdf(model, root.attributes["name"], *names, semantics, ledger)


def _supported_fields(model: Model, *, with_srdf: bool) -> Mapping[type, frozenset[str]]:
    """Return the fields that the file, and the SRDF file if there is one, can represent."""
    if not with_srdf:
        return SUPPORTED_FIELDS
    more = srdf.supported_fields(model)
    return {**SUPPORTED_FIELDS, **{kind: SUPPORTED_FIELDS.get(kind, frozenset()) | fields for kind, fields in more.items()}}


def _select_robot(world: World, ledger: Ledger) -> Model:
    """Return the model of the robot, which has the most degrees of freedom; the other models are dropped."""
    if not world.models:
        ledger.approximated(DEFAULT_NAME, "there is no model: a robot with one empty link is written")
        return Model(name=DEFAULT_NAME)
    robot = max(world.models, key=lambda model: (not model.static, model.degrees_of_freedom, len(model.joints)))
    for model in world.models:
        if model is not robot:
            detail = f"a URDF file contains one robot, here '{robot.name}'"
            ledger.dropped(model.name, detail, before=value_text(model, longest=None), location=model.origin)
    return robot


def _with_link(model: Model, ledger: Ledger) -> Model:
    if model.bodies:
        return model
    ledger.approximated(f"{model.name}/{EMPTY_LINK}", "URDF requires a link: an empty link is written")
    return replace(model, bodies=NamedList([Body(name=EMPTY_LINK)]))


def _robot_name(model: Model, ledger: Ledger) -> str:
    name = xml.printable(model.name) or DEFAULT_NAME
    if name != model.name:
        ledger.renamed(WrittenName(model="", collection="models", name=model.name, written=name))
    return name


def _write_links(tree: RobotTree, materials: WrittenMaterials, ledger: Ledger, folder: Path | None) -> list[XmlNode]:
    world = [xml.element("link", {"name": WORLD})] if tree.has_world_link else []
    path = tree.model.name
    children = {joint.joint.child for joint in tree.joints}
    return [
        *world,
        *[
            write_link(
                body,
                tree.link_names.of(body.name),
                f"{path}/{body.name}",
                materials,
                ledger,
                folder,
                is_root=body.name not in children,
            )
            for body in tree.bodies
        ],
    ]


class _Extensions:
    """The content of the root element from the extensions of a model: attributes, materials, and passthrough elements."""

    def __init__(self, model: Model, ledger: Ledger, *, with_srdf: bool) -> None:
        self.attributes: dict[str, str] = {}
        self.elements: list[XmlNode] = []
        path = f"{model.name}.extensions"
        self.materials = WrittenMaterials(model.extensions, path, ledger)
        groups: tuple[list[Extension], list[Extension], list[Extension]] = ([], list(self.materials.extensions), [])
        for index, extension in enumerate(model.extensions):
            if with_srdf and extension.format == SRDF:
                continue
            attribute, element = attribute_in(extension), element_in(extension)
            if attribute is not None:
                self.attributes.setdefault(*attribute)
                groups[0].append(extension)
            elif element is not None and element.tag not in INTERPRETED_IN_ROBOT:
                self.elements.append(element)
                groups[2].append(extension)
            elif element is None or element.tag != "material":
                drop_extension(extension, f"{path}[{index}]", ledger, model.origin)
        written = [extension for extension in model.extensions if any(extension in group for group in groups)]
        if written != [extension for group in groups for extension in group]:
            ledger.rewritten(path, "the order differs")
