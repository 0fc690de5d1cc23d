"""Where an arm moves its tool well: the manipulability over the reachable space, on a grid of radius and height."""

from pathlib import Path

import numpy as np

import ossature

kin = ossature.Kinematics(ossature.load(Path(__file__).with_name("picker.dae")))
q = kin.random(np.random.default_rng(1), 20_000)
x, y, z = kin.pose(q, "arm")[:, :3, 3].T
measure = kin.manipulability(q, "arm")

radius = np.hypot(x, y)
edges = np.linspace(0.0, radius.max(), 9), np.linspace(z.min(), z.max(), 9)
sums, _, _ = np.histogram2d(radius, z, bins=edges, weights=measure)
counts, _, _ = np.histogram2d(radius, z, bins=edges)
means = sums / np.maximum(counts, 1.0)

print("mean manipulability by height [m] and radius [m]")
print("      " + " ".join(f"{r:6.2f}" for r in edges[0][:-1]))
for height, row in zip(edges[1][:-1][::-1], means.T[::-1], strict=True):
    print(f"{height:6.2f}" + " ".join(f"{value:6.3f}" if value else "     ·" for value in row))
