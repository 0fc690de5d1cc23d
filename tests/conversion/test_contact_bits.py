"""Contact bits of MJCF (``contype``, ``conaffinity``): the same bodies collide in files of other formats as in MuJoCo."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.diagnostics import Action
from ossature.simulation.collidable_pairs import collidable_pairs
from ossature.simulation.engine_element_paths import body_path

BITS = ((1, 1), (1, 0), (0, 1), (2, 1), (1, 2), (2, 2), (3, 1), (0, 0))
GROUND = '<geom type="box" size="9 9 .1" pos="0 0 -9" contype="{}" conaffinity="{}"/>'
SUFFIXES = (".sdf", ".skel", ".usda", ".dae", ".urdf")


def random_robot(seed: int, bits: tuple[tuple[int, int], ...]) -> str:
    """Return a robot of spheres with random contact bits, a ground and a table; bodies move freely, or have parents."""
    random = np.random.default_rng(seed)

    def chosen() -> str:
        kind, affinity = bits[random.integers(len(bits))]
        return f'contype="{kind}" conaffinity="{affinity}"'

    def body(name: str, children: str, *, is_free: bool) -> str:
        joint = "<freejoint/>" if is_free else '<joint axis="0 1 0"/>'
        spheres = "".join(f'<geom size=".01" {chosen()}/>' for _ in range(random.integers(1, 3)))
        return f'<body name="{name}" pos="{random.random():.3f} 0 .5">{joint}{spheres}{children}</body>'

    roots = []
    for root in range(random.integers(1, 3)):
        inner = ""
        for number in reversed(range(random.integers(1, 4))):
            inner = body(f"b{root}{number}", inner, is_free=False)
        roots.append(body(f"a{root}", inner, is_free=bool(random.integers(2))))
    ground = GROUND.format(*((1, 1), (0, 1), (2, 1))[random.integers(3)])
    table = f'<body name="table" pos="3 3 3"><geom type="box" size=".1 .1 .1" {chosen()}/></body>'
    return f'<mujoco model="m"><worldbody>{ground}{table}{"".join(roots)}</worldbody></mujoco>'


def pairs_in_mujoco(text: str) -> set[frozenset[str]]:
    """Return the pairs of bodies that can collide, by MuJoCo's documentation of its collision filters."""
    model = mujoco.MjModel.from_xml_string(text)
    found = set()
    for first in range(model.ngeom):
        for second in range(first + 1, model.ngeom):
            kind1, kind2 = int(model.geom_contype[first]), int(model.geom_contype[second])
            affinity1, affinity2 = int(model.geom_conaffinity[first]), int(model.geom_conaffinity[second])
            body1, body2 = int(model.geom_bodyid[first]), int(model.geom_bodyid[second])
            weld1, weld2 = int(model.body_weldid[body1]), int(model.body_weldid[body2])
            parent1, parent2 = (int(model.body_weldid[model.body_parentid[weld]]) for weld in (weld1, weld2))
            is_near = bool(weld1 and weld2) and (parent1 == weld2 or parent2 == weld1)
            if weld1 != weld2 and not is_near and (kind1 & affinity2 or kind2 & affinity1):
                found.add(frozenset((model.body(body1).name, model.body(body2).name)))
    return found


def pairs_in_simulation(world: ossature.World) -> set[frozenset[str]]:
    compiled = ossature.Simulation(world).compiled
    pairs = collidable_pairs(compiled.model, list(range(compiled.model.ngeom)))
    names = [
        body_path(compiled, int(body)).rpartition("/")[2].removesuffix("_2") or "world" for body in compiled.model.geom_bodyid
    ]
    return {frozenset((names[first], names[second])) for first, second in pairs}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("seed", range(12))
def test_the_same_bodies_collide(suffix: str, seed: int, tmp_path: Path) -> None:
    text = random_robot(seed, BITS if seed % 2 else BITS[1:3])
    (tmp_path / "robot.xml").write_text(text)
    world = ossature.load(tmp_path / "robot.xml")
    assert pairs_in_simulation(world) == pairs_in_mujoco(text)
    ledger = ossature.save(world, tmp_path / f"written{suffix}")
    again = ossature.load(tmp_path / f"written{suffix}")
    found, expected = pairs_in_simulation(again), pairs_in_mujoco(text)
    lost = {entry.path for entry in ledger if entry.action in (Action.DROPPED, Action.APPROXIMATED)}
    assert found <= expected or "m.ignored_pairs" in lost
    assert all(f"m/{name}.self_collide" in lost for pair in expected - found for name in pair)


@pytest.mark.parametrize("suffix", [".sdf", ".skel"])
def test_robot_that_touches_its_ground_only(suffix: str, tmp_path: Path) -> None:
    text = random_robot(0, BITS[1:2])
    (tmp_path / "robot.xml").write_text(text)
    world = ossature.load(tmp_path / "robot.xml")
    ledger = ossature.save(world, tmp_path / f"written{suffix}")
    again = ossature.load(tmp_path / f"written{suffix}")
    assert {"ground"} == {model.name for model in again.models if model.static}
    assert pairs_in_simulation(again) == pairs_in_mujoco(text)
    assert uncovered_differences(world, again, ledger, tolerance=1e-9) == []
