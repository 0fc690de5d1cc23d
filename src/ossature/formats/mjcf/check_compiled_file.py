"""Checks of mistakes that MJCF invites, and that MuJoCo compiles without a warning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ossature.diagnostics import Location, Report, shared_rules
from ossature.formats.mjcf import rules
from ossature.formats.mjcf.engine_data import make_engine_data, mujoco
from ossature.formats.mjcf.mujoco_compilation import CompiledFile
from ossature.syntax.xml import XmlNode, elements_of

_FREE, _HINGE = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_HINGE)
_JOINT_TRANSMISSIONS = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
_WELD, _CONNECT = int(mujoco.mjtEq.mjEQ_WELD), int(mujoco.mjtEq.mjEQ_CONNECT)
_FIXED_GAIN, _AFFINE_BIAS = int(mujoco.mjtGain.mjGAIN_FIXED), int(mujoco.mjtBias.mjBIAS_AFFINE)
_MOST_NAMES = 5
_LARGEST_DISTANCE = 1e-3
"""The largest residual of an equality that is not reported [m]."""
_LARGEST_ROTATION = 1e-3
"""The same of its orientation [rad]."""


def check_compiled_file(file: CompiledFile, report: Report) -> None:
    """Report the mistakes of a file: angles in the other unit, mass counted twice, equalities that do not fit, and others."""
    _check_units_of_ranges(file, report)
    _check_units_of_orientations(file.document.root, report)
    _check_free_joints(file, report)
    _check_masses(file, report)
    _check_equalities(file, report)
    _check_position_commands(file, report)
    _check_names(file, report)


def _check_units_of_ranges(file: CompiledFile, report: Report) -> None:
    model = file.model
    limited = np.flatnonzero(model.jnt_limited.astype(bool) & (model.jnt_type == _HINGE))
    if not file.spec.compiler.degree or not limited.size:
        return
    degrees = np.degrees(model.jnt_range[limited])
    largest = float(np.abs(degrees).max())
    if not 1.0 < largest < math.tau + 0.01 or np.abs(degrees - np.round(degrees)).max() < 1e-9:
        return
    first = int(limited[0])
    report.add(
        rules.SUSPECTED_RADIANS,
        f"the ranges of all {limited.size} hinges are within ±{largest:.5g}°; the first is {degrees[0, 0]:.5g}° to "
        f"{degrees[0, 1]:.5g}°",
        _attribute_location(file.node("joints", first), "range") or file.location("joints", first),
        hint='if they are in radians, write <compiler angle="radian"/>',
    )


def _check_units_of_orientations(root: XmlNode, report: Report) -> None:
    """Report the first angle of an orientation that looks like one in the other unit."""
    specified = [node.attributes["angle"] for node in root.children if node.tag == "compiler" and "angle" in node.attributes]
    in_degrees = specified[-1:] != ["radian"]
    for node in elements_of(root):
        for name, first in (("euler", 0), ("axisangle", 3)):
            if name not in node.attributes:
                continue
            angles = _numbers(node.attributes[name])[first:]
            largest = max(map(abs, angles), default=0.0)
            if in_degrees and _is_part_of_a_turn(angles):
                message = f"{name} has an angle of {largest:g}°, which is {largest / math.pi:.3g} π as a number"
                hint = f'if it is in radians, write <compiler angle="radian"/>, or {math.degrees(largest):.5g}'
                report.add(rules.SUSPECTED_RADIANS, message, node.attribute_location(name), hint=hint)
                return
            if not in_degrees and largest > math.tau + 0.01:
                message = f"{name} has an angle of {largest:g} rad, which is {math.degrees(largest):.0f}°"
                hint = f"if it is in degrees, write {math.radians(largest):.5g}"
                report.add(shared_rules.SUSPECTED_DEGREES, message, node.attribute_location(name), hint=hint)
                return


def _is_part_of_a_turn(angles: Sequence[float]) -> bool:
    """Whether one of several angles is π/2, π or 3π/2, as rounded by authors, and all others are multiples of π/4."""
    quarters = [angle / (math.pi / 4) for angle in angles]
    return any(abs(number) > 1.9 for number in quarters) and all(
        abs(number) < 8.1 and abs(number - round(number)) < 3e-3 for number in quarters
    )


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split()]
    except ValueError:
        return []  # reported with the syntax


def _check_free_joints(file: CompiledFile, report: Report) -> None:
    for index in np.flatnonzero(file.model.jnt_type == _FREE).tolist():
        location = _attribute_location(file.node("joints", index), "range")
        if location is not None:
            report.add(
                rules.RANGE_OF_FREE_JOINT, "the range of a free joint has no effect", location, hint="remove the attribute"
            )


def _check_masses(file: CompiledFile, report: Report) -> None:
    """Report geoms of a moving body without stated inertia that are equal, and both have mass."""
    model = file.model
    if file.spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE:
        return
    lowest, highest = file.spec.compiler.inertiagrouprange
    for body in np.flatnonzero(model.body_weldid != 0).tolist():
        first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
        element = file.element("bodies", body)
        if count < 2 or (element is not None and _states_inertia(element, file.spec.compiler)):
            continue
        known: dict[tuple[float, ...], int] = {}
        for index in range(first, first + count):
            if lowest <= model.geom_group[index] <= highest and _has_mass(file.element("geoms", index)):
                other = known.setdefault(_shape_and_pose(model, index), index)
                if other != index:
                    _report_equal_geoms(file, body, other, index, report)
                    break


def _states_inertia(body: Any, compiler: Any) -> bool:
    return bool(body.explicitinertial) and compiler.inertiafromgeom != mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE


def _has_mass(geom: Any) -> bool:
    return geom is not None and (geom.density > 0.0 if math.isnan(geom.mass) else geom.mass > 0.0)


def _shape_and_pose(model: Any, index: int) -> tuple[float, ...]:
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, model.geom_quat[index])
    numbers = np.concatenate([model.geom_size[index], model.geom_pos[index], rotation])
    return (int(model.geom_type[index]), int(model.geom_dataid[index]), *(numbers.round(9) + 0.0).tolist())


def _report_equal_geoms(file: CompiledFile, body: int, first: int, second: int, report: Report) -> None:
    name = file.name("bodies", body)
    report.add(
        rules.MASS_COUNTED_TWICE,
        f"two geoms of body '{name}' have the same shape and pose, and both have mass; the body has {_mass(file, body)} kg",
        file.location("geoms", second),
        path=name,
        hint=f'write mass="0" for one of them (the other: {file.location("geoms", first)}), or <inertial> for the body',
    )


def _mass(file: CompiledFile, body: int) -> str:
    return f"{float(file.model.body_mass[body]):.4g}"


def _check_equalities(file: CompiledFile, report: Report) -> None:
    """Report equalities that neither the initial configuration nor a keyframe satisfies."""
    model = file.model
    active = model.eq_active0.astype(bool) & np.isin(model.eq_type, (_WELD, _CONNECT))
    checked = np.flatnonzero(active).tolist()
    if not checked:
        return
    residuals = dict.fromkeys(checked, (math.inf, math.inf))
    data: Any = make_engine_data(model)
    for key in range(-1, model.nkey):
        if key >= 0:
            mujoco.mj_resetDataKeyframe(model, data, key)
        mujoco.mj_kinematics(model, data)
        for index in checked:
            residuals[index] = min(residuals[index], _residual(model, data, index), key=_relative)
        checked = [index for index in checked if _relative(residuals[index]) > 1.0]
        if not checked:
            return
    where = "at the initial positions" + (" and in the keyframes" if model.nkey else "")
    for index in checked:
        distance, angle = residuals[index]
        rotation = f" and {angle:.3g} rad" if angle > _LARGEST_ROTATION else ""
        report.add(
            rules.EQUALITY_RESIDUAL,
            f"equality '{file.name('equalities', index)}' has a residual of {distance:.3g} m{rotation} {where}",
            file.location("equalities", index),
            hint='move its anchors or sites, or the bodies, or set active="false"',
        )


def _relative(residual: tuple[float, float]) -> float:
    return max(residual[0] / _LARGEST_DISTANCE, residual[1] / _LARGEST_ROTATION)


def _residual(model: Any, data: Any, index: int) -> tuple[float, float]:
    """Return distance [m] and angle [rad] between the two sides of an equality, as in MuJoCo's constraints."""
    is_weld = int(model.eq_type[index]) == _WELD
    numbers, sides = model.eq_data[index], (int(model.eq_obj1id[index]), int(model.eq_obj2id[index]))
    if int(model.eq_objtype[index]) == int(mujoco.mjtObj.mjOBJ_SITE):
        points = [data.site_xpos[site] for site in sides]
        rotations = [data.site_xmat[site].reshape(3, 3) for site in sides]
    else:
        anchors = (numbers[3:6], numbers[:3]) if is_weld else (numbers[:3], numbers[3:6])
        rotations = [data.xmat[body].reshape(3, 3) for body in sides]
        points = [data.xpos[body] + data.xmat[body].reshape(3, 3) @ at for body, at in zip(sides, anchors, strict=True)]
        if is_weld:
            relative = np.empty(9)
            mujoco.mju_quat2Mat(relative, numbers[6:10])
            rotations[0] = rotations[0] @ relative.reshape(3, 3)
    distance = math.dist(points[0], points[1])
    if not is_weld:
        return distance, 0.0
    chord = float(np.linalg.norm(rotations[0] - rotations[1])) / math.sqrt(8.0)
    return distance, 2.0 * math.asin(min(chord, 1.0))


