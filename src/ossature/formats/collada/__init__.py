"""COLLADA 1.5 robots with OpenRAVE's extensions."""

from ossature.formats.collada.custom_extra_handlers import register_extra_handler, registered, unregister_extra
from ossature.formats.collada.read import read_collada, read_openrave
from ossature.formats.collada.references.write_scene import write_collada_by_reference
from ossature.formats.collada.write import write_collada
from ossature.syntax.xml import XmlNode

__all__ = [
    "XmlNode",
    "read_collada",
    "read_openrave",
    "register_extra_handler",
    "registered",
    "unregister_extra",
    "write_collada",
    "write_collada_by_reference",
]
