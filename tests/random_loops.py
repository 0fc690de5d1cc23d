"""Random linkages with redundant constraints: planar ones of parallel axes and spherical ones, with motors in their loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from maximal_coordinates import MaximalCoordinates

Vector = NDArray[np.float64]
_SMALLEST, _DEPENDENT = 0.05, 1e-6


def random_linkage(seed: int) -> tuple[str, int]:
    """Return the text of a Chrono model ``m`` that can move at its start, and its number of redundant constraints.

    Its bodies have inertia tensors of random points and very different masses; axes are no unit vectors; joints state their
    bodies in any order.
    """
    random = np.random.default_rng(seed)
    while True:
        text = _Linkage(random).text()
        found = _redundant_constraints(text)
        if found is not None:
            return text, found


def _redundant_constraints(text: str) -> int | None:
    """Return the number of redundant constraints, or None if the linkage is locked, nearly singular, or does not close."""
    oracle = MaximalCoordinates(text)
    start = oracle._start()
    jacobian, rates = oracle._jacobian(start, 0.0), oracle._rates_along(start, 0.0)
    if np.abs(rates[0]).max() > 1e-9 or np.abs(rates[1]).max() > 1e-6:
        return None
    scaled = jacobian @ np.linalg.cholesky(oracle._inverse_mass(start))
    sizes = np.linalg.norm(scaled, axis=1)
    values = np.linalg.svd(scaled / np.where(sizes > 1e-9, sizes, 1.0)[:, None], compute_uv=False)
    rank = int((values > _DEPENDENT).sum())
    return len(jacobian) - rank if values[rank - 1] > _SMALLEST and rank < jacobian.shape[1] else None


class _Linkage:
    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._is_planar = bool(random.random() < 0.6)
        self._count = int(random.integers(3, 6))
        self._axes = Rotation.random(random_state=int(random.integers(1 << 30))).as_matrix()
        self._center = random.normal(size=3)
        angles = np.sort(random.uniform(0.0, 2.0 * np.pi, self._count + 1))
        circle = np.column_stack([np.cos(angles), np.sin(angles)]) * random.uniform(0.6, 1.4, (self._count + 1, 1))
        self._places = np.column_stack([circle, np.zeros(self._count + 1)])
        self._items: dict[str, list[dict[str, Any]]] = {name: [] for name in ("joints", "motors", "tsdas")}

    def text(self) -> str:
        for body in range(self._count + 1):
            self._connect(body, (body + 1) % (self._count + 1))
        self._add_spring()
        bodies = [{"name": "b0", "fixed": True, "location": [0, 0, 0]}, *map(self._body, range(1, self._count + 1))]
        items = {name: each for name, each in self._items.items() if each}
        return str(
            yaml.safe_dump({"chrono-version": "10.0", "model": {"name": "m", "angle_degrees": False, "bodies": bodies} | items})
        )

    def _point(self, body: int) -> Vector:
        return np.asarray(self._center + self._axes @ (self._places[body] + self._random.normal(size=3) * (0.15, 0.15, 0.3)))

    def _body(self, body: int) -> dict[str, Any]:
        random = self._random
        mass = 10.0 ** random.uniform(-1.0, 1.0)
        points = random.normal(size=(6, 3)) * random.uniform(0.1, 0.5)
        points -= points.mean(axis=0)
        moment = mass / 6.0 * (np.square(points).sum() * np.eye(3) - points.T @ points)
        return {
            "name": f"b{body}",
            "location": _numbers(self._point(body)),
            "orientation": _numbers(random.uniform(-1.4, 1.4, 3)),
            "mass": float(mass),
            "com": {"location": _numbers(0.15 * random.normal(size=3))},
            "inertia": {"moments": _numbers(np.diag(moment)), "products": _numbers(moment[np.triu_indices(3, 1)])},
            "initial_angular_velocity": _numbers(random.normal(size=3)),
        }

    def _connect(self, first: int, second: int) -> None:
        random, place = self._random, 0.5 * (self._point(first) + self._point(second))
        bodies = (first, second) if random.random() < 0.5 else (second, first)
        ends = {"body1": f"b{bodies[0]}", "body2": f"b{bodies[1]}", "location": _numbers(place)}
        axis = (self._axes[:, 2] if self._is_planar else place - self._center) * random.uniform(0.3, 3.0)
        chance = random.random()
        if chance < 0.15:
            spindle = "CYLINDRICAL" if self._is_planar and chance < 0.05 else "REVOLUTE"
            drive = str(random.choice(["POSITION", "SPEED", "FORCE"]))
            coefficients = [0.0 if drive == "POSITION" else random.normal(), random.normal(), random.normal()]
            function = {"type": "POLYNOMIAL", "coefficients": _numbers(coefficients)}
            motor = {"name": f"m{first}", "type": "ROTATION", "spindle": spindle, "axis": _numbers(axis)}
            self._items["motors"].append(motor | ends | {"actuation_type": drive, "actuation_function": function})
            return
        kind = "REVOLUTE"
        if self._is_planar and chance > 0.7:
            kind = str(random.choice(["PRISMATIC", "CYLINDRICAL", "SPHERICAL"]))
            axis = self._axes @ (*random.normal(size=2), 0.0) if kind == "PRISMATIC" else axis
        joint = {"name": f"j{first}", "type": kind} | ends
        self._items["joints"].append(joint if kind == "SPHERICAL" else joint | {"axis": _numbers(axis)})

    def _add_spring(self) -> None:
        first, second = self._random.choice(self._count + 1, 2, replace=False).tolist()
        spring = {"name": "s", "body1": f"b{first}", "body2": f"b{second}", "free_length": 0.5}
        points = {"point1": _numbers(self._point(first)), "point2": _numbers(self._point(second))}
        self._items["tsdas"].append(spring | points | {"spring_coefficient": 20.0, "damping_coefficient": 1.0})


def _numbers(values: Any) -> list[float]:
    return [float(value) for value in np.round(np.asarray(values, float), 12)]
