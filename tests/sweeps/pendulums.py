"""A pendulum with damping and limits, whose motion is known, and sweeps over it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from ossature.model import Box, Model, World, make_body, make_joint
from ossature.simulation import Recording
from ossature.sweeps import Metric, Output, Parameter, Point, Run, Uniform
from ossature.sweeps.executors import Finished
from ossature.sweeps.executors.executor import WithoutResources, run_batch
from ossature.sweeps.sweep_spec import Formula
from ossature.sweeps.task import Task


def pendulum(length: float = 0.5) -> World:
    """Return a pendulum of a box, which is released at 1 rad."""
    link = make_body("link", Box(size=(0.05, 0.05, length)), mass=2.0, shape_pose=(0.0, 0.0, -0.5 * length))
    hinge = make_joint("hinge", "revolute", None, "link", axis="y", limits=(-1.2, 1.2), damping=0.05)
    world = World(models=[Model(name="pendulum", bodies=[link], joints=[hinge])])
    return world.replace_at("pendulum/hinge", initial_position=1.0)


def final_speed(recording: Recording) -> float:
    """Return the absolute speed of the hinge at the end."""
    return abs(recording.joint_velocities("pendulum", "hinge")[0])


PARAMETERS = (
    Parameter(name="mass", paths=("pendulum/link.mass",), source=Uniform(1.0, 3.0)),
    Parameter(name="damping", paths=("*/hinge.damping",), source=Uniform(0.0, 0.2)),
    Parameter(name="start", paths=("pendulum/hinge.initial_position",), source=Formula("0.5 + damping")),
)
OUTPUTS = (
    Output(name="angle", quantity="pendulum/hinge.positions[0]"),
    Output(name="lowest", quantity="energy.total", statistic="minimum"),
    Output(name="speed", quantity="pendulum/link.angular_velocity_body", statistic="rms"),
    Output(name="angles", quantity="pendulum/hinge.positions[0]", statistic="series"),
    Output(name="torque", quantity="pendulum/hinge.reaction_force", statistic="peak"),
)
RUN = Run(
    duration=0.2,
    time_step=0.002,
    sample_interval=0.02,
    outputs=OUTPUTS,
    metrics=(Metric(name="ratio", formula=Formula("angle / start")),),
    functions={"final_speed": final_speed},
)


class Shuffled(WithoutResources):
    """An executor that runs batches in a random order."""

    name, workers, batch_size = "shuffled", 3, None

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def execute(self, task: Task, batches: Iterator[Sequence[Point]]) -> Iterator[Finished]:
        """Yield each batch when it is finished."""
        waiting = list(batches)
        random.Random(self._seed).shuffle(waiting)
        for batch in waiting:
            yield run_batch(task, list(reversed(batch)))
