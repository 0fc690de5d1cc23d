"""Self-collision filters compared with dartpy: every short chain of joints, with overlapping bodies."""

from __future__ import annotations

import importlib.util
import itertools
import json
import subprocess
import sys

import mujoco
import pytest

from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import Actuation, Body, Collision, Inertial, Joint, Model, NamedList, World
from ossature.simulation import ContactOptions, Simulation
from ossature.spatial import Pose

KINDS: dict[str, m.JointType] = {"Free": m.Floating(), "Weld": m.Fixed(), "Revolute": m.Revolute()}
CHAINS = [chain for length in (2, 3) for chain in itertools.product(KINDS, repeat=length)]

PROGRAM = """
import json, sys
import dartpy as dart
result = []
for chain in json.loads(sys.argv[1]):
    world, skeleton, parent = dart.simulation.World(), dart.dynamics.Skeleton("s"), None
    for number, kind in enumerate(chain):
        create = getattr(skeleton, f"create{kind}JointAndBodyNodePair")
        joint, body = create() if parent is None else create(parent)
        body.setName(str(number))
        if parent is not None:
            place = dart.math.Isometry3()
            place.set_translation([0.1, 0.0, 0.0])
            joint.setTransformFromParentBodyNode(place)
        body.createShapeNode(dart.dynamics.BoxShape([1.0, 1.0, 1.0])).createCollisionAspect()
        parent = body
    skeleton.enableSelfCollisionCheck()
    world.addSkeleton(skeleton)
    world.getConstraintSolver().solve()
    found = world.getLastCollisionResult().getContacts()
    def name(thing):
        return thing.getShapeFrame().asShapeNode().getBodyNodePtr().getName()
    result.append(sorted({tuple(sorted((name(c.collisionObject1), name(c.collisionObject2)))) for c in found}))
print("RESULT" + json.dumps(result))
"""


def chain_world(chain: tuple[str, ...], **root: object) -> World:
    bodies, joints = [], []
    for number, kind in enumerate(chain):
        shape = Collision(geometry=m.Box(size=(1.0, 1.0, 1.0)))
        place = Pose((0.1 * number, 0.0, 0.0))
        inertial = Inertial(moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        bodies.append(Body(name=str(number), pose=place, inertial=inertial, collisions=(shape,), self_collide=True))
        parent = None if number == 0 else str(number - 1)
        options = root if number == 0 else {}
        joints.append(Joint(name=f"j{number}", type=KINDS[kind], parent=parent, child=str(number), **options))  # type: ignore[arg-type]
    return World(
        gravity=(0.0, 0.0, 0.0), models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))])
    )


def touching(simulation: Simulation) -> set[tuple[str, ...]]:
    model, data = simulation.compiled.model, simulation.data
    mujoco.mj_forward(model, data)
    pairs = [(model.geom_bodyid[contact.geom1], model.geom_bodyid[contact.geom2]) for contact in data.contact]
    return {tuple(sorted(model.body(body).name for body in pair)) for pair in pairs}


def never_moving(chain: tuple[str, ...]) -> set[str]:
    """Return the bodies that are welded to the world; the engine never makes contacts between two of them."""
    return {str(number) for number in range(len(chain)) if set(chain[: number + 1]) == {"Weld"}}


def welded_together(chain: tuple[str, ...], first: str, second: str) -> bool:
    """Whether two bodies cannot move against each other, so that no contact between them could do anything."""
    return set(chain[int(first) + 1 : int(second) + 1]) == {"Weld"}


@pytest.mark.skipif(importlib.util.find_spec("dartpy") is None, reason="dartpy is not installed")
def test_chains_collide_as_in_dart() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(CHAINS)], capture_output=True, text=True, timeout=300, check=True
    )
    for chain, theirs in zip(CHAINS, json.loads(done.stdout.partition("RESULT")[2]), strict=True):
        expected = {
            (first, second)
            for first, second in theirs
            if not {first, second} <= never_moving(chain) and not welded_together(chain, first, second)
        }
        contact = ContactOptions(ignore_link_overlaps=False)
        assert touching(Simulation(chain_world(chain), contact=contact, report=Report())) == expected, chain


def test_a_parent_that_is_locked_to_the_world(report: Report) -> None:
    simulation = Simulation(chain_world(("Revolute", "Revolute"), actuation=Actuation.LOCKED), report=report)
    assert not touching(simulation)
