"""Reads sensors of the library of a document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ossature.formats.collada import rules
from ossature.formats.collada.convert_transforms import pose_of
from ossature.formats.collada.document_lookup import Item
from ossature.formats.collada.openrave.device_passthrough import passthrough_settings
from ossature.formats.collada.openrave.find_links_and_joints import ElementPaths
from ossature.formats.collada.openrave.read_manipulator import interface_of
from ossature.formats.collada.openrave.read_sensor_descriptions import SensorUnits
from ossature.formats.collada.openrave.schema import SensorElement
from ossature.formats.collada.openrave.schema_sensors import (
    WORDS,
    SensorElements,
    StereoElements,
    StereoViewElement,
    documented_type,
)
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.model import Extension, OpenravePlugin, PinholeCamera, SensorDescription, StereoCamera, StereoView
from ossature.spatial import Matrix3
from ossature.syntax import xml
from ossature.syntax.schema import spellings
from ossature.syntax.xml_binding import bind

_UNUSED = ("color", "power", "sensor_reference", "reference_attach_sensor", "target_region", "sensor_maker", "sensor_model")
"""Known elements without effect on measurements, which are passed through without a finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorContent:
    """The content of a sensor of a library.

    Attributes:
        description: The parameters of the sensor, or None for an unknown type.
        interface: The OpenRAVE plugin, or None.
        hardware_id: The identifier of the device, or None.
        settings: The other elements, passed through.
    """

    description: SensorDescription | None = None
    interface: OpenravePlugin | None = None
    hardware_id: str | None = None
    settings: tuple[Extension, ...] = ()


@dataclass(slots=True)
class SensorReader:
    """Reads sensors of libraries, each once.

    Attributes:
        names: Resolves paths of joints and links.
    """

    names: ElementPaths
    reading: ColladaReadContext
    _contents: dict[int, SensorContent] = field(default_factory=dict)

    def read(self, item: Item | None) -> SensorContent:
        """Return the content of a sensor."""
        if item is None:
            return SensorContent()
        known = self._contents.get(id(item.element))
        if known is None:
            known = self._contents[id(item.element)] = self._read(item)
        return known

    def _read(self, item: Item) -> SensorContent:
        element: SensorElement = item.element
        kind = documented_type(element.type)
        node = element.node
        assert isinstance(node, xml.XmlNode)  # noqa: S101  # sensors are read from XML
        if kind is None:
            self.reading.report.add(
                rules.UNKNOWN_SENSOR_TYPE,
                f"unknown sensor type '{element.type or ''}'",
                element.location(),
                hint=f"known types: {', '.join(WORDS)}",
            )
            return SensorContent(settings=passthrough_settings(node.children))
        words, others = self._bind_known(WORDS[kind], node)
        units = SensorUnits(item.meter, self.reading.report, self._joint_resolver(words), self._resolve_body)
        description = (
            self._read_stereo_camera(words, units, item) if isinstance(words, StereoElements) else units.describe(words)
        )
        if units.unknown_distortion:
            others.extend(child for child in node.children if child.tag.startswith("distortion_"))
        return SensorContent(
            description=description,
            interface=interface_of(words.interface_type.specified) if words.interface_type is not None else None,
            hardware_id=words.hardware_id or None,
            settings=passthrough_settings(others),
        )

    def _bind_known(self, declared: type[SensorElements], node: xml.XmlNode) -> tuple[SensorElements, list[xml.XmlNode]]:
        known = {tag for spelling in spellings(declared).values() for tag in (spelling.elements or (spelling.name,))}
        inner = xml.XmlNode(node.tag, {}, node.source, node.offset)
        others = []
        for child in node.children:
            lowered = child.tag.lower()  # OpenRAVE ignores case
            if child.tag in known:
                inner.children.append(child)
            elif lowered in known:
                inner.children.append(_with_tag(child, lowered))
            else:
                others.append(child)
                self._report_ignored(child, known)
        return bind(declared, inner, self.reading.report), others

    def _report_ignored(self, child: xml.XmlNode, known: set[str | None]) -> None:
        if child.tag not in _UNUSED:
            self.reading.report.add(
                rules.UNSUPPORTED_SENSOR_PARAMETER,
                f"unsupported sensor parameter <{child.tag[:80]}>",
                child.location,
                hint=self.reading.report.suggestion(child.tag, [name for name in known if name]),
            )

    def _read_stereo_camera(self, words: StereoElements, units: SensorUnits, item: Item) -> StereoCamera:
        views = [self._read_stereo_view(view, units, item) for view in words.instance_sensor]
        found = [view for view in views if view is not None]
        if words.rectification is not None and len(found) == 2 and found[1].rectification is None:
            second = found[1]
            found[1] = StereoView(camera=second.camera, pose=second.pose, rectification=_to_matrix3(words.rectification))
        if words.instance_sensor and len(found) != 2:
            self.reading.report.add(
                rules.INVALID_STEREO_CAMERA, f"the stereo camera has {len(found)} valid cameras, not 2", item.element.location()
            )
        return StereoCamera(
            views=tuple(found) if len(found) == 2 else None, measurement_time=words.measurement_time, origin=words.location()
        )

    def _read_stereo_view(self, view: StereoViewElement, units: SensorUnits, item: Item) -> StereoView | None:
        camera = self.reading.documents.find(view.url, SensorElement, item.document, view, "url")
        if camera is None:
            return None
        if documented_type(camera.element.type) != "base_pinhole_camera":
            self.reading.report.add(rules.UNRESOLVED_REFERENCE, f"'{view.url}' is not a pinhole camera", view.location("url"))
            return None
        description = self.read(camera).description
        assert isinstance(description, PinholeCamera)  # noqa: S101  # by its type
        return StereoView(
            camera=description,
            pose=pose_of(view.transforms, units.meter, self.reading.report) if view.transforms else None,
            rectification=None if view.rectification is None else _to_matrix3(view.rectification),
        )

    def _joint_resolver(self, words: SensorElements) -> Callable[[str], str]:
        def named(path: str) -> str:
            joint = self.names.joint(path, words.location("target"))
            return path if joint is None else self.names.joint_name(joint)

        return named

    def _resolve_body(self, path: str) -> str:
        link = self.names.find_link(path)
        return path if link is None else link.name


def _with_tag(node: xml.XmlNode, tag: str) -> xml.XmlNode:
    renamed = xml.XmlNode(tag, node.attributes, node.source, node.offset)
    renamed.children, renamed.text, renamed.span = node.children, node.text, node.span
    return renamed


def _to_matrix3(values: tuple[float, ...]) -> Matrix3:
    a, b, c, d, e, f, g, h, i = values
    return ((a, b, c), (d, e, f), (g, h, i))
