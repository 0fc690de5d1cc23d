"""SDFormat, the description of models and worlds of Gazebo."""

from ossature.formats.sdf.read import read_sdf

__all__ = ["read_sdf"]
