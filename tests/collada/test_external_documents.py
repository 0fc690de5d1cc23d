"""Parts of COLLADA in other documents and in archives."""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
from assets.archives import packed
from collada_documents import (
    document,
    geometry,
    read,
    robot,
)
from ossature.diagnostics import Report
from ossature.model import (
    TriangleMesh,
)

PART = document(f"<library_geometries>{geometry('g')}</library_geometries>")


@pytest.mark.parametrize(
    ("url", "attribute"),
    [("part.dae#g", ""), ("part.dae", ""), ("./parts/part.dae#g", ""), ("part.dae#g", ' xml:base="parts/"')],
)
def test_a_part_of_another_document(url: str, attribute: str, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "parts"):
        folder.mkdir(exist_ok=True)
        (folder / "part.dae").write_text(PART, encoding="utf-8")
    text = robot(base_node=f'<instance_geometry url="{url}"/>').replace(' version="1.5.0"', f' version="1.5.0"{attribute}')
    (visual,) = read(text, name=str(tmp_path / "robot.dae"), folder=tmp_path).models["arm"].bodies["base"].visuals
    assert isinstance(visual.geometry, TriangleMesh)
    assert len(visual.geometry.surface.triangles.faces) == 4


@pytest.mark.parametrize("url", ["parts.zae#g", "parts.zae"])
def test_a_part_of_an_archive(url: str, tmp_path: Path) -> None:
    manifest = b"<dae_root>./part.dae</dae_root>"
    (tmp_path / "parts.zae").write_bytes(packed({"manifest.xml": manifest, "part.dae": PART.encode()}))
    text = robot(base_node=f'<instance_geometry url="{url}"/>')
    (visual,) = read(text, name=str(tmp_path / "robot.dae"), folder=tmp_path).models["arm"].bodies["base"].visuals
    assert isinstance(visual.geometry, TriangleMesh)
    assert len(visual.geometry.surface.triangles.faces) == 4


def test_a_document_that_names_its_parts_inside_an_archive(tmp_path: Path) -> None:
    main = robot(base_node='<instance_geometry url="parts/part.dae#g"/>')
    members = {"manifest.xml": b"<dae_root>robot.dae</dae_root>", "robot.dae": main.encode(), "parts/part.dae": PART.encode()}
    path = tmp_path / "robot.zae"
    path.write_bytes(packed(members))
    world = ossature.load(path)
    assert len(world.models["arm"].bodies["base"].visuals) == 1


def test_a_document_is_not_read_from_elsewhere(tmp_path: Path, report: Report) -> None:
    (tmp_path / "part.dae").write_text(PART, encoding="utf-8")
    (tmp_path / "inner").mkdir()
    text = robot(base_node='<instance_geometry url="../part.dae#g"/>')
    model = read(text, report, name=str(tmp_path / "inner" / "robot.dae"), folder=tmp_path / "inner").models["arm"]
    assert not model.bodies["base"].visuals
    assert report.take("missing-file")


def test_materials_are_those_of_the_document_that_binds_them(tmp_path: Path) -> None:
    painted = document(f"<library_geometries>{geometry('g', symbol='s')}</library_geometries>")
    (tmp_path / "part.dae").write_text(painted, encoding="utf-8")
    materials = """
    <library_effects><effect id="e"><profile_COMMON><technique sid="t">
      <lambert><diffuse><color>0 1 0 1</color></diffuse></lambert>
    </technique></profile_COMMON></effect></library_effects>
    <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>"""
    node = (
        '<instance_geometry url="part.dae#g"><bind_material><technique_common><instance_material symbol="s" target="#m"/>'
        "</technique_common></bind_material></instance_geometry>"
    )
    text = robot(base_node=node, libraries=materials)
    (visual,) = read(text, name=str(tmp_path / "robot.dae"), folder=tmp_path).models["arm"].bodies["base"].visuals
    assert visual.color == (0.0, 1.0, 0.0, 1.0)


SHOWN = """
<library_visual_scenes><visual_scene id="vscene">
  <node name="left"><instance_node url="left.dae#n"/></node><node name="right"><instance_node url="right.dae#n"/></node>
</visual_scene></library_visual_scenes>"""
NODE = '<library_nodes><node id="n"/></library_nodes>'


def _physics(bodies: str) -> str:
    """Return a physics scene of rigid bodies of 1 and 2 kg."""
    content = "".join(
        f'<rigid_body sid="b{mass}"><technique_common><mass>{mass}</mass><mass_frame/></technique_common></rigid_body>'
        for mass in (1, 2)
    )
    return (
        f'<library_physics_models><physics_model id="pmodel">{content}</physics_model></library_physics_models>'
        f'<library_physics_scenes><physics_scene id="pscene"><instance_physics_model url="#pmodel">{bodies}'
        "</instance_physics_model><technique_common><gravity>0 0 -9</gravity></technique_common></physics_scene>"
        "</library_physics_scenes>"
    )


def _masses(text: str, folder: Path) -> dict[str | None, float]:
    world = read(text, Report(), name=str(folder / "scene.dae"), folder=folder)
    return {model.name: body.inertial.mass for model in world.models for body in model.bodies if body.inertial is not None}


def test_rigid_bodies_of_nodes_in_other_documents(tmp_path: Path) -> None:
    """The nodes have equal identifiers, and the scene shows them in another order than it binds them."""
    for name in ("left", "right"):
        (tmp_path / f"{name}.dae").write_text(document(NODE), encoding="utf-8")
    bodies = """
    <instance_rigid_body body="b2" target="right.dae#n"/><instance_rigid_body body="b1" target="left.dae#n"/>"""
    shown = '<scene><instance_physics_scene url="#pscene"/><instance_visual_scene url="#vscene"/></scene>'
    assert _masses(document(SHOWN + _physics(bodies) + shown), tmp_path) == {"left": 1.0, "right": 2.0}


def test_equal_identifiers_of_two_documents(tmp_path: Path) -> None:
    """A physics scene binds the nodes of its own document, also if those of another document are shown before."""
    for name, mass in (("left", 1), ("right", 2)):
        text = document(NODE + _physics(f'<instance_rigid_body body="b{mass}" target="#n"/>'))
        (tmp_path / f"{name}.dae").write_text(text, encoding="utf-8")
    scenes = '<instance_physics_scene url="right.dae#pscene"/><instance_physics_scene url="left.dae#pscene"/>'
    shown = f'<scene>{scenes}<instance_visual_scene url="#vscene"/></scene>'
    assert _masses(document(SHOWN + shown), tmp_path) == {"left": 1.0, "right": 2.0}
