"""``ossature sense``: one reading of a sensor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.common import (
    INPUT_AT_FAULT,
    AllowPath,
    CalibrationFile,
    File,
    From,
    Json,
    LimitsOption,
    OpenRave,
    SearchPath,
    Strict,
    Verbose,
    fail,
    format_named,
    input_errors,
    load_world,
    mesh_store,
    new_report,
    print_findings,
    worst_fails,
)
from ossature.cli.console import output_console, print_json
from ossature.cli.outputs import NEEDS_PLOT, writing
from ossature.cli.seconds import require_duration, require_step
from ossature.cli.tables import print_table
from ossature.diagnostics import OssatureError, Report

if TYPE_CHECKING:
    from ossature.model import World
    from ossature.simulation import Simulation
    from ossature.simulation.sensing import Device, Reading


def sense(
    file: File,
    sensor: Annotated[str | None, typer.Option("--sensor", "-s", help="The sensor; without it, all are listed.")] = None,
    model: Annotated[str | None, typer.Option(help="Its model, where several have a sensor of that name.")] = None,
    time: Annotated[
        float, typer.Option(help="When [s]: the file is simulated up to then, and the sensor senses at its own times.", min=0.0)
    ] = 0.0,
    time_step: Annotated[float | None, typer.Option(help="Step [s]; the file's own if not given.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the reading: .json or .npz as numbers, .png, .svg or .pdf as a picture."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Where noise begins: the same seed gives the same noise.", min=0)] = 0,
    fix_base: Annotated[
        bool, typer.Option("--fix-base", help="Bolt robots to the ground that the file leaves free to fall.")
    ] = False,
    from_: From = None,
    openrave: OpenRave = False,
    calibration: CalibrationFile = None,
    search_path: SearchPath = None,
    allow_path: AllowPath = None,
    strict: Strict = False,
    as_json: Json = False,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Take one reading of a sensor, and write it as numbers, an image or a plot."""
    require_duration("--time", time)
    require_step("--time-step", time_step)
    world = load_world(file, format_named(from_, openrave), strict=strict, verbose=verbose, calibration=calibration)
    report = new_report()
    with input_errors():
        from ossature.kinematics import with_fixed_bases
        from ossature.simulation import Simulation

        world = with_fixed_bases(world) if fix_base else world
        if sensor is None:
            _list(world, as_json=as_json)
            return
        meshes = mesh_store(file, search_path, allow_path)
        simulation = Simulation(world, meshes=meshes, report=report, time_step=time_step)
        device = _device(simulation, sensor, model, report, verbose=verbose)
        device.seed(seed)
        reading = _reading(simulation, device, time)
    print_findings(report, verbose=verbose, quiet=True)
    if strict and worst_fails(report, strict=True):
        raise typer.Exit(INPUT_AT_FAULT)
    _save(reading, out)
    if as_json:
        print_json(reading.to_json())
    else:
        _print(reading)


def _device(simulation: Simulation, sensor: str, model: str | None, report: Report, *, verbose: bool) -> Device:
    sensors = simulation.sensors
    try:
        return sensors[sensor if model is None else f"{model}/{sensor}"]
    except KeyError as error:
        print_findings(report, verbose=verbose, quiet=True)
        fail(str(error.args[0]))


def _reading(simulation: Simulation, device: Device, time: float) -> Reading:
    if time > 0.0:
        device.start()
        simulation.run(time)
    return device.read()


def _save(reading: Reading, out: Path | None) -> None:
    if out is None:
        return
    from ossature.simulation.sensing.save import save_reading

    try:
        with writing(out):
            save_reading(reading, out)
    except ImportError:
        fail(NEEDS_PLOT)
    except OssatureError as error:
        fail(str(error))


def _list(world: World, *, as_json: bool) -> None:

    rows: list[dict[str, Any]] = [
        {
            "sensor": f"{model.name}/{sensor.name}",
            "type": sensor.type,
            "senses": None if sensor.description is None else type(sensor.description).__name__,
            "body": sensor.body,
        }
        for model in world.models
        for sensor in model.sensors
    ]
    if as_json:
        print_json(rows)
        return
    if not rows:
        output_console().print("no model has a sensor")
        return
    cells = [(row["sensor"], row["type"] or "-", row["senses"] or "nothing", row["body"] or "-") for row in rows]
    print_table(("sensor", "type", "senses as", "on body"), cells)


def _print(reading: Reading) -> None:

    from ossature.simulation.sensing.reading import outputs_of

    console = output_console()
    frame = reading.pose_world_sensor
    place = " ".join(f"{value:.4f}" for value in frame.position)
    console.print(f"{reading.sensor} at {reading.time:.6g} s, at {place} m", markup=False)
    rows = [
        (name, _shown(getattr(reading, name)), output.doc + (f" [{output.unit}]" if output.unit else ""))
        for name, output in outputs_of(type(reading)).items()
    ]
    print_table(("output", "value", "meaning"), rows)


def _shown(value: Any) -> str:
    import numpy as np

    array = np.asarray(value)
    if array.size <= 9 and array.dtype.kind in "fiub":
        return " ".join(f"{item:.6g}" for item in array.ravel().tolist())
    if array.dtype.kind not in "fiub":
        return str(value) if array.ndim == 0 else f"{array.size} names"
    finite = array[np.isfinite(array)]
    size = " x ".join(map(str, array.shape))
    return f"{size}, {finite.min():.4g} to {finite.max():.4g}" if finite.size else f"{size}, nothing in range"
