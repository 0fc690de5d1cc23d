"""Chrono YAML document → World. Each list of the model is read by its own module, ``read_…``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from ossature.diagnostics import Location, Report, Source, within_limits
from ossature.formats.chrono import rules
from ossature.formats.chrono.read_body import read_body
from ossature.formats.chrono.read_constraint import read_constraint
from ossature.formats.chrono.read_context import ChronoReadContext
from ossature.formats.chrono.read_force import read_load, read_rsda, read_tsda
from ossature.formats.chrono.read_joint import read_joint
from ossature.formats.chrono.read_motor import read_motor
from ossature.formats.chrono.read_simulation_and_solver import RunSettings, read_simulation_file
from ossature.formats.chrono.schema_model import ModelElement, ModelFile, RsdaElement, TsdaElement
from ossature.formats.root_elements import hint_for_root
from ossature.formats.sniffing import xml_root
from ossature.model import Bushing, ChronoContact, Fixed, Joint, Model, NamedList, World
from ossature.model.unique_names import take_unique_name
from ossature.syntax import yaml
from ossature.syntax.yaml_binding import bind

KNOWN_VERSIONS = ("9", "10")
"""Supported major versions of Chrono."""

T = TypeVar("T")


@within_limits
def read_chrono(source: Source, report: Report, *, folder: Path | None = None) -> World | None:
    """Return the World of a model file, or of a simulation file and the model file that it names.

    Args:
        folder: The file's folder, to which the names of other files are relative; None if it was not read from disk.
    """
    root = yaml.parse(source, report)
    if root is None:
        return None
    model = root.entries.get("model")
    if model is None or model.kind is yaml.NodeKind.SEQUENCE:
        _report_no_model(root, report)
        return None
    if model.kind is yaml.NodeKind.SCALAR and not model.is_null:
        return _read_run_file(root, report, folder)
    return _read_model_file(root, report, folder, RunSettings())


def _report_no_model(root: yaml.YamlNode, report: Report) -> None:
    hint = hint_for_root(xml_root(root.location.source.data), "a model file starts with chrono-version: 10.0, then model:")
    if {"integrator", "solver", "contact_method"} & root.entries.keys():
        hint = "this is a solver file: use the simulation file that refers to it, or a model file"
    elif "mbs" in root.entries:
        hint = "this file couples a multibody system with a fluid: use the file of 'mbs'"
    elif "simulation" in root.entries:
        hint = "a simulation file refers to a model file: add model: FILE (Chrono 9 gets it from the program)"
    report.add(rules.NOT_A_MODEL, "missing 'model'", root.location, hint=hint)


def _read_run_file(root: yaml.YamlNode, report: Report, folder: Path | None) -> World | None:
    settings = read_simulation_file(root, report, folder)
    if settings is None or settings.model_source is None:
        return None
    model_root = yaml.parse(settings.model_source, report)
    if model_root is None:
        return None
    model = model_root.entries.get("model")
    if model is None or model.kind is yaml.NodeKind.SCALAR:
        _report_no_model(model_root, report)
        return None
    return _read_model_file(model_root, report, settings.model_folder, settings)


def _read_model_file(root: yaml.YamlNode, report: Report, folder: Path | None, settings: RunSettings) -> World | None:
    document = bind(ModelFile, root, report)
    if document is None:
        return None
    report_version(document.chrono_version, document.location("chrono_version"), report)
    model = _read_model(document.model, report, folder) if document.model is not None else Model(name="model")
    return World(
        name=model.name,
        gravity=settings.gravity,
        time_step=settings.time_step,
        end_time=settings.end_time,
        models=NamedList([model]),
        hints=() if settings.contact_method is None else (ChronoContact(method=settings.contact_method),),
        origin=document.location(),
    )


def report_version(version: str | None, location: Location | None, report: Report) -> None:
    """Report an unsupported version of Chrono."""
    if version is not None and version.split(".")[0].strip() not in KNOWN_VERSIONS:
        message = f"the file is for Chrono {version[:20]}"
        report.add(rules.UNTESTED_CHRONO_VERSION, message, location, hint=f"supported: {' and '.join(KNOWN_VERSIONS)}")


def _read_model(element: ModelElement, report: Report, folder: Path | None) -> Model:
    name = element.name or "model"
    reading = ChronoReadContext(
        report=report, degrees=element.angle_degrees, data_folder=_data_folder(element, folder), model=name
    )
    bodies = reading.unique(element.bodies)
    for body in bodies:
        reading.bodies[body.name] = read_body(body, reading)
    connections = [read_joint(joint, reading) for joint in reading.unique(element.joints)]
    joints = [connection for connection in connections if isinstance(connection, Joint)]
    tsdas = [*element.tsdas, *(item for item in element.spring_dampers if isinstance(item, TsdaElement))]
    rsdas = [*element.rsdas, *(item for item in element.spring_dampers if isinstance(item, RsdaElement))]
    model = Model(
        name=name,
        joined_bodies_collide=True,
        bodies=NamedList(reading.bodies.values()),
        joints=NamedList([*_ground_joints([body for body in bodies if body.fixed], joints), *joints]),
        bushings=NamedList([connection for connection in connections if isinstance(connection, Bushing)]),
        constraints=_read_all(read_constraint, element.constraints, reading),
        spring_dampers=_read_all(read_tsda, tsdas, reading),
        rotational_spring_dampers=_read_all(read_rsda, rsdas, reading),
        motors=_read_all(read_motor, element.motors, reading),
        loads=_read_all(read_load, [*element.body_loads, *element.load_controllers], reading),
        origin=element.location(),
    )
    reading.report_ambiguous()
    return model


def _data_folder(element: ModelElement, folder: Path | None) -> Path | None:
    data_path = element.data_path
    if folder is None or data_path is None or data_path.type != "RELATIVE":
        return folder
    return Path(os.path.normpath(folder / data_path.root))


def _ground_joints(fixed: Iterable[Any], joints: Iterable[Joint]) -> list[Joint]:
    """Return the fixed joints between fixed bodies and the world."""
    used = {joint.name for joint in joints}
    result = []
    for body in fixed:
        name = take_unique_name(ground_joint_name(body.name), used)
        result.append(Joint(name=name, type=Fixed(), parent=None, child=body.name, origin=body.location("fixed")))
    return result


def ground_joint_name(body: str) -> str:
    """Return the name of the joint between a fixed body and the world."""
    return f"{body}_fixed"


def _read_all(
    read: Callable[[Any, ChronoReadContext], T | None], elements: Iterable[Any], reading: ChronoReadContext
) -> NamedList[Any]:
    found = [read(element, reading) for element in reading.unique(elements)]
    return NamedList([element for element in found if element is not None])
