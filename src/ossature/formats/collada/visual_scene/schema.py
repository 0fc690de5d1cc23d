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


class InstanceGeometryElement(Element):
    """An instance of a geometry at a node."""

    bind_material: BindMaterialElement | None = element(BindMaterialElement, source=COLLADA, doc="Materials.")
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The geometry.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class InstanceNodeElement(Element):
    """An instance of a node with its descendants."""

    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The node.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    proxy: str | None = attribute(STRING, source=COLLADA, doc="A simplified instance; ignored.")


class NodeElement(Element):
    """A node of a visual scene."""

    unread = frozenset({"instance_camera", "instance_controller", "instance_light"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Unit of length.")
    transforms: tuple[Transform, ...] = transforms()
    instance_geometry: tuple[InstanceGeometryElement, ...] = element(
        InstanceGeometryElement, repeated=True, source=COLLADA, doc="Geometries."
    )
    instance_node: tuple[InstanceNodeElement, ...] = element(
        InstanceNodeElement, repeated=True, source=COLLADA, doc="Instances of other nodes."
    )
    nodes: tuple[NodeElement, ...] = element(lambda: NodeElement, name="node", repeated=True, source=COLLADA, doc="Children.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
    sid: str | None = scoped_identifier()
    type: str | None = attribute(word("NODE", "JOINT"), source=COLLADA, doc="NODE, or JOINT for a bone of a skinned mesh.")
    layer: str | None = attribute(STRING, source=COLLADA, doc="Layers of the node.")


class VisualSceneElement(Element):
    """A visual scene: trees of nodes."""

    unread = frozenset({"evaluate_scene"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Unit of length.")
    nodes: tuple[NodeElement, ...] = element(NodeElement, name="node", repeated=True, source=COLLADA, doc="Root nodes.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
