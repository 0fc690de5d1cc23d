"""A robot_description, as a ROS node receives it, is loaded from text; its meshes are found in a folder of packages."""

import tempfile
from pathlib import Path

import ossature

ROBOT_DESCRIPTION = """<?xml version="1.0"?>
<robot name="gripper">
  <link name="palm">
    <inertial><mass value="0.5"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://gripper_description/meshes/palm.obj"/></geometry></visual>
  </link>
</robot>"""
TETRAHEDRON = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"

with tempfile.TemporaryDirectory() as packages:
    meshes = Path(packages) / "gripper_description" / "meshes"
    meshes.mkdir(parents=True)
    (meshes / "palm.obj").write_text(TETRAHEDRON)
    world = ossature.load(ROBOT_DESCRIPTION, search_path=[packages])
    findings = ossature.check(world, open_meshes=True)  # the World remembers the search path
print(f"{world.models['gripper']!r}, its mesh is {'missing' if findings.has_errors else 'found'}")
for finding in findings:
    print(finding)
