"""The specification of an engine model as plain data, and its compilation by the engine.

The classes have the attributes and default values of MuJoCo's ``MjSpec``, as far as this package uses it. Unlike MuJoCo's they
are typed, can be pickled, and can be compared with those of another compilation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol, TypeVar

import mujoco
import numpy as np

from ossature.array_types import Float32Array, Int32Array
from ossature.spatial import IDENTITY_WXYZ, ZERO3

T = TypeVar("T")

_REFERENCE = (0.02, 1.0)
"""The engine's default ``solref``."""
_IMPEDANCE = (0.9, 0.95, 0.001, 0.5, 2.0)
"""The engine's default ``solimp``."""


@dataclass(slots=True, eq=False, kw_only=True)
class SpecElement:
    """An element of a specification.

    Attributes:
        name: Its name; the engine requires a unique one for each kind of element, or none.
        id: Its index in the engine's model; -1 before the compilation.
    """

    name: str = ""
    id: int = -1


@dataclass(slots=True, eq=False, kw_only=True)
class SpecJoint(SpecElement):
    """A joint (``mjsJoint``)."""

    type: mujoco.mjtJoint = mujoco.mjtJoint.mjJNT_HINGE
    pos: Sequence[float] = ZERO3
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    stiffness: Sequence[float] = ZERO3
    springref: float = 0.0
    damping: Sequence[float] = ZERO3
    armature: float = 0.0
    frictionloss: float = 0.0
    solref_friction: Sequence[float] = _REFERENCE
    solimp_friction: Sequence[float] = _IMPEDANCE
    limited: mujoco.mjtLimited = mujoco.mjtLimited.mjLIMITED_AUTO
    range: Sequence[float] = (0.0, 0.0)
    solref_limit: Sequence[float] = _REFERENCE
    solimp_limit: Sequence[float] = _IMPEDANCE


@dataclass(slots=True, eq=False, kw_only=True)
class SpecGeom(SpecElement):
    """A collision or visual shape (``mjsGeom``)."""

    type: mujoco.mjtGeom = mujoco.mjtGeom.mjGEOM_SPHERE
    pos: Sequence[float] = ZERO3
    quat: Sequence[float] = IDENTITY_WXYZ
    size: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    meshname: str = ""
    contype: int = 1
    conaffinity: int = 1
    friction: list[float] = field(default_factory=lambda: [1.0, 0.005, 0.0001])
    condim: int = 3
    priority: int = 0
    margin: float = 0.0
    solref: Sequence[float] = _REFERENCE
    solimp: Sequence[float] = _IMPEDANCE
    group: int = 0
    mass: float | None = None
    rgba: Sequence[float] = (0.5, 0.5, 0.5, 1.0)


@dataclass(slots=True, eq=False, kw_only=True)
class SpecSite(SpecElement):
    """A frame that is fixed to a body (``mjsSite``)."""

    pos: Sequence[float] = ZERO3
    quat: Sequence[float] = IDENTITY_WXYZ


@dataclass(slots=True, eq=False, kw_only=True)
class SpecMesh(SpecElement):
    """A mesh (``mjsMesh``): vertices in single precision, shape (3n), and faces, shape (3m), or none for a convex hull."""

    uservert: Float32Array = field(default_factory=lambda: np.zeros(0, np.float32))
    userface: Int32Array = field(default_factory=lambda: np.zeros(0, np.int32))
    inertia: mujoco.mjtMeshInertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_LEGACY


@dataclass(slots=True, kw_only=True)
class TendonWrap:
    """An element of the path of a tendon: a site, or a joint with its coefficient.

    Attributes:
        target: Name of the site or joint.
        coef: The coefficient of the joint.
    """

    type: mujoco.mjtWrap
    target: str
    coef: float = 1.0


