"""Tendons, actuators, equalities and contact pairs of MJCF."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ossature.formats.mjcf.engine_data import mujoco
from ossature.formats.mjcf.mujoco_compilation import CompiledFile
from ossature.formats.mjcf.mujoco_defaults import DEFAULT_RGBA, SOLIMP, SOLREF
from ossature.formats.mjcf.passthrough import plugin_text
from ossature.formats.mjcf.plain_numbers import (
    limits,
    nonzero,
    numbers,
    specified,
    specified_number,
    user_numbers,
    without_zeros,
)
from ossature.formats.mjcf.read_joints import JointAddress
from ossature.model import (
    ActivationDynamics,
    Actuator,
    ActuatorModel,
    Bias,
    BodyTransmission,
    Connection,
    ContactPair,
    Equality,
    EqualityType,
    FrameReference,
    FrameTransmission,
    Gain,
    JointEquality,
    JointSum,
    JointTerm,
    JointTransmission,
    MujocoActuator,
    MujocoConstraint,
    MujocoTendon,
    Pulley,
    Range,
    ShapeReference,
    SliderCrank,
    SpatialPath,
    Tendon,
    TendonEquality,
    TendonTransmission,
    Transmission,
    ViaPoint,
    Weld,
    Wrapping,
)
from ossature.model.joint import UNBOUNDED
from ossature.model.tendon import PathElement
from ossature.spatial import Pose, vector_from

_W, _TRN, _EQ, _OBJ = mujoco.mjtWrap, mujoco.mjtTrn, mujoco.mjtEq, mujoco.mjtObj
_POSITION, _VELOCITY, _FEED_FORWARD = (int(getattr(mujoco.mjtCtrlInput, f"mjINPUT_{name}")) for name in ("POS", "VEL", "FF"))
_WIDTH = 0.003
_PAIR_FRICTION = (1.0, 1.0, 0.005, 0.0001, 0.0001)
_DYNAMICS_OF_ONE_STATE = ("integrator", "filter", "filterexact", "muscle")


@dataclass(frozen=True, slots=True)
class References:
    """The names of elements that others refer to.

    Attributes:
        joints: Where the model has each joint.
    """

    file: CompiledFile
    joints: Mapping[int, JointAddress]

    def frame(self, site: int) -> FrameReference:
        """Return the reference to a site."""
        body = int(self.file.model.site_bodyid[site])
        return FrameReference(body=self.file.name("bodies", body), frame=self.file.name("sites", site))

    def shape(self, geom: int) -> ShapeReference:
        """Return the reference to a geom."""
        body = int(self.file.model.geom_bodyid[geom])
        return ShapeReference(body=self.file.name("bodies", body), shape=self.file.specified_name("geoms", geom) or "")

    def body(self, index: int) -> str | None:
        """Return the name of a body, or None for the world."""
        return None if index == 0 else self.file.name("bodies", index)


def read_tendons(references: References) -> list[Tendon]:
    """Return the tendons."""
    return [_tendon(references, index) for index in range(references.file.model.ntendon)]


def _tendon(references: References, index: int) -> Tendon:
    file, model = references.file, references.file.model
    rest = numbers(np.asarray(file.element("tendons", index).springlength))
    r, g, b, a = numbers(model.tendon_rgba[index])
    material = int(model.tendon_matid[index])
    is_spatial = int(model.wrap_type[model.tendon_adr[index]]) != _W.mjWRAP_JOINT
    return Tendon(
        name=file.name("tendons", index),
        path=_path(references, index) if is_spatial else _joint_sum(references, index),
        length_limits=limits(model.tendon_limited[index], model.tendon_range[index]),
        effort_limits=limits(model.tendon_actfrclimited[index], model.tendon_actfrcrange[index]),
        rest_length=None if rest == (-1.0, -1.0) else Range(*numbers(model.tendon_lengthspring[index])),
        stiffness=float(model.tendon_stiffness[index]),
        damping=float(model.tendon_damping[index]),
        friction=float(model.tendon_frictionloss[index]),
        armature=float(model.tendon_armature[index]),
        width=specified_number(model.tendon_width[index], _WIDTH) if is_spatial else None,
        color=None if (r, g, b, a) == DEFAULT_RGBA or not is_spatial else (r, g, b, a),
        appearance=None if material < 0 or not is_spatial else file.name("materials", material),
        hints=(
            MujocoTendon(
                solreflimit=specified(model.tendon_solref_lim[index], SOLREF),
                solimplimit=specified(model.tendon_solimp_lim[index], SOLIMP),
                solreffriction=specified(model.tendon_solref_fri[index], SOLREF),
                solimpfriction=specified(model.tendon_solimp_fri[index], SOLIMP),
                margin=specified_number(model.tendon_margin[index], 0.0),
                stiffness=nonzero(model.tendon_stiffnesspoly[index]),
                damping=nonzero(model.tendon_dampingpoly[index]),
                group=specified_number(model.tendon_group[index], 0),
                user=user_numbers(file.element("tendons", index), model.tendon_user[index]),
            ),
        ),
        origin=file.location("tendons", index),
    )


def _path(references: References, index: int) -> SpatialPath:
    model = references.file.model
    first = int(model.tendon_adr[index])
    elements: list[PathElement] = []
    for wrap in range(first, first + int(model.tendon_num[index])):
        kind, target, number = int(model.wrap_type[wrap]), int(model.wrap_objid[wrap]), float(model.wrap_prm[wrap])
        if kind == _W.mjWRAP_PULLEY:
            elements.append(Pulley(divisor=number))
        elif kind == _W.mjWRAP_SITE:
            elements.append(ViaPoint(frame=references.frame(target)))
        else:
            side = None if number < 0.0 else references.frame(round(number))
            elements.append(Wrapping(shape=references.shape(target), side=side))
    return SpatialPath(elements=tuple(elements))


def _joint_sum(references: References, index: int) -> JointSum:
    model = references.file.model
    first = int(model.tendon_adr[index])
    terms = []
    for wrap in range(first, first + int(model.tendon_num[index])):
        address = references.joints[int(model.wrap_objid[wrap])]
        coefficient = float(model.wrap_prm[wrap])
        terms.append(JointTerm(joint=address.joint, coordinate=address.coordinate, coefficient=coefficient))
    return JointSum(terms=tuple(terms))


def actuator_name(file: CompiledFile, index: int) -> str:
    """Return a name for an actuator without one: that of what it drives."""
    model = file.model
    target, kind = int(model.actuator_trnid[index, 0]), _transmission_type(model, index)
    kinds = {_TRN.mjTRN_JOINT: "joints", _TRN.mjTRN_JOINTINPARENT: "joints", _TRN.mjTRN_TENDON: "tendons"}
    name = file.specified_name(kinds[kind], target) if kind in kinds else None
    return name or f"actuator_{index}"


def read_actuators(references: References) -> list[Actuator]:
    """Return the actuators."""
    return [_actuator(references, index) for index in range(references.file.model.nactuator)]


def _actuator(references: References, index: int) -> Actuator:
    file = references.file
    node = file.node("actuators", index)
    joint, transmission = _transmission(references, index)
    return Actuator(
        name=file.name("actuators", index),
        joint=joint,
        type=None if node is None else node.tag,
        transmission=transmission,
        model=_actuator_model(file, index),
        hints=(_actuator_hint(file, index, plugin_text(node)),),
        origin=file.location("actuators", index),
    )


def _transmission(references: References, index: int) -> tuple[str | None, Transmission | None]:
    """Return the joint that an actuator drives, or None, and its transmission, or None for the first coordinate."""
    model = references.file.model
    kind = _transmission_type(model, index)
    first, second = (int(number) for number in model.actuator_trnid[index])
    if kind in (_TRN.mjTRN_JOINT, _TRN.mjTRN_JOINTINPARENT):
        address = references.joints[first]
        in_parent = kind == _TRN.mjTRN_JOINTINPARENT
        is_plain = address.coordinate == 0 and not in_parent
        return address.joint, None if is_plain else JointTransmission(coordinate=address.coordinate, in_parent=in_parent)
    if kind == _TRN.mjTRN_TENDON:
        return None, TendonTransmission(tendon=references.file.name("tendons", first))
    if kind == _TRN.mjTRN_SITE:
        reference = None if second < 0 else references.frame(second)
        return None, FrameTransmission(frame=references.frame(first), reference=reference)
    if kind == _TRN.mjTRN_SLIDERCRANK:
        length = float(model.actuator_cranklength[index])
        return None, SliderCrank(crank=references.frame(first), slider=references.frame(second), length=length)
    return None, BodyTransmission(body=references.file.name("bodies", first))


def _transmission_type(model: Any, index: int) -> int:
    """Return the type of the transmission of an actuator; that of an orientation servo is a ball joint or a pair of sites."""
    kind = int(model.actuator_trntype[index])
    if kind == _TRN.mjTRN_SO3:
        return int(_TRN.mjTRN_JOINT if model.actuator_trnid[index, 1] < 0 else _TRN.mjTRN_SITE)
    return kind


def _actuator_model(file: CompiledFile, index: int) -> ActuatorModel:
    model = file.model
    output = int(model.actuator_outadr[index])
    shortest, longest = numbers(model.actuator_lengthrange[output])
    return ActuatorModel(
        dynamics=_word(mujoco.mjtDyn, model.actuator_dyntype[index], ActivationDynamics),
        dynamics_parameters=without_zeros(numbers(model.actuator_dynprm[index])),
        gain=_word(mujoco.mjtGain, model.actuator_gaintype[index], Gain),
        gain_parameters=without_zeros(numbers(model.actuator_gainprm[index])),
        bias=_word(mujoco.mjtBias, model.actuator_biastype[index], Bias),
        bias_parameters=without_zeros(numbers(model.actuator_biasprm[index])),
        gear=without_zeros(numbers(model.actuator_gear[output])),
        control_limits=_control_limits(file, index),
        force_limits=limits(model.actuator_forcelimited[index], model.actuator_forcerange[index]),
        activation_limits=limits(model.actuator_actlimited[index], model.actuator_actrange[index]),
        length_range=None if shortest == longest == 0.0 else (shortest, longest),
        damping=float(model.actuator_damping[index]),
        armature=float(model.actuator_armature[index]),
    )


def _control_limits(file: CompiledFile, index: int) -> Range:
    """Return the limits of the first control, unless it is a velocity or a feed-forward, which have their own."""
    model, inputs = file.model, int(file.model.actuator_ctrlspec[index])
    first = int(model.actuator_ctrladr[index])
    element = file.element("actuators", index)
    has_velocity_range = inputs & _VELOCITY and np.any(np.asarray(element.velrange))
    has_feed_forward_range = inputs & _FEED_FORWARD and np.any(np.asarray(element.ffrange))
    is_setpoint = inputs & _POSITION or not (has_velocity_range or has_feed_forward_range)
    has_control = int(model.actuator_ctrlnum[index]) > 0 and is_setpoint
    return (
        limits(has_control and model.actuator_ctrllimited[first], model.actuator_ctrlrange[first]) if has_control else UNBOUNDED
    )


def _word(enumeration: Any, value: Any, kind: Any) -> Any:
    """Return the member of an enumeration of the model for a constant of MuJoCo: ``mjDYN_FILTEREXACT`` is ``filterexact``."""
    return kind(enumeration(int(value)).name.partition("_")[2].lower())


def _actuator_hint(file: CompiledFile, index: int, plugin: str | None) -> MujocoActuator:
    model, element = file.model, file.element("actuators", index)
    dynamics = mujoco.mjtDyn(int(model.actuator_dyntype[index])).name.partition("_")[2].lower()
    usual = 1 if dynamics in _DYNAMICS_OF_ONE_STATE else 0
    samples, interpolation = (int(number) for number in model.actuator_history[index])
    return MujocoActuator(
        actdim=specified_number(model.actuator_actnum[index], usual),
        actearly=True if model.actuator_actearly[index] else None,
        input=str(int(element.ctrlspec)) if element is not None and int(element.ctrlspec) else None,
        velrange=nonzero(np.asarray(element.velrange)) if element is not None else None,
        ffrange=nonzero(np.asarray(element.ffrange)) if element is not None else None,
        damping=nonzero(model.actuator_dampingpoly[index]),
        nsample=specified_number(samples, 0),
        interp=INTERPOLATIONS[interpolation],
        delay=specified_number(model.actuator_delay[index], 0.0),
        group=specified_number(model.actuator_group[index], 0),
        plugin=plugin,
        user=user_numbers(element, model.actuator_user[index]),
    )


INTERPOLATIONS = (None, "linear", "cubic")
"""Interpolations of histories by number; the first is the default."""


def read_equalities(references: References) -> list[Equality]:
    """Return the equalities, without those of deformable objects."""
    model = references.file.model
    found = []
    for index in range(model.neq):
        kind = _equality_type(references, index)
        if kind is not None:
            found.append(
                Equality(
                    name=references.file.name("equalities", index),
                    type=kind,
                    active=bool(model.eq_active0[index]),
                    hints=(
                        MujocoConstraint(
                            solref=specified(model.eq_solref[index], SOLREF), solimp=specified(model.eq_solimp[index], SOLIMP)
                        ),
                    ),
                    origin=references.file.location("equalities", index),
                )
            )
    return found


def _equality_type(references: References, index: int) -> EqualityType | None:
    model, file = references.file.model, references.file
    kind, first, second = int(model.eq_type[index]), int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    data = numbers(model.eq_data[index])
    of_sites = int(model.eq_objtype[index]) == _OBJ.mjOBJ_SITE
    if kind == _EQ.mjEQ_CONNECT:
        return _connection(references, first, second, data, of_sites=of_sites)
    if kind == _EQ.mjEQ_WELD:
        return _weld(references, first, second, data, of_sites=of_sites)
    if kind == _EQ.mjEQ_JOINT:
        one = references.joints[first]
        other = None if second < 0 else references.joints[second]
        return JointEquality(
            joint1=one.joint,
            joint2=None if other is None else other.joint,
            coordinate1=one.coordinate,
            coordinate2=0 if other is None else other.coordinate,
            polynomial=data[:5],  # type: ignore[arg-type]  # five numbers
        )
    if kind == _EQ.mjEQ_TENDON:
        return TendonEquality(
            tendon1=file.name("tendons", first),
            tendon2=None if second < 0 else file.name("tendons", second),
            polynomial=data[:5],  # type: ignore[arg-type]  # five numbers
        )
    return None


def _connection(references: References, first: int, second: int, data: tuple[float, ...], *, of_sites: bool) -> Connection:
    model = references.file.model
    if of_sites:
        bodies = [int(model.site_bodyid[site]) for site in (first, second)]
        points = [vector_from(model.site_pos[site]) for site in (first, second)]
        frames = [references.frame(site) for site in (first, second)]
        return Connection(
            body1=references.body(bodies[0]),
            body2=references.body(bodies[1]),
            point1=points[0],
            point2=points[1],
            frame1=frames[0],
            frame2=frames[1],
        )
    return Connection(
        body1=references.body(first),
        body2=references.body(second),
        point1=(data[0], data[1], data[2]),
        point2=(data[3], data[4], data[5]),
    )


def _weld(references: References, first: int, second: int, data: tuple[float, ...], *, of_sites: bool) -> Weld:
    model = references.file.model
    if of_sites:
        return Weld(
            body1=references.body(int(model.site_bodyid[first])),
            body2=references.body(int(model.site_bodyid[second])),
            torque_scale=data[10],
            frame1=references.frame(first),
            frame2=references.frame(second),
        )
    return Weld(
        body1=references.body(first),
        body2=references.body(second),
        pose=Pose((data[3], data[4], data[5]), (data[6], data[7], data[8], data[9])),
        anchor=(data[0], data[1], data[2]),
        torque_scale=data[10],
    )


def read_contact_pairs(references: References) -> list[ContactPair]:
    """Return the contact pairs."""
    file, model = references.file, references.file.model
    return [
        ContactPair(
            name=file.name("pairs", index),
            shape1=references.shape(int(model.pair_geom1[index])),
            shape2=references.shape(int(model.pair_geom2[index])),
            margin=float(model.pair_margin[index]),
            hints=(
                MujocoConstraint(
                    solref=specified(model.pair_solref[index], SOLREF),
                    solimp=specified(model.pair_solimp[index], SOLIMP),
                    solreffriction=nonzero(model.pair_solreffriction[index]),
                    friction=specified(model.pair_friction[index], _PAIR_FRICTION),
                    condim=specified_number(model.pair_dim[index], 3),
                    gap=specified_number(model.pair_gap[index], 0.0),
                    adhesion=specified_number(model.pair_adhesion[index], 0.0),
                ),
            ),
            origin=file.location("pairs", index),
        )
        for index in range(model.npair)
    ]


def read_ignored_pairs(references: References) -> tuple[tuple[str, str], ...]:
    """Return the pairs of bodies that do not collide."""
    signatures = references.file.model.exclude_signature.tolist()
    pairs = [(signature >> 16, signature & 0xFFFF) for signature in signatures]
    return tuple([(references.file.name("bodies", a), references.file.name("bodies", b)) for a, b in pairs])
