"""Conversion between formats: writes files, with a ledger of what is rewritten, approximated or dropped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ossature.assets import MeshStore, write_archive, write_file_atomically
from ossature.conversion.passes.embed_meshes import embed_meshes
from ossature.conversion.passes.export_meshes import mesh_texts, with_mesh_files
from ossature.conversion.passes.initial_pose import bake_initial_pose, compute_inertia
from ossature.conversion.passes.joint_couplings import lower_couplings, reduce_to_linear_couplings
from ossature.conversion.passes.spanning_tree import reduce_to_trees
from ossature.conversion.passes.split_multi_dof_joints import split_joints
from ossature.conversion.passes.standardize_compound_joints import simplify_joints
from ossature.diagnostics import Ledger, OssatureError, Report, suggestion
from ossature.formats import FORMATS
from ossature.model import World

ARCHIVE_SUFFIX = ".zae"
"""Suffix of files that are written as archives of one document."""
WRITTEN_FORMATS = {**{name: known.suffixes for name, known in FORMATS.items()}, "mjcf": (".xml", ".mjcf")}
"""Output formats by name, with their suffixes."""


def format_to_write(path: Path, name: str | None = None) -> str:
    """Return the output format of a file: the named one, or that of its suffix.

    Raises:
        OssatureError: There is no such format.
    """
    if name is not None:
        if name not in WRITTEN_FORMATS:
            raise OssatureError(f"unknown output format '{name}': {suggestion(name, WRITTEN_FORMATS)}")
        return name
    for known, suffixes in WRITTEN_FORMATS.items():
        if path.suffix.lower() in suffixes:
            return known
    choices = ", ".join(f"{known} ({' '.join(suffixes)})" for known, suffixes in WRITTEN_FORMATS.items())
    raise OssatureError(f"unknown suffix '{path.suffix}'; name the format: {choices}")


def save(
    world: World,
    path: str | Path,
    *,
    format: str | None = None,  # the established name of the parameter
    meshes: MeshStore | None = None,
    report: Report | None = None,
    reference: Mapping[str, str | Path] | None = None,
) -> Ledger:
    """Write a World to a file atomically.

    Args:
        world: The World.
        path: The output file.
        format: Its format; determined from the suffix if None.
        meshes: The mesh store, for formats that embed triangles; by default meshes are found relative to the World's file.
        report: Receives findings.
        reference: For each model its COLLADA file or URI. The output is then a scene that refers to these files and states
            only the poses of robots, the positions and limits of joints, and grasps.

    Returns:
        The ledger: what is rewritten, approximated or dropped.

    Raises:
        OssatureError: The format is unknown, or cannot represent this World.
        OSError: The file cannot be written.
    """
    path = Path(path)
    ledger = Ledger()
    report = report if report is not None else Report()
    name = format_to_write(path, format)
    if reference is not None:
        from ossature.conversion.scene_reference import scene_reference_text

        write_files(path, scene_reference_text(world, ledger, name=name, path=path, robots=reference), {})
        return ledger
    companion_files = companions(world, name, path)
    text = to_text(world, ledger, report, name=name, path=path, meshes=meshes, companion_files=companion_files)
    write_files(path, text, companion_files)
    return ledger


def write_files(path: Path, text: str, companion_files: Mapping[Path, str]) -> None:
    """Write a file and its companion files, each atomically; the file that refers to the others is last.

    Raises:
        OSError: One of them cannot be written.
    """
    for file, content in companion_files.items():
        if file.parent != path.parent:
            file.parent.mkdir(exist_ok=True)
        write_file_atomically(file, content)
    write_file_atomically(path, write_archive(f"{path.stem}.dae", text) if path.suffix.lower() == ARCHIVE_SUFFIX else text)


def companions(world: World, name: str, path: Path) -> dict[Path, str]:
    """Return the companion files of an output file by path: simulation files of Chrono, and mesh files.

    A companion that would overwrite an unrelated file is left out.
    """
    files = _run_settings_files(world, path) if name == "chrono" and path.suffix == ".yaml" else {}
    known = FORMATS.get(name)
    return files if known is None or known.holds_triangles else {**files, **mesh_texts(world, path)}


def _run_settings_files(world: World, path: Path) -> dict[Path, str]:
    from ossature.formats.chrono import run_files

    files = {path.with_name(file): text for file, text in run_files(world, path.stem).items()}
    first = next(iter(files), None)
    is_foreign = first is not None and first.exists() and f"model: {path.name}" not in first.read_text("utf-8", "replace")
    return {} if is_foreign else files


def to_text(
    world: World,
    ledger: Ledger,
    report: Report,
    *,
    name: str,
    path: Path,
    meshes: MeshStore | None = None,
    companion_files: Mapping[Path, str] | None = None,
) -> str:
    """Return a World as the text of a file; see :func:`save`, and :func:`companions` for ``companion_files``."""
    if name == "mjcf":
        from ossature.conversion.mjcf_export import write_mjcf  # loads the engine

        return write_mjcf(world, ledger, meshes=meshes or MeshStore.of(world, report.limits), report=report)
    if name == "chrono":
        from ossature.formats.chrono import write_chrono

        world = compute_inertia(lower_couplings(world, ledger), meshes or MeshStore.of(world, report.limits), ledger)
        world = simplify_joints(world, ledger)
        world = with_mesh_files(bake_initial_pose(world, ledger), path, companion_files or {}, ledger)
        run_file = next((file.name for file in companion_files or () if file.suffix == ".yaml"), None)
        return write_chrono(world, ledger, folder=path.resolve().parent, run_file=run_file)
    if name == "urdf":
        world = _lowered_for_urdf(world, meshes or MeshStore.of(world, report.limits), ledger)
    if name == "skel":
        world = reduce_to_trees(simplify_joints(lower_couplings(world, ledger), ledger), ledger)
    if FORMATS[name].holds_triangles:
        world = embed_meshes(world, meshes or MeshStore.of(world, report.limits), ledger)
    else:
        world = with_mesh_files(world, path, companion_files or {}, ledger)
    return FORMATS[name].writer(world, ledger, folder=path.resolve().parent)


def _lowered_for_urdf(world: World, meshes: MeshStore, ledger: Ledger) -> World:
    """Return a World that URDF can represent: trees of supported joints, bodies with explicit moments of inertia."""
    from ossature.formats.urdf import SUPPORTED_JOINTS, unsupported_reason

    trees = reduce_to_trees(simplify_joints(compute_inertia(world, meshes, ledger), ledger), ledger)
    return reduce_to_linear_couplings(split_joints(trees, ledger, unsupported_reason, SUPPORTED_JOINTS), ledger)
