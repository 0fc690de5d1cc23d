"""A World in the engine, and all that works on it there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import mujoco
import numpy as np

from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.model import Held, World
from ossature.simulation import rules
from ossature.simulation.compiling.compile import compile_world
from ossature.simulation.compiling.compiled import Compiled, SimulationError
from ossature.simulation.compiling.coordinates import write_positions, write_velocities
from ossature.simulation.compiling.engine_bodies import Options
from ossature.simulation.energy import EnergyMeter
from ossature.simulation.moving.commanding import Commander
from ossature.simulation.moving.driving import Driving
from ossature.simulation.moving.inputs import Inputs
from ossature.simulation.moving.rigid_contacts import make_contacts
from ossature.simulation.moving.steppers import make_stepper
from ossature.simulation.quiet import quiet
from ossature.simulation.records.contact_forces import ContactPairs
from ossature.simulation.records.looks import Look
from ossature.simulation.records.observation import Efforts, Forces, Observer
from ossature.simulation.records.quantities import Quantities
from ossature.simulation.records.recording import Recording
from ossature.simulation.records.sampling import Sampler
from ossature.simulation.states.beginning import begin_mechanism
from ossature.simulation.states.restart import Restart
from ossature.simulation.states.taking_over import meet, stepped_as, take_over


class Engine:
    """One compilation of a World, its data, and what drives, steps and observes them.

    Args:
        world: The World.
        compiled: The same, compiled.
        report: Where findings go.
        first: The first compilation of the World, in whose order of bodies and joints samples are; this one if not given.

    Attributes:
        compiled: The World, compiled.
        data: The engine's data.
        driving: What drives joints.
        inputs: What is written at each step.
        commander: What takes commands.
        contacts: What resolves rigid contacts; None if nothing can touch, or contacts are compliant.
        restart: What takes and gives back states.
        stepper: The integrator at work.
        sampler: What takes samples.
    """

    def __init__(self, world: World, compiled: Compiled, report: Report, first: Compiled | None = None) -> None:
        self._world, self._report, self._first = world, report, first or compiled
        self.compiled: Compiled = compiled
        self.data: Any = mujoco.MjData(compiled.model)
        self.driving = Driving(compiled, self.data)
        self.inputs = Inputs(compiled.elements, compiled.couplings, compiled.model, self.data)
        self.commander = Commander(compiled, self.data, self.driving, self.inputs)
        self.contacts = make_contacts(compiled.choice.scheme, compiled.model, self.data, compiled.contacts)
        self.stepper = make_stepper(compiled.choice, compiled.model, self.data, self.inputs, self.contacts)
        self.restart = Restart(world, compiled, self.data, self.driving, self.inputs, self.stepper, report)
        carriers = tuple(self.restart.carriers.values())
        self._observer = Observer(compiled, self.data, self.stepper, self.inputs, carriers)
        self._meter = EnergyMeter(compiled, self.data, self.inputs)
        self.sampler = Sampler(compiled, self.data, self._first)

    def begin(self) -> None:
        """Go to the state in which the World begins.

        Raises:
            SimulationError: It cannot be computed; the report says why.
        """
        data = self.data
        for index in self.compiled.index.all_joints():
            write_positions(index, index.joint.initial_positions, data.qpos)
            write_velocities(index, index.joint.initial_velocities, data.qpos, data.qvel)
        with quiet():
            if self.compiled.is_mechanism:
                self._begin_mechanism()
            self.inputs.stops.begin()
            mujoco.mj_forward(self.compiled.model, data)
        self.driving.start()
        self._start_stepper()

    def _begin_mechanism(self) -> None:
        try:
            begin_mechanism(self.compiled, self.data, self.inputs, self._world, self._report)
        except np.linalg.LinAlgError as error:
            hint = "look for masses or lengths that are many orders of magnitude apart"
            self._report.add(rules.BLOWN_UP, "at its start, whose velocities cannot be computed", self._world.origin, hint=hint)
            raise SimulationError(self._report) from error

    def holding(self, every: Sequence[Held], meshes: MeshStore, options: Options, *, meeting: bool) -> Engine:
        """Return an engine that goes on in the same state while hands hold something else.

        Args:
            every: What hands hold.
            meshes: Where meshes come from.
            options: How to compile.
            meeting: Whether what hands hold meets them now, as after an impact without rebound.
        """
        present = self.sampler.present()
        # What there is to tell about the World has been told.
        compiled = stepped_as(self.compiled, compile_world(self._world, meshes, options, Report(), every))
        new = Engine(self._world, compiled, self._report, self._first)
        with quiet():
            take_over(present, self.compiled, self.data, compiled, new.data)
            if meeting:
                meet(self.compiled, self.data, compiled, new.data)
        new.inputs.adopt(self.inputs)
        new.driving.adopt(self.driving, float(self.data.time))
        new.stepper.sub_steps.adopt(self.stepper.sub_steps)
        added = {name: part for name, part in self.restart.carriers.items() if name not in new.restart.carriers}
        new.restart.carriers |= added
        return new

    # Stepping

    def steps(self, count: int) -> None:
        """Take a number of steps."""
        with quiet():
            self.stepper.steps(count, self.driving.active, self.driving.servos)

    def take_commands(self) -> None:
        """Go on with what has been commanded."""
        self.inputs.sort()
        # From now on there is another acceleration, which staggered velocities have to begin with.
        self._start_stepper()

    def _start_stepper(self) -> None:
        with quiet():
            self.stepper.start()

    # Looking

    def now(self) -> Recording:
        """Return one sample as a recording."""
        return self.sampler.recording([self.sampler.sample()])

    def energy(self) -> tuple[float, float]:
        """Return potential and kinetic energy [J]."""
        with quiet():
            self.sampler.refresh()
            return self._meter.energy()

    def observe(self) -> Forces:
        """Return the forces of the step that begins now."""
        with quiet():
            return self._observer.look(self.driving.active, self.driving.servos)

    def efforts(self) -> Efforts:
        """Return what accelerates and pulls all bodies."""
        with quiet():
            return self._observer.efforts(self.driving.active, self.driving.servos)

    @cached_property
    def _pairs(self) -> ContactPairs:
        return ContactPairs(self._first)

    def look(self, forces: bool | None = None) -> Look:
        """Return energy now, and the forces that are at work.

        Args:
            forces: Whether to look at forces. If not given, those of all Worlds are but of trees of bodies in SKEL files.
        """
        is_tree_for_dart = self._world.steps_as_dart and not self.compiled.is_mechanism
        if is_tree_for_dart if forces is None else not forces:
            return Look(self.energy(), {}, {}, {}, None)
        found = self.observe()
        contacts = self._pairs.forces(found.contacts)
        return Look(self.energy(), found.elements, self._lasting(found.reactions), contacts, found.violation)

    def _lasting(self, reactions: Quantities) -> Quantities:
        """Return the reactions that samples have from first to last: those of joints, not of grasps."""
        grasps = self.compiled.holding.carried
        if not grasps:
            return reactions
        lasting = {
            model: {name: one for name, one in names.items() if (model, name) not in grasps}
            for model, names in reactions.items()
        }
        return {model: names for model, names in lasting.items() if names}
