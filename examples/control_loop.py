"""A pole on a cart is kept upright by state feedback, with fifty commands in a second."""

from pathlib import Path

import numpy as np

import ossature

GAINS = np.array([-2.194, -30.016, -3.333, -5.843])  # N per m, rad, m/s and rad/s: poles at -2, -2.5, -3 and -3.5 per second

plant = ossature.Plant(ossature.load(Path(__file__).with_name("cart_pole.urdf")), ["cart"], steps=20)
observation = plant.reset(q=[0.0, 0.2])
lower, upper = plant.u_limits
angles = []
while plant.time < 5.0:
    observation = plant.step(np.clip(-GAINS @ observation, lower, upper))
    angles.append(plant.q[1])
print(f"largest angle {np.abs(angles).max():.3f} rad, at the end {angles[-1]:.1e} rad at {plant.q[0]:.1e} m")
