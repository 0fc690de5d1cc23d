"""The validator: silent on a sound document, not on one with a single thing wrong, and right about every real file.

What it says of the content models of real files was compared, element by element, with a validator that reads the
published schema.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from collada_validator import Kind, validate
from openrave_files import documents, openrave_files

SOUND = (Path(__file__).parent / "files" / "sound.dae").read_text(encoding="utf-8")
SHAPE = SOUND[SOUND.rindex("<shape>") : SOUND.rindex("</shape>") + len("</shape>")]
MATH = 'xmlns="http://www.w3.org/1998/Math/MathML"'

VIOLATIONS: list[tuple[str, str, str, str]] = [
    ("no end", "</COLLADA>", "", "not-well-formed"),
    ("another version", 'version="1.5.0"', 'version="1.4.1"', "bad-value"),
    ("another namespace", "2008/03/COLLADASchema", "2005/11/COLLADASchema", "unknown-element"),
    ("wrong order", "<mass>2</mass>", "<inertia>1 1 1</inertia><mass>2</mass>", "misplaced-element"),
    ("one too many", "<mass>2</mass>", "<mass>2</mass><mass>2</mass>", "misplaced-element"),
    ("unknown element", "<limits>", "<stiffness>1</stiffness><limits>", "unknown-element"),
    ("order of transforms", "<instance_node url", "<scale>1 1 1</scale><instance_node url", "misplaced-element"),
    (
        "no joints after links",
        '<link sid="base" name="base">',
        '<link/><instance_joint url="#slide"/><link sid="base" name="base">',
        "misplaced-element",
    ),
    ("limits before axis", "<axis>0 0 1</axis>", "<limits/><axis>0 0 1</axis>", "misplaced-element"),
    ("two alternatives", "<convex_mesh convex_hull_of", "<convex_mesh/><convex_mesh convex_hull_of", "misplaced-element"),
    ("no date", "<created>2024-05-01T12:00:00Z</created>", "", "missing-element"),
    ("no shape", SHAPE, "", "missing-element"),
    ("no frames", '<frame_origin link="robot/base"/>\n          <frame_tip', "<frame_tip", "missing-element"),
    ("text between", "<limits>\n              <min>-90", "<limits>text<min>-90", "unexpected-text"),
    (
        "spaces in nothing",
        'semantic="POSITION" source="#base_points"/>',
        'semantic="POSITION" source="#base_points"> </input>',
        "unexpected-text",
    ),
    ("unknown attribute", '<unit meter="1"', '<unit metre="1"', "unknown-attribute"),
    ("missing attribute", ' symbol="paint"', "", "missing-attribute"),
    ("no profile", '<technique profile="another">', "<technique>", "missing-attribute"),
    ("bad id", 'id="sensors"', 'id="the sensors"', "bad-value"),
    ("bad sid", 'sid="finger_follows"', 'sid="finger/follows"', "bad-value"),
    ("bad number", "<inertia>1 1 1</inertia>", "<inertia>1 1 one</inertia>", "bad-value"),
    ("Python's number", "<gravity>0 0 -9.81", "<gravity>0 0 1_0", "bad-value"),
    ("infinity", "<gravity>0 0 -9.81", "<gravity>0 0 -inf", "bad-value"),
    ("too few numbers", "<rotate>0 0 1 90</rotate>", "<rotate>0 0 1</rotate>", "bad-value"),
    ("too many numbers", "<rotate>0 0 1 90</rotate>", "<rotate>0 0 1 90 0</rotate>", "bad-value"),
    ("bad matrix", "0 0 1 0  0 0 0 1</matrix>", "0 0 1 0</matrix>", "bad-value"),
    ("bad truth", "<dynamic>true", "<dynamic>yes", "bad-value"),
    ("bad date", "2024-05-01T12:00:00Z", "yesterday", "bad-value"),
    ("bad axis", "Z_UP", "Z", "bad-value"),
    ("spaces in a choice", "Z_UP", " Z_UP ", "bad-value"),
    ("address without a path", "<SIDREF>robot_kinematics/model</SIDREF>", "<SIDREF>model</SIDREF>", "bad-value"),
    ("source without a hash", 'source="#base_points"', 'source="base_points"', "bad-value"),
    ("negative count", 'count="4" source="#base_numbers"', 'count="-4" source="#base_numbers"', "bad-value index-out-of-range"),
    ("digits", 'id="base_numbers" count="12"', 'id="base_numbers" count="12" digits="18"', "bad-value"),
    ("twice an id", 'id="sensors"', 'id="actuators"', "duplicate-id"),
    ("twice a sid", 'sid="kinematics_value"', 'sid="kinematics_axis"', "duplicate-sid"),
    ("no such node", 'url="#gripper"', 'url="#grapple"', "dangling-reference"),
    ("no such material", 'target="#red"', 'target="#green"', "dangling-reference"),
    ("no such joint", 'joint="robot/finger"', 'joint="robot/thumb"', "dangling-reference"),
    ("no such axis", 'axis="robot/shoulder/turn"', 'axis="robot/shoulder/slide"', "dangling-reference"),
    ("no such target", 'target="robot_node/shoulder_turn"', 'target="robot_node/elbow_turn"', "dangling-reference"),
    ("no such body", 'body="rigid_arm"', 'body="rigid_leg"', "dangling-reference"),
    ("no such parameter", "<param>low</param>", "<param>lower</param>", "dangling-reference"),
    ("no such sampler", 'texture="wood_sampler"', 'texture="stone_sampler"', "dangling-reference"),
    ("broken chain", "<SIDREF>robot_motion/motion_axis</SIDREF>", "<SIDREF>robot_motion/axis</SIDREF>", "dangling-reference"),
    (
        "node as geometry",
        'url="#base_mesh"/>\n            <translate>',
        'url="#gripper"/>\n            <translate>',
        "wrong-target",
    ),
    ("link as joint", 'joint="robot/shoulder"', 'joint="robot/base"', "wrong-target"),
    ("model as axis", "<param>scene_axis</param>", "<param>scene_model</param>", "wrong-target"),
    ("axis as value", "<param>scene_value</param>", "<param>scene_axis</param>", "wrong-target"),
    ("axis as model", "<param>scene_model</param>", "<param>scene_axis</param>", "wrong-target"),
    (
        "node in itself",
        '<instance_geometry url="#finger_mesh"/>',
        '<instance_geometry url="#finger_mesh"/><instance_node url="#gripper"/>',
        "cycle",
    ),
    (
        "system in itself",
        '<instance_articulated_system url="#robot_kinematics"',
        '<instance_articulated_system url="#robot_motion"',
        "cycle extension-dangling-reference",
    ),
    ("parameter of itself", "<SIDREF>robot_kinematics/kinematics_axis<", "<SIDREF>robot_motion/motion_axis<", "cycle"),
    ("joint after itself", '"COLLADA">robot/shoulder<', '"COLLADA">robot/finger<', "cycle"),
    ("count of an array", 'id="base_numbers" count="12"', 'id="base_numbers" count="13"', "wrong-count"),
    ("accessor too long", 'count="2" source="#base_coordinates"', 'count="3" source="#base_coordinates"', "wrong-count"),
    ("stride too short", 'source="#base_coordinates" stride="2"', 'source="#base_coordinates" stride="1"', "wrong-count"),
    ("no positions", 'semantic="POSITION"', 'semantic="NORMAL"', "wrong-count"),
    ("count of triangles", '<triangles count="2"', '<triangles count="3"', "wrong-count"),
    ("count of polygons", '<polylist count="2"', '<polylist count="1"', "wrong-count"),
    ("corners of polygons", "<vcount>3 4<", "<vcount>3 5<", "wrong-count"),
    ("polygon of two", "<vcount>3 4<", "<vcount>2 5<", "wrong-count"),
    ("fan of two", "<p>0 1 2 3</p>\n        </trifans>", "<p>0 1</p></trifans>", "wrong-count"),
    ("index of a vertex", "<p>0 1 3  0 1 2 3</p>", "<p>0 1 3  0 1 2 4</p>", "index-out-of-range"),
    ("index of a coordinate", "1 0  0 1 1 0 3 1</p>", "1 0  0 1 1 0 3 2</p>", "index-out-of-range"),
    ("no operator", "<times/>", "<sum/>", "bad-formula"),
    (
        "no MathML",
        f"<math {MATH}><cn>0.5</cn></math>",
        "<math><cn>0.5</cn></math>",
        "extension-unknown-element extension-missing-element",
    ),
    ("two expressions", "<cn>0.5</cn></math>", "<cn>0.5</cn><cn>1</cn></math>", "extension-bad-formula"),
    ("no number", '<cn type="real">0.5<', '<cn type="real">half<', "bad-value"),
    ("no such symbol", '"COLLADA">robot/shoulder<', '"COLLADA">robot/elbow<', "dangling-reference"),
    (
        "extension in the wrong place",
        '<extra type="anything">',
        '<extra type="visible"><technique profile="OpenRAVE"/></extra><extra type="anything">',
        "extension-misplaced-element",
    ),
    ("unknown in an extension", "<visible><bool>true", "<colour/><visible><bool>true", "extension-unknown-element"),
    ("interface without type", '<interface type="robot">', "<interface>", "extension-missing-attribute"),
    ("no such link", 'frame_tip link="hand"', 'frame_tip link="foot"', "extension-dangling-reference"),
    ("joint as link", 'frame_tip link="hand"', 'frame_tip link="shoulder"', "extension-wrong-target"),
    ("no such axis of a gripper", 'axis="./turn"', 'axis="./slide"', "extension-dangling-reference"),
    ("no such actuator", 'url="#motor"', 'url="#engine"', "extension-dangling-reference"),
    ("another use", 'type="self" link', 'type="visual" link', "extension-bad-value"),
    ("number of a motor", "<gear_ratio>50", "<gear_ratio>fifty", "extension-bad-value"),
    ("number of circular", "<bool>false</bool></newparam>", "<float>0</float></newparam>", "extension-bad-value"),
    ("partial of nothing", ' target="robot/shoulder">', ">", "extension-missing-attribute"),
    ("information about nothing", 'type="link_info" name="arm"', 'type="link_info" name="leg"', "extension-dangling-reference"),
    (
        "held by nothing",
        'rigid_body="physics/arm_instance"',
        'rigid_body="physics/leg_instance"',
        "extension-dangling-reference",
    ),
]
"""A name, what is replaced (once) by what, and the kinds of problem that this makes: nearly always one."""


def test_a_sound_document_has_no_problems() -> None:
    assert validate(SOUND.encode()) == []


@pytest.mark.parametrize(("old", "new", "expected"), [case[1:] for case in VIOLATIONS], ids=[case[0] for case in VIOLATIONS])
def test_a_violation_is_found_and_nothing_else(old: str, new: str, expected: str) -> None:
    assert old in SOUND
    found = validate(SOUND.replace(old, new, 1).encode())
    assert {problem.name for problem in found} == set(expected.split()), "\n".join(map(str, found))


EXPECTED: dict[str, dict[str, int]] = {
    "openrave/barrett-hand.zae": {"bad-value": 20, "extension-missing-element": 4, "missing-element": 13},
    "openrave/barrett-wam-sensors.zae": {"bad-value": 36, "extension-missing-element": 11, "missing-element": 20},
    "openrave/barrett-wam.zae": {"bad-value": 16, "extension-missing-element": 7, "missing-element": 12},
    "openrave/barrett-wam4.zae": {"bad-value": 12, "extension-missing-element": 4, "missing-element": 9},
    "openrave/box0.dae": {"bad-value": 2, "missing-element": 5},
    "openrave/calibration_board.dae": {"bad-value": 2, "missing-element": 5},
    "openrave/cmu-permma.zae": {"bad-value": 30, "extension-missing-element": 8, "missing-element": 16},
    "openrave/crustcrawler-ax12.zae": {"bad-value": 14, "extension-missing-element": 6, "missing-element": 13},
    "openrave/darpa-arm.zae": {"bad-value": 44, "extension-missing-element": 15, "missing-element": 44},
    "openrave/exactdynamics-manusarmleft.zae": {"bad-value": 24, "extension-missing-element": 7, "missing-element": 15},
    "openrave/fail1.dae": {"bad-value": 22, "extension-missing-element": 6, "missing-element": 11},
    "openrave/fail4.dae": {
        "bad-value": 21,
        "dangling-reference": 7,
        "extension-dangling-reference": 8,
        "extension-unexpected-text": 5,
        "missing-element": 4,
        "unexpected-text": 22,
    },
    "openrave/fail5_4d.zae": {"dangling-reference": 4, "extension-missing-element": 4, "missing-element": 5},
    "openrave/kawada-hironx.zae": {"bad-value": 50, "extension-missing-element": 23, "missing-element": 28},
    "openrave/kuka-kr150.zae": {"bad-formula": 1, "missing-element": 11},
    "openrave/kuka-kr3-cr.zae": {"bad-value": 30, "extension-missing-element": 6, "missing-element": 11},
    "openrave/kuka-kr5-r650.zae": {"bad-value": 14, "extension-missing-element": 6, "missing-element": 11},
    "openrave/kuka-youbot.zae": {"bad-value": 24, "extension-missing-element": 7, "missing-element": 14},
    "openrave/man1.zae": {
        "bad-value": 128,
        "dangling-reference": 64,
        "duplicate-id": 63,
        "extension-missing-attribute": 2,
        "missing-element": 66,
        "wrong-count": 128,
    },
    "openrave/mitsubishi-pa10.zae": {"bad-value": 16, "extension-missing-element": 7, "missing-element": 12},
    "openrave/mug1.dae": {"bad-value": 2, "missing-element": 5},
    "openrave/neuronics-katana.zae": {"bad-value": 34, "extension-missing-element": 7, "missing-element": 13},
    "openrave/pumaarm.zae": {"bad-value": 18, "extension-missing-element": 6, "missing-element": 11},
    "openrave/pumagripper.zae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave/romela-darwin-op.zae": {"bad-value": 60, "extension-missing-element": 22, "missing-element": 25},
    "openrave/rotation_stage.zae": {"bad-value": 8, "extension-missing-element": 3, "missing-element": 8},
    "openrave/schunk-lwa3.zae": {"bad-value": 16, "extension-missing-element": 7, "missing-element": 12},
    "openrave/testik0.zae": {"dangling-reference": 6, "extension-missing-element": 6, "missing-element": 5},
    "openrave/unimation-pumaarm.zae": {"bad-value": 18, "extension-missing-element": 6, "missing-element": 11},
    "openrave/weldinggun.zae": {},
    "openrave-elements/pg.dae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/pg.zae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/robot.dae": {"missing-element": 8},
    "openrave-elements/s00_base.dae": {"missing-element": 8},
    "openrave-elements/s01_mm_yup.dae": {"missing-element": 8},
    "openrave-elements/s02_radians_tool.dae": {"missing-element": 8},
    "openrave-elements/s03_axisinfo.dae": {"missing-element": 8},
    "openrave-elements/s04_jointkinds.dae": {"missing-element": 20},
    "openrave-elements/s06_formula.dae": {"missing-element": 14},
    "openrave-elements/s07_formula_mm.dae": {"missing-element": 10},
    "openrave-elements/s08_geometry.dae": {"extension-bad-value": 1, "extension-misplaced-element": 2, "missing-element": 8},
    "openrave-elements/s09_collision_info.dae": {"missing-element": 8},
    "openrave-elements/s10_actuators.dae": {"extension-bad-value": 1, "extension-missing-element": 1, "missing-element": 10},
    "openrave-elements/s11_sensors.dae": {"missing-element": 8},
    "openrave-elements/s12_manip.dae": {"extension-dangling-reference": 1, "missing-element": 10},
    "openrave-elements/s13_grab.dae": {"misplaced-element": 1, "missing-element": 10},
    "openrave-elements/s14_minimal.dae": {},
    "openrave-elements/s14b_minimal_allaxes.dae": {},
    "openrave-elements/s15_minimal_openrave_uri.dae": {},
    "openrave-elements/s15b_minimal_zae.dae": {},
    "openrave-elements/s15c_minimal_pgdae.dae": {},
    "openrave-elements/s15d_minimal_relzae.dae": {},
    "openrave-elements/s15e_host.dae": {},
    "openrave-elements/s15f_auth.dae": {},
    "openrave-elements/s16_no_interface.dae": {"missing-element": 8},
    "openrave-elements/s17_noscene.dae": {"missing-element": 8},
    "openrave-elements/s18_visual_only.dae": {"missing-element": 8},
    "openrave-elements/s19_attachment_start.dae": {"missing-element": 8},
    "openrave-elements/s20_idsuffix.dae": {"misplaced-element": 1, "missing-element": 13},
    "openrave-elements/s22_kinbody.dae": {"missing-element": 8},
    "openrave-elements/s23_nomass.dae": {"missing-element": 5},
    "openrave-elements/s25_matrix.dae": {"missing-element": 8, "unknown-element": 1},
    "openrave-elements/s27_names.dae": {"missing-element": 8},
    "openrave-elements/s28_xup_nounit.dae": {"missing-element": 8},
    "openrave-elements/s29_gravity.dae": {"missing-element": 8},
    "openrave-elements/s31_readable.dae": {"missing-element": 8},
    "openrave-elements/s32_bool.dae": {"missing-element": 8},
    "openrave-elements/z10_manifest_ns.zae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/z1_nomanifest.zae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/z2_subdir.zae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/z3_frag.zae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/z4_store.zae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/z5_ws.zae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/z6_daeext.dae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/z7_case.ZAE": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/z8_plain.zae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
    "openrave-elements/z9_subdir_entry.zae": {"bad-value": 8, "extension-missing-element": 1, "missing-element": 7},
}
"""What is wrong with each real file, and how often."""

EXPLAINED = {
    r"bad-value .*/float_array attribute 'digits': '24903[78]4'": "the program wrote a number that it never set",
    r"bad-value .*/profile_COMMON/technique attribute 'sid': '' ": "the program named no technique",
    r"missing-element .*/asset <(created|modified)>": "an asset for nothing but a subject",
    r"missing-element .*/kinematics/technique_common <frame_(origin|tip)>": "the program never writes frames",
    r"missing-element .*/instance_rigid_body(\[\d+\])? <technique_common>": "the program never writes what it does not change",
    r"missing-element .*/rigid_body(\[\d+\])?/technique_common <shape>": "a body without a shape",
    r"missing-element .*/library_nodes <node>": "a robot without any node",
    r"extension-missing-element .* <instance_(actuator|sensor)>": "a place for an actuator or a sensor that is not there",
    r"dangling-reference .*/bind_joint_axis(\[\d+\])? ": "a robot without any node",
}
"""Most of it, told apart by words, with the reason; the rest is in :data:`SINGULAR`."""

SINGULAR = {
    "fail4.dae": "another program's: URLs without a hash, no date, spaces in everything, effects and links that are not there",
    "kuka-kr150.zae": "functions as formulas without a target, and a root of two operands",
    "man1.zae": "the program's oldest: points counted as numbers, the id 'vertices' in every mesh, interfaces without a type",
    "s08_geometry.dae": "a cylinder with its radius first, a capsule with one radius",
    "s10_actuators.dae": "two points in one element",
    "s12_manip.dae": "a link that is not there",
    "s13_grab.dae": "an instance of a model after one of a system",
    "s20_idsuffix.dae": "an extra without a technique, and models bound after axes",
    "s25_matrix.dae": "a matrix in an attachment",
}
"""Files with problems of their own."""


@pytest.mark.one_in(3)
@pytest.mark.corpus
@pytest.mark.parametrize("name", openrave_files())
def test_problems_of_real_files(corpus: Path, name: str) -> None:
    folder, _, file = name.partition("/")
    found = [problem for data in documents(corpus / "corpus" / folder / file) for problem in validate(data)]
    assert Counter(problem.name for problem in found) == EXPECTED[name], "\n".join(map(str, found[:20]))
    told = [f"{problem.name} {problem.path} {problem.message}" for problem in found]
    unexplained = [line for line in told if not any(re.match(pattern, line) for pattern in EXPLAINED)]
    assert bool(unexplained) == (file in SINGULAR), unexplained


def test_every_kind_of_problem_is_made_once() -> None:
    made = {name.removeprefix("extension-") for case in VIOLATIONS for name in case[3].split()}
    assert made == set(Kind)
