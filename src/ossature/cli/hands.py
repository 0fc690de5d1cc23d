"""Hands on the command line: which grippers close and open, and what is grabbed and released when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from ossature.cli.common import fail
from ossature.cli.console import errors_console
from ossature.cli.outputs import writing
from ossature.diagnostics import OssatureError

if TYPE_CHECKING:
    from ossature.assets import MeshStore
    from ossature.model import World
    from ossature.simulation import Simulation

Close: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="ARM@TIME: close the gripper of a manipulator at a time of the simulation [s]; repeatable."),
]
Open: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--open", help="ARM@TIME: open the gripper of a manipulator at a time of the simulation [s]; repeatable."),
]
Grab: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        help="HOLDER:HELD@TIME: let a body hold another one from a time of the simulation [s] on; HOLDER:HELD:BODY,…@TIME "
        "ignores bodies of the holder's model in collisions. Bodies are MODEL/BODY or BODY; repeatable."
    ),
]
Release: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="HELD@TIME: let go of a body at a time of the simulation [s]; repeatable.")
]


def schedule_hands(
    simulation: Simulation,
    duration: float,
    *,
    grab: Sequence[str] | None,
    release: Sequence[str] | None,
    close: Sequence[str] | None,
    open_: Sequence[str] | None,
) -> None:
    """Let a simulation do what hands are told, each at its time of the simulation; at one time what lets go comes first."""
    with _command_line_errors():
        told: list[tuple[str, Sequence[str] | None, Callable[[Simulation, str], Callable[[], object]]]] = [
            ("--release", release, _released),
            ("--open", open_, lambda simulation, name: simulation.grippers[name].open),
            ("--close", close, lambda simulation, name: simulation.grippers[name].close),
            ("--grab", grab, _grabbed),
        ]
        for option, texts, action in told:
            for text in texts or ():
                what, time = _at(option, text, simulation, duration)
                simulation.at(time, action(simulation, what))


def _at(option: str, text: str, simulation: Simulation, duration: float) -> tuple[str, float]:
    """Return what is to be done, and when; from the start of this run where no time is given."""
    start, step = simulation.time, simulation.time_step
    what, separator, stated = text.rpartition("@")
    if not separator:
        return text, start
    try:
        time = float(stated)
    except ValueError:
        fail(f"{option} {text}: '{stated}' is no time in seconds")
    end = start + round(duration / step) * step
    # It is done before the step that begins nearest to its time.
    if not start - 0.5 * step <= time < end - 0.5 * step:
        last = max(start, end - step)
        fail(f"{option} {text}: this run goes from {start:g} to {end:g} s of the simulation, its last step from {last:g} s on")
    return what, time


def _released(simulation: Simulation, held: str) -> Callable[[], object]:
    from ossature.kinematics import find_body

    body = find_body(simulation.world, held)
    return lambda: simulation.release(body)


def _grabbed(simulation: Simulation, text: str) -> Callable[[], object]:
    from ossature.kinematics import find_body

    names = text.split(":")
    if len(names) not in (2, 3):
        fail(f"--grab {text}: say HOLDER:HELD@TIME or HOLDER:HELD:IGNORED,IGNORED@TIME")
    holder, held = (find_body(simulation.world, name) for name in names[:2])
    ignored = [find_body(simulation.world, f"{holder.model}/{name}").body for name in ",".join(names[2:]).split(",") if name]
    return lambda: simulation.grab(holder, held, ignored)


@contextmanager
def _command_line_errors() -> Iterator[None]:
    """Turn names that do not exist into a message and exit code 2."""
    try:
        yield
    except (OssatureError, KeyError) as error:
        fail(str(error.args[0]))


def gripped(
    world: World,
    positions: Mapping[str, Mapping[str, Sequence[float]]],
    meshes: MeshStore,
    *,
    close: Sequence[str] | None,
    open_: Sequence[str] | None,
) -> dict[str, dict[str, Sequence[float]]]:
    """Return joint coordinates with which grippers are closed or open, as far as nothing is in the way."""
    from ossature.kinematics import find_manipulator, move_gripper
    from ossature.simulation import Touching

    found: dict[str, dict[str, Sequence[float]]] = {model: dict(stated) for model, stated in positions.items()}
    touching = Touching(world, meshes)
    with _command_line_errors():
        for closing, names in ((False, open_), (True, close)):
            for name in names or ():
                model, _, manipulator = name.rpartition("/")
                owner, arm = find_manipulator(world, manipulator, model or None)
                stated = found.setdefault(owner.name, {})
                moved = move_gripper(
                    owner,
                    arm,
                    closing=closing,
                    positions=stated,
                    depths=partial(touching.depths, owner.name),
                )
                stated.update(moved)
                _tell(moved)
    return found


def _tell(moved: Mapping[str, Sequence[float]]) -> None:
    text = " ".join(f"{name}={','.join(f'{value:.6f}' for value in values)}" for name, values in moved.items())
    errors_console().print(f"gripper: {text}", markup=False)


def write_final(simulation: Simulation, output: Path | None) -> None:
    """Write the World as a simulation left it, if it is to be written."""
    if output is None:
        return
    from ossature.conversion import save

    with writing(output):
        ledger = save(simulation.present_world(), output)
    for line in ledger.lines():
        errors_console().print(line, markup=False)
