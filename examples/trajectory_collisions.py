"""A straight path of an arm's joints is checked for collisions, and for its clearance to the other bodies."""

from pathlib import Path

import numpy as np

import ossature
from ossature.model import Box, Model, NamedList, World, make_body
from ossature.simulation import CollisionQuery

robot = ossature.load(Path(__file__).with_name("picker.dae")).models["picker"]
bar = make_body("post", Box(size=(0.1, 0.1, 0.8)), mass=5, pose=(0.35, 0.35, 0.4))
world = World(models=NamedList([robot, Model(name="post", bodies=NamedList([bar]), static=True)]))
kin = ossature.Kinematics(world, "picker")
query = CollisionQuery(world)

start = kin.configuration({"waist": 0.0, "shoulder": 0.9, "elbow": 0.7})
end = kin.configuration({"waist": 1.6}, start=start)
colliding, clearances = [], []
for fraction in np.linspace(0.0, 1.0, 41):
    positions = kin.positions(start + fraction * (end - start))
    if query.colliding_pairs("picker", positions):
        colliding.append(fraction)
    distances = query.distances("picker", positions, max_distance=2.0)  # the smallest first
    clearances.append(next(one.distance for one in distances if ("post", "post") in one.bodies))
if colliding:
    print(f"collisions from {colliding[0]:.0%} to {colliding[-1]:.0%} of the path, deepest {-min(clearances):.3f} m")
print(f"clearance at the start {clearances[0]:.3f} m, at the end {clearances[-1]:.3f} m")
