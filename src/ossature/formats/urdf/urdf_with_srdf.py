"""The files of a URDF robot: the URDF file, and the SRDF file with what URDF cannot represent."""

from __future__ import annotations

from pathlib import Path

from ossature.assets.filesystem import DiskFiles
from ossature.diagnostics import Report
from ossature.formats.format import Loaded, ReadContext, WriteContext, WrittenFiles
from ossature.formats.srdf import find_srdf, read_srdf, rules, with_semantics
from ossature.formats.srdf.read import SUFFIX
from ossature.formats.srdf.schema import SemanticRobotElement
from ossature.formats.urdf.read import read_urdf
from ossature.formats.urdf.write import write_robot
from ossature.model import Model, World


def read(context: ReadContext) -> Loaded:
    """Return the World of a URDF file, with the semantics of its SRDF file: the stated one, or the one beside it."""
    world = read_urdf(context.source, context.report, folder=context.folder)
    if world is None or context.srdf is False:
        return Loaded(world=world)
    specified = context.srdf
    files = context.resolver.files
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
    """Return the URDF file, and the SRDF file beside it if the robot has manipulators, keyframes or ignored pairs."""
    path = context.path.with_suffix(SUFFIX)
    urdf, srdf = write_robot(world, context.ledger, folder=context.folder, semantics=path.name)
    if srdf is None:
        _report_srdf_of_other_robot(path, world, context.report)
    return {**context.main_file(urdf), **({path: srdf.encode()} if srdf is not None else {})}


def _report_srdf_of_other_robot(path: Path, world: World, report: Report) -> None:
    """Report an SRDF file of another robot that is beside the output, and would be read with it."""
    files = DiskFiles()
    if world.models and files.is_file(path) and (robot := read_srdf(path, files, Report(limits=report.limits))) is not None:
        _compare_names(robot, world.models[0], path, report)
