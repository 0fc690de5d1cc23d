"""The sensors of SDFormat that the model can represent; others are passed through."""

from __future__ import annotations

from ossature.formats.sdf.schema_common import SDF, PoseElement, SdfElement, passed_through
from ossature.syntax.schema import Element, attribute, child, element
from ossature.syntax.xml_values import INTEGER, NUMBER, STRING


class NoiseElement(SdfElement):
    """Noise of a measured number."""

    type: str | None = attribute(STRING, doc="none, gaussian, or gaussian_quantized.")
    type_name: str | None = child(STRING, name="type", doc="The same, for cameras and range finders.")
    mean: float = child(NUMBER, default=0.0, doc="Mean.")
    stddev: float = child(NUMBER, default=0.0, doc="Standard deviation.")
    other: tuple[Element, ...] = passed_through(
        "bias_mean", "bias_stddev", "dynamic_bias_stddev", "dynamic_bias_correlation_time", "precision"
    )


class NoisyComponentElement(SdfElement):
    """One component of a measured vector."""

    noise: NoiseElement | None = element(NoiseElement, doc="Its noise.")


class NoisyVectorElement(SdfElement):
    """A measured vector."""

    x: NoisyComponentElement | None = element(NoisyComponentElement, doc="Component.")
    y: NoisyComponentElement | None = element(NoisyComponentElement, doc="Component.")
    z: NoisyComponentElement | None = element(NoisyComponentElement, doc="Component.")


class SdfImuElement(SdfElement):
    """An inertial measurement unit."""

    angular_velocity: NoisyVectorElement | None = element(NoisyVectorElement, doc="Noise [rad/s].")
    linear_acceleration: NoisyVectorElement | None = element(NoisyVectorElement, doc="Noise [m/s²].")
    other: tuple[Element, ...] = passed_through("orientation_reference_frame", "enable_orientation", "topic", "noise")


class ScanElement(SdfElement):
    """The rays of a scan in one direction."""

    samples: int = child(INTEGER, default=640, doc="Number of rays.")
    resolution: float = child(NUMBER, default=1.0, doc="Measured distances for each ray.")
    min_angle: float = child(NUMBER, unit="rad", default=0.0, doc="First angle.")
    max_angle: float = child(NUMBER, unit="rad", default=0.0, doc="Last angle.")


class VerticalScanElement(ScanElement, source=SDF):
    """The lines of a scan."""

    samples: int = child(INTEGER, default=1, doc="Number of lines.")


class ScansElement(SdfElement):
    """The directions of a scan."""

    horizontal: ScanElement | None = element(ScanElement, doc="Rays of a line.")
    vertical: VerticalScanElement | None = element(VerticalScanElement, doc="Lines.")


class DistanceRangeElement(SdfElement):
    """The measured distances."""

    min: float = child(NUMBER, unit="m", default=0.0, doc="Smallest distance.")
    max: float = child(NUMBER, unit="m", default=0.0, doc="Largest distance.")
    resolution: float | None = child(NUMBER, unit="m", doc="Resolution.")


class LidarElement(SdfElement):
    """A range finder that scans."""

    scan: ScansElement | None = element(ScansElement, required=True, doc="Directions.")
    range: DistanceRangeElement | None = element(DistanceRangeElement, required=True, doc="Distances.")
    noise: NoiseElement | None = element(NoiseElement, doc="Noise of distances [m].")
    other: tuple[Element, ...] = passed_through("visibility_mask")


class ImageElement(SdfElement):
    """The image of a camera."""

    width: int = child(INTEGER, unit="pixel", default=320, doc="Width.")
    height: int = child(INTEGER, unit="pixel", default=240, doc="Height.")
    format: str | None = child(STRING, doc="Format of a pixel.")
    other: tuple[Element, ...] = passed_through("anti_aliasing")