@dataclass(slots=True, eq=False, kw_only=True)
class SpecTendon(SpecElement):
    """A tendon (``mjsTendon``): between sites, or a weighted sum of joint coordinates."""

    path: list[TendonWrap] = field(default_factory=list)
    stiffness: Sequence[float] = ZERO3
    frictionloss: float = 0.0
    solref_friction: Sequence[float] = _REFERENCE
    solimp_friction: Sequence[float] = _IMPEDANCE

    def wrap_site(self, site: str) -> None:
        """Append a site to the path."""
        self.path.append(TendonWrap(type=mujoco.mjtWrap.mjWRAP_SITE, target=site))

    def wrap_joint(self, joint: str, coef: float) -> None:
        """Append a joint to the weighted sum."""
        self.path.append(TendonWrap(type=mujoco.mjtWrap.mjWRAP_JOINT, target=joint, coef=coef))


@dataclass(slots=True, eq=False, kw_only=True)
class SpecActuator(SpecElement):
    """An actuator (``mjsActuator``)."""

    trntype: mujoco.mjtTrn = mujoco.mjtTrn.mjTRN_UNDEFINED
    target: str = ""
    refsite: str = ""
    gear: Sequence[float] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    gaintype: mujoco.mjtGain = mujoco.mjtGain.mjGAIN_FIXED
    gainprm: list[float] = field(default_factory=lambda: [1.0, *[0.0] * 9])
    biastype: mujoco.mjtBias = mujoco.mjtBias.mjBIAS_NONE
    biasprm: list[float] = field(default_factory=lambda: [0.0] * 10)
    armature: float = 0.0
    group: int = 0

    def set_to_dc_motor(self, torque_constant: float, resistance: float) -> None:
        """Make it a direct-current motor that is commanded by a voltage.

        Args:
            torque_constant: The torque constant [N·m/A], and the back-EMF constant [V·s/rad].
            resistance: The resistance [Ω].
        """
        self.gaintype, self.biastype = mujoco.mjtGain.mjGAIN_DCMOTOR, mujoco.mjtBias.mjBIAS_DCMOTOR
        self.gainprm[:2] = (resistance, torque_constant)


@dataclass(slots=True, eq=False, kw_only=True)
class SpecEquality(SpecElement):
    """An equality constraint (``mjsEquality``)."""

    type: mujoco.mjtEq = mujoco.mjtEq.mjEQ_CONNECT
    objtype: mujoco.mjtObj = mujoco.mjtObj.mjOBJ_UNKNOWN
    name1: str = ""
    name2: str = ""
    data: list[float] = field(default_factory=lambda: [0.0, 1.0, *[0.0] * 8, 1.0, 0.0][: mujoco.mjNEQDATA])
    solref: Sequence[float] = _REFERENCE
    solimp: Sequence[float] = _IMPEDANCE


@dataclass(slots=True, eq=False, kw_only=True)
class SpecExclude(SpecElement):
    """A pair of bodies that do not collide (``mjsExclude``)."""

    bodyname1: str = ""
    bodyname2: str = ""


@dataclass(slots=True, eq=False, kw_only=True)
class SpecBody(SpecElement):
    """A body (``mjsBody``).

    Attributes:
        parent: Its parent; None for the world.
        ipos: Its centre of mass; None for the engine's default.
    """

    parent: SpecBody | None = None
    pos: Sequence[float] = ZERO3
    quat: Sequence[float] = IDENTITY_WXYZ
    gravcomp: float = 0.0
    mocap: bool = False
    explicitinertial: bool = False
    mass: float = 0.0
    ipos: Sequence[float] | None = None
    iquat: Sequence[float] = IDENTITY_WXYZ
    inertia: Sequence[float] = ZERO3
    joints: list[SpecJoint] = field(default_factory=list)
    geoms: list[SpecGeom] = field(default_factory=list)
    sites: list[SpecSite] = field(default_factory=list)
    siblings: list[SpecBody] = field(default_factory=list, repr=False)
    """All bodies of the specification, each after its parent."""

    @property
    def bodies(self) -> list[SpecBody]:
        """Its children."""
        return [body for body in self.siblings if body.parent is self]

    def add_body(self, *, mocap: bool = False) -> SpecBody:
        """Add a child."""
        body = SpecBody(parent=self, mocap=mocap, siblings=self.siblings)
        self.siblings.append(body)
        return body


