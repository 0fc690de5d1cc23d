"""How the stiffness and damping of a spring change the torque that drives a crank; the model is compiled once."""

from itertools import product
from pathlib import Path

import numpy as np

import ossature

world = ossature.load(Path(__file__).with_name("slider_crank.yaml"))
compiled = ossature.CompiledModel.from_world(world, time_step=0.002)
torques = {}
for stiffness, damping in product((60.0, 120.0, 240.0), (5.0, 20.0)):
    spring = {"slider crank/spring.stiffness": stiffness, "slider crank/spring.damping": damping}
    recording = ossature.Simulation(compiled.with_parameters(spring)).run(2.0, sample=0.01)
    torques[stiffness, damping] = recording.elements["slider crank"]["drive"]["torque"]
for (stiffness, damping), torque in torques.items():
    rms = np.sqrt(np.mean(np.square(torque)))
    print(f"{stiffness:5.0f} N/m {damping:4.0f} N·s/m: torque {rms:5.2f} N·m rms, at most {np.abs(torque).max():5.2f} N·m")
