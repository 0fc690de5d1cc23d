"""A class of a Gymnasium environment, to be imported: a cart is pushed so that a pole stays upright; needs gymnasium."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import ossature

Array = NDArray[np.float64]


class CartPole(gymnasium.Env[Array, Array]):
    def __init__(self) -> None:
        world = ossature.load(Path(__file__).with_name("cart_pole.urdf"))
        self.plant = ossature.Plant(world, ["cart"], steps=20)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, self.plant.observation.shape, np.float64)
        self.action_space = gymnasium.spaces.Box(*self.plant.u_limits, dtype=np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        super().reset(seed=seed)
        return self.plant.reset(q=self.np_random.uniform(-0.05, 0.05, 2)).copy(), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        observation = self.plant.step(action).copy()
        has_fallen = bool(abs(observation[1]) > 0.4)
        return observation, float(not has_fallen), has_fallen, self.plant.time >= 10.0, {}
