"""Change of the numbers of an engine model without compiling it.

The specification of the changed World is compared with that of the compiled one. Numbers that the engine's compiler copies to
its model are copied here too; constants that it computes from them are computed by its own functions. For sizes and inertial
frames the engine's compiler itself is called, with the changed specification. So all arrays are, bit by bit, those of a model
compiled from the changed World. Any other difference requires compiling the World.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from operator import attrgetter
from typing import Any

import mujoco

from ossature.diagnostics import OssatureError
from ossature.formats.mjcf.engine_memory import copy_engine_model
from ossature.simulation.compile.engine_constants import set_constants
from ossature.simulation.compile.engine_spec import (
    ATTRIBUTES,
    EngineSpec,
    SpecActuator,
    SpecBody,
    SpecElement,
    SpecEquality,
    SpecGeom,
    SpecJoint,
    SpecTendon,
    is_same,
)

Write = Callable[[mujoco.MjModel, Any, Any], None]
"""A function that writes an attribute of an element to a model: ``write(model, element, value)``."""


class NeedsCompilingError(OssatureError):
    """A change of a World that requires compiling it."""


def update_model(
    base: EngineSpec, model: mujoco.MjModel, spec: EngineSpec, substituted: Collection[int] = ()
) -> mujoco.MjModel | None:
    """Return a copy of an engine model with the numbers of another specification, and set the ids of its elements.

    It is None if only the engine's compiler can compute the model, or judge whether the numbers are valid.

    Args:
        base: The specification of the model.
        model: The engine's model, which is not changed.
        spec: A specification with the same structure.
        substituted: Ids of the bodies whose inertia in the model is not that of its specification.

    Raises:
        NeedsCompilingError: The specifications differ in more than numbers that can be changed.
    """
    pairs = _pairs(base, spec)
    changes = [change for old, new in pairs for change in _changes(old, new)]
    settable = _WRITERS.keys() | _COMPILED
    needed = [_text(element, name) for element, name, _ in changes if (type(element), name) not in settable]
    if needed:
        most = ", ".join(needed[:_MOST_NAMED]) + (", …" if len(needed) > _MOST_NAMED else "")
        raise NeedsCompilingError(f"a change of these needs compiling the World: {most}")
    if any((type(element), name) in _COMPILED or not _is_valid(name, value) for element, name, value in changes):
        return None
    for old, new in pairs:
        new.id = old.id
    updated = copy_engine_model(model)
    _set_options(updated, spec)
    return updated if write_changes(updated, spec, changes, substituted) else None


def write_changes(
    model: mujoco.MjModel, spec: EngineSpec, changes: Sequence[tuple[SpecElement, str, Any]], substituted: Collection[int]
) -> bool:
    """Change numbers of elements in an engine model; return whether they are valid, or only its compiler can judge that.

    Args:
        model: The model, which is changed.
        spec: The changed specification.
        changes: The changes: elements of it with their ids, names of attributes, and their values.
        substituted: Ids of the bodies whose inertia in the model is not that of its specification.
    """
    for body in spec.all_bodies:
        if body.id in substituted:
            model.body_mass[body.id], model.body_inertia[body.id] = body.mass, body.inertia
    for element, name, value in changes:
        _WRITERS[type(element), name](model, element, value)
    needs_constants = bool(substituted) or any(name in _CONSTANTS_DEPEND for _, name, _ in changes)
    return not needs_constants or _set_constants_and_statistics(model)


_MOST_NAMED = 5


def _pairs(base: EngineSpec, spec: EngineSpec) -> list[tuple[SpecElement, SpecElement]]:
    old, new = list(base.elements()), list(spec.elements())
    if [(type(one), one.name) for one in old] != [(type(one), one.name) for one in new]:
        names = sorted({one.name for one in old} ^ {one.name for one in new})
        what = (
            f"adds or removes joints or constraints ({', '.join(names[:_MOST_NAMED])})"
            if names
            else "needs another spanning tree"
        )
        raise NeedsCompilingError(f"the change {what}, which needs compiling the World")
    return list(zip(old, new, strict=True))


_READERS: dict[type, Callable[[SpecElement], tuple[Any, ...]]] = {
    kind: attrgetter(*names) for kind, names in ATTRIBUTES.items()
}
"""Functions that read all attributes of an element of each kind: much faster than one by one."""


def _changes(old: SpecElement, new: SpecElement) -> Iterator[tuple[SpecElement, str, Any]]:
    """Yield the attributes that differ: the new element, the name of the attribute, and its new value."""
    kind = type(new)
    read = _READERS[kind]
    for name, value, before in zip(ATTRIBUTES[kind], read(new), read(old), strict=True):
        if value is not before and not is_same(value, before):
            yield new, name, value
    if kind is SpecBody:
        before, now = _parent_name(old), _parent_name(new)
        if before != now:
            yield new, "parent", now
    elif isinstance(old, SpecTendon) and isinstance(new, SpecTendon) and not is_same(old.path, new.path):
        yield new, "path", new.path


def _parent_name(element: SpecElement) -> str | None:
    return element.parent.name if isinstance(element, SpecBody) and element.parent is not None else None


def _text(element: SpecElement, name: str) -> str:
    kind = type(element).__name__.removeprefix("Spec").lower()
    return f"{_TERMS.get(name, name)} of {kind} '{element.name}'" if element.name else f"{_TERMS.get(name, name)} of a {kind}"


_TERMS = {
    "pos": "position",
    "quat": "orientation",
    "ipos": "centre of mass",
    "iquat": "principal axes",
    "gravcomp": "gravity compensation",
    "springref": "spring reference",
    "limited": "presence of limits",
    "contype": "collision mask",
    "conaffinity": "collision mask",
    "uservert": "vertices",
    "userface": "faces",
    "gaintype": "kind",
    "biastype": "presence of stiffness or damping",
    "path": "path or coefficients",
    "data": "frames or coefficients",
}


def _is_valid(name: str, value: Any) -> bool:
    """Whether the engine's compiler accepts a number without an error or a warning; inertias are valid already."""
    if name == "range":
        return bool(value[0] < value[1])
    return bool(value >= 0.0) if name == "armature" else True


