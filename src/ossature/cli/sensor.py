"""``ossature sensor``: list and read sensors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, fail, input_errors, output_console, print_findings, print_json
from ossature.cli.deprecated_options import Command, Group
from ossature.cli.output_path_checks import NEEDS_PLOT, writing
from ossature.cli.read_model import has_failures, load_world
from ossature.cli.read_options import Json, ModelFile, ModelOptions, expand_options, mesh_store, new_report
from ossature.cli.terminal_tables import print_table
from ossature.cli.time_options import require_duration, require_step
from ossature.diagnostics import OssatureError, Report

app = typer.Typer(cls=Group, no_args_is_help=True, help="List and read sensors.")

if TYPE_CHECKING:
    from ossature.model import Sensor, World
    from ossature.simulation import Simulation
    from ossature.simulation.sensors import Device, Reading


def list_sensors(file: ModelFile, read: ModelOptions, as_json: Json = False) -> None:
    """List the sensors of a model."""
    _print_sensors(load_world(file, read), as_json=as_json)


def read_sensor(
    file: ModelFile,
    read: ModelOptions,
    sensor: Annotated[str | None, typer.Option("--sensor", "-s", help="Name of the sensor; all are listed by default.")] = None,
    model: Annotated[str | None, typer.Option(help="Name of its model, if several have a sensor of that name.")] = None,
    time: Annotated[
        float, typer.Option(help="Simulate up to this time [s] first; the sensor measures at its own rate.", min=0.0)
    ] = 0.0,
    time_step: Annotated[float | None, typer.Option(help="Time step [s]; the file's own by default.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the reading: .json or .npz as numbers, .png, .svg or .pdf as an image."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sensor noise.", min=0)] = 0,
    as_json: Json = False,
) -> None:
    """Read a sensor once; write the reading as numbers, an image or a plot."""
    require_duration("--time", time)
    require_step("--time-step", time_step)
    world = load_world(file, read)
    report = new_report()
    with input_errors():
        from ossature.simulation import Simulation

        if sensor is None:
            _print_sensors(world, as_json=as_json)
            return
        simulation = Simulation(world, meshes=mesh_store(file, read), report=report, time_step=time_step)
        device = _find_device(simulation, sensor, model, report, verbose=read.verbose)
        device.seed(seed)
        reading = _take_reading(simulation, device, time)
    print_findings(report, verbose=read.verbose, quiet=True)
    if read.strict and has_failures(report, strict=True):
        raise typer.Exit(EXIT_INVALID_INPUT)
    _save_reading(reading, output)
    if as_json:
        print_json(reading.to_dict())
    else:
        _print_reading(reading)


def _find_device(simulation: Simulation, sensor: str, model: str | None, report: Report, *, verbose: bool) -> Device:
    sensors = simulation.sensors
    try:
        return sensors[sensor if model is None else f"{model}/{sensor}"]
    except KeyError as error:
        print_findings(report, verbose=verbose, quiet=True)
        fail(str(error.args[0]))


def _take_reading(simulation: Simulation, device: Device, time: float) -> Reading:
    if time > 0.0:
        device.start()
        simulation.run(time)
    return device.read()


def _save_reading(reading: Reading, output: Path | None) -> None:
    if output is None:
        return
    from ossature.simulation.sensors.export_readings import save_reading

    try:
        with writing(output):
            save_reading(reading, output)
    except ImportError:
        fail(NEEDS_PLOT)
    except OssatureError as error:
        fail(str(error))


def _print_sensors(world: World, *, as_json: bool) -> None:

    rows: list[dict[str, Any]] = [
        {
            "sensor": f"{model.name}/{sensor.name}",
            "type": sensor.type,
            "senses": _description_type(sensor),
            "body": sensor.body,
        }
        for model in world.models
        for sensor in model.sensors
    ]
    if as_json:
        print_json(rows)
        return
    if not rows:
        output_console().print("no sensors")
        return
    cells = [(row["sensor"], row["type"] or "-", row["senses"] or "unsupported", row["body"] or "-") for row in rows]
    print_table(("sensor", "type", "sensor model", "body"), cells)


def _description_type(sensor: Sensor) -> str | None:
    if sensor.description is not None:
        return type(sensor.description).__name__
    return None if sensor.measurement is None else "Measurement"


def _print_reading(reading: Reading) -> None:

    from ossature.simulation.sensors.reading_base import outputs_of

    console = output_console()
    position = " ".join(f"{value:z.4f}" for value in reading.pose_world_sensor.position)
    console.print(f"{reading.sensor} at {reading.time:.6g} s, at {position} m", markup=False)
    rows = [
        (name, _value_text(getattr(reading, name)), output.doc + (f" [{output.unit}]" if output.unit else ""))
        for name, output in outputs_of(type(reading)).items()
    ]
    print_table(("output", "value", "meaning"), rows)


def _value_text(value: Any) -> str:
    import numpy as np

    array = np.asarray(value)
    if array.size <= 9 and array.dtype.kind in "fiub":
        return " ".join(f"{item:.6g}" for item in array.ravel().tolist())
    if array.dtype.kind not in "fiub":
        return str(value) if array.ndim == 0 else f"{array.size} names"
    finite = array[np.isfinite(array)]
    size = " x ".join(map(str, array.shape))
    return f"{size}, {finite.min():.4g} to {finite.max():.4g}" if finite.size else f"{size}, no finite value"


for _name, _command in (("list", list_sensors), ("read", read_sensor)):
    app.command(_name, cls=Command)(expand_options(_command))
