"""The table of the package's own formats; their modules are imported when a format is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ossature.formats.format import (
    Content,
    Format,
    Loaded,
    ReadContext,
    ReferenceProgram,
    WriteContext,
    WrittenFiles,
    constant,
    deferred,
    imported,
    text_writer,
    world_reader,
)
from ossature.formats.sniffing import contains, has_root, matches
from ossature.model import Compound, Prismatic, Revolute, Screw, Translational2D, Universal, World

ROUNDING = 1e-12
"""Largest error of numbers that are converted to other units or frames and back, absolute or relative."""

_PASSES = "ossature.formats.passes"
_COMPUTE_INERTIA = deferred(f"{_PASSES}.compute_inertia:compute_inertia")
_LOWER_COUPLINGS = deferred(f"{_PASSES}.lower_joint_couplings:lower_joint_couplings")
_CONVERT_EQUALITIES = deferred(f"{_PASSES}.convert_equalities_to_couplings:convert_equalities_to_couplings")
_SIMPLIFY_JOINTS = deferred(f"{_PASSES}.standardize_compound_joints:standardize_compound_joints")
_SPLIT_COMPOUND_JOINTS = deferred(f"{_PASSES}.split_multi_dof_joints:split_compound_joints")
_CONTACT_BITS_BY_PAIRS = deferred(f"{_PASSES}.express_contact_bits:express_contact_bits_by_pairs")
_CONTACT_BITS_BY_SELF_COLLISION = deferred(f"{_PASSES}.express_contact_bits:express_contact_bits_by_self_collision")
_DROP_LOOPS = deferred(f"{_PASSES}.drop_loop_joints:drop_loop_joints")
_REPLACE_DEVICE_SENSORS = deferred(f"{_PASSES}.replace_device_sensors:replace_device_sensors")
_EXPORT_MESHES = deferred(f"{_PASSES}.export_meshes:export_meshes")
_MESH_PATHS_FOR_DART = deferred(f"{_PASSES}.use_mesh_paths_for_dart:use_mesh_paths_for_dart")

_REFERENCE_PROGRAMS = "ossature.reference_programs"
_DART = ReferenceProgram(name="DART", package="dartpy", module=f"{_REFERENCE_PROGRAMS}.dart", unread=(Screw, Translational2D))
_PINOCCHIO = ReferenceProgram(
    name="Pinocchio", package="pinocchio", module=f"{_REFERENCE_PROGRAMS}.pinocchio", moved=(Revolute, Prismatic)
)
_MUJOCO = ReferenceProgram(name="MuJoCo", package="mujoco", module=f"{_REFERENCE_PROGRAMS}.mujoco", moved=(Revolute, Prismatic))
_DRAKE = ReferenceProgram(
    name="Drake",
    package="pydrake",
    module=f"{_REFERENCE_PROGRAMS}.drake",
    moved=(Revolute, Prismatic, Screw, Universal),
    unread=(Compound,),
)

_RECORDINGS = "ossature.recordings"


def _read_recording(function: str) -> Callable[[ReadContext], Loaded]:
    return lambda context: Loaded(recording=imported(f"{_RECORDINGS}.{function}")(Path(context.source.name), context.report))


def _recording(kind: str, title: str, suffix: str, read: str | None, record: str | None, start: bytes | None = None) -> Format:
    return Format(
        name=f"{kind}-recording",
        title=f"{title}, samples of a simulation",
        suffixes=(suffix,),
        content=Content.RECORDING,
        sniff=lambda data: start is not None and data.startswith(start),
        read=None if read is None else _read_recording(read),
        record=None if record is None else deferred(f"{_RECORDINGS}.write:{record}"),
        opens_file=True,
    )


def _is_srdf(data: bytes) -> bool:
    return has_root("robot")(data) and any(tag in data for tag in (b"<disable_collisions", b"<group", b"<virtual_joint"))


COMPILED = "mjcf-compiled"
"""Dialect of MJCF that is written from the model compiled for simulation, with its dynamics and without structure."""


def _write_mjcf(world: World, context: WriteContext) -> WrittenFiles:
    target = "ossature.simulation.mjcf_export:write" if context.dialect == COMPILED else "ossature.formats.mjcf.write:write"
    files: WrittenFiles = imported(target)(world, context)
    return files


OWN_FORMATS = (
    Format(
        name="skel",
        title="SKEL, DART's world format",
        suffixes=(".skel",),
        sniff=has_root("skel"),
        read=world_reader("ossature.formats.skel:read_skel"),
        write=text_writer("ossature.formats.skel:write_skel"),
        passes=(
            _CONTACT_BITS_BY_SELF_COLLISION,
            _LOWER_COUPLINGS,
            deferred(f"{_PASSES}.express_velocities_by_joints:project_initial_velocities"),
            _SIMPLIFY_JOINTS,
            _DROP_LOOPS,
            _SPLIT_COMPOUND_JOINTS,
            deferred("ossature.formats.skel.drop_unsupported_joints:drop_unsupported_joints"),
            deferred(f"{_PASSES}.express_velocities_by_joints:express_velocities_by_joints"),
            _MESH_PATHS_FOR_DART,
            _EXPORT_MESHES,
        ),
        reference_programs=(replace(_DART, is_authority=True),),
        schema=constant("ossature.formats.skel.schema:ROOTS"),
        rules=constant("ossature.formats.skel.rules:RULES"),
    ),
    Format(
        name="chrono",
        title="Chrono YAML, multibody models of Project Chrono",
        suffixes=(".yaml", ".yml"),
        sniff=contains(b"chrono-version"),
        has_model=matches(rb"^model\s*:"),
        read=world_reader("ossature.formats.chrono:read_chrono"),
        write=deferred("ossature.formats.chrono.write:write_files"),
        passes=(
            _CONTACT_BITS_BY_PAIRS,
            _LOWER_COUPLINGS,
            _COMPUTE_INERTIA,
            _SIMPLIFY_JOINTS,
            deferred(f"{_PASSES}.bake_initial_pose:bake_initial_pose"),
            _EXPORT_MESHES,
        ),
        schema=constant("ossature.formats.chrono.schema:ROOTS"),
        syntax="yaml",
        rules=constant("ossature.formats.chrono.rules:RULES"),
        rounding=ROUNDING,
    ),
    Format(
        name="collada",
        title="COLLADA 1.5 robots with OpenRAVE's extensions",
        suffixes=(".dae", ".zae"),
        sniff=lambda data: data.startswith(b"PK\x03\x04") or has_root("COLLADA")(data),
        has_model=matches(
            rb"^PK\x03\x04|<(\w+:)?(kinematics_model|articulated_system|physics_model|instance_(kinematics|physics)_scene)\b"
        ),
        read=deferred("ossature.formats.collada.read:read"),
        write=deferred("ossature.formats.collada.write:write"),
        passes=(
            _CONTACT_BITS_BY_PAIRS,
            _CONVERT_EQUALITIES,
            deferred("ossature.formats.collada.kinematics.joint_decomposition:split_anchored_joints"),
            deferred(f"{_PASSES}.embed_meshes:embed_meshes"),
        ),
        record_unread=deferred("ossature.formats.collada.unread_metadata:record_unread_metadata"),
        write_reference=deferred("ossature.formats.collada.references.write_scene_references:write_reference"),
        schema=constant("ossature.formats.collada.schema:ROOTS"),
        rules=constant("ossature.formats.collada.rules:RULES"),
        dialects=("openrave",),
        rounding=ROUNDING,
    ),
    Format(
        name="urdf",
        title="URDF, the robot description of ROS",
        suffixes=(".urdf",),
        sniff=has_root("robot"),
        read=deferred("ossature.formats.urdf.urdf_with_srdf:read"),
        write=deferred("ossature.formats.urdf.urdf_with_srdf:write"),
        passes=(
            _CONTACT_BITS_BY_PAIRS,
            _CONVERT_EQUALITIES,
            _COMPUTE_INERTIA,
            _SIMPLIFY_JOINTS,
            _DROP_LOOPS,
            deferred("ossature.formats.urdf.supported_joints:split_unsupported_joints"),
            deferred(f"{_PASSES}.lower_joint_couplings:reduce_to_linear_couplings"),
            deferred("ossature.formats.urdf.expand_capsules:expand_capsules"),
            _EXPORT_MESHES,
        ),
        reference_programs=(
            replace(_PINOCCHIO, is_authority=True),
            _DART,
            replace(_MUJOCO, ignores_massless_inertia=True, moment_error=1e-12),  # it diagonalises tensors
        ),
        schema=constant("ossature.formats.urdf.schema:ROOTS"),
        has_semantics=True,
        specifies_bases=False,
        rules=constant("ossature.formats.urdf.rules:RULES"),
        rounding=ROUNDING,
    ),
    Format(
        name="srdf",
        title="SRDF, semantics of a URDF robot, read and written with it",
        suffixes=(".srdf",),
        content=Content.SEMANTICS,
        sniff=_is_srdf,
        schema=constant("ossature.formats.srdf.schema:ROOTS"),
        rules=constant("ossature.formats.srdf.rules:RULES"),
    ),
    Format(
        name="sdf",
        title="SDFormat, models and worlds of Gazebo",
        suffixes=(".sdf", ".world"),
        sniff=has_root("sdf"),
        has_model=matches(rb"<(model|world|include)\b"),
        read=deferred("ossature.formats.sdf.read:read"),
        write=deferred("ossature.formats.sdf.write:write"),
        passes=(
            _CONTACT_BITS_BY_SELF_COLLISION,
            deferred("ossature.formats.sdf.convert_gazebo_elements:convert_gazebo_elements"),
            _CONVERT_EQUALITIES,
            _COMPUTE_INERTIA,
            deferred("ossature.formats.sdf.supported_joints:support_joints"),
            _EXPORT_MESHES,
        ),
        reference_programs=(_DRAKE,),
        schema=constant("ossature.formats.sdf.schema:ROOTS"),
        rules=constant("ossature.formats.sdf.rules:RULES"),
        rounding=ROUNDING,
    ),
    Format(
        name="usd",
        title="OpenUSD, stages with the schemas UsdPhysics, Newton and MuJoCo",
        suffixes=(".usda", ".usdc", ".usd", ".usdz"),
        sniff=lambda data: data.startswith((b"#usda ", b"PXR-USDC")),
        has_model=matches(rb"references|payload|subLayers|PhysicsRigidBodyAPI|^PXR-USDC|^PK"),
        read=deferred("ossature.formats.usd.read:read"),
        write=deferred("ossature.formats.usd.write:write"),
        passes=(
            _CONTACT_BITS_BY_PAIRS,
            _COMPUTE_INERTIA,
            deferred(f"{_PASSES}.express_velocities_by_bodies:express_velocities_by_bodies"),
            _SIMPLIFY_JOINTS,
            deferred("ossature.formats.usd.supported_joints:support_joints"),
            deferred(f"{_PASSES}.lower_joint_couplings:reduce_to_linear_couplings"),
            deferred(f"{_PASSES}.embed_meshes:embed_meshes"),
        ),
        rules=constant("ossature.formats.usd.rules:RULES"),
        rounding=ROUNDING,
    ),
    Format(
        name="mjcf",
        title="MJCF, MuJoCo's format",
        suffixes=(".xml", ".mjcf"),
        sniff=has_root("mujoco"),
        has_model=matches(rb"<(worldbody|body|include|attach)\b"),
        read=deferred("ossature.formats.mjcf.read:read"),
        write=_write_mjcf,
        passes=(_REPLACE_DEVICE_SENSORS,),
        reference_programs=(replace(_MUJOCO, is_authority=True),),
        schema=deferred("ossature.formats.mjcf.schema:roots"),
        rules=constant("ossature.formats.mjcf.rules:RULES"),
        rounding=ROUNDING,
        dialects=(COMPILED,),
        has_actuator_kinds=True,
    ),
    Format(
        name="usdf",
        title="USDF, states of worlds",
        suffixes=(".usdf",),
        content=Content.STATE,
        sniff=has_root("world_state"),
        read=deferred("ossature.formats.usdf.read:read"),
        write=deferred("ossature.formats.usdf.write:write"),
        schema=constant("ossature.formats.usdf.schema:ROOTS"),
        rules=constant("ossature.formats.usdf.rules:RULES"),
    ),
    Format(
        name="calibration",
        title="calibrations of single robots",
        suffixes=(".yaml", ".yml"),
        content=Content.CALIBRATION,
        sniff=contains(b"ossature-calibration"),
        read=deferred("ossature.formats.calibration.read:read"),
        write=deferred("ossature.formats.calibration.write:write"),
        schema=constant("ossature.formats.calibration.schema:ROOTS"),
        syntax="yaml",
        rules=constant("ossature.formats.calibration.rules:RULES"),
    ),
    Format(
        name="sweep",
        title="sweeps: many runs of one model with different parameters",
        suffixes=(".yaml", ".yml"),
        content=Content.SWEEP,
        sniff=contains(b"ossature-sweep"),
        schema=constant("ossature.sweeps.schema_sweep:ROOTS"),
        syntax="yaml",
    ),
    Format(
        name="fit",
        title="fits of parameters to recordings",
        suffixes=(".yaml", ".yml"),
        content=Content.FIT,
        sniff=contains(b"ossature-fit"),
        schema=constant("ossature.sweeps.schema_fit:FIT_ROOTS"),
        syntax="yaml",
    ),
    Format(
        name="trajectory",
        title="CSV tables of joint positions over time",
        suffixes=(".csv",),
        content=Content.TRAJECTORY,
        read=deferred("ossature.formats.trajectory_files:read"),
        write=deferred("ossature.formats.trajectory_files:write"),
    ),
    _recording("usdf", "USDF", ".usdf", "read_usdf:read_usdf", "UsdfWriter"),
    _recording("parquet", "Parquet", ".parquet", "read_npz_parquet_journal:read_parquet", "parquet_writer", b"PAR1"),
    _recording("npz", "NumPy", ".npz", "read_npz_parquet_journal:read_npz", "npz_writer", b"PK\x03\x04"),
    _recording("csv", "CSV", ".csv", "read_csv_and_json:read_csv", "csv_writer"),
    _recording("json", "JSON", ".json", "read_csv_and_json:read_json", "json_writer"),
    _recording("mcap", "MCAP for Foxglove and PlotJuggler", ".mcap", None, "mcap_writer"),
    _recording("rerun", "Rerun", ".rrd", None, "rerun_writer"),
    _recording("journal", "incomplete Parquet or NumPy", ".part", "read_npz_parquet_journal:read_journal", None),
)
