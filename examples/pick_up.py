"""A hand closes round a cube, grabs it, lifts it, and lets it fall. Run it with ``python examples/pick_up.py``."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path

import ossature
from ossature.kinematics import Transform6D
from ossature.model import Actuation, Body, Box, Collision, Inertial, Model, NamedList, Visual, World
from ossature.spatial import Pose

SIZE = 0.04
BELOW_THE_PALM = Pose((0.5, 0.0, 0.3), (0.0, 1.0, 0.0, 0.0))
"""Where the cube is, seen by a hand that points down."""


def cube_on_a_pillar() -> list[Model]:
    """Return a cube where the hand expects it, and what it stands on."""
    x, y, z = BELOW_THE_PALM.position
    box, post = Box(size=(SIZE, SIZE, SIZE)), Box(size=(SIZE, SIZE, z - SIZE / 2))
    mass = 0.2
    moment = mass * SIZE**2 / 6.0
    cube = Body(
        name="cube",
        inertial=Inertial(mass=mass, moment=((moment, 0, 0), (0, moment, 0), (0, 0, moment))),
        visuals=(Visual(geometry=box),),
        collisions=(Collision(geometry=box),),
    )
    pillar = Body(name="pillar", visuals=(Visual(geometry=post),), collisions=(Collision(geometry=post),))
    return [
        Model(name="cube", pose=Pose((x, y, z)), bodies=NamedList([cube])),
        Model(name="pillar", pose=Pose((x, y, (z - SIZE / 2) / 2)), bodies=NamedList([pillar]), static=True),
    ]


def reaching(robot: Model, at: Pose) -> Model:
    """Return the robot with its hand at the cube, each of its arm's joints driven by a velocity."""
    found = ossature.inverse_kinematics(World(models=NamedList([robot])), Transform6D(pose=at))
    positions = found.solutions[0].positions
    joints = []
    for joint in robot.joints:
        if joint.name in positions:
            (coordinate,), (position,) = joint.coordinates, positions[joint.name]
            joint = replace(
                joint,
                coordinates=(replace(coordinate, initial_position=position),),
                actuation=Actuation.VELOCITY,
            )
        joints.append(joint)
    return replace(robot, joints=NamedList(joints))


def main() -> None:
    """Pick the cube up, tell how it goes, and let go of it."""
    robot = ossature.load(Path(__file__).with_name("picker.dae")).models["picker"]
    world = World(name="pick up", models=NamedList([reaching(robot, BELOW_THE_PALM), *cube_on_a_pillar()]))
    simulation = ossature.Simulation(world)

    def tell(what: str) -> None:
        height = simulation.body_states()["cube"]["cube"].position[2]
        slide = simulation.positions()["picker"]["left_slide"][0]
        print(f"{simulation.time:5.2f} s  {what:32} cube at {height:.4f} m, fingers at {1000 * slide:.1f} mm")

    tell("the hand is open")
    simulation.grippers["arm"].close(effort=5.0)
    simulation.step(500)
    tell("the fingers press the cube")
    simulation.grasp("palm", "cube/cube")
    simulation.command("picker", "shoulder", lambda time: -0.5 if time < 1.5 else 0.0)
    simulation.step(1500)
    tell("the arm has lifted it")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lifted.dae"
        ossature.save(simulation.to_world(), file)
        grasp = ossature.load(file).grasps[0]
        print(f"{'':9}in {file.name}, '{grasp.link.body}' holds '{grasp.body.body}'")
    simulation.release("cube/cube")
    simulation.grippers["arm"].open()
    simulation.step(math.ceil(0.3 / simulation.time_step))
    tell("the hand has let go of it")


if __name__ == "__main__":
    main()
