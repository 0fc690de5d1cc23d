"""Random mechanisms: chains and loops of every type of joint, with force elements of every kind, turned at random."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ossature import load
from ossature.model import World

_BODIES = 4
_TYPES = ("REVOLUTE", "SPHERICAL", "PRISMATIC", "CYLINDRICAL")


def random_mechanism(seed: int, folder: Path, *, stiffness: float = 1.0) -> World:
    """Return a mechanism of four bodies, named ``m``.

    Args:
        seed: Which one.
        folder: Where its file is written.
        stiffness: By which stiffnesses and dampings are multiplied.
    """
    file = folder / f"mechanism_{seed}.yaml"
    file.write_text(_Mechanism(seed, stiffness).text())
    return load(file)


class _Mechanism:
    def __init__(self, seed: int, stiffness: float) -> None:
        self._random = np.random.default_rng(seed)
        self._stiffness = stiffness
        self._places = np.cumsum(self._random.normal(size=(_BODIES + 1, 3)) * 0.5, axis=0)

    def text(self) -> str:
        sections = {
            "bodies": self._bodies(),
            "joints": self._joints(),
            "constraints": self._constraints(),
            "tsdas": self._springs(),
            "rsdas": self._rotational_springs(),
            "body_loads": self._loads(),
            "motors": self._motors(),
        }
        lines = ["chrono-version: 10.0", "model:", "  name: m", "  angle_degrees: true"]
        for name, items in sections.items():
            lines += [f"  {name}:", *(f"    - {{{item}}}" for item in items)] if items else []
        return "\n".join([*lines, ""])

    def _vector(self, scale: float = 1.0) -> list[float]:
        return (scale * self._random.normal(size=3)).round(6).tolist()

    def _near(self, body: int) -> list[float]:
        return (self._places[body] + 0.2 * self._random.normal(size=3)).round(6).tolist()

    def _bodies(self) -> list[str]:
        found = ["name: ground, location: [0, 0, 0], fixed: true"]
        for number in range(1, _BODIES + 1):
            angles = self._random.uniform(-170.0, 170.0, 3).round(3).tolist()
            moments = self._random.uniform(0.1, 0.19, 3).round(4).tolist()
            found.append(
                f"name: b{number}, location: {self._places[number].round(6).tolist()}, orientation: {angles}, "
                f"mass: {self._random.uniform(0.3, 3.0):.3f}, com: {{location: {self._vector(0.1)}}}, "
                f"inertia: {{moments: {moments}}}"
            )
        return found

    def _name(self, body: int) -> str:
        return f"b{body}" if body else "ground"

    def _joint(self, name: str, kind: str, bodies: tuple[int, int], at: int) -> str:
        axis = "" if kind == "SPHERICAL" else f", axis: {self._vector()}"
        first, second = map(self._name, bodies)
        return f"name: {name}, type: {kind}, body1: {first}, body2: {second}, location: {self._near(at)}{axis}"

    def _joints(self) -> list[str]:
        found = []
        for number in range(1, _BODIES + 1):
            bodies = (number, number - 1) if self._random.random() < 0.5 else (number - 1, number)
            if number == 3 and self._random.random() < 0.4:
                continue  # two trees
            found.append(self._joint(f"j{number}", str(self._random.choice(_TYPES)), bodies, number))
        if self._random.random() < 0.7:
            kind = str(self._random.choice(("SPHERICAL", "CYLINDRICAL")))
            found.append(self._joint("loop", kind, (_BODIES, 1), _BODIES))
        stiff = f"stiffness_linear: {90.0 * self._stiffness}, damping_linear: {3.0 * self._stiffness}"
        bushing = f"bushing_data: {{{stiff}, stiffness_rotational: 4, damping_rotational: 0.2}}"
        pair = self._random.choice(_BODIES + 1, 2, replace=False).tolist()
        if abs(pair[0] - pair[1]) > 1:
            found.append(self._joint("bushing", "SPHERICAL", (pair[0], pair[1]), pair[0]) + f", {bushing}")
        return found

    def _constraints(self) -> list[str]:
        if self._random.random() < 0.5:
            return []
        return [f"name: rod, type: DISTANCE, body1: b2, body2: ground, point1: {self._near(2)}, point2: {self._near(0)}"]

    def _springs(self) -> list[str]:
        stiffness, damping = 20.0 * self._stiffness, 2.0 * self._stiffness
        return [
            f"name: s1, body1: b1, body2: b3, point1: {self._near(1)}, point2: {self._near(3)}, preload: 3, "
            f"spring_coefficient: {stiffness}, damping_coefficient: {damping}, free_length: 0.3",
            f"name: s2, body1: b4, body2: ground, point1: {self._near(4)}, point2: {self._near(0)}, free_length: 0.3, "
            "spring_curve_data: [[-1, -9], [0, 0], [1, 12]], damping_coefficient: 1",
        ]

    def _rotational_springs(self) -> list[str]:
        spring = f"spring_coefficient: {3.0 * self._stiffness}, damping_coefficient: 0.3, preload: 0.4, free_angle: 10"
        return [f"name: r1, body1: b3, body2: b4, location: {self._near(3)}, axis: {self._vector()}, {spring}"]

    def _loads(self) -> list[str]:
        axes = [(local, moving) for local in ("true", "false") for moving in ("true", "false")]
        forces = [
            f"name: f{number}, type: FORCE, body: b{1 + number % 3}, load: {self._vector()}, local_load: {local}, "
            f"point: {self._near(1)}, local_point: {moving}"
            for number, (local, moving) in enumerate(axes)
        ]
        modulation = "modulation_function: {type: SINE, amplitude: 1, frequency: 2, phase: 30}"
        return [
            *forces,
            f"name: t0, type: TORQUE, body: b2, load: {self._vector()}, local_load: true, {modulation}",
            f"name: t1, type: TORQUE, body: b4, load: {self._vector()}, local_load: false",
        ]

    def _motors(self) -> list[str]:
        push = "actuation_type: FORCE, actuation_function: {type: CONSTANT, value: 2}"
        turn = "actuation_type: FORCE, actuation_function: {type: RAMP, intercept: 1, slope: 2}"
        places = [f"location: {self._near(1)}, axis: {self._vector()}" for _ in range(2)]
        return [
            f"name: m1, type: LINEAR, guide: FREE, body1: b1, body2: b4, {places[0]}, {push}",
            f"name: m2, type: ROTATION, spindle: FREE, body1: ground, body2: b3, {places[1]}, {turn}",
        ]
