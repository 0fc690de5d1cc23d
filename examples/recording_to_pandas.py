"""A simulated recording as a data frame of pandas, and its largest angular velocities.

Needs ``pip install 'ossature[tables]' 'pandas>=3'``.
"""

from pathlib import Path

import pandas as pd

import ossature

simulation = ossature.Simulation(ossature.load(Path(__file__).with_name("slider_crank.yaml")))
recording = simulation.run(1.0, sample=0.01, forces=True)
frame = pd.DataFrame.from_arrow(recording).set_index("time")  # by Arrow; polars.DataFrame(recording) works too
spins = frame.filter(like="angular_velocity_body").abs().max()
print(spins[spins > 0.1].round(2).to_string())
print(frame[["energy.potential", "energy.kinetic"]].describe().round(3))
