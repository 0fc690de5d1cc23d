"""A COLLADA document that is written in another way with the same meaning gives the same model."""

from __future__ import annotations

import copy
import math
import random
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.spatial import Pose, quaternion_from_axis_angle

FILES = ["picker.dae", "pick_and_place.dae", "scanner.dae"]
NAMESPACE = "{http://www.collada.org/2008/03/COLLADASchema}"
IN_THE_FIRST_FILE = {
    f"library_{name}" for name in ("visual_scenes", "physics_scenes", "kinematics_scenes", "articulated_systems")
}
IN_THE_FIRST_FILE.add("library_animations")  # no element refers to them
Rewrite = Callable[[ET.Element, Path], None]


def tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def libraries(root: ET.Element) -> list[ET.Element]:
    return [child for child in root if tag(child).startswith("library_")]


def transform(element: ET.Element) -> np.ndarray:
    """Return the matrix of ``<translate>`` or ``<rotate>``, shape (4, 4)."""
    x, y, z, *angle = [float(word) for word in (element.text or "").split()]
    pose = Pose(wxyz=quaternion_from_axis_angle((x, y, z), math.radians(*angle))) if angle else Pose((x, y, z))
    return pose.matrix()


def write_matrices(root: ET.Element, folder: Path) -> None:
    """Write the translations and rotations of each node as one matrix."""
    for element in list(root.iter(f"{NAMESPACE}node")):
        steps = [child for child in element if tag(child) in ("translate", "rotate")]
        if not steps or any("sid" in step.attrib for step in steps):
            continue
        place = list(element).index(steps[0])
        product = np.eye(4)
        for step in steps:
            product = product @ transform(step)
            element.remove(step)
        matrix = ET.Element(f"{NAMESPACE}matrix")
        matrix.text = " ".join(map(repr, product.ravel().tolist()))
        element.insert(place, matrix)


def reorder_libraries(root: ET.Element, folder: Path) -> None:
    """Write the libraries in another order."""
    found = libraries(root)
    for library in found:
        root.remove(library)
    random.Random(1).shuffle(found)
    for place, library in enumerate(found, 1):
        root.insert(place, library)


def rename_ids(root: ET.Element, folder: Path) -> None:
    """Give each element with an id another one, with a dot, which also separates parts of references."""
    ids = {element.get("id"): f"renamed-{number}.id" for number, element in enumerate(root.iter()) if "id" in element.attrib}
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "id":
                element.set(name, ids[value])
            elif value.removeprefix("#") in ids and value.startswith("#"):
                element.set(name, f"#{ids[value[1:]]}")
            elif "/" in value and name != "url":
                element.set(name, renamed_path(value, ids))
        if tag(element) in ("SIDREF", "param", "csymbol") and element.text:
            element.text = renamed_path(element.text.strip(), ids)


def renamed_path(path: str, ids: dict[str | None, str]) -> str:
    first, slash, rest = path.partition("/")
    return ids.get(first, first) + slash + rest


def move_to_another_file(root: ET.Element, folder: Path) -> None:
    """Move all libraries except those of scenes and robots to another file."""
    other = ET.Element(root.tag, root.attrib)
    other.append(copy.deepcopy(root[0]))
    for library in libraries(root):
        if tag(library) not in IN_THE_FIRST_FILE:
            root.remove(library)
            other.append(library)
    ids = {element.get("id") for element in other.iter()}
    set_files(root, lambda name: "other.dae" if name in ids else "")
    set_files(other, lambda name: "" if name in ids else "main.dae")
    (folder / "other.dae").write_bytes(ET.tostring(other))


def set_files(root: ET.Element, file_of: Callable[[str], str]) -> None:
    """Write the file of the target into each reference."""
    for element in root.iter():
        for name in ("url", "target", "source"):
            if element.get(name, "").startswith("#"):
                reference = element.attrib[name]
                element.set(name, file_of(reference[1:]) + reference)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("rewrite", [write_matrices, reorder_libraries, rename_ids, move_to_another_file])
def test_the_model_is_the_same(rewrite: Rewrite, file: str, tmp_path: Path) -> None:
    path = PROJECT / "examples" / file
    tree = ET.parse(path)  # noqa: S314  # an example
    rewrite(tree.getroot(), tmp_path)
    tree.write(tmp_path / "main.dae")
    assert (tmp_path / "main.dae").read_bytes() != path.read_bytes()
    differences = ossature.diff(path, tmp_path / "main.dae")
    assert not differences, str(differences)
