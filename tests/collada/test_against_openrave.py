"""Every file as the real OpenRAVE reads it; what differs is named, with the reason, and nothing else may differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import ossature
from openrave_comparison import differences
from openrave_reference import corpus_file, reference, referenced_files
from ossature.kinematics import world_with_initial_coupled_positions
from ossature.model import Model, NamedList, World

BLANKS = "the program cuts names at their first blank"
NODES = "the program leaves out the transforms of nodes inside a link: COLLADA does not"
UP = "the program does not turn documents whose y or x points upwards: COLLADA does"
UNBOUND = "the program loses the shapes of a link whose axis is not bound here: they are bound in the robot's own document"
HELD = "a link that never moves hangs on a fixed joint here; the program calls it static"
METRES = "the program takes the position of a slide in metres whatever the unit"

DIFFERENT: dict[str, dict[str, str]] = {
    "openrave-elements/s01_mm_yup": {"world": UP, "poses": UP, "start": METRES},
    "openrave-elements/s04_jointkinds": {
        "joints": BLANKS,
        "start": "a joint whose limits leave no range is at zero in the program, and at its stated position here",
    },
    "openrave-elements/s07_formula_mm": {"start": METRES},
    "openrave-elements/s08_geometry": {"shapes": f"{NODES}; capsules and planes are shapes here, and strides count"},
    "openrave-elements/s11_sensors": {"sensors": "the program has no sensors of these documented types"},
    "openrave-elements/s13_grab": {"world": BLANKS, "links": BLANKS, "joints": HELD},
    "openrave-elements/s14_minimal": {"shapes": UNBOUND},
    "openrave-elements/s15_minimal_openrave_uri": {"shapes": UNBOUND},
    "openrave-elements/s16_no_interface": {"world": "the program forgets the name of an instance without an interface type"},
    "openrave-elements/s18_visual_only": {"world": "the program refuses a document that shows no kinematics"},
    "openrave-elements/s20_idsuffix": {"masses": "the program takes the place of the first copy for the second copy's masses"},
    "openrave-elements/s22_kinbody": {"joints": HELD},
    "openrave-elements/s25_matrix": {"shapes": NODES},
    "openrave-elements/s27_names": {"links": BLANKS, "joints": BLANKS},
    "openrave-elements/s28_xup_nounit": {"world": UP, "poses": UP},
    "openrave/calibration_board": {"shapes": "a calibration board is its mesh here"},
    "openrave/fail4": {"shapes": NODES},
    "openrave/kuka-kr150": {"shapes": NODES},
    "openrave/man1": {"shapes": "the volume of a mesh that is not closed depends on where it stands"},
    "openrave/weldinggun": {"shapes": NODES},
}
"""What differs, by file and by what was looked at, each with the reason."""

SAME_NAMES = {"openrave/cmu-permma", "openrave/exactdynamics-manusarmleft"}
"""Files with several joints of one name, which get numbers here."""


def with_names_of_the_file(world: World) -> World:
    """Return the World with joints called as in the file, where a number was added to tell them apart."""
    return replace(world, models=NamedList([_with_plain_names(model) for model in world.models]))


def _with_plain_names(model: Model) -> Model:
    joints = [replace(joint, name="dummy-1") if joint.name.startswith("dummy-1_") else joint for joint in model.joints]
    return replace(model, joints=NamedList(joints))


@pytest.mark.one_in(2)
@pytest.mark.corpus
@pytest.mark.parametrize("name", referenced_files())
def test_file(name: str, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENRAVE_DATA", str(corpus / "corpus" / "openrave-elements"))
    world, report = ossature.read(corpus_file(corpus, name))
    assert world is not None, str(report)
    world = world_with_initial_coupled_positions(world)
    if name in SAME_NAMES:
        world = with_names_of_the_file(world)
    found = differences(world, reference(corpus, name))
    assert set(found) == set(DIFFERENT.get(name, {})), found


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["openrave-elements/s01_mm_yup", "openrave-elements/s28_xup_nounit", "openrave/fail4"])
def test_the_reading_of_the_program(name: str, corpus: Path) -> None:
    world, _ = ossature.read(corpus_file(corpus, name), format="openrave")
    assert world is not None
    assert not differences(world, reference(corpus, name))
