"""``ossature attach``: attach a part to a robot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail, fail_on, print_ledger
from ossature.cli.named_robots import locate_models
from ossature.cli.output_path_checks import check_outputs, writing
from ossature.cli.read_model import load_world
from ossature.cli.read_options import ReadOptions
from ossature.diagnostics import Ledger, OssatureError

if TYPE_CHECKING:
    from ossature.model import Model, World
    from ossature.spatial import Pose


def attach(
    base: Annotated[
        Path, typer.Argument(metavar="BASE", help="Model file of the robot, for example an arm.", callback=locate_models)
    ],
    part: Annotated[
        Path, typer.Argument(metavar="PART", help="Model file to attach to it, for example a gripper.", callback=locate_models)
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    read: ReadOptions,
    at: Annotated[str, typer.Option(help="The link of the robot.")],
    part_link: Annotated[str | None, typer.Option(help="The link of the part to attach by; its root link by default.")] = None,
    pose: Annotated[
        str, typer.Option(help="Pose of the part's link in that of the robot: X,Y,Z or X,Y,Z,QW,QX,QY,QZ [m, quaternion].")
    ] = "0,0,0",
    name: Annotated[str | None, typer.Option(help="Name of the new robot; that of the first one by default.")] = None,
    reference: Annotated[
        bool, typer.Option("--reference", help="Write a COLLADA document that only references the two files.")
    ] = False,
) -> None:
    """Attach a part to a robot: a link of the part and a link of the robot become one body."""
    from ossature.conversion import save
    from ossature.model import NamedList
    from ossature.model.attach import attach

    check_outputs([base, part], [output])
    world = load_world(base, read)
    attached = _only_model(load_world(part, read), part)
    robot = _only_model(world, base)
    at = at if at in robot.bodies else at.removeprefix(f"{robot.name}/")
    with fail_on(ValueError):
        combined = attach(robot, attached, onto=at, root=part_link, pose=_parse_pose(pose))
    if reference:
        if name is not None:
            fail("--name cannot be used with --reference: the document refers to the robot by the name in its own file")
        placement = {"onto": at, "root": part_link or attached.bodies.names()[0], "pose": _parse_pose(pose)}
        _write_reference(world, {"base": base, "part": part, "output": output}, placement)
        return
    model = replace(combined.model, name=name or combined.model.name)
    with fail_on(OssatureError, ValueError, code=EXIT_INVALID_INPUT), writing(output):
        ledger = save(replace(world, models=NamedList([model])), output, allow_dangling=True)
    console = errors_console()
    for old, new in combined.renamed:
        console.print(f"renamed: {old} to {new}", markup=False)
    for joint in combined.left_out:
        console.print(f"removed: joint {joint}, the parent joint of the part", markup=False)
    print_ledger(ledger.lines())


def _write_reference(world: World, files: dict[str, Path], placed: dict[str, Any]) -> None:
    """Write a document that references the files of a robot and of its part."""
    from ossature.assets import write_file_atomically
    from ossature.formats.collada.references.write_scene_references import attachment_reference_text

    output = files["output"]
    if output.suffix.lower() != ".dae":
        fail(f"--reference writes .dae files, not '{output.suffix}'")
    ledger = Ledger()
    with fail_on(OssatureError, ValueError, code=EXIT_INVALID_INPUT), writing(output):
        text = attachment_reference_text(world, ledger, path=output, base=files["base"], part=files["part"], **placed)
        write_file_atomically(output, text)
    print_ledger(ledger.lines())


def _only_model(world: World, file: Path) -> Model:
    if len(world.models) != 1:
        fail(f"{file} contains {len(world.models)} models; attach needs files with one model", EXIT_INVALID_INPUT)
    return world.models[0]


def _parse_pose(text: str) -> Pose:
    from ossature.spatial import Pose, normalized

    try:
        numbers = [float(number) for number in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) == 3:
        return Pose((numbers[0], numbers[1], numbers[2]))
    if len(numbers) != 7 or not any(numbers[3:]):
        fail(f"--pose must be X,Y,Z or X,Y,Z,QW,QX,QY,QZ, not '{text}'")
    return Pose((numbers[0], numbers[1], numbers[2]), normalized((numbers[3], numbers[4], numbers[5], numbers[6])))
