"""Names of classes and fields in files: those of the first release are read and written, whatever the classes are named now."""

from __future__ import annotations

from dataclasses import dataclass, fields

import pytest

import ossature.model as model
from ossature.diagnostics import Report, Source
from ossature.formats.collada.native_extension.codec import fields_of, node_of, value_of
from ossature.model import serialized_names
from ossature.model.calibration import LinkPoseOffset, SensorPoseOffset
from ossature.model.fingerprint import digest
from ossature.model.serialized_names import attributes_of, serialized_class, serialized_field
from ossature.syntax import xml, xml_parser

FIRST_RELEASE = {
    "Held": model.ActiveGrasp,
    "Remembered": model.Checkpoint,
    "RememberedArray": model.CheckpointArray,
    "Formula": model.Coupling,
    "Free": model.Floating,
    "FreeJoint": model.IkFreeJoint,
    "LinkPlace": LinkPoseOffset,
    "Interface": model.OpenravePlugin,
    "Partial": model.PartialDerivative,
    "SensorPlace": SensorPoseOffset,
}


def _node(text: str) -> xml.XmlNode:
    root = xml_parser.parse(Source("extension.xml", text.encode()), Report())
    assert root is not None
    return root


@pytest.mark.parametrize(("name", "kind"), FIRST_RELEASE.items())
def test_classes_keep_the_names_of_the_first_release_in_files(name: str, kind: type) -> None:
    assert serialized_class(kind) == name


@pytest.mark.parametrize(("kind", "names"), serialized_names._FIELDS.items())
def test_serialized_fields_belong_to_fields_of_classes_and_are_converted_back(kind: str, names: dict[str, str]) -> None:
    found = getattr(model, kind)
    assert set(names) <= {item.name for item in fields(found)}
    for name, spelled in names.items():
        assert serialized_field(found, name) == spelled
        assert attributes_of(found, {spelled: 0}) == {name: 0}


def test_a_coordinate_of_the_first_release_is_read() -> None:
    node = _node(
        '<Coordinate circular="true" rest_position="0.25"><position><Range lower="-1.0" upper="2.0"/></position></Coordinate>'
    )
    found = fields_of(model.Coordinate, node)
    assert found == {"continuous": True, "spring_reference": 0.25, "position_limits": model.Range(lower=-1.0, upper=2.0)}


def test_a_joint_type_of_the_first_release_is_read() -> None:
    assert value_of((model.Fixed, model.Floating), _node("<Free/>")) == model.Floating()


def test_elements_are_written_with_the_names_of_the_first_release() -> None:
    assert node_of(model.Floating()).tag == "Free"
    axis = node_of(model.Coordinate(continuous=True, spring_reference=0.25))
    assert axis.attributes == {"circular": "true", "rest_position": "0.25"}


def test_the_fingerprint_of_a_renamed_class_is_that_of_the_first_release() -> None:
    @dataclass(frozen=True)
    class Free:
        pass

    assert digest(model.Floating()) == digest(Free()) != digest(model.Fixed())
