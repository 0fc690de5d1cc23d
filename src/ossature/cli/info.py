"""``ossature info``: the content of a model file."""

from __future__ import annotations

from ossature.cli.console import escape_markup, output_console, print_json
from ossature.cli.read_model import load_world
from ossature.cli.read_options import Json, ModelFile, ModelOptions


def info(file: ModelFile, read: ModelOptions, as_json: Json = False) -> None:
    """Print the content of a model file: models, bodies, joints, masses, degrees of freedom."""
    from ossature.cli.info_models import build_tree, world_data  # they load the model, which help does not need

    world = load_world(file, read, prints_bases=True)
    if as_json:
        print_json(world_data(world))
        return
    console = output_console()
    gravity = " ".join(f"{component:g}" for component in world.gravity)
    console.print(f"[bold]{escape_markup(world.name)}[/]  gravity {gravity} m/s²  time step {world.time_step:g} s")
    for model in world.models:
        console.print(build_tree(model))
    for grasp in world.grasps:
        grasped = f"{grasp.body.model}/{grasp.body.body}"
        ignoring = f" [dim]ignoring[/] {escape_markup(', '.join(grasp.ignored_bodies))}" if grasp.ignored_bodies else ""
        console.print(
            f"{escape_markup(f'{grasp.link.model}/{grasp.link.body}')} [dim]grasps[/] {escape_markup(grasped)}{ignoring}"
        )
    if read.verbose:
        from ossature.simulation.stepping.engine_memory_addresses import describe_loop

        console.print(f"[dim]loop of simulations[/] {escape_markup(describe_loop())}")
