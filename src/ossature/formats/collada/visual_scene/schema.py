"""Schema of COLLADA's visual scenes: nodes and instances of geometries."""

from __future__ import annotations

from ossature.formats.collada.materials.schema import BindMaterialElement
from ossature.formats.collada.schema_common import (
    COLLADA,
    AssetElement,
    ExtraElement,
    Transform,
    extras,
    identifier,
    plain_name,
    scoped_identifier,
    transforms,
)
from ossature.syntax.schema import Element, attribute, element
from ossature.syntax.xml_values import STRING, word


class InstanceGeometryElement(Element, source=COLLADA):
    """An instance of a geometry at a node."""

    bind_material: BindMaterialElement | None = element(BindMaterialElement, doc="Materials.")
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, doc="The geometry.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class InstanceNodeElement(Element, source=COLLADA):
    """An instance of a node with its descendants."""

    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, doc="The node.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    proxy: str | None = attribute(STRING, doc="A simplified instance; ignored.")


class NodeElement(Element, source=COLLADA):
    """A node of a visual scene."""

    unread = frozenset({"instance_camera", "instance_controller", "instance_light"})
    asset: AssetElement | None = element(AssetElement, doc="Unit of length.")
    transforms: tuple[Transform, ...] = transforms()
    instance_geometry: tuple[InstanceGeometryElement, ...] = element(InstanceGeometryElement, repeated=True, doc="Geometries.")
    instance_node: tuple[InstanceNodeElement, ...] = element(
        InstanceNodeElement, repeated=True, doc="Instances of other nodes."
    )
    nodes: tuple[NodeElement, ...] = element(lambda: NodeElement, name="node", repeated=True, doc="Children.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
    sid: str | None = scoped_identifier()
    type: str | None = attribute(word("NODE", "JOINT"), doc="NODE, or JOINT for a bone of a skinned mesh.")
    layer: str | None = attribute(STRING, doc="Layers of the node.")


class VisualSceneElement(Element, source=COLLADA):
    """A visual scene: trees of nodes."""

    unread = frozenset({"evaluate_scene"})
    asset: AssetElement | None = element(AssetElement, doc="Unit of length.")
    nodes: tuple[NodeElement, ...] = element(NodeElement, name="node", repeated=True, doc="Root nodes.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