class IntrinsicsElement(SdfElement):
    """The intrinsic matrix of a camera."""

    fx: float = child(NUMBER, unit="pixel", default=277.0, doc="Focal length along x.")
    fy: float = child(NUMBER, unit="pixel", default=277.0, doc="Focal length along y.")
    cx: float = child(NUMBER, unit="pixel", default=160.0, doc="Principal point along x.")
    cy: float = child(NUMBER, unit="pixel", default=120.0, doc="Principal point along y.")
    s: float = child(NUMBER, unit="pixel", default=0.0, doc="Skew.")


class LensElement(SdfElement):
    """The lens of a camera."""

    intrinsics: IntrinsicsElement | None = element(IntrinsicsElement, doc="Intrinsic matrix.")
    other: tuple[Element, ...] = passed_through(
        "type", "scale_to_hfov", "custom_function", "cutoff_angle", "env_texture_size", "projection"
    )


class DistortionElement(SdfElement):
    """The distortion of a lens: radial by k1, k2 and k3, tangential by p1 and p2."""

    k1: float = child(NUMBER, default=0.0, doc="Radial coefficient.")
    k2: float = child(NUMBER, default=0.0, doc="Radial coefficient.")
    k3: float = child(NUMBER, default=0.0, doc="Radial coefficient.")
    p1: float = child(NUMBER, default=0.0, doc="Tangential coefficient.")
    p2: float = child(NUMBER, default=0.0, doc="Tangential coefficient.")
    other: tuple[Element, ...] = passed_through("center")


class SdfCameraElement(SdfElement):
    """A camera that looks along x, with y to the left and z upwards."""

    name: str | None = attribute(STRING, doc="Name.")
    pose: PoseElement | None = element(PoseElement, doc="Its frame in that of the sensor.")
    horizontal_fov: float = child(NUMBER, unit="rad", default=1.047, doc="Horizontal field of view.")
    image: ImageElement | None = element(ImageElement, doc="Its image.")
    lens: LensElement | None = element(LensElement, doc="Its lens.")
    distortion: DistortionElement | None = element(DistortionElement, doc="Distortion of its image.")
    other: tuple[Element, ...] = passed_through(
        "triggered",
        "camera_info_topic",
        "trigger_topic",
        "clip",
        "save",
        "depth_camera",
        "segmentation_type",
        "box_type",
        "noise",
        "visibility_mask",
        "optical_frame_id",
    )


class ForceTorqueElement(SdfElement):
    """A sensor of the force and torque in a joint."""

    frame: str = child(STRING, default="child", doc="The axes of its components: child, parent or sensor.")
    measure_direction: str = child(
        STRING, default="child_to_parent", doc="Which link exerts the force: child_to_parent or parent_to_child."
    )
    other: tuple[Element, ...] = passed_through("force", "torque")


class SdfSensorElement(SdfElement):
    """A sensor of a link or joint."""

    name: str | None = attribute(STRING, required=True, doc="Name, unique in the link or joint.")
    type: str | None = attribute(STRING, required=True, doc="Its type.")
    pose: PoseElement | None = element(PoseElement, doc="Its frame in that of the link or joint.")
    update_rate: float = child(NUMBER, unit="Hz", default=0.0, doc="Measurements per second; 0 for each step.")
    imu: SdfImuElement | None = element(SdfImuElement, doc="An inertial measurement unit.")
    lidar: LidarElement | None = element(LidarElement, doc="A range finder.")
    ray: LidarElement | None = element(LidarElement, doc="A range finder, in earlier versions.")
    camera: tuple[SdfCameraElement, ...] = element(
        SdfCameraElement, repeated=True, doc="A camera; several of one sensor are passed through."
    )
    force_torque: ForceTorqueElement | None = element(ForceTorqueElement, doc="A force and torque sensor.")
    other: tuple[Element, ...] = passed_through(
        "always_on",
        "visualize",
        "topic",
        "enable_metrics",
        "frame_id",
        "plugin",
        "air_pressure",
        "air_speed",
        "altimeter",
        "contact",
        "gps",
        "logical_camera",
        "magnetometer",
        "navsat",
        "rfid",
        "rfidtag",
        "sonar",
        "transceiver",
    )