# Writing numbers


def _set_options(model: mujoco.MjModel, spec: EngineSpec) -> None:
    options = model.opt
    for name in ATTRIBUTES[type(spec.option)]:
        setattr(options, name, getattr(spec.option, name))


def _row(field: str, index: int | slice = slice(None)) -> Write:
    """Return a function that writes to the row of an element in an array of the model."""

    def write(model: mujoco.MjModel, element: SpecElement, value: Any) -> None:
        getattr(model, field)[element.id, index] = value

    return write


def _entry(field: str) -> Write:
    """Return a function that writes to the number of an element in an array of the model."""

    def write(model: mujoco.MjModel, element: SpecElement, value: Any) -> None:
        getattr(model, field)[element.id] = value

    return write


def _dofs(field: str) -> Write:
    """Return a function that writes to all degrees of freedom of a joint."""

    def write(model: mujoco.MjModel, joint: SpecJoint, value: Any) -> None:
        getattr(model, field)[_dofs_of(model, joint)] = value

    return write


def _dofs_of(model: mujoco.MjModel, joint: SpecJoint) -> slice:
    first = int(model.jnt_dofadr[joint.id])
    return slice(first, first + {mujoco.mjtJoint.mjJNT_FREE: 6, mujoco.mjtJoint.mjJNT_BALL: 3}.get(joint.type, 1))


def _write_damping(model: mujoco.MjModel, joint: SpecJoint, value: Sequence[float]) -> None:
    model.dof_damping[_dofs_of(model, joint)] = value[0]


def _write_stiffness(model: mujoco.MjModel, joint: SpecJoint, value: Sequence[float]) -> None:
    model.jnt_stiffness[joint.id] = value[0]


def _write_tendon_stiffness(model: mujoco.MjModel, tendon: SpecTendon, value: Sequence[float]) -> None:
    model.tendon_stiffness[tendon.id] = value[0]


def _write_equality_data(model: mujoco.MjModel, equality: SpecEquality, value: Sequence[float]) -> None:
    if equality.type not in (mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtEq.mjEQ_TENDON):
        raise NeedsCompilingError(f"a change of the {_text(equality, 'data')} needs compiling the World")
    model.eq_data[equality.id] = value[: model.eq_data.shape[1]]


_WRITERS: dict[tuple[type, str], Write] = {
    (SpecBody, "mass"): _entry("body_mass"),
    (SpecBody, "inertia"): _row("body_inertia"),
    (SpecJoint, "stiffness"): _write_stiffness,
    (SpecJoint, "damping"): _write_damping,
    (SpecJoint, "frictionloss"): _dofs("dof_frictionloss"),
    (SpecJoint, "solref_friction"): _dofs("dof_solref"),
    (SpecJoint, "solimp_friction"): _dofs("dof_solimp"),
    (SpecJoint, "range"): _row("jnt_range"),
    (SpecJoint, "solref_limit"): _row("jnt_solref"),
    (SpecJoint, "solimp_limit"): _row("jnt_solimp"),
    (SpecGeom, "friction"): _row("geom_friction"),
    (SpecGeom, "condim"): _entry("geom_condim"),
    (SpecGeom, "priority"): _entry("geom_priority"),
    (SpecGeom, "solref"): _row("geom_solref"),
    (SpecGeom, "solimp"): _row("geom_solimp"),
    (SpecActuator, "gear"): _row("actuator_gear"),
    (SpecActuator, "gainprm"): _row("actuator_gainprm"),
    (SpecActuator, "biasprm"): _row("actuator_biasprm"),
    (SpecActuator, "armature"): _entry("actuator_armature"),
    (SpecEquality, "data"): _write_equality_data,
    (SpecEquality, "solref"): _row("eq_solref"),
    (SpecEquality, "solimp"): _row("eq_solimp"),
    (SpecTendon, "stiffness"): _write_tendon_stiffness,
    (SpecTendon, "frictionloss"): _entry("tendon_frictionloss"),
    (SpecTendon, "solref_friction"): _row("tendon_solref_fri"),
    (SpecTendon, "solimp_friction"): _row("tendon_solimp_fri"),
}
_COMPILED = {(SpecBody, "ipos"), (SpecBody, "iquat"), (SpecGeom, "size"), (SpecJoint, "springref"), (SpecJoint, "armature")}
"""Attributes from which the engine's compiler computes much else, such as bounding volumes: it is called for them."""
_CONSTANTS_DEPEND = ("mass", "inertia", "gear", "armature")
"""Attributes on which computed constants depend."""


# Computed constants


def _set_constants_and_statistics(model: mujoco.MjModel) -> bool:
    """Compute the constants of the model as its compiler does; return whether it would do so without a warning."""
    is_without_warning = set_constants(model)
    if model.nv:
        # Summed in order, as the compiler does: NumPy's mean rounds differently.
        model.stat.meaninertia = max(sum(model.dof_M0.tolist()) / model.nv, _LEAST_INERTIA)
    if model.nbody > 1:
        model.stat.meanmass = max(sum(model.body_mass[1:].tolist()) / (model.nbody - 1), _LEAST_INERTIA)
    return is_without_warning


_LEAST_INERTIA = 1e-15
"""The engine's ``mjMINVAL``."""
