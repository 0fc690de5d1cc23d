"""The device class of each sensor description."""

from __future__ import annotations

from ossature.model import (
    Encoder,
    FlashLaser,
    Force6D,
    Imu,
    Laser2D,
    Laser3D,
    Odometry,
    PinholeCamera,
    StereoCamera,
)
from ossature.simulation.sensors.camera import CameraDevice
from ossature.simulation.sensors.encoder import EncoderDevice
from ossature.simulation.sensors.flash_lidar import FlashLaserDevice
from ossature.simulation.sensors.force6d import Force6DDevice
from ossature.simulation.sensors.imu import ImuDevice
from ossature.simulation.sensors.lidar import Laser2DDevice, Laser3DDevice
from ossature.simulation.sensors.odometry import OdometryDevice
from ossature.simulation.sensors.sensor_base import Device
from ossature.simulation.sensors.stereo import StereoDevice

DEVICES: dict[type, type[Device]] = {
    PinholeCamera: CameraDevice,
    StereoCamera: StereoDevice,
    Laser2D: Laser2DDevice,
    Laser3D: Laser3DDevice,
    FlashLaser: FlashLaserDevice,
    Encoder: EncoderDevice,
    Force6D: Force6DDevice,
    Imu: ImuDevice,
    Odometry: OdometryDevice,
}
"""The device class of each type of description."""
