"""Reader and writer of URDF, the robot description format of ROS."""

from ossature.formats.urdf.read import read_urdf
from ossature.formats.urdf.supported_joints import SUPPORTED_JOINTS, unsupported_reason
from ossature.formats.urdf.write import write_urdf

__all__ = ["SUPPORTED_JOINTS", "read_urdf", "unsupported_reason", "write_urdf"]