def _check_position_commands(file: CompiledFile, report: Report) -> None:
    """Report actuators of positions of limited joints whose command is not limited."""
    found = [index for index in range(file.model.nactuator) if _is_unlimited_position_actuator(file.model, index)]
    if found:
        names = _listed([file.name("actuators", index) for index in found])
        report.add(
            rules.UNLIMITED_COMMAND,
            f"the commands of {len(found)} position actuators of limited joints have no range: {names}",
            file.location("actuators", found[0]),
            hint='state ctrlrange, or inheritrange="1" for the range of the joint',
        )


def _is_unlimited_position_actuator(model: Any, index: int) -> bool:
    joint, control = int(model.actuator_trnid[index, 0]), int(model.actuator_ctrladr[index])
    gain, stiffness = float(model.actuator_gainprm[index, 0]), -float(model.actuator_biasprm[index, 1])
    return bool(
        int(model.actuator_trntype[index]) in _JOINT_TRANSMISSIONS
        and model.jnt_limited[joint]
        and int(model.actuator_gaintype[index]) == _FIXED_GAIN
        and int(model.actuator_biastype[index]) == _AFFINE_BIAS
        and gain > 0.0
        and math.isclose(gain, stiffness)
        and int(model.actuator_ctrlnum[index]) == 1
        and not model.actuator_ctrllimited[control]
    )


def _check_names(file: CompiledFile, report: Report) -> None:
    """Report joints with one coordinate, and actuators, that commands cannot name."""
    model = file.model
    scalar = [index for index in range(model.njnt) if int(model.jnt_type[index]) >= int(mujoco.mjtJoint.mjJNT_SLIDE)]
    for kind, indices in (("joints", scalar), ("actuators", list(range(model.nactuator)))):
        unnamed = [index for index in indices if file.specified_name(kind, index) is None]
        if unnamed:
            message = f"{len(unnamed)} of {len(indices)} {kind} have no name"
            hint = "add names: generated ones change if elements are inserted"
            report.add(rules.UNNAMED_ELEMENT, message, file.location(kind, unnamed[0]), hint=hint)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join([f"'{name}'" for name in names[:_MOST_NAMES]]) + more


def _attribute_location(node: XmlNode | None, name: str) -> Location | None:
    return node.attribute_location(name) if node is not None and name in node.attributes else None
