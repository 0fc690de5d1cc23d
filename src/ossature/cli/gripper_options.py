"""Options of grippers and grasps: which grippers close and open, and which bodies are grasped and released, at which time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from ossature.cli.console import errors_console, fail, fail_on, print_ledger
from ossature.cli.output_path_checks import writing
from ossature.diagnostics import OssatureError

if TYPE_CHECKING:
    from ossature.assets import MeshStore
    from ossature.model import World
    from ossature.simulation import Simulation

Close: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--close-gripper", metavar="ARM@TIME", help="Close the gripper of a manipulator at a time [s]; repeatable."),
]
Open: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--open-gripper", metavar="ARM@TIME", help="Open the gripper of a manipulator at a time [s]; repeatable."),
]
Grasp: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--grasp",
        metavar="LINK:BODY@TIME",
        help="Attach a body to a link from a time [s] on; LINK:BODY:IGNORED,…@TIME disables collisions between "
        "the body and other bodies of the link's model. Names are MODEL/BODY or BODY; repeatable.",
    ),
]
Release: TypeAlias = Annotated[
    list[str] | None, typer.Option("--release", metavar="BODY@TIME", help="Release a grasped body at a time [s]; repeatable.")
]


def schedule_grippers(
    simulation: Simulation,
    duration: float,
    *,
    grasp: Sequence[str] | None,
    release: Sequence[str] | None,
    close: Sequence[str] | None,
    open_: Sequence[str] | None,
) -> None:
    """Schedule the commands of grippers and grasps; at the same time releases and openings come first."""
    with fail_on(OssatureError, KeyError):
        commands: list[tuple[str, Sequence[str] | None, Callable[[Simulation, str], Callable[[], object]]]] = [
            ("--release", release, _make_release_action),
            ("--open-gripper", open_, lambda simulation, name: simulation.grippers[name].open),
            ("--close-gripper", close, lambda simulation, name: simulation.grippers[name].close),
            ("--grasp", grasp, _make_grasp_action),
        ]
        for option, texts, action in commands:
            for text in texts or ():
                name, time = _parse_name_and_time(option, text, simulation, duration)
                simulation.schedule(time, action(simulation, name))


def _parse_name_and_time(option: str, text: str, simulation: Simulation, duration: float) -> tuple[str, float]:
    """Return the name and the time of a command; the start of this run if it has no time."""
    start, step = simulation.time, simulation.time_step
    name, separator, time_text = text.rpartition("@")
    if not separator:
        return text, start
    try:
        time = float(time_text)
    except ValueError:
        fail(f"{option} {text}: '{time_text}' is not a time in seconds")
    end = start + round(duration / step) * step
    # A command is executed before the step that starts nearest to its time.
    if not start - 0.5 * step <= time < end - 0.5 * step:
        last = max(start, end - step)
        fail(f"{option} {text}: the time is outside this run, from {start:g} s to the start of its last step at {last:g} s")
    return name, time


def _make_release_action(simulation: Simulation, name: str) -> Callable[[], object]:
    from ossature.kinematics import find_body

    body = find_body(simulation.world, name)
    return lambda: simulation.release(body)


def _make_grasp_action(simulation: Simulation, text: str) -> Callable[[], object]:
    from ossature.kinematics import find_body

    names = text.split(":")
    if len(names) not in (2, 3):
        fail(f"--grasp {text}: use LINK:BODY@TIME or LINK:BODY:IGNORED,IGNORED@TIME")
    gripper_body, grasped = (find_body(simulation.world, name) for name in names[:2])
    ignored = [
        find_body(simulation.world, f"{gripper_body.model}/{name}").body for name in ",".join(names[2:]).split(",") if name
    ]
    return lambda: simulation.grasp(gripper_body, grasped, ignored)


def with_grippers_moved(
    world: World,
    positions: Mapping[str, Mapping[str, Sequence[float]]],
    meshes: MeshStore,
    *,
    close: Sequence[str] | None,
    open_: Sequence[str] | None,
) -> dict[str, dict[str, Sequence[float]]]:
    """Return joint positions at which grippers are closed or open, until joint limits or contact."""
    from ossature.kinematics import close_or_open_gripper, find_manipulator
    from ossature.simulation import CollisionQuery

    found: dict[str, dict[str, Sequence[float]]] = {model: dict(specified) for model, specified in positions.items()}
    touching = CollisionQuery(world, meshes)
    with fail_on(OssatureError, KeyError):
        for closing, names in ((False, open_), (True, close)):
            for name in names or ():
                model, _, manipulator = name.rpartition("/")
                owner, arm = find_manipulator(world, manipulator, model or None)
                specified = found.setdefault(owner.name, {})
                moved = close_or_open_gripper(
                    owner,
                    arm,
                    closing=closing,
                    positions=specified,
                    depths=partial(touching.penetration_depths, owner.name),
                )
                specified.update(moved)
                _print_gripper(moved)
    return found


def _print_gripper(moved: Mapping[str, Sequence[float]]) -> None:
    text = " ".join(f"{name}={','.join(f'{value:z.6f}' for value in values)}" for name, values in moved.items())
    errors_console().print(f"gripper: {text}", markup=False)


def write_world(simulation: Simulation, output: Path | None) -> None:
    """Write the World at the end of a simulation, if an output is given."""
    if output is None:
        return
    from ossature.conversion import save

    with writing(output):
        ledger = save(simulation.to_world(), output, allow_dangling=True)
    print_ledger(ledger.lines())
