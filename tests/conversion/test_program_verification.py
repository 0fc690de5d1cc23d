"""Written files, opened by the programs that they are meant for: the same poses of all bodies and mass matrices."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT, corpus_folder, example_models
from ossature.assets import MeshStore, Resolver
from ossature.cli.app import app
from ossature.conversion import ConversionError, convert, program_verification, save
from ossature.conversion.program_verification import ProgramVerification, verify_with_programs
from ossature.diagnostics import Action
from ossature.formats import REGISTRY, ReferenceProgram
from ossature.model import Body, Box, Collision, Fixed, Inertial, Joint, Mesh, Model, NamedList, Revolute, Visual, World
from ossature.spatial import Pose
from urdf_corpus import urdf_files, urdf_path

EXAMPLES = example_models(".skel", ".urdf", ".dae", ".yaml")
QUICK = ("arm.skel", "picker.dae")
needs_dart = pytest.mark.skipif(importlib.util.find_spec("dartpy") is None, reason="dartpy is not installed")
needs_pinocchio = pytest.mark.skipif(importlib.util.find_spec("pinocchio") is None, reason="no Pinocchio: pip install pin")
FORMATS = [pytest.param("skel", marks=needs_dart), pytest.param("urdf", marks=needs_pinocchio)]
REFERENCE = {"skel": "DART", "urdf": "Pinocchio"}
OPENRAVE = ("barrett-hand", "barrett-wam4", "kuka-kr5-r650", "schunk-lwa3")


def converted(path: Path, name: str, folder: Path) -> tuple[Path, World]:
    target = folder / f"converted.{name}"
    save(ossature.load(path), target)
    return target, ossature.load(target)


def programs(name: str) -> tuple[ReferenceProgram, ...]:
    return REGISTRY.named(name)[0].reference_programs


def require_agreement(path: Path, name: str, folder: Path) -> None:
    target, world = converted(path, name, folder)
    found = {each.program: each for each in verify_with_programs(target, programs(name), world, MeshStore.of(world))}
    reference = found[REFERENCE[name]]
    assert reference.is_verified, reference
    assert reference.bodies >= sum(len(model.bodies) for model in world.models)
    assert reference.mass_matrices == sum(not model.static and model.degrees_of_freedom > 0 for model in world.models)
    assert [each.differences for each in found.values()] == [()] * len(found)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "path", [pytest.param(path, id=path.name, marks=() if path.name in QUICK else pytest.mark.slow) for path in EXAMPLES]
)
def test_examples(path: Path, name: str, tmp_path: Path) -> None:
    require_agreement(path, name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("robot", urdf_files())
def test_urdf_robots(corpus: Path, robot: str, name: str, tmp_path: Path) -> None:
    require_agreement(urdf_path(corpus, robot), name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("robot", OPENRAVE if corpus_folder() else [])
def test_openrave_robots(corpus: Path, robot: str, name: str, tmp_path: Path) -> None:
    require_agreement(corpus / "corpus" / "openrave" / f"{robot}.zae", name, tmp_path)


@pytest.mark.slow
@needs_dart
@pytest.mark.parametrize(
    "path", sorted((corpus_folder() or Path()).glob("corpus/chrono/model_*.yaml")), ids=lambda path: path.stem
)
def test_chrono_mechanisms(path: Path, tmp_path: Path) -> None:
    require_agreement(path, "skel", tmp_path)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"inertial": Inertial(mass=9.0 * (1.0 + 1e-6), moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))}, "mass"),
        ({"pose": Pose((0.0, 0.0, 1e-6))}, "pose"),
    ],
)
def test_a_file_with_other_numbers_is_found(name: str, change: dict[str, object], expected: str, tmp_path: Path) -> None:
    target, world = converted(EXAMPLES[0].parent / "palletizer.urdf", name, tmp_path)
    model = world.models[0]
    changed = replace(model, bodies=model.bodies.replaced(replace(model.bodies["lower_boom"], **change)))
    other = replace(world, models=NamedList([changed]))
    (found,) = verify_with_programs(target, programs(name)[:1], other, MeshStore.of(other))
    assert found.is_failed
    assert expected in found.differences[0]


@needs_dart
def test_a_file_that_its_program_cannot_open_fails(tmp_path: Path) -> None:
    target, world = converted(EXAMPLES[0].parent / "palletizer.urdf", "skel", tmp_path)
    text = target.read_text()
    target.write_text(text.replace("<radius>", "<radios>").replace("</radius>", "</radios>"))
    (found,) = verify_with_programs(target, programs("skel"), world, MeshStore.of(world))
    assert found.is_failed
    assert found.refusal is not None
    assert "radius" in found.refusal


def with_mesh(uri: str) -> World:
    moment = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    mesh = Mesh(uri=uri)
    body = Body(
        name="b",
        inertial=Inertial(mass=1.0, moment=moment),
        visuals=(Visual(geometry=mesh), Visual(geometry=Box(size=(1.0, 1.0, 1.0)))),
        collisions=(Collision(geometry=mesh),),
    )
    return World(models=NamedList([Model(name="m", bodies=NamedList([body]))]))


def test_a_package_uri_becomes_a_path_in_skel(tmp_path: Path) -> None:
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "hand.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"
    )
    world = with_mesh("package://arm/meshes/hand.obj")

    done = convert(world, tmp_path / "out.skel", meshes=MeshStore(Resolver(search_path=(tmp_path,))), verify=True)
    text = (tmp_path / "out.skel").read_text()
    assert text.count("<file_name>arm/meshes/hand.obj</file_name>") == 2
    assert text.count("<scale>1 1 1</scale>") == 2
    assert {entry.path for entry in done.ledger if entry.action is Action.REWRITTEN} == {
        "m/b.visuals[0].geometry.uri",
        "m/b.collisions[0].geometry.uri",
    }
    assert all(each.is_verified for each in done.verifications)


@pytest.mark.parametrize("content", [None, "", "solid nothing\nendsolid\n"])
def test_a_mesh_at_which_dart_terminates_is_not_written(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "mesh.stl").write_text(content)
    ledger = save(with_mesh(str(tmp_path / "mesh.stl")), tmp_path / "out.skel")
    assert "<mesh>" not in (tmp_path / "out.skel").read_text()
    dropped = [entry for entry in ledger if entry.action is Action.DROPPED]
    assert [entry.path for entry in dropped] == ["m/b.visuals[0]", "m/b.collisions[0]"]
    assert all("mesh.stl" in (entry.before or "") for entry in dropped)


def test_a_failed_verification_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(program_verification, "TOLERANCE", -1.0)
    if not any(program.is_installed for program in programs("skel")):
        pytest.skip("dartpy is not installed")
    with pytest.raises(ConversionError, match="DART interprets it differently: palletizer"):
        convert(EXAMPLES[0].parent / "palletizer.urdf", tmp_path / "out.skel", verify=True)
    assert not list(tmp_path.iterdir())


def test_inertias_of_rotors_are_no_inertias_of_bodies(tmp_path: Path) -> None:
    source = tmp_path / "rotors.xml"
    source.write_text(
        '<mujoco><worldbody><body name="wheel"><joint name="spin" axis="0 0 1" armature="0.3"/>'
        '<geom type="box" size=".1 .2 .3"/></body><body name="other"><joint name="turn" axis="0 1 0"/>'
        '<geom type="box" size=".1 .2 .3"/></body></worldbody><tendon><fixed name="belt" armature="0.5">'
        '<joint joint="spin" coef="1"/><joint joint="turn" coef="2"/></fixed></tendon>'
        '<actuator><motor name="motor" joint="turn" gear="5" armature="0.2"/></actuator></mujoco>'
    )
    (found,) = convert(source, tmp_path / "written.xml", verify=True).verifications
    assert (found.is_verified, found.mass_matrices) == (True, 1)


@needs_dart
def test_links_without_mass_have_none_in_dart(tmp_path: Path) -> None:
    import dartpy

    solid = Inertial.from_box(2.0, (0.1, 0.2, 0.3))
    massless = Inertial(mass=0.0, moment=((0.0, 0.0, 0.0),) * 3)
    bodies = [Body(name="base", inertial=massless), Body(name="arm", inertial=solid), Body(name="tool", inertial=massless)]
    joints = [
        Joint(name="turn", type=Revolute(), parent="base", child="arm"),
        Joint(name="mount", type=Fixed(), parent="arm", child="tool"),
    ]
    world = World(models=NamedList([Model(name="r", bodies=NamedList(bodies), joints=NamedList(joints))]))
    save(world, tmp_path / "robot.urdf")
    skeleton = dartpy.utils.DartLoader().parseSkeleton(str(tmp_path / "robot.urdf"))
    assert [skeleton.getBodyNode(name).getMass() for name in ("arm", "tool")] == [2.0, 0.0]
    assert ossature.load(tmp_path / "robot.urdf").models[0].bodies["tool"].inertial == massless
    assert (tmp_path / "robot.urdf").read_text().count("<inertial>") == 2


def test_moments_of_fixed_links_without_mass_that_mujoco_ignores_are_named(tmp_path: Path) -> None:
    pytest.importorskip("pinocchio")
    moment = ((0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 0.3))
    bodies = [
        Body(name="base", inertial=Inertial.from_box(2.0, (0.1, 0.2, 0.3))),
        Body(name="arm", inertial=Inertial.from_box(2.0, (0.1, 0.2, 0.3))),
        Body(name="tool", inertial=Inertial(mass=0.0, moment=moment)),
    ]
    joints = [
        Joint(name="turn", type=Revolute(), parent="base", child="arm"),
        Joint(name="mount", type=Fixed(), parent="arm", child="tool"),
    ]
    world = World(models=NamedList([Model(name="r", bodies=NamedList(bodies), joints=NamedList(joints))]))
    target = tmp_path / "robot.urdf"
    done = convert(world, target, verify=True)
    by_program = {each.program: each for each in done.verifications}
    assert all(each.is_verified for each in by_program.values())
    assert by_program["Pinocchio"].ignored == ()
    assert by_program["MuJoCo"].ignored == ("the moments of inertia of bodies without mass: 'tool'",)

    changed = world.models["r"].bodies.replaced(replace(bodies[1], inertial=Inertial.from_box(2.001, (0.1, 0.2, 0.3))))
    other = replace(world, models=NamedList([replace(world.models["r"], bodies=changed)]))
    found = {each.program: each for each in verify_with_programs(target, programs("urdf"), other, MeshStore.of(other))}
    assert found["MuJoCo"].is_failed


def test_drake_refuses_moments_that_it_would_replace(tmp_path: Path) -> None:
    pytest.importorskip("pydrake")
    impossible = Inertial(mass=1.0, moment=((0.0, 0.0, 0.0), (0.0, 0.06, 0.0), (0.0, 0.0, 0.02)))
    bodies = [Body(name="base", inertial=Inertial.from_box(2.0, (0.1, 0.2, 0.3))), Body(name="arm", inertial=impossible)]
    joints = [Joint(name="turn", type=Revolute(axis=(0.0, 1.0, 0.0)), parent="base", child="arm")]
    world = World(models=NamedList([Model(name="r", bodies=NamedList(bodies), joints=NamedList(joints))]))
    (found,) = [each for each in convert(world, tmp_path / "r.sdf", verify=True).verifications if each.program == "Drake"]
    assert found.refusal == "it replaces the moments of inertia of links such as 'arm', which no body has"


def test_a_verification_has_a_failure_only_if_it_failed() -> None:
    assert ProgramVerification(program="A").failure is None
    assert ProgramVerification(program="A", refusal="no").failure == "A cannot open it: no"
    assert ProgramVerification(program="A", differences=("x", "y")).failure == "A interprets it differently: x, and 1 more"


def test_without_common_coordinates_no_mass_matrix_is_named(tmp_path: Path) -> None:
    source = PROJECT / "examples" / "double_pendulum.skel"
    result = CliRunner().invoke(app, ["convert", str(source), str(tmp_path / "pendulum.xml"), "--verify"])
    assert "verified by MuJoCo: it computes the same poses of 2 bodies; no mass matrix is compared" in result.output
