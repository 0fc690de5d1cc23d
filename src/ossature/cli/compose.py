"""``ossature compose``: one robot of two."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.common import INPUT_AT_FAULT, LimitsOption, Strict, Verbose, fail, load_world
from ossature.cli.console import errors_console
from ossature.cli.outputs import writing
from ossature.diagnostics import Ledger, OssatureError

if TYPE_CHECKING:
    from ossature.model import Model, World
    from ossature.spatial import Pose


def compose(
    base: Annotated[Path, typer.Argument(help="The robot that carries, as an arm.", show_default=False)],
    part: Annotated[Path, typer.Argument(help="The robot that is carried, as a hand.", show_default=False)],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.", show_default=False)],
    onto: Annotated[str, typer.Option(help="The link of the first robot.", show_default=False)],
    root: Annotated[str | None, typer.Option(help="The link of the part that becomes one with it; else its first.")] = None,
    pose: Annotated[str, typer.Option(help="Where it stands there: x,y,z or x,y,z,w,x,y,z [m, quaternion].")] = "0,0,0",
    name: Annotated[str | None, typer.Option(help="What the robot is called; as the first one if not given.")] = None,
    reference: Annotated[
        bool, typer.Option("--reference", help="Write a COLLADA document that only refers to the two files.")
    ] = False,
    strict: Strict = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Make one robot of two: a link of the part becomes one with a link of the other, without a joint between."""
    from ossature.conversion import save
    from ossature.model import Named
    from ossature.model.composition import composed

    world = load_world(base, None, strict=strict, verbose=verbose)
    carried = _only(load_world(part, None, strict=strict, verbose=verbose), part)
    carrier = _only(world, base)
    try:
        whole = composed(carrier, carried, onto=onto, root=root, pose=_pose(pose))
    except ValueError as error:
        fail(str(error))
    if reference:
        placed = {"onto": onto, "root": root or carried.bodies.names()[0], "pose": _pose(pose)}
        _write_reference(world, {"base": base, "part": part, "output": output}, placed)
        return
    model = replace(whole.model, name=name or whole.model.name)
    try:
        with writing(output):
            ledger = save(replace(world, models=Named([model])), output)
    except (OssatureError, ValueError) as error:
        fail(str(error), INPUT_AT_FAULT)
    console = errors_console()
    for old, new in whole.renamed:
        console.print(f"renamed: {old} is {new}", markup=False)
    for joint in whole.left_out:
        console.print(f"left out: the joint {joint}, which held the part", markup=False)
    for line in ledger.lines():
        console.print(line, markup=False)


def _write_reference(world: World, files: dict[str, Path], placed: dict[str, Any]) -> None:
    """Write a document that refers to the files of a robot and of its part."""
    from ossature.assets import write_whole
    from ossature.conversion.reference import composing_text

    output = files["output"]
    if output.suffix.lower() != ".dae":
        fail(f"a document that refers to others is written as .dae, not '{output.suffix}'")
    ledger = Ledger()
    try:
        with writing(output):
            text = composing_text(world, ledger, path=output, base=files["base"], part=files["part"], **placed)
            write_whole(output, text)
    except (OssatureError, ValueError) as error:
        fail(str(error), INPUT_AT_FAULT)
    for line in ledger.lines():
        errors_console().print(line, markup=False)


def _only(world: World, file: Path) -> Model:
    if len(world.models) != 1:
        fail(f"{file} holds {len(world.models)} robots; a composition takes one of each file", INPUT_AT_FAULT)
    return world.models[0]


def _pose(text: str) -> Pose:
    from ossature.spatial import Pose, normalized

    try:
        numbers = [float(number) for number in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) == 3:
        return Pose((numbers[0], numbers[1], numbers[2]))
    if len(numbers) != 7 or not any(numbers[3:]):
        fail(f"'{text}' is not x,y,z or x,y,z,w,x,y,z")
    return Pose((numbers[0], numbers[1], numbers[2]), normalized((numbers[3], numbers[4], numbers[5], numbers[6])))
