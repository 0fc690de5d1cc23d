"""The inertia of soft bodies that do not deform, and their motion with a stiff surface, compared with dartpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.kinematics.default_moment_of_inertia import default_moment_of_inertia
from ossature.kinematics.soft_skin_inertia import inertial_with_skin

dart = pytest.importorskip("dartpy")
SIZE = "<size>0.4 0.6 0.8</size>"
SURFACES = {
    "box": f"<box>{SIZE}<frags>3 4 5</frags></box>",
    "coarse box": f"<box>{SIZE}<frags>1 2 4</frags></box>",
    "ellipsoid": f"<ellipsoid>{SIZE}<num_slices>5</num_slices><num_stacks>4</num_stacks></ellipsoid>",
    "sphere": "<sphere><radius>0.4</radius><num_slices>6</num_slices><num_stacks>3</num_stacks></sphere>",
    "cylinder": "<cylinder><radius>0.3</radius><height>0.8</height>"
    "<num_slices>5</num_slices><num_stacks>4</num_stacks><num_rings>3</num_rings></cylinder>",
    "plain cylinder": "<cylinder><radius>0.3</radius><height>0.8</height>"
    "<num_slices>6</num_slices><num_stacks>3</num_stacks><num_rings>2</num_rings></cylinder>",
}


def soft(surface: str, joint: str = "free", inside: str = "", pose: str = "0 0 0 0 0 0") -> str:
    moment = "<ixx>0.1</ixx><iyy>0.2</iyy><izz>0.15</izz><ixy>0.01</ixy><ixz>0.02</ixz><iyz>0</iyz>"
    inertia = f"<inertia><mass>1</mass><offset>0.1 0 0.2</offset><moment_of_inertia>{moment}</moment_of_inertia></inertia>"
    skin = (
        f"<soft_shape><total_mass>2</total_mass><transformation>{pose}</transformation><geometry>{surface}</geometry>"
        "<kv>500000</kv><ke>0</ke><damp>50</damp></soft_shape>"
    )
    ends = "<parent>world</parent><child>b</child>"
    return (
        '<skel version="1.0"><world name="w"><physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>'
        f'<skeleton name="s"><body name="b" type="soft">{inertia}{skin}</body>'
        f'<joint type="{joint}" name="j">{ends}{inside}</joint></skeleton></world></skel>'
    )


PLACED = "0.3 -0.2 0.1 0.4 0.5 0.6"
"""A pose of the surface, which DART applies to boxes only."""


@pytest.mark.parametrize(
    ("surface", "pose"), [*((surface, "0 0 0 0 0 0") for surface in SURFACES), ("box", PLACED), ("coarse box", PLACED)]
)
def test_inertia_is_that_of_dart(surface: str, pose: str, tmp_path: Path) -> None:
    path = tmp_path / "soft.skel"
    path.write_text(soft(SURFACES[surface], pose=pose))
    world = ossature.load(path)
    body = world.models["s"].bodies["b"]
    found = inertial_with_skin(body, default_moment_of_inertia(body, ossature.MeshStore(ossature.Resolver())))
    # The mass matrix of a free body: its moment of inertia about the origin, and its mass.
    expected = dart.utils.SkelParser.readWorld(str(path)).getSkeleton(0).getMassMatrix()
    x, y, z = found.center_of_mass
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    about_origin = np.array(found.moment) - found.mass * cross @ cross
    np.testing.assert_allclose(found.mass * np.eye(3), expected[3:, 3:], atol=1e-12)
    np.testing.assert_allclose(found.mass * cross, expected[:3, 3:], atol=1e-12)
    np.testing.assert_allclose(about_origin, expected[:3, :3], atol=1e-12)


@pytest.mark.parametrize("surface", SURFACES)
def test_a_body_with_a_stiff_surface_moves_as_in_dart(surface: str, tmp_path: Path) -> None:
    path = tmp_path / "soft.skel"
    inside = "<transformation>0 0 0.5 0 0 0</transformation><axis><xyz>0 1 0</xyz></axis><init_pos>0.4</init_pos>"
    path.write_text(soft(SURFACES[surface], "revolute", inside))
    simulation = ossature.Simulation(ossature.load(path))
    simulation.step(300)
    world = dart.utils.SkelParser.readWorld(str(path))
    for _ in range(300):
        world.step()
    expected = world.getSkeleton(0).getPositions()[0]
    assert abs(expected - 0.4) > 0.1
    # The surface yields by its weight over its stiffness, some 1e-6 m.
    assert simulation.positions()["s"]["j"][0] == pytest.approx(expected, abs=1e-5)