@dataclass(slots=True, eq=False, kw_only=True)
class SpecOption:
    """Options of the simulation (``mjOption``)."""

    timestep: float = 0.002
    gravity: Sequence[float] = (0.0, 0.0, -9.81)
    integrator: mujoco.mjtIntegrator = mujoco.mjtIntegrator.mjINT_EULER
    tolerance: float = 1e-8
    cone: mujoco.mjtCone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    disableflags: int = 0
    disableactuator: int = 0


@dataclass(slots=True, eq=False, kw_only=True)
class SpecCompiler:
    """Options of the engine's compiler (``mjsCompiler``)."""

    degree: bool = True
    autolimits: bool = True
    balanceinertia: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class EngineSpec:
    """The specification of an engine model (``MjSpec``)."""

    modelname: str = "MuJoCo Model"
    option: SpecOption = field(default_factory=SpecOption)
    compiler: SpecCompiler = field(default_factory=SpecCompiler)
    all_bodies: list[SpecBody] = field(default_factory=list)
    """The world, and all bodies, each after its parent."""
    meshes: list[SpecMesh] = field(default_factory=list)
    tendons: list[SpecTendon] = field(default_factory=list)
    actuators: list[SpecActuator] = field(default_factory=list)
    equalities: list[SpecEquality] = field(default_factory=list)
    excludes: list[SpecExclude] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.all_bodies:
            self.all_bodies.append(SpecBody(name="world", siblings=self.all_bodies))

    @property
    def worldbody(self) -> SpecBody:
        """The world."""
        return self.all_bodies[0]

    @property
    def joints(self) -> list[SpecJoint]:
        """All joints."""
        return [joint for body in self.all_bodies for joint in body.joints]

    @property
    def geoms(self) -> list[SpecGeom]:
        """All shapes."""
        return [geom for body in self.all_bodies for geom in body.geoms]

    def copy(self) -> tuple[EngineSpec, dict[int, SpecBody]]:
        """Return a specification with copies of the bodies, and these by the identity of the originals."""
        bodies: list[SpecBody] = []
        copies: dict[int, SpecBody] = {}
        for body in self.all_bodies:
            parent = None if body.parent is None else copies[id(body.parent)]
            copied = copies[id(body)] = SpecBody(
                name=body.name,
                id=body.id,
                parent=parent,
                pos=body.pos,
                quat=body.quat,
                gravcomp=body.gravcomp,
                mocap=body.mocap,
                explicitinertial=body.explicitinertial,
                mass=body.mass,
                ipos=body.ipos,
                iquat=body.iquat,
                inertia=body.inertia,
                joints=body.joints,
                geoms=body.geoms,
                sites=body.sites,
                siblings=bodies,
            )
            bodies.append(copied)
        return replace(self, all_bodies=bodies), copies

    def elements(self) -> Iterator[SpecElement]:
        """Yield all elements, in an order that depends on nothing but the order in which they were added."""
        for body in self.all_bodies:
            yield body
            yield from body.joints
            yield from body.geoms
            yield from body.sites
        for group in (self.meshes, self.tendons, self.actuators, self.equalities, self.excludes):
            yield from group

    def compile(self) -> mujoco.MjModel:
        """Return the engine's model (``mujoco.MjModel``), and set the :attr:`~SpecElement.id` of each element.

        Raises:
            ValueError: The engine rejects the specification.
        """
        return _EngineBuilder(self).compile()

    def to_engine(self) -> mujoco.MjSpec:
        """Return the engine's own specification (``mujoco.MjSpec``)."""
        return _EngineBuilder(self).engine_spec


def append(elements: list[T], element: T) -> T:
    """Append an element to those of its kind, and return it."""
    elements.append(element)
    return element


class _EngineElement(Protocol):
    @property
    def id(self) -> int: ...


