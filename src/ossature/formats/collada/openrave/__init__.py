"""OpenRAVE's robot extensions: manipulators, sensors, actuators, grasps, link and joint data."""
