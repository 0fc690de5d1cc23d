"""Which device senses what a description says."""

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
from ossature.simulation.sensing.camera import CameraDevice
from ossature.simulation.sensing.device import Device
from ossature.simulation.sensing.encoder import EncoderDevice
from ossature.simulation.sensing.flash import FlashLaserDevice
from ossature.simulation.sensing.force6d import Force6DDevice
from ossature.simulation.sensing.imu import ImuDevice
from ossature.simulation.sensing.laser import Laser2DDevice, Laser3DDevice
from ossature.simulation.sensing.odometry import OdometryDevice
from ossature.simulation.sensing.stereo import StereoDevice

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
"""The device for each kind of description."""
