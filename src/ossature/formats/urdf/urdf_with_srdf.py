"""The files of a URDF robot: the URDF file, and the SRDF file with what URDF cannot represent."""

from __future__ import annotations

from pathlib import Path

from ossature.assets.filesystem import DiskFiles
from ossature.diagnostics import OssatureError, Report
from ossature.formats.format import Loaded, ReadContext, WriteContext, WrittenFiles
from ossature.formats.srdf import find_srdf, read_srdf, rules, with_semantics
from ossature.formats.srdf.read import SUFFIX
from ossature.formats.srdf.schema import SemanticRobotElement
from ossature.formats.srdf.write import WRITTEN_HERE
from ossature.formats.urdf.read import read_urdf
from ossature.formats.urdf.write import write_robot
from ossature.model import Model, World

_FIRST_BYTES = 1000
"""Part of an SRDF file in which the comment of the writer is looked for."""


def read(context: ReadContext) -> Loaded:
    """Return the World of a URDF file, with the semantics of its SRDF file: the stated one, or the one beside it."""
    world = read_urdf(context.source, context.report, folder=context.folder, is_expanded=context.is_expanded)
    if world is None or context.srdf is False:
        return Loaded(world=world)
    specified = context.srdf
    files = context.files
    path = specified if specified is not None else find_srdf(Path(context.source.name), files)
    if path is None or (robot := read_srdf(path, files, context.report)) is None:
        return Loaded(world=world)
    _compare_names(robot, world.models[0], path, context.report)
    found = with_semantics(world, context.report, robot=robot)
    if found is not None:
        context.report.add(rules.SEMANTICS_READ, f"{path.name} is read: {_summary(found.models[0])}", robot.location())
    return Loaded(world=found)


def _compare_names(robot: SemanticRobotElement, model: Model, path: Path, report: Report) -> None:
    """Report an SRDF file that names another robot, which is used, as by MoveIt."""
    if robot.name not in (None, model.name):
        message = f"{path.name} describes robot '{robot.name}', not '{model.name}': it is used, as by MoveIt"
        report.add(rules.OTHER_ROBOT, message, robot.location("name"), hint=f'write <robot name="{model.name}">')


def _summary(model: Model) -> str:
    counts = {
        "manipulator": len(model.manipulators),
        "keyframe": len(model.keyframes),
        "ignored pair": len(model.ignored_pairs),
    }
    return ", ".join(f"{count} {name}{'s' * (count != 1)}" for name, count in counts.items())


def write(world: World, context: WriteContext) -> WrittenFiles:
    """Return the URDF file, and the SRDF file beside it if the robot has manipulators, keyframes or ignored pairs.

    Raises:
        OssatureError: The SRDF file would replace one that was not written here, and ``overwrite`` is not set.
    """
    path = context.path.with_suffix(SUFFIX)
    urdf, srdf = write_robot(world, context.ledger, folder=context.folder, semantics=path.name)
    if srdf is None:
        _report_srdf_of_other_robot(path, world, context.report)
        return context.main_file(urdf)
    if not context.overwrite:
        _require_replaceable(path, srdf.encode())
    return {**context.main_file(urdf), path: srdf.encode()}


def _require_replaceable(path: Path, content: bytes) -> None:
    """Require that an SRDF file is new, equal, or written by an earlier conversion."""
    if not path.is_file():
        return
    with path.open("rb") as stream:
        present = stream.read(len(content) + 1)
    if present != content and WRITTEN_HERE.encode() not in present[:_FIRST_BYTES]:
        raise OssatureError(
            f"{path} exists and was not written by a conversion: it would be replaced by the groups and states of this robot. "
            "Choose another name for the output, or replace it with --overwrite (in Python overwrite=True)"
        )


def _report_srdf_of_other_robot(path: Path, world: World, report: Report) -> None:
    """Report an SRDF file of another robot that is beside the output, and would be read with it."""
    files = DiskFiles()
    if world.models and files.is_file(path) and (robot := read_srdf(path, files, Report(limits=report.limits))) is not None:
        _compare_names(robot, world.models[0], path, report)