class _EngineBuilder:
    def __init__(self, spec: EngineSpec) -> None:
        self.engine_spec = mujoco.MjSpec()
        self._built: list[tuple[SpecElement, _EngineElement]] = []
        self.engine_spec.modelname = spec.modelname
        _set_attributes(spec.option, self.engine_spec.option)
        _set_attributes(spec.compiler, self.engine_spec.compiler)
        self._add_bodies(spec)
        for mesh in spec.meshes:
            self._set(mesh, self.engine_spec.add_mesh())
        for tendon in spec.tendons:
            self._add_tendon(tendon)
        for actuator in spec.actuators:
            self._add_actuator(actuator)
        for equality in spec.equalities:
            self._set(equality, self.engine_spec.add_equality())
        for exclude in spec.excludes:
            self._set(exclude, self.engine_spec.add_exclude())

    def compile(self) -> mujoco.MjModel:
        model = self.engine_spec.compile()
        for element, engine_element in self._built:
            element.id = engine_element.id
        return model

    def _set(self, element: SpecElement, engine_element: _EngineElement) -> None:
        _set_attributes(element, engine_element)
        self._built.append((element, engine_element))

    def _add_bodies(self, spec: EngineSpec) -> None:
        engine_bodies = {id(spec.worldbody): self.engine_spec.worldbody}
        self._built.append((spec.worldbody, self.engine_spec.worldbody))
        for body in spec.all_bodies:
            if body.parent is not None:
                engine_bodies[id(body)] = engine_bodies[id(body.parent)].add_body()
                self._set(body, engine_bodies[id(body)])
            engine_body = engine_bodies[id(body)]
            for joint in body.joints:
                is_free = joint.type == mujoco.mjtJoint.mjJNT_FREE
                self._set(joint, engine_body.add_freejoint() if is_free else engine_body.add_joint())
            for geom in body.geoms:
                self._set(geom, engine_body.add_geom())
            for site in body.sites:
                self._set(site, engine_body.add_site())

    def _add_tendon(self, tendon: SpecTendon) -> None:
        engine_tendon = self.engine_spec.add_tendon()
        self._set(tendon, engine_tendon)
        for wrap in tendon.path:
            if wrap.type == mujoco.mjtWrap.mjWRAP_SITE:
                engine_tendon.wrap_site(wrap.target)
            else:
                engine_tendon.wrap_joint(wrap.target, wrap.coef)

    def _add_actuator(self, actuator: SpecActuator) -> None:
        engine_actuator = self.engine_spec.add_actuator()
        if actuator.gaintype == mujoco.mjtGain.mjGAIN_DCMOTOR:
            resistance, constant = actuator.gainprm[:2]
            engine_actuator.set_to_dcmotor(motorconst=(constant, constant), resistance=resistance, ctrlspec=_VOLTAGE_INPUT)
        self._set(actuator, engine_actuator)


_VOLTAGE_INPUT = int(mujoco.mjtCtrlInput.mjINPUT_VOLTAGE)
_NOT_ASSIGNED = {"id", "parent", "joints", "geoms", "sites", "siblings", "path"}
"""Attributes that are not those of the engine's element."""


def differing_attributes(element: SpecElement | SpecOption | SpecCompiler) -> dict[str, Any]:
    """Return the attributes of an element that the engine's element has too, and that differ from the default values."""
    default = _DEFAULTS[type(element)]
    values = {name: getattr(element, name) for name in ATTRIBUTES[type(element)]}
    return {name: value for name, value in values.items() if not is_same(value, getattr(default, name))}


def _set_attributes(source: SpecElement | SpecOption | SpecCompiler, target: object) -> None:
    for name, value in differing_attributes(source).items():
        setattr(target, name, value)


_DEFAULTS: dict[type, SpecElement | SpecOption | SpecCompiler] = {
    kind: kind()
    for kind in (
        SpecJoint,
        SpecGeom,
        SpecSite,
        SpecMesh,
        SpecTendon,
        SpecActuator,
        SpecEquality,
        SpecExclude,
        SpecBody,
        SpecOption,
        SpecCompiler,
    )
}
ATTRIBUTES: dict[type, tuple[str, ...]] = {
    kind: tuple([one.name for one in fields(default) if one.name not in _NOT_ASSIGNED]) for kind, default in _DEFAULTS.items()
}
"""The attributes of each kind of element that the engine's element has too."""


def is_same(value: Any, other: Any) -> bool:
    """Whether two values of an attribute are equal to the bit: zeros have the same sign."""
    if value is other:
        return True
    kind = type(value)
    if kind is np.ndarray:
        return bool(value.tobytes() == other.tobytes())
    if value != other:
        return False
    has_zero = 0.0 in value if kind is tuple or kind is list else not value
    return not has_zero or repr(value) == repr(other)
