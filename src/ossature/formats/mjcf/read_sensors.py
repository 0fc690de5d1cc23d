"""Sensors of MJCF."""

from __future__ import annotations

from typing import Any

import numpy as np

from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.mujoco_compilation import CompiledFile
from ossature.formats.mjcf.passthrough import plugin_text
from ossature.formats.mjcf.plain_numbers import nonzero, specified_number, user_numbers
from ossature.formats.mjcf.read_tendons_actuators_equalities_pairs import INTERPOLATIONS, References
from ossature.model import MeasuredElement, Measurement, MujocoSensor, Sensor
from ossature.spatial import IDENTITY, Pose, pose_from

_OBJ, _SENS = mujoco.mjtObj, mujoco.mjtSensor
_QUANTITIES = {
    _SENS.mjSENS_JOINTACTFRC: "jointactuatorfrc",
    _SENS.mjSENS_TENDONACTFRC: "tendonactuatorfrc",
    _SENS.mjSENS_GEOMDIST: "distance",
    _SENS.mjSENS_GEOMNORMAL: "normal",
    _SENS.mjSENS_GEOMFROMTO: "fromto",
}
_CONTACT_DATA = ("found", "force", "torque", "dist", "pos", "normal", "tangent")
_RAY_DATA = ("dist", "dir", "origin", "point", "normal", "depth")
_REDUCTIONS = ("none", "mindist", "maxforce", "netforce")


def quantity_of(file: CompiledFile, index: int) -> str:
    """Return the element of MJCF of a sensor."""
    kind = mujoco.mjtSensor(int(file.model.sensor_type[index]))
    return _QUANTITIES.get(kind) or kind.name.removeprefix("mjSENS_").lower()


def read_sensors(references: References) -> list[Sensor]:
    """Return the sensors."""
    return [_sensor(references, index) for index in range(references.file.model.nsensor)]


def _sensor(references: References, index: int) -> Sensor:
    file, model = references.file, references.file.model
    quantity = quantity_of(file, index)
    subject = _element(references, int(model.sensor_objtype[index]), int(model.sensor_objid[index]), quantity)
    reference = _element(references, int(model.sensor_reftype[index]), int(model.sensor_refid[index]), quantity)
    body, pose = _mounting(references, index)
    return Sensor(
        name=file.name("sensors", index),
        body=body,
        pose=pose,
        type=quantity,
        measurement=Measurement(
            quantity=quantity,
            element=subject,
            reference=reference,
            cutoff=float(model.sensor_cutoff[index]),
            noise=float(model.sensor_noise[index]),
        ),
        hints=(_hint(file, index, quantity),),
        origin=file.location("sensors", index),
    )


def _mounting(references: References, index: int) -> tuple[str | None, Pose]:
    """Return the body on which a sensor at a site is, and its frame there."""
    model, target = references.file.model, int(references.file.model.sensor_objid[index])
    if int(model.sensor_objtype[index]) == _OBJ.mjOBJ_SITE and target >= 0:
        body = references.body(int(model.site_bodyid[target]))
        return body, pose_from(model.site_pos[target], model.site_quat[target])
    return None, IDENTITY


def _element(references: References, kind: int, index: int, quantity: str) -> MeasuredElement | None:
    file = references.file
    if index < 0:
        return None
    if kind == _OBJ.mjOBJ_XBODY or (kind == _OBJ.mjOBJ_BODY and quantity in ("distance", "normal", "fromto", "contact")):
        is_subtree = quantity == "contact" and kind == _OBJ.mjOBJ_XBODY
        return MeasuredElement(kind="subtree" if is_subtree else "body", body=references.body(index))
    if kind == _OBJ.mjOBJ_BODY:
        is_subtree = quantity.startswith("subtree")
        return MeasuredElement(kind="subtree" if is_subtree else "inertial", body=references.body(index))
    if kind == _OBJ.mjOBJ_GEOM:
        shape = references.shape(index)
        return MeasuredElement(kind="shape", body=shape.body, shape=shape.shape)
    if kind == _OBJ.mjOBJ_SITE:
        frame = references.frame(index)
        return MeasuredElement(kind="frame", body=frame.body, frame=frame.frame)
    if kind == _OBJ.mjOBJ_JOINT:
        address = references.joints[index]
        return MeasuredElement(kind="joint", joint=address.joint, coordinate=address.coordinate)
    if kind == _OBJ.mjOBJ_TENDON:
        return MeasuredElement(kind="tendon", tendon=file.name("tendons", index))
    if kind == _OBJ.mjOBJ_ACTUATOR:
        return MeasuredElement(kind="actuator", actuator=file.name("actuators", index))
    return MeasuredElement(kind="camera", camera=file.name("cameras", index)) if kind == _OBJ.mjOBJ_CAMERA else None


def bodies_with_measured_axes(file: CompiledFile) -> frozenset[int]:
    """Return the bodies of which sensors measure the frame along their principal axes of inertia."""
    model = file.model
    kinds = np.concatenate([model.sensor_objtype, model.sensor_reftype])
    return frozenset(np.concatenate([model.sensor_objid, model.sensor_refid])[kinds == _OBJ.mjOBJ_BODY].tolist())


def _hint(file: CompiledFile, index: int, quantity: str) -> MujocoSensor:
    model = file.model
    samples, interpolation = (int(number) for number in model.sensor_history[index])
    parameters = model.sensor_intprm[index].tolist()
    is_user = quantity == "user"
    return MujocoSensor(
        nsample=specified_number(samples, 0),
        interp=INTERPOLATIONS[interpolation],
        delay=specified_number(model.sensor_delay[index], 0.0),
        interval=nonzero(model.sensor_interval[index]),
        dim=int(model.sensor_dim[index]) if is_user else _contact_count(quantity, parameters),
        data=_data(quantity, parameters),
        reduce=specified_number(_REDUCTIONS[parameters[1]], "none") if quantity == "contact" else None,
        datatype=_word(mujoco.mjtDataType, model.sensor_datatype[index], "real") if is_user else None,
        needstage=_word(mujoco.mjtStage, model.sensor_needstage[index], "acc") if is_user else None,
        mesh=_mesh(file, index) if quantity == "tactile" else None,
        plugin=plugin_text(file.node("sensors", index)),
        user=user_numbers(file.element("sensors", index), model.sensor_user[index]),
    )


def _contact_count(quantity: str, parameters: list[int]) -> int | None:
    return parameters[2] if quantity == "contact" and parameters[2] != 1 else None


def _data(quantity: str, parameters: list[int]) -> tuple[str, ...] | None:
    """Return the names of the measured data that differ from the default, the first of them."""
    names = {"contact": _CONTACT_DATA, "rangefinder": _RAY_DATA}.get(quantity)
    if names is None or parameters[0] in (0, 1):
        return None
    return tuple([name for bit, name in enumerate(names) if parameters[0] >> bit & 1])


def _mesh(file: CompiledFile, index: int) -> str | None:
    element = file.element("sensors", index)
    names = [element.objname, element.refname] if element is not None else []
    return next((name for name in names if name in {mesh.name for mesh in file.spec.meshes}), None)


def _word(enumeration: Any, value: Any, default: str) -> str | None:
    word: str = enumeration(int(value)).name.rpartition("_")[2].lower()
    return None if word == default else word
