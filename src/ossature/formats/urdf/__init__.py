"""URDF, the robot description of ROS."""

from ossature.formats.urdf.read import read_urdf
from ossature.formats.urdf.said_joints import WHOLE_JOINTS, why_not_said
from ossature.formats.urdf.write import write_urdf

__all__ = ["WHOLE_JOINTS", "read_urdf", "why_not_said", "write_urdf"]
