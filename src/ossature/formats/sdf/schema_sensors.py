"""The sensors of SDFormat that the model can represent; others are passed through."""

from __future__ import annotations

from ossature.formats.sdf.schema_values import SDF, PoseElement, SdfElement, passed_through
from ossature.syntax.schema import Element, attribute, child, element
from ossature.syntax.xml_values import INTEGER, NUMBER, STRING


class NoiseElement(SdfElement):
    """Noise of a measured number."""

    type: str | None = attribute(STRING, source=SDF, doc="none, gaussian, or gaussian_quantized.")
    type_name: str | None = child(STRING, name="type", source=SDF, doc="The same, for cameras and range finders.")
    mean: float = child(NUMBER, default=0.0, source=SDF, doc="Mean.")
    stddev: float = child(NUMBER, default=0.0, source=SDF, doc="Standard deviation.")
    other: tuple[Element, ...] = passed_through(
        "bias_mean", "bias_stddev", "dynamic_bias_stddev", "dynamic_bias_correlation_time", "precision"
    )


class NoisyComponentElement(SdfElement):
    """One component of a measured vector."""

    noise: NoiseElement | None = element(NoiseElement, source=SDF, doc="Its noise.")


class NoisyVectorElement(SdfElement):
    """A measured vector."""

    x: NoisyComponentElement | None = element(NoisyComponentElement, source=SDF, doc="Component.")
    y: NoisyComponentElement | None = element(NoisyComponentElement, source=SDF, doc="Component.")
    z: NoisyComponentElement | None = element(NoisyComponentElement, source=SDF, doc="Component.")


class SdfImuElement(SdfElement):
    """An inertial measurement unit."""

    angular_velocity: NoisyVectorElement | None = element(NoisyVectorElement, source=SDF, doc="Noise [rad/s].")
    linear_acceleration: NoisyVectorElement | None = element(NoisyVectorElement, source=SDF, doc="Noise [m/s²].")
    other: tuple[Element, ...] = passed_through("orientation_reference_frame", "enable_orientation", "topic", "noise")


class ScanElement(SdfElement):
    """The rays of a scan in one direction."""

    samples: int = child(INTEGER, default=640, source=SDF, doc="Number of rays.")
    resolution: float = child(NUMBER, default=1.0, source=SDF, doc="Measured distances for each ray.")
    min_angle: float = child(NUMBER, unit="rad", default=0.0, source=SDF, doc="First angle.")
    max_angle: float = child(NUMBER, unit="rad", default=0.0, source=SDF, doc="Last angle.")


class VerticalScanElement(ScanElement):
    """The lines of a scan."""

    samples: int = child(INTEGER, default=1, source=SDF, doc="Number of lines.")


class ScansElement(SdfElement):
    """The directions of a scan."""

    horizontal: ScanElement | None = element(ScanElement, source=SDF, doc="Rays of a line.")
    vertical: VerticalScanElement | None = element(VerticalScanElement, source=SDF, doc="Lines.")


class DistanceRangeElement(SdfElement):
    """The measured distances."""

    min: float = child(NUMBER, unit="m", default=0.0, source=SDF, doc="Smallest distance.")
    max: float = child(NUMBER, unit="m", default=0.0, source=SDF, doc="Largest distance.")
    resolution: float | None = child(NUMBER, unit="m", source=SDF, doc="Resolution.")


class LidarElement(SdfElement):
    """A range finder that scans."""

    scan: ScansElement | None = element(ScansElement, required=True, source=SDF, doc="Directions.")
    range: DistanceRangeElement | None = element(DistanceRangeElement, required=True, source=SDF, doc="Distances.")
    noise: NoiseElement | None = element(NoiseElement, source=SDF, doc="Noise of distances [m].")
    other: tuple[Element, ...] = passed_through("visibility_mask")


class ImageElement(SdfElement):
    """The image of a camera."""

    width: int = child(INTEGER, unit="pixel", default=320, source=SDF, doc="Width.")
    height: int = child(INTEGER, unit="pixel", default=240, source=SDF, doc="Height.")
    format: str | None = child(STRING, source=SDF, doc="Format of a pixel.")
    other: tuple[Element, ...] = passed_through("anti_aliasing")


class IntrinsicsElement(SdfElement):
    """The intrinsic matrix of a camera."""

    fx: float = child(NUMBER, unit="pixel", default=277.0, source=SDF, doc="Focal length along x.")
    fy: float = child(NUMBER, unit="pixel", default=277.0, source=SDF, doc="Focal length along y.")
    cx: float = child(NUMBER, unit="pixel", default=160.0, source=SDF, doc="Principal point along x.")
    cy: float = child(NUMBER, unit="pixel", default=120.0, source=SDF, doc="Principal point along y.")
    s: float = child(NUMBER, unit="pixel", default=0.0, source=SDF, doc="Skew.")


class LensElement(SdfElement):
    """The lens of a camera."""

    intrinsics: IntrinsicsElement | None = element(IntrinsicsElement, source=SDF, doc="Intrinsic matrix.")
    other: tuple[Element, ...] = passed_through(
        "type", "scale_to_hfov", "custom_function", "cutoff_angle", "env_texture_size", "projection"
    )


class SdfCameraElement(SdfElement):
    """A camera that looks along x, with y to the left and z upwards."""

    name: str | None = attribute(STRING, source=SDF, doc="Name.")
    pose: PoseElement | None = element(PoseElement, source=SDF, doc="Its frame in that of the sensor.")
    horizontal_fov: float = child(NUMBER, unit="rad", default=1.047, source=SDF, doc="Horizontal field of view.")
    image: ImageElement | None = element(ImageElement, source=SDF, doc="Its image.")
    lens: LensElement | None = element(LensElement, source=SDF, doc="Its lens.")
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
        "distortion",
        "visibility_mask",
        "optical_frame_id",
    )


class ForceTorqueElement(SdfElement):
    """A sensor of the force and torque in a joint."""

    frame: str = child(STRING, default="child", source=SDF, doc="The axes of its components: child, parent or sensor.")
    measure_direction: str = child(
        STRING, default="child_to_parent", source=SDF, doc="Which link exerts the force: child_to_parent or parent_to_child."
    )
    other: tuple[Element, ...] = passed_through("force", "torque")


class SdfSensorElement(SdfElement):
    """A sensor of a link or joint."""

    name: str | None = attribute(STRING, required=True, source=SDF, doc="Name, unique in the link or joint.")
    type: str | None = attribute(STRING, required=True, source=SDF, doc="Its type.")
    pose: PoseElement | None = element(PoseElement, source=SDF, doc="Its frame in that of the link or joint.")
    update_rate: float = child(NUMBER, unit="Hz", default=0.0, source=SDF, doc="Measurements per second; 0 for each step.")
    imu: SdfImuElement | None = element(SdfImuElement, source=SDF, doc="An inertial measurement unit.")
    lidar: LidarElement | None = element(LidarElement, source=SDF, doc="A range finder.")
    ray: LidarElement | None = element(LidarElement, source=SDF, doc="A range finder, in earlier versions.")
    camera: tuple[SdfCameraElement, ...] = element(
        SdfCameraElement, repeated=True, source=SDF, doc="A camera; several of one sensor are passed through."
    )
    force_torque: ForceTorqueElement | None = element(ForceTorqueElement, source=SDF, doc="A force and torque sensor.")
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
