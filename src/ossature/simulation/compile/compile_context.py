"""Options and state of the compilation of a World."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import mujoco

from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import connections, swaps_axes
from ossature.model import Geometry, Joint, Material, Model, World
from ossature.simulation.compile import collision_filter
from ossature.simulation.compile.address_map import JointLayout
from ossature.simulation.compile.contact_friction import friction_ranks
from ossature.simulation.compile.contact_model import ContactOptions
from ossature.simulation.compile.engine_spec import EngineSpec, SpecBody, SpecGeom, SpecJoint
from ossature.simulation.compile.force_elements import CompiledCoordinate, Elements
from ossature.simulation.compile.geoms import MeshShape, ShapeBuilder
from ossature.simulation.compile.grasp_attachment import GraspPlan
from ossature.simulation.compile.inertia import KnownInertia, SubstitutedInertia
from ossature.simulation.compile.integrator_choice import DEFAULT_STEP_CONTROL, Integrator, StepControl
from ossature.simulation.compile.joints import JointSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileOptions:
    """Options of a compilation.

    Attributes:
        time_step: The step [s].
        enforce_limits: Whether position limits are enforced.
        with_visuals: Whether visual shapes are compiled too; simulation does not need them.
        integrator: The integrator; chosen for the model if None.
    """

    time_step: float
    enforce_limits: bool = True
    with_visuals: bool = False
    contact: ContactOptions = field(default_factory=ContactOptions)
    integrator: Integrator | None = None
    step_control: StepControl = DEFAULT_STEP_CONTROL


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledJoint:
    """A joint in the engine's specification.

    Attributes:
        built: The joint as compiled, perhaps with parent and child exchanged.
        layout: Which engine joints represent it.
        added: Those engine joints.
        body: The engine's child body.
    """

    model: Model
    joint: Joint
    built: Joint
    layout: JointLayout
    added: list[SpecJoint]
    body: SpecBody
    parent: SpecBody

    @property
    def in_joint_order(self) -> list[SpecJoint]:
        """The engine joints in the order of the joint's coordinates."""
        is_reversed = self.built.child != self.joint.child
        return self.added[::-1] if is_reversed and swaps_axes(self.joint.type) else self.added


@dataclass(slots=True)
class CompileContext:
    """The state of a compilation."""

    world: World
    grasp_plan: GraspPlan
    options: CompileOptions
    report: Report
    meshes: MeshStore
    spec: EngineSpec
    shapes: ShapeBuilder
    masks: collision_filter.Masks
    names: Mapping[tuple[str, str], str]
    joint_names: Mapping[tuple[str, str], str]
    settings: JointSettings
    bodies: dict[str, dict[str, SpecBody]] = field(default_factory=dict)
    geoms: dict[tuple[str, str], list[SpecGeom | None]] = field(default_factory=dict)
    inner_geoms: dict[tuple[str, str], list[SpecGeom | None]] = field(default_factory=dict)
    skins: dict[tuple[str, str], SpecGeom] = field(default_factory=dict)
    points: dict[tuple[str, str], list[SpecGeom]] = field(default_factory=dict)
    joints: list[CompiledJoint] = field(default_factory=list)
    coordinates: dict[str, list[CompiledCoordinate]] = field(default_factory=dict)
    elements: Elements = field(default_factory=Elements)
    loops: int = 0
    moving: dict[str, set[str]] = field(default_factory=dict)
    friction_ranks: Mapping[float, int] = field(default_factory=dict)
    substituted: list[SubstitutedInertia] = field(default_factory=list)
    materials_reported: set[Material] = field(default_factory=set)
    restitutions: list[tuple[SpecGeom, float]] = field(default_factory=list)
    known_inertias: Mapping[tuple[str, float], KnownInertia] = field(default_factory=dict)
    inertias: dict[tuple[str, float], KnownInertia] = field(default_factory=dict)
    weights: dict[str, list[tuple[int, float]]] = field(default_factory=dict)


def new_compile_context(
    grasp_plan: GraspPlan,
    meshes: MeshStore,
    options: CompileOptions,
    report: Report,
    known_meshes: Mapping[Geometry, MeshShape] = MappingProxyType({}),
    known_inertias: Mapping[tuple[str, float], KnownInertia] = MappingProxyType({}),
) -> CompileContext:
    """Return the context of a new compilation, with an empty specification."""
    world = grasp_plan.world
    spec = EngineSpec(modelname=world.name)
    spec.compiler.degree = False
    spec.compiler.autolimits = True
    option = spec.option
    option.timestep = options.time_step
    option.gravity = world.gravity
    # An automatic reset would hide a divergence.
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    # Masks and excluded pairs alone define the collision filter.
    option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
    return CompileContext(
        world=world,
        grasp_plan=grasp_plan,
        options=options,
        report=report,
        meshes=meshes,
        spec=spec,
        shapes=ShapeBuilder(spec, meshes, report, known_meshes=known_meshes),
        known_inertias=known_inertias,
        masks=collision_filter.masks_of(world),
        friction_ranks=friction_ranks(world),
        names=_engine_names({model.name: model.bodies.names() for model in world.models}),
        joint_names=_engine_names(
            {model.name: [connection.label for connection in connections(model)] for model in world.models}
        ),
        settings=JointSettings(time_step=options.time_step, enforce_limits=options.enforce_limits),
    )


def _engine_names(names_by_model: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], str]:
    """Return a unique name for each element: its own, prefixed with its model's if the name is not unique."""
    counts = Counter(name for names in names_by_model.values() for name in names)
    counts["world"] += 2  # reserved by the engine
    return {
        (model, name): name if counts[name] == 1 else f"{model}/{name}"
        for model, names in names_by_model.items()
        for name in names
    }
