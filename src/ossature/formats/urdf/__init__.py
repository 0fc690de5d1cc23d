"""URDF, the robot description of ROS."""

from ossature.formats.urdf.read import read_urdf
from ossature.formats.urdf.write import write_urdf

__all__ = ["read_urdf", "write_urdf"]
