"""The colours of Gazebo's materials that are named in ``<script>``."""

from __future__ import annotations

from collections.abc import Mapping

from ossature.model import Rgba

GAZEBO_COLORS: Mapping[str, Rgba] = {
    "Gazebo/Grey": (0.7, 0.7, 0.7, 1.0),
    "Gazebo/Gray": (0.7, 0.7, 0.7, 1.0),
    "Gazebo/DarkGrey": (0.175, 0.175, 0.175, 1.0),
    "Gazebo/DarkGray": (0.175, 0.175, 0.175, 1.0),
    "Gazebo/White": (1.0, 1.0, 1.0, 1.0),
    "Gazebo/FlatBlack": (0.1, 0.1, 0.1, 1.0),
    "Gazebo/Black": (0.0, 0.0, 0.0, 1.0),
    "Gazebo/Red": (1.0, 0.0, 0.0, 1.0),
    "Gazebo/Green": (0.0, 1.0, 0.0, 1.0),
    "Gazebo/Blue": (0.0, 0.0, 1.0, 1.0),
    "Gazebo/Yellow": (1.0, 1.0, 0.0, 1.0),
    "Gazebo/Purple": (1.0, 0.0, 1.0, 1.0),
    "Gazebo/Turquoise": (0.0, 1.0, 1.0, 1.0),
    "Gazebo/Orange": (1.0, 0.5088, 0.0468, 1.0),
    "Gazebo/Gold": (0.8, 0.6487, 0.12, 1.0),
}
