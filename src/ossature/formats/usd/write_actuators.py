"""Writer of actuators, and of tendons that are sums of joint positions, with MuJoCo's schemas."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ossature.diagnostics import Ledger
from ossature.formats.usd.prim_names import PrimNames
from ossature.formats.usd.usda_text import UsdPrim, number, numbers, quoted
from ossature.formats.usd.write_coordinates import SOLVER_PARAMETERS
from ossature.formats.usd.write_joint import JointWriter
from ossature.model import (
    ActivationDynamics,
    Actuator,
    ActuatorModel,
    Bias,
    BodyTransmission,
    FrameReference,
    FrameTransmission,
    Gain,
    JointSum,
    JointTransmission,
    Model,
    MujocoActuator,
    MujocoTendon,
    Range,
    Tendon,
    TendonTransmission,
)
from ossature.model.joint import UNBOUNDED
from ossature.model.program_hints import hint_of

_DYNAMICS = (
    *(ActivationDynamics.NONE, ActivationDynamics.INTEGRATOR, ActivationDynamics.FILTER, ActivationDynamics.FILTER_EXACT),
    *(ActivationDynamics.MUSCLE, ActivationDynamics.USER),
)
_GAINS = (Gain.FIXED, Gain.AFFINE, Gain.MUSCLE, Gain.USER)
_BIASES = (Bias.NONE, Bias.AFFINE, Bias.MUSCLE, Bias.USER)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActuatorTargets:
    """The paths of prims to which actuators refer.

    Attributes:
        bodies: Those of bodies, by name.
        frames: Those of sites, by body and name.
    """

    bodies: Mapping[str, str]
    frames: Mapping[tuple[str, str], str]


class ActuatorWriter:
    """Writes tendons and actuators.

    Args:
        model: The model.
        joints: Its joints.
        targets: What actuators refer to besides joints and tendons.
        ledger: Receives what is not written.
    """

    def __init__(self, model: Model, joints: JointWriter, targets: ActuatorTargets, ledger: Ledger) -> None:
        self._model, self._joints, self._targets, self._ledger = model, joints, targets, ledger
        self._tendons: dict[str, str] = {}

    def write_tendons(self, scope: UsdPrim) -> None:
        """Add the tendons of the model to a prim."""
        names = PrimNames(self._ledger)
        for tendon in self._model.tendons:
            path = f"{self._model.name}/{tendon.name}"
            terms = self._terms(tendon)
            if terms is None:
                detail = "OpenUSD has only tendons that are sums of positions of joints here"
                self._ledger.dropped(path, detail, location=tendon.origin)
                continue
            name, label = names.take(tendon.name, "tendon", path)
            prim = scope.child("MjcTendon", name, label)
            self._tendons[tendon.name] = prim.path
            self._write_tendon(prim, tendon, terms, path)

    def _terms(self, tendon: Tendon) -> list[tuple[str, float]] | None:
        """Return the paths of joints with their coefficients, or None if a tendon is no sum of their positions."""
        if not isinstance(tendon.path, JointSum):
            return None
        paths = [(self._joints.path_of(term.joint, term.coordinate), term.coefficient) for term in tendon.path.terms]
        known = [(path, coefficient) for path, coefficient in paths if path is not None]
        return known if len(known) == len(paths) and known else None

    def _write_tendon(self, prim: UsdPrim, tendon: Tendon, terms: list[tuple[str, float]], path: str) -> None:
        targets = list(dict.fromkeys(target for target, _ in terms))
        prim.add("uniform token", "mjc:type", '"fixed"')
        prim.relate("mjc:path", targets)
        if len(targets) < len(terms):
            indices = ", ".join([str(targets.index(target)) for target, _ in terms])
            prim.add("uniform int[]", "mjc:path:indices", f"[{indices}]")
        prim.add("uniform double[]", "mjc:path:coef", numbers([coefficient for _, coefficient in terms]))
        self._write_range(prim, "range", "limited", tendon.length_limits, f"{path}.length_limits")
        self._write_range(prim, "actuatorfrcrange", "actuatorfrclimited", tendon.effort_limits, f"{path}.effort_limits")
        rest = tendon.rest_length
        if rest is not None:
            if 0.0 <= rest.lower <= rest.upper < math.inf:
                prim.add("uniform double[]", "mjc:springlength", numbers((rest.lower, rest.upper)))
            else:
                self._ledger.dropped(f"{path}.rest_length", "rest lengths of MuJoCo's schemas are finite and not negative")
        for key, field in (
            ("stiffness", "stiffness"),
            ("damping", "damping"),
            ("frictionloss", "friction"),
            ("armature", "armature"),
        ):
            value = getattr(tendon, field)
            if value:
                prim.add("uniform double", f"mjc:{key}", number(value))
        hint = hint_of(tendon, MujocoTendon)
        if hint is not None and not write_limit_hint(prim, hint):
            self._ledger.rewritten(f"{path}.hints", "MuJoCo's schemas have none of its parameters")

    def write_actuators(self, scope: UsdPrim) -> None:
        """Add the actuators of the model to a prim."""
        names = PrimNames(self._ledger)
        for actuator in self._model.actuators:
            path = f"{self._model.name}/{actuator.name}"
            target, law = self._target(actuator), actuator.model
            reason = "it has no law of forces" if law is None else None if target else "OpenUSD has nothing that it can drive"
            if law is not None and not (law.dynamics in _DYNAMICS and law.gain in _GAINS and law.bias in _BIASES):
                reason = "MuJoCo's schemas do not have its law"
            if law is None or target is None or reason is not None:
                self._ledger.dropped(path, reason or "", location=actuator.origin)
                continue
            name, label = names.take(actuator.name, "actuator", path)
            prim = scope.child("MjcActuator", name, label)
            prim.relate("mjc:target", [target])
            self._write_transmission(prim, actuator)
            self._write_law(prim, law, f"{path}.model")
            self._write_hint(prim, actuator, path)
            if actuator.type != "general":
                self._ledger.rewritten(f"{path}.type", "an actuator with a general law", after="general")

    def _target(self, actuator: Actuator) -> str | None:
        """Return the path of what an actuator drives, or None if OpenUSD does not have it."""
        match actuator.transmission:
            case None:
                return None if actuator.joint is None else self._joints.path_of(actuator.joint, 0)
            case JointTransmission(coordinate=coordinate):
                return None if actuator.joint is None else self._joints.path_of(actuator.joint, coordinate)
            case TendonTransmission(tendon=tendon):
                return self._tendons.get(tendon)
            case BodyTransmission(body=body):
                return self._targets.bodies.get(body)
            case FrameTransmission(frame=frame, reference=reference):
                if reference is not None and self._frame(reference) is None:
                    return None
                return self._frame(frame)
        return None

    def _frame(self, frame: FrameReference) -> str | None:
        return self._targets.frames.get((frame.body, frame.frame))

    def _write_transmission(self, prim: UsdPrim, actuator: Actuator) -> None:
        match actuator.transmission:
            case JointTransmission(in_parent=True):
                prim.add("uniform bool", "mjc:jointInParent", "1")
            case FrameTransmission(reference=reference) if reference is not None:
                prim.relate("mjc:refSite", [self._frame(reference) or ""])

    def _write_law(self, prim: UsdPrim, law: ActuatorModel, path: str) -> None:
        for key, word in (("dynType", law.dynamics), ("gainType", law.gain), ("biasType", law.bias)):
            prim.add("uniform token", f"mjc:{key}", quoted(word.value))
        for key, values in (
            ("dynPrm", law.dynamics_parameters),
            ("gainPrm", law.gain_parameters),
            ("biasPrm", law.bias_parameters),
            ("gear", law.gear),
        ):
            prim.add("uniform double[]", f"mjc:{key}", numbers(values))
        self._write_range(prim, "ctrlRange", "ctrlLimited", law.control_limits, f"{path}.control_limits")
        self._write_range(prim, "forceRange", "forceLimited", law.force_limits, f"{path}.force_limits")
        self._write_range(prim, "actRange", "actLimited", law.activation_limits, f"{path}.activation_limits")
        if law.length_range is not None:
            for key, value in zip(("min", "max"), law.length_range, strict=True):
                prim.add("uniform double", f"mjc:lengthRange:{key}", number(value))

    def _write_hint(self, prim: UsdPrim, actuator: Actuator, path: str) -> None:
        hint = hint_of(actuator, MujocoActuator)
        if hint is None:
            return
        if hint.group is not None:
            prim.add("uniform int", "mjc:group", str(hint.group))
        if hint.actearly:
            prim.add("uniform bool", "mjc:actEarly", "1")
        if hint.group is None and not hint.actearly:
            self._ledger.rewritten(f"{path}.hints", "MuJoCo's schemas have none of its parameters")

    def _write_range(self, prim: UsdPrim, key: str, limited: str, limits: Range, path: str) -> None:
        if limits == UNBOUNDED:
            return
        if not (limits.lower < limits.upper and math.isfinite(limits.lower) and math.isfinite(limits.upper)):
            self._ledger.dropped(path, "limits of MuJoCo's schemas are two different numbers")
            return
        prim.add("uniform token", f"mjc:{limited}", '"true"')
        prim.add("uniform double", f"mjc:{key}:min", number(limits.lower))
        prim.add("uniform double", f"mjc:{key}:max", number(limits.upper))


def write_limit_hint(prim: UsdPrim, hint: MujocoTendon) -> bool:
    """Add the solver parameters of a tendon; return whether there are any."""
    before = len(prim.properties)
    for name in SOLVER_PARAMETERS:
        values = getattr(hint, name)
        if values is not None:
            prim.add("uniform double[]", f"mjc:{name}", numbers(values))
    if hint.margin is not None:
        prim.add("uniform double", "mjc:margin", number(hint.margin))
    if hint.group is not None:
        prim.add("uniform int", "mjc:group", str(hint.group))
    return len(prim.properties) > before
